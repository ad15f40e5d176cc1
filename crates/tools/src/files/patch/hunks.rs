//! Changes one text as hunks say. Pure.
//!
//! A place is looked for from the last one on: exactly first, then without regard to spaces at the ends of lines, to
//! spaces at both ends, and to typographic letters.

use super::super::edit::{ends_in_crlf, nearest};
use super::parse::Hunk;

/// Ways to compare lines, the strictest first.
const WAYS: &[fn(&str) -> String] =
    &[str::to_owned, |line| line.trim_end().to_owned(), |line| line.trim().to_owned(), typed];

/// The changed text.
pub(super) fn change(content: &str, hunks: &[Hunk], shown: &str) -> Result<String, String> {
    let crlf = ends_in_crlf(content);
    let plain = content.replace("\r\n", "\n");
    let ends = plain.is_empty() || plain.ends_with('\n');
    let body = plain.strip_suffix('\n').unwrap_or(&plain);
    let mut lines: Vec<String> =
        if plain.is_empty() { Vec::new() } else { body.split('\n').map(str::to_owned).collect() };
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
        lines.splice(at..at + hunk.old.len(), hunk.new.iter().cloned());
        from = at + hunk.new.len();
    }
    let mut text = lines.join("\n");
    if ends && !lines.is_empty() {
        text.push('\n');
    }
    Ok(if crlf { text.replace('\n', "\r\n") } else { text })
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
