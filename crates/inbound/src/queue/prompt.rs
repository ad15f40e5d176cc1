//! The words with which several messages are put to the model as one.
//!
//! What people wrote is quoted line by line, so that a message cannot pretend to be another or to be our own words.

use std::fmt::Write;

/// The longest line about a message that was left out, in characters.
const LINE_LIMIT: usize = 160;

/// One prompt from several messages that came while an answer was made, with a note about those left out.
#[must_use]
pub fn collected_prompt(texts: &[&str], summary: Option<&str>) -> String {
    let mut prompt = String::new();
    if let Some(summary) = summary {
        push_line(&mut prompt, format_args!("{summary}\n"));
    }
    match texts {
        [only] => prompt.push_str(only),
        texts => {
            push_line(
                &mut prompt,
                format_args!(
                    "While you were busy, {} messages came in. Here they are, oldest first; answer them together.",
                    texts.len()
                ),
            );
            for (index, text) in texts.iter().enumerate() {
                push_line(&mut prompt, format_args!("\nMessage {}:", index + 1));
                for line in text.trim().lines() {
                    push_line(&mut prompt, format_args!("> {line}"));
                }
            }
        }
    }
    prompt.trim_end().to_owned()
}

/// A note about messages for which there was no room: the last ones by a line each, the others by their number.
#[must_use]
pub fn summary_prompt(texts: &[&str], unnamed: usize) -> String {
    let count = texts.len() + unnamed;
    let noun = if count == 1 { "message" } else { "messages" };
    let mut note = format!("Too much came in at once: {count} earlier {noun} could not be kept in full.");
    if !texts.is_empty() {
        note.push_str(" In short:");
    }
    for text in texts {
        note.push_str("\n- ");
        note.push_str(&one_line(text));
    }
    note
}

/// A message in one line, shortened.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let more = word.chars().count() + usize::from(length > 0);
        if length + more >= LINE_LIMIT {
            let room = LINE_LIMIT.saturating_sub(length + usize::from(length > 0) + 1);
            if length > 0 && room > 0 {
                line.push(' ');
            }
            line.extend(word.chars().take(room));
            return format!("{}…", line.trim_end());
        }
        if length > 0 {
            line.push(' ');
        }
        line.push_str(word);
        length += more;
    }
    line
}

fn push_line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    if text.write_fmt(line).is_ok() {
        text.push('\n');
    }
}
