//! Our words in Slack's two kinds of markup: mrkdwn for messages, Markdown for streams. Pure.
//!
//! Slack refuses no markup, but shows what it cannot read as it stands. So marks go around words without the space at
//! their ends, never over the end of a line, and apart from letters beside them; links are innermost, since their words
//! take no marks. Of what stands in angle brackets only names of people and channels are left as they are: nothing we
//! write calls everybody.

use openclaw_types::{RichText, Style, StyleSpan};

/// The kinds of markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Mrkdwn,
    Markdown,
}

/// A mark over words of one line, or over lines of code.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    start: usize,
    end: usize,
    what: MarkKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum MarkKind {
    Bold,
    Italic,
    Struck,
    Code,
    Lines(Option<String>),
    Link(String),
}

/// What stands between two words that must not touch; nobody sees it.
const GAP: char = '\u{200b}';

/// Writes words as mrkdwn.
pub(super) fn format(text: &RichText) -> String {
    write(text, Dialect::Mrkdwn)
}

/// Writes words as Markdown.
pub(super) fn markdown(text: &RichText) -> String {
    write(text, Dialect::Markdown)
}

/// Makes words harmless inside mrkdwn.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn write(text: &RichText, dialect: Dialect) -> String {
    let quotes = quoted_lines(text);
    let marks = marks(text, &quotes);
    let mut cuts: Vec<usize> = marks.iter().flat_map(|mark| [mark.start, mark.end]).collect();
    cuts.extend(&quotes);
    cuts.extend([0, text.text().len()]);
    cuts.sort_unstable();
    cuts.dedup();
    let mut writer =
        Writer { out: String::new(), open: Vec::new(), dialect, text: text.text(), marks: &marks };
    for pair in cuts.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        writer.reach(start);
        if quotes.contains(&start) {
            // It is one only where a line begins.
            if !writer.out.is_empty() && !writer.out.ends_with('\n') {
                writer.out.push('\n');
            }
            writer.out.push_str("> ");
        }
        writer.open_at(start, end);
        writer.words(start, end);
    }
    writer.reach(text.text().len());
    writer.out
}

struct Writer<'a> {
    out: String,
    /// The marks that are open, outer before inner, by their place in `marks`.
    open: Vec<usize>,
    dialect: Dialect,
    text: &'a str,
    marks: &'a [Mark],
}

impl Writer<'_> {
    /// Closes what ends there, and what stands inside that.
    fn reach(&mut self, at: usize) {
        let first = self.open.iter().position(|mark| self.marks[*mark].end <= at);
        // A link inside a mark that begins here is closed as well, so that it can stand inside.
        let begins = self.marks.iter().any(|mark| mark.start == at && !is_link(mark));
        let link = self.open.iter().position(|mark| begins && is_link(&self.marks[*mark]));
        let Some(keep) = [first, link].into_iter().flatten().min() else { return };
        let mut signs = false;
        while self.open.len() > keep {
            if let Some(mark) = self.open.pop() {
                self.close(mark, at);
                signs |= self.sign(&self.marks[mark].what).is_some();
            }
        }
        let touches = |next: char| next.is_alphanumeric() || next == '`';
        if signs && self.text[at..].chars().next().is_some_and(touches) {
            self.out.push(GAP);
        }
    }

    /// Opens what holds these words and is not open.
    fn open_at(&mut self, start: usize, end: usize) {
        for number in 0..self.marks.len() {
            let mark = &self.marks[number];
            if mark.start <= start && end <= mark.end && !self.open.contains(&number) {
                self.open.push(number);
                self.begin(number, start);
            }
        }
    }

    fn begin(&mut self, number: usize, at: usize) {
        let mark = &self.marks[number];
        let touches = self.text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        if let Some(sign) = self.sign(&mark.what) {
            let joined = sign == "`" && self.out.ends_with('`');
            if joined || touches && self.out.ends_with(char::is_alphanumeric) {
                self.out.push(GAP);
            }
            self.out.push_str(sign);
            return;
        }
        match &mark.what {
            MarkKind::Lines(language) => {
                let language = language.as_deref().filter(|_| self.dialect == Dialect::Markdown);
                if !self.out.is_empty() && !self.out.ends_with('\n') && !self.out.ends_with("> ") {
                    self.out.push('\n');
                }
                self.out.push_str("```");
                self.out.push_str(language.unwrap_or_default());
                self.out.push('\n');
            }
            MarkKind::Link(address) => match self.dialect {
                Dialect::Mrkdwn => {
                    self.out.push('<');
                    self.out.push_str(address);
                    self.out.push('|');
                }
                Dialect::Markdown => self.out.push('['),
            },
            _ => {}
        }
    }

    fn close(&mut self, number: usize, at: usize) {
        let mark = &self.marks[number];
        if let Some(sign) = self.sign(&mark.what) {
            self.out.push_str(sign);
            return;
        }
        match &mark.what {
            MarkKind::Lines(_) => {
                if !self.out.ends_with('\n') {
                    self.out.push('\n');
                }
                self.out.push_str("```");
                if !self.text[at..].is_empty() && !self.text[at..].starts_with('\n') {
                    self.out.push('\n');
                }
            }
            MarkKind::Link(address) => match self.dialect {
                Dialect::Mrkdwn => self.out.push('>'),
                Dialect::Markdown => self.out.push_str(&format!("]({address})")),
            },
            _ => {}
        }
    }

    fn sign(&self, what: &MarkKind) -> Option<&'static str> {
        match (what, self.dialect) {
            (MarkKind::Bold, Dialect::Mrkdwn) => Some("*"),
            (MarkKind::Bold, Dialect::Markdown) => Some("**"),
            (MarkKind::Italic, _) => Some("_"),
            (MarkKind::Struck, Dialect::Mrkdwn) => Some("~"),
            (MarkKind::Struck, Dialect::Markdown) => Some("~~"),
            (MarkKind::Code, _) => Some("`"),
            (MarkKind::Lines(_) | MarkKind::Link(_), _) => None,
        }
    }

    fn words(&mut self, start: usize, end: usize) {
        let words = &self.text[start..end];
        let inside =
            |wanted: fn(&MarkKind) -> bool| self.open.iter().any(|mark| wanted(&self.marks[*mark].what));
        let lines = inside(|what| matches!(what, MarkKind::Lines(_)));
        let code = lines || inside(|what| *what == MarkKind::Code);
        let link = inside(|what| matches!(what, MarkKind::Link(_)));
        // Three signs begin or end lines of code, wherever they stand.
        let words = match (lines, code, self.dialect) {
            (true, _, _) | (_, false, Dialect::Mrkdwn) => spread(words),
            (false, true, _) => words.replace('`', "'"),
            (false, false, Dialect::Markdown) => words.to_owned(),
        };
        let written = match (self.dialect, code, link) {
            (Dialect::Markdown, true, _) => words,
            (Dialect::Markdown, false, _) => backslashed(&words),
            (Dialect::Mrkdwn, true, _) => escaped(&words),
            (Dialect::Mrkdwn, false, true) => escaped(&words.replace('|', "/")),
            (Dialect::Mrkdwn, false, false) => with_names(&words),
        };
        self.out.push_str(&written);
    }
}

/// Words without three signs of code in a row. After one look there may be three left of a longer row.
fn spread(words: &str) -> String {
    let apart = format!("`{GAP}`{GAP}`");
    words.replace("```", &apart).replace("```", &apart)
}

fn is_link(mark: &Mark) -> bool {
    matches!(mark.what, MarkKind::Link(_))
}

/// The marks of a text, outer before inner; links last. Code takes no marks inside.
fn marks(text: &RichText, quotes: &[usize]) -> Vec<Mark> {
    let words = text.text();
    let code: Vec<(usize, usize)> = text
        .styles()
        .iter()
        .filter(|span| matches!(span.style, Style::Code | Style::CodeBlock { .. }))
        .map(|span| (span.start, span.end))
        .collect();
    let in_code = |start: usize, end: usize| code.iter().any(|(from, to)| *from < end && start < *to);
    let blocks = blocks(text);
    let mut marks: Vec<Mark> = Vec::new();
    let mut reached = 0;
    for span in text.styles() {
        let what = match &span.style {
            Style::Bold => MarkKind::Bold,
            Style::Italic => MarkKind::Italic,
            Style::Strikethrough => MarkKind::Struck,
            Style::Code => MarkKind::Code,
            Style::CodeBlock { language } => {
                let what = MarkKind::Lines(language.clone().filter(|language| is_word(language)));
                // Lines of code inside others are a part of them.
                if span.start >= reached {
                    reached = span.end;
                    marks.push(Mark { start: span.start, end: span.end, what });
                }
                continue;
            }
            Style::Quote | Style::Spoiler => continue,
        };
        let own = what == MarkKind::Code;
        for (start, end) in lines(words, (span.start, span.end), quotes) {
            let covered =
                code.iter().any(|(from, to)| start < *to && *from < end && !(start <= *from && *to <= end));
            let within = code.iter().any(|(from, to)| *from <= start && end <= *to);
            let in_block = blocks.iter().any(|block| block.start < end && start < block.end);
            let is_code = |mark: &Mark| mark.what == MarkKind::Code && mark.start < end && start < mark.end;
            let fits = if own { !in_block && !marks.iter().any(is_code) } else { !(covered || within) };
            if fits {
                marks.push(Mark { start, end, what: what.clone() });
            }
        }
    }
    for link in text.links() {
        let Some(address) = address(&link.address) else { continue };
        let shown = words[link.start..link.end].trim();
        let same = shown == link.address || link.address.strip_prefix("mailto:") == Some(shown);
        for (start, end) in lines(words, (link.start, link.end), quotes) {
            if !same && !in_code(start, end) {
                marks.push(Mark { start, end, what: MarkKind::Link(address.clone()) });
            }
        }
    }
    marks
}

/// The parts of each line between two places, without space at their ends. Words of somebody else begin a line.
fn lines(text: &str, (start, end): (usize, usize), quotes: &[usize]) -> Vec<(usize, usize)> {
    let ends = text[start..end].match_indices('\n').map(|(at, _)| start + at);
    let begun = quotes.iter().copied().filter(|at| start < *at && *at < end);
    let mut cuts: Vec<usize> = ends.chain(begun).chain([end]).collect();
    cuts.sort_unstable();
    let mut parts = Vec::new();
    let mut from = start;
    for cut in cuts {
        let line = &text[from..cut];
        let front = line.len() - line.trim_start().len();
        let shown = line.trim();
        if !shown.is_empty() {
            parts.push((from + front, from + front + shown.len()));
        }
        from = cut;
    }
    parts
}

/// The lines of code.
fn blocks(text: &RichText) -> Vec<&StyleSpan> {
    text.styles().iter().filter(|span| matches!(span.style, Style::CodeBlock { .. })).collect()
}

/// Where lines begin that are words of somebody else. Code is not cut for them.
fn quoted_lines(text: &RichText) -> Vec<usize> {
    let blocks = blocks(text);
    let cuts_code = |at: usize| {
        let inside = blocks.iter().any(|block| block.start < at && at < block.end);
        inside && !text.text()[..at].ends_with('\n')
    };
    let mut starts = Vec::new();
    for span in text.styles().iter().filter(|span| span.style == Style::Quote) {
        starts.push(span.start);
        let words = &text.text()[span.start..span.end];
        let inner = words.match_indices('\n').map(|(at, _)| span.start + at + 1);
        starts.extend(inner.filter(|at| *at < span.end));
    }
    starts.retain(|at| !cuts_code(*at));
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// An address as both kinds of markup take it; nothing for what Slack does not open.
fn address(address: &str) -> Option<String> {
    let known = ["https://", "http://", "mailto:", "tel:", "slack://"];
    let address = address.trim();
    if !known.iter().any(|scheme| address.len() > scheme.len() && address.starts_with(scheme)) {
        return None;
    }
    let mut out = String::with_capacity(address.len());
    for letter in address.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '|' => out.push_str("%7C"),
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            ' ' => out.push_str("%20"),
            '`' => out.push_str("%60"),
            letter if letter.is_control() => {}
            letter => out.push(letter),
        }
    }
    Some(out)
}

/// Words with entities, apart from names of people and channels.
fn with_names(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        out.push_str(&escaped(&rest[..start]));
        let after = &rest[start + 1..];
        match after.find('>').filter(|end| is_name(&after[..*end])) {
            Some(end) => {
                out.push('<');
                out.push_str(&after[..end]);
                out.push('>');
                rest = &after[end + 1..];
            }
            None => {
                out.push_str("&lt;");
                rest = after;
            }
        }
    }
    out.push_str(&escaped(rest));
    out
}

/// Whether what stands in angle brackets names a person, a group of people or a channel.
fn is_name(inner: &str) -> bool {
    let id = inner.strip_prefix("@").or_else(|| inner.strip_prefix('#'));
    let id = id.or_else(|| inner.strip_prefix("!subteam^"));
    id.is_some_and(|id| {
        !id.is_empty() && id.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit())
    })
}

/// Words of Markdown without signs that would be read as marks. Names stay.
fn backslashed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix('<')
            && let Some(end) = after.find('>').filter(|end| is_name(&after[..*end]))
        {
            out.push_str(&rest[..end + 2]);
            rest = &after[end + 1..];
            continue;
        }
        if matches!(letter, '\\' | '*' | '_' | '~' | '`' | '[' | ']' | '<') {
            out.push('\\');
        }
        out.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    out
}

fn is_word(language: &str) -> bool {
    !language.is_empty()
        && language.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '+' | '-' | '#'))
}
