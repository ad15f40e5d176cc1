//! Replaces one piece of text by another, without touching the rest. Pure.
//!
//! Line endings do not count for finding: a model writes `\n` whatever the file has. What is put in gets the endings
//! that most lines of the file have.

/// How many lines around a change its diff shows.
const AROUND: usize = 3;

/// The changed content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Swapped {
    pub(crate) content: String,
    /// The first line that changed, from 1.
    pub(crate) line: usize,
    /// The change for people: numbers, and `-` and `+` before lines.
    pub(crate) diff: String,
}

/// Why nothing was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Miss {
    /// There is nothing to look for.
    Empty,
    /// The old text is the new text.
    Same,
    /// The old text is not there.
    Absent,
    /// The old text is there more than once, on these lines.
    Many(Vec<usize>),
}

/// Replaces `old` by `new`.
pub(crate) fn swap(content: &str, old: &str, new: &str) -> Result<Swapped, Miss> {
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    if old.is_empty() {
        return Err(Miss::Empty);
    }
    if old == new {
        return Err(Miss::Same);
    }
    let plain = content.replace("\r\n", "\n");
    let found: Vec<usize> = plain.match_indices(&old).map(|(at, _)| at).collect();
    let line_of = |at: usize| plain[..at].matches('\n').count() + 1;
    let at = match found.as_slice() {
        [] => return Err(Miss::Absent),
        [at] => *at,
        many => return Err(Miss::Many(many.iter().map(|at| line_of(*at)).collect())),
    };
    let (from, to) = (in_original(content, at), in_original(content, at + old.len()));
    let put_in = if ends_in_crlf(content) { new.replace('\n', "\r\n") } else { new.clone() };
    let mut changed = String::with_capacity(content.len() + put_in.len());
    changed.push_str(&content[..from]);
    changed.push_str(&put_in);
    changed.push_str(&content[to..]);
    let after = format!("{}{new}{}", &plain[..at], &plain[at + old.len()..]);
    let line = line_of(at);
    Ok(Swapped { content: changed, line, diff: diff(&plain, &after, line) })
}

/// Whether most lines end with `\r\n`.
pub(crate) fn ends_in_crlf(content: &str) -> bool {
    let both = content.matches("\r\n").count();
    both * 2 > content.matches('\n').count()
}

/// Where a place of the text with plain line ends is in the original.
fn in_original(content: &str, plain: usize) -> usize {
    let bytes = content.as_bytes();
    let mut passed = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let is_part_of_an_end = *byte == b'\r' && bytes.get(at + 1) == Some(&b'\n');
        if passed == plain && !(at > 0 && *byte == b'\n' && bytes[at - 1] == b'\r') {
            return at;
        }
        if !is_part_of_an_end {
            passed += 1;
        }
    }
    bytes.len()
}

/// The lines that differ, with some around them.
fn diff(before: &str, after: &str, first: usize) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split('\n').collect(), after.split('\n').collect());
    let start = first.saturating_sub(1).min(old.len()).min(new.len());
    let room = old.len().min(new.len()).saturating_sub(start);
    let same_end = old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (old.len() - same_end, new.len() - same_end);
    let mut out = Vec::new();
    let kept = |(number, line): (usize, &&str)| format!(" {} {line}", number + 1);
    out.extend(old.iter().enumerate().take(start).skip(start.saturating_sub(AROUND)).map(kept));
    out.extend((start..old_end).map(|number| format!("-{} {}", number + 1, old[number])));
    out.extend((start..new_end).map(|number| format!("+{} {}", number + 1, new[number])));
    out.extend(new.iter().enumerate().skip(new_end).take(AROUND).map(kept));
    out.join("\n")
}
