//! Our words in the platform's Markdown. Whatever in them could be read as markup is escaped, apart from mentions,
//! signs of guilds, moments and addresses, which mean what they say.

use openclaw_types::{LinkSpan, RichText, Style, StyleSpan};

/// A piece of markup around a part of the words.
struct Mark<'a> {
    start: usize,
    end: usize,
    what: What<'a>,
}

#[derive(Clone, Copy)]
enum What<'a> {
    Style(&'a Style),
    Link(&'a str),
}

/// Where the words stand, as far as escaping goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Words,
    Code,
}

/// Writes words for the platform.
pub(super) fn format(text: &RichText) -> String {
    let marks = marks(text);
    let mut out = String::with_capacity(text.text().len() + marks.len() * 4);
    write(text.text(), (0, text.text().len()), &marks, &mut out);
    out
}

/// What stands around which part, outer before inner; nothing crosses.
fn marks(text: &RichText) -> Vec<Mark<'_>> {
    let is_code = |style: &Style| matches!(style, Style::Code | Style::CodeBlock { .. });
    let code: Vec<&StyleSpan> = text.styles().iter().filter(|span| is_code(&span.style)).collect();
    let in_code = |start: usize, end: usize| code.iter().any(|span| span.start < end && start < span.end);
    let links: Vec<&LinkSpan> = text.links().iter().filter(|link| !in_code(link.start, link.end)).collect();
    let mut marks = Vec::new();
    for span in text.styles() {
        // Styles are cut where a link begins or ends.
        let mut cuts: Vec<usize> = links.iter().flat_map(|link| [link.start, link.end]).collect();
        let covers = |link: &&LinkSpan| span.start <= link.start && link.end <= span.end;
        let whole: Vec<(usize, usize)> =
            links.iter().filter(|link| covers(link)).map(|link| (link.start, link.end)).collect();
        cuts.retain(|cut| {
            let inside_whole = whole.iter().any(|(start, end)| cut == start || cut == end);
            span.start < *cut && *cut < span.end && !inside_whole
        });
        cuts.push(span.end);
        let mut from = span.start;
        for cut in cuts {
            let (start, end) = trimmed(text.text(), from, cut, &span.style);
            if start < end {
                marks.push(Mark { start, end, what: What::Style(&span.style) });
            }
            from = cut;
        }
    }
    for link in links {
        marks.push(Mark { start: link.start, end: link.end, what: What::Link(&link.address) });
    }
    let rank = |mark: &Mark<'_>| match mark.what {
        What::Style(Style::Quote) => 0,
        What::Style(_) => 1,
        What::Link(_) => 2,
    };
    marks.sort_by(|one, other| {
        let order = one.start.cmp(&other.start).then(other.end.cmp(&one.end));
        order.then(rank(one).cmp(&rank(other)))
    });
    marks
}

/// Signs stand beside words, never beside space: the platform reads them otherwise.
fn trimmed(text: &str, start: usize, end: usize, style: &Style) -> (usize, usize) {
    if matches!(style, Style::Quote | Style::Code | Style::CodeBlock { .. }) {
        return (start, end);
    }
    let part = &text[start..end];
    let front = part.len() - part.trim_start().len();
    (start + front, start + part.trim_end().len().max(front))
}

fn write(text: &str, (from, to): (usize, usize), marks: &[Mark<'_>], out: &mut String) {
    let mut done = from;
    let mut rest = marks;
    while let Some((mark, after)) = rest.split_first() {
        let inner = after.iter().take_while(|each| each.start < mark.end).count();
        let (within, beyond) = after.split_at(inner);
        rest = beyond;
        // What was made smaller may end before what it held: that is cut there.
        let clipped = Mark { start: mark.start.max(done), end: mark.end.min(to), what: mark.what };
        if clipped.start < clipped.end {
            escape(&text[done..clipped.start], Inside::Words, out);
            wrap(text, &clipped, within, out);
            done = clipped.end;
        }
    }
    escape(&text[done..to.max(done)], Inside::Words, out);
}

fn wrap(text: &str, mark: &Mark<'_>, within: &[Mark<'_>], out: &mut String) {
    let range = (mark.start, mark.end);
    let words = &text[mark.start..mark.end];
    let around = |sign: &str, out: &mut String| {
        out.push_str(sign);
        write(text, range, within, out);
        out.push_str(sign);
    };
    match mark.what {
        What::Style(Style::Bold) => around("**", out),
        What::Style(Style::Italic) => around("*", out),
        What::Style(Style::Strikethrough) => around("~~", out),
        What::Style(Style::Spoiler) => around("||", out),
        What::Style(Style::Code) => code(words, out),
        What::Style(Style::CodeBlock { language }) => block(words, language.as_deref(), out),
        What::Style(Style::Quote) => {
            let mut inner = String::new();
            write(text, range, within, &mut inner);
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            let lines: Vec<String> =
                inner.trim_end_matches('\n').split('\n').map(|line| format!("> {line}")).collect();
            out.push_str(&lines.join("\n"));
            if inner.ends_with('\n') {
                out.push('\n');
            }
        }
        What::Link(address) => link(text, address, (range, within), out),
    }
}

fn link(text: &str, address: &str, (range, within): ((usize, usize), &[Mark<'_>]), out: &mut String) {
    let words = &text[range.0..range.1];
    let address = address.trim();
    if address.is_empty() || words.trim() == address {
        write(text, range, within, out);
        return;
    }
    let clean: String = address.chars().filter(|letter| !letter.is_control() && *letter != '>').collect();
    let leads = clean.starts_with("https://") || clean.starts_with("http://");
    // Words that look like an address are not shown instead of one.
    if !leads || clean.contains(char::is_whitespace) || words.contains("://") || words.contains('\n') {
        write(text, range, within, out);
        out.push_str(" (");
        escape(&clean, Inside::Words, out);
        out.push(')');
        return;
    }
    out.push('[');
    let mut inner = String::new();
    write(text, range, within, &mut inner);
    out.push_str(&inner.replace('[', "\\[").replace("\\\\[", "\\[").replace(']', "\\]"));
    out.push_str("](");
    for letter in clean.chars() {
        match letter {
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            // Signs count in an address as well: code would begin there, or the end be none.
            '`' => out.push_str("%60"),
            '\\' => out.push_str("%5C"),
            letter => out.push(letter),
        }
    }
    out.push(')');
}

fn code(words: &str, out: &mut String) {
    // Signs of two pieces of code that touch would be read as one.
    if out.ends_with('`') {
        out.push('\u{200b}');
    }
    let longest = words.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    if longest == 0 {
        out.push('`');
        escape(words, Inside::Code, out);
        out.push('`');
        return;
    }
    // Two signs hold one; more than one inside is spread, which takes a second look where they are odd.
    let spread = words.replace("``", "`\u{200b}`").replace("``", "`\u{200b}`");
    out.push_str("`` ");
    out.push_str(&spread);
    out.push_str(" ``");
}

fn block(words: &str, language: Option<&str>, out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') && !out.ends_with("> ") {
        out.push('\n');
    }
    let language: String = language
        .unwrap_or_default()
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || "+-_#.".contains(*letter))
        .collect();
    out.push_str("```");
    out.push_str(&language);
    out.push('\n');
    let spread = |words: &str| words.replace("```", "``\u{200b}`");
    out.push_str(&spread(&spread(words.trim_end_matches('\n'))));
    out.push_str("\n```");
}

/// Writes words so that they stand as they are.
fn escape(words: &str, inside: Inside, out: &mut String) {
    if inside == Inside::Code {
        out.push_str(words);
        return;
    }
    let mut rest = words;
    while let Some(letter) = rest.chars().next() {
        if let Some(length) = kept(rest) {
            out.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        let fresh = out.is_empty() || out.ends_with('\n');
        let signs = matches!(letter, '\\' | '*' | '_' | '~' | '|' | '`')
            || fresh && (letter == '>' || letter == '#' || rest.starts_with("-# "))
            || letter == '[' && rest.contains("](");
        if signs {
            out.push('\\');
        }
        out.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
}

/// How long the part at the front is that means what it says: an address, or a mention, sign or moment in angles.
fn kept(rest: &str) -> Option<usize> {
    if rest.starts_with("https://") || rest.starts_with("http://") {
        let end = rest.find(|letter: char| letter.is_whitespace() || "<>|`*\\".contains(letter));
        return Some(end.unwrap_or(rest.len()));
    }
    let inner = rest.strip_prefix('<')?;
    let end = inner.find('>').filter(|end| *end <= 80)?;
    let name = &inner[..end];
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let word = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let number = ["@!", "@&", "@", "#"].iter().find_map(|sign| name.strip_prefix(sign)).is_some_and(digits);
    let emoji =
        name.strip_prefix("a:").or_else(|| name.strip_prefix(':')).and_then(|rest| rest.split_once(':'));
    let sign = emoji.is_some_and(|(called, id)| word(called) && digits(id));
    let time = name.strip_prefix("t:").is_some_and(|rest| digits(rest.split(':').next().unwrap_or_default()));
    (number || sign || time).then_some(end + 2)
}
