//! Changes one text as hunks say. Pure.
//!
//! A place is looked for from the last one on: exactly first, then without regard to spaces at the ends of lines, to
//! spaces at both ends, and to typographic letters. Lines keep the way they end, also where a file has two ways.

use super::super::edit::{ends_in_crlf, nearest};
use super::parse::Hunk;

/// Ways to compare lines, the strictest first.
const WAYS: &[fn(&str) -> String] =
    &[str::to_owned, |line| line.trim_end().to_owned(), |line| line.trim().to_owned(), typed];

/// The changed text.
pub(super) fn change(content: &str, hunks: &[Hunk], shown: &str) -> Result<String, String> {
    let usual = if ends_in_crlf(content) { "\r\n" } else { "\n" };
    let plain = content.replace("\r\n", "\n");
    let ends = plain.is_empty() || plain.ends_with('\n');
    let (mut lines, mut endings): (Vec<String>, Vec<&str>) =
        content.split_inclusive('\n').map(|line| divided(line, usual)).unzip();
    let mut from = 0;
    for (number, hunk) in hunks.iter().enumerate() {
        let at = find(&lines, hunk, from).map_err(|missing| {
            let like = match nearest(&plain, &missing) {
                Some(line) => format!(" The nearest is at line {line}."),
                None => String::new(),
            };
            format!(
                "Hunk {} for {shown} does not fit: these lines are not in the file from where it is to be changed \
                 on.{like} Read the file again.\n{missing}",
                number + 1
            )
        })?;
        let place = at..at + hunk.old.len();
        let kept = endings_after(hunk, endings.get(place.clone()).unwrap_or_default(), usual);
        endings.splice(place.clone(), kept);
        lines.splice(place, hunk.new.iter().cloned());
        from = at + hunk.new.len();
    }
    if let Some(last) = endings.last_mut().filter(|_last| !ends) {
        *last = "";
    }
    Ok(lines.into_iter().zip(endings).map(|(line, ending)| line + ending).collect())
}

/// A line and how it ends; the last one may do without, and ends as usual should others follow it.
fn divided<'a>(line: &'a str, usual: &'a str) -> (String, &'a str) {
    let (text, ending) = match (line.strip_suffix("\r\n"), line.strip_suffix('\n')) {
        (Some(text), _) => (text, "\r\n"),
        (None, Some(text)) => (text, "\n"),
        (None, None) => (line, usual),
    };
    (text.to_owned(), ending)
}

/// How the lines of a place end afterwards: those that stay as before, new ones as usual.
fn endings_after<'a>(hunk: &Hunk, before: &[&'a str], usual: &'a str) -> Vec<&'a str> {
    let mut left = hunk.old.iter().zip(before);
    hunk.new
        .iter()
        .map(|line| {
            let mut ahead = left.clone();
            match ahead.find(|(old, _)| *old == line) {
                Some((_, ending)) => {
                    left = ahead;
                    *ending
                }
                None => usual,
            }
        })
        .collect()
}

/// The first line of the place; the lines that were not found otherwise.
fn find(lines: &[String], hunk: &Hunk, from: usize) -> Result<usize, String> {
    let mut from = from;
    for anchor in &hunk.anchors {
        let anchor = std::slice::from_ref(anchor);
        from = seek(lines, anchor, from).ok_or_else(|| anchor.join("\n"))? + 1;
    }
    if hunk.old.is_empty() {
        return Ok(if hunk.anchors.is_empty() || hunk.at_end { lines.len() } else { from });
    }
    if hunk.at_end {
        let at = lines.len().saturating_sub(hunk.old.len());
        if at >= from && fits(lines, &hunk.old, at) {
            return Ok(at);
        }
    }
    seek(lines, &hunk.old, from).ok_or_else(|| hunk.old.join("\n"))
}

fn fits(lines: &[String], wanted: &[String], at: usize) -> bool {
    WAYS.iter().any(|way| equal(lines, wanted, at, way))
}

fn seek(lines: &[String], wanted: &[String], from: usize) -> Option<usize> {
    let last = lines.len().checked_sub(wanted.len())?;
    WAYS.iter().find_map(|way| (from..=last).find(|at| equal(lines, wanted, *at, way)))
}

fn equal(lines: &[String], wanted: &[String], at: usize, way: &fn(&str) -> String) -> bool {
    let here = lines.get(at..at + wanted.len()).unwrap_or_default();
    here.len() == wanted.len()
        && here.iter().zip(wanted).all(|(line, want)| line == want || way(line) == way(want))
}

fn typed(line: &str) -> String {
    let fold = |letter: char| match letter {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{202f}' | '\u{3000}' => ' ',
        other => other,
    };
    line.trim().chars().map(fold).collect()
}
