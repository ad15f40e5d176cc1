//! Says why a text is not in a file: what is there instead, and how it differs. Pure.

use std::collections::HashMap;

/// How many lines of the file are shown.
const SHOWN: usize = 12;
/// How much of a line is shown.
const WIDEST: usize = 200;
/// How many lines are compared letter by letter.
const COMPARED: usize = 20_000;

/// Makes a line plainer.
type Fold = fn(&str) -> String;

/// Ways in which texts can be the same although they differ, the slightest first.
const FOLDS: &[(&str, Fold)] = &[
    ("spaces at the ends of lines", |line| line.trim_end().to_owned()),
    ("indentation or spacing (the file may have tabs)", spaced),
    ("typographic quotes, dashes or special spaces", typed),
    ("capital and small letters", |line| line.to_lowercase()),
    ("quotes and spacing", |line| spaced(&typed(line))),
    ("quotes, spacing and capitals", |line| spaced(&typed(line)).to_lowercase()),
];

/// The explanation for a text that is not there.
pub(super) fn absent(shown: &str, content: &str, old: &str, new: &str) -> String {
    let (content, old, new) =
        (content.replace("\r\n", "\n"), old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    let begin = format!("oldText is not in {shown}.");
    if content.trim().is_empty() {
        return format!("{begin} The file is empty; use write to fill it.");
    }
    if !new.trim().is_empty()
        && let Some(at) = content.find(&new)
    {
        let line = content[..at].matches('\n').count() + 1;
        return format!("{begin} newText is already there, at line {line}: this change seems to be done.");
    }
    let count = old.trim_matches('\n').matches('\n').count() + 1;
    for (what, fold) in FOLDS {
        if let Some(line) = folded_line(&content, &old, fold) {
            return format!(
                "{begin} The file differs in {what}. It has this at line {line}:\n{}\nCopy it exactly into oldText.",
                excerpt(&content, line, count)
            );
        }
    }
    match nearest(&content, &old) {
        Some(line) => format!(
            "{begin} The nearest is at line {line}:\n{}\nRead the file again and copy the text exactly.",
            excerpt(&content, line, count)
        ),
        None => format!("{begin} Nothing in the file is like it. Read the file again."),
    }
}

/// The line where a text begins that is like another one; nothing when none is.
pub(crate) fn nearest(content: &str, wanted: &str) -> Option<usize> {
    let lines: Vec<&str> = content.lines().map(str::trim).collect();
    let wanted: Vec<&str> = wanted.lines().map(str::trim).collect();
    by_equal_lines(&lines, &wanted).or_else(|| by_likeness(&lines, &wanted)).map(|at| at + 1)
}

/// Where most lines are equal.
fn by_equal_lines(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in wanted.iter().enumerate().filter(|(_, line)| line.len() > 3).take(200) {
        places.entry(line).or_default().push(at);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        for offset in places.get(line).into_iter().flatten() {
            *votes.entry(at.saturating_sub(*offset)).or_default() += 1;
        }
    }
    let best = votes.into_iter().max_by_key(|(at, count)| (*count, std::cmp::Reverse(*at)))?;
    Some(best.0)
}

/// Where a line is most like the longest line that is wanted.
fn by_likeness(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let (offset, longest) = wanted.iter().enumerate().max_by_key(|(_, line)| line.len())?;
    let sought = pairs(longest);
    let scored =
        lines.iter().take(COMPARED).enumerate().map(|(at, line)| (likeness(&sought, &pairs(line)), at));
    let (score, at) = scored.max_by_key(|(score, at)| (*score, std::cmp::Reverse(*at)))?;
    (score >= 50).then_some(at.saturating_sub(offset))
}

fn pairs(line: &str) -> HashMap<(char, char), usize> {
    let mut counts = HashMap::new();
    let letters: Vec<char> = line.chars().take(WIDEST).collect();
    for pair in letters.windows(2) {
        if let [one, two] = pair {
            *counts.entry((*one, *two)).or_default() += 1;
        }
    }
    counts
}

/// How alike two lines are, from 0 to 100.
fn likeness(one: &HashMap<(char, char), usize>, other: &HashMap<(char, char), usize>) -> usize {
    let both: usize =
        one.iter().map(|(pair, count)| (*count).min(other.get(pair).copied().unwrap_or(0))).sum();
    let all = one.values().sum::<usize>() + other.values().sum::<usize>();
    (both * 200).checked_div(all).unwrap_or(0)
}

/// The line where a text is, once both are folded line by line.
fn folded_line(content: &str, old: &str, fold: &Fold) -> Option<usize> {
    let all = |text: &str| text.split('\n').map(fold).collect::<Vec<_>>().join("\n");
    let wanted = all(old);
    let wanted = wanted.trim_matches('\n');
    if wanted.trim().is_empty() {
        return None;
    }
    let content = all(content);
    let at = content.find(wanted)?;
    Some(content[..at].matches('\n').count() + 1)
}

fn spaced(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn typed(line: &str) -> String {
    let fold = |letter: char| match letter {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    };
    line.chars().map(fold).collect()
}

/// Some lines with their numbers.
fn excerpt(content: &str, first: usize, count: usize) -> String {
    let lines = content.lines().enumerate().skip(first.saturating_sub(1)).take(count.clamp(1, SHOWN));
    let shown = lines.map(|(at, line)| {
        let line: String = line.chars().take(WIDEST).collect();
        format!("{}| {line}", at + 1)
    });
    shown.collect::<Vec<_>>().join("\n")
}
