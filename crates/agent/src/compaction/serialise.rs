//! Writes messages down as text, so that a model that sums them up does not go on with them instead.
//!
//! Long tool output is shown by its beginning and end: a summary does not need more. Thoughts are left out. Neither the
//! mark that closes the text nor the label of another speaker can be written by anybody in it.

use openclaw_types::{Content, Message, ToolOutcome, ToolResultMessage};

use crate::context::estimate_text_tokens;

/// How much of one tool result is shown.
const RESULT_CHARS: usize = 2_000;
/// How much of the arguments of one call is shown.
const ARGUMENT_CHARS: usize = 800;
/// How many characters make a token at least, for cutting a text to a number of tokens.
const CHARS_PER_TOKEN: u64 = 4;

const MARK: &str = "transcript";
pub(super) const OPENS: &str = "<transcript>";
pub(super) const CLOSES: &str = "</transcript>";

/// One message as text; nothing when it says nothing to a reader.
pub(super) fn written(message: &Message) -> Option<String> {
    let text = match message {
        Message::User(said) => labelled("Person", &words(&said.content)),
        Message::Assistant(said) => {
            let mut parts = labelled("Assistant", &words(&said.content));
            for call in said.tool_calls() {
                let arguments = shortened(&call.arguments.to_string(), ARGUMENT_CHARS);
                parts.push_str(&labelled("Assistant calls", &format!("{} {arguments}", call.name)));
            }
            parts
        }
        Message::ToolResult(result) => result_text(result),
        Message::Shell(shell) => {
            labelled("Person ran", &format!("{}\n{}", shell.command, shortened(&shell.output, RESULT_CHARS)))
        }
        Message::Custom(said) => labelled("Note", &words(&said.content)),
        Message::CompactionSummary { summary, .. } => labelled("Earlier summary", summary),
        Message::BranchSummary { summary, .. } => labelled("Summary of another branch", summary),
        Message::Other(_) => String::new(),
    };
    (!text.is_empty()).then(|| unmarked(&text))
}

/// Messages as one text within a limit of tokens; what is too long is shown by its beginning and end.
pub(super) fn transcript(pieces: &[String], most: u64) -> String {
    let text = pieces.concat();
    match estimate_text_tokens(&text) > most {
        true => {
            shortened(&text, usize::try_from(most.saturating_mul(CHARS_PER_TOKEN) / 2).unwrap_or(usize::MAX))
        }
        false => text,
    }
}

fn result_text(result: &ToolResultMessage) -> String {
    let label = match result.outcome {
        ToolOutcome::Done => format!("{} answered", result.tool),
        ToolOutcome::Failed => format!("{} failed", result.tool),
    };
    labelled(&label, &shortened(&words(&result.content), RESULT_CHARS))
}

/// The words of a message; pictures are mentioned.
pub(super) fn words(content: &[Content]) -> String {
    let piece = |piece: &Content| match piece {
        Content::Text(text) => Some(text.text.clone()),
        Content::Image(_) => Some("[picture]".to_owned()),
        Content::Thinking(_) | Content::RedactedThinking(_) | Content::ToolCall(_) | Content::Other(_) => {
            None
        }
    };
    content.iter().filter_map(piece).collect::<Vec<_>>().join("\n")
}

fn labelled(label: &str, text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("[{label}] {}\n\n", unlabelled(text)),
    }
}

/// A text in which no line begins like the label of a speaker, whatever ends the line before it.
fn unlabelled(text: &str) -> String {
    let ends_line = ['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    text.replace("\r\n", "\n").replace(ends_line, "\n").replace("\n[", "\n [").replace("\n［", "\n ［")
}

/// A text of at most about so many characters, its middle left out.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most * 2 / 3).collect();
    let tail: String = text.chars().skip(length - most / 3).collect();
    // The dots keep what stood inside a line from beginning one.
    format!("{head}\n[… {} characters left out …]\n…{tail}", length - most * 2 / 3 - most / 3)
}

/// A text in which nothing passes for the marks around it.
pub(super) fn unmarked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        out.push(letter);
        if letter == '<' && names_mark(text.get(at + 1..).unwrap_or_default()) {
            out.push(' ');
        }
    }
    out
}

/// Whether what follows a bracket is the name of a mark. What may stand before the name is looked at only here: from every
/// letter of a long blank it would take as long as the square of its length.
fn names_mark(inside: &str) -> bool {
    let inside = inside.trim_start_matches(|letter: char| letter == '/' || letter.is_whitespace());
    let name = inside.as_bytes().get(..MARK.len());
    name.is_some_and(|name| name.eq_ignore_ascii_case(MARK.as_bytes()))
}
