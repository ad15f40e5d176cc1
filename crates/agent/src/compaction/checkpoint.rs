//! A summary made from the conversation itself, without a model.
//!
//! Pure and deterministic. It stands in when no model can be asked, so that summing up never loses a conversation: what
//! was asked, sentences that sound like decisions, what failed or is still open, and the last exchanges, each trimmed.

use std::collections::BTreeMap;

use openclaw_types::{Message, ToolCallId, ToolOutcome};

use super::serialise::{shortened, words};
use crate::context::estimate_text_tokens;

const ASKS: usize = 8;
const ASK_CHARS: usize = 400;
const DECISIONS: usize = 12;
const DECISION_CHARS: usize = 240;
const TROUBLES: usize = 8;
const TROUBLE_CHARS: usize = 240;
const EXCHANGES: usize = 6;
const EXCHANGE_CHARS: usize = 500;

/// How sentences begin or what they hold that are worth keeping.
const SIGNS: &[&str] = &[
    "decided",
    "decision",
    "agreed",
    "we will",
    "i will",
    "let's ",
    "instead of",
    "must ",
    "never ",
    "always ",
    "prefer",
    "remember",
    "todo",
    "to do:",
    "next step",
    "deadline",
    "important",
];

/// Makes a summary within a limit of tokens.
pub(super) fn checkpoint(messages: &[&Message], earlier: Option<&str>, most: u64) -> String {
    let mut text =
        String::from("These notes were taken from the conversation by rule; no model could be asked.");
    let share = usize::try_from(most).unwrap_or(usize::MAX).max(64);
    if let Some(earlier) = earlier.map(str::trim).filter(|earlier| !earlier.is_empty()) {
        text.push_str("\n\n## From before\n");
        text.push_str(&shortened(earlier, share.saturating_mul(2)));
    }
    let sections = [
        ("What was asked", asks(messages)),
        ("Said about how to go on", decisions(messages)),
        ("Failed or not finished", troubles(messages)),
        ("The last of what was said", exchanges(messages)),
    ];
    for (heading, lines) in sections {
        push_section(&mut text, heading, lines, most);
    }
    text
}

/// Adds a section, line by line as long as there is room; the newest lines are the last to be left out.
fn push_section(text: &mut String, heading: &str, lines: Vec<String>, most: u64) {
    let mut room = most.saturating_sub(estimate_text_tokens(text));
    let mut kept: Vec<String> = Vec::new();
    for line in lines.into_iter().rev() {
        let cost = estimate_text_tokens(&line).saturating_add(2);
        if cost > room {
            break;
        }
        room -= cost;
        kept.push(line);
    }
    if kept.is_empty() {
        return;
    }
    text.push_str("\n\n## ");
    text.push_str(heading);
    for line in kept.into_iter().rev() {
        text.push_str("\n- ");
        text.push_str(&line);
    }
}

fn one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The first thing that was asked, and the last few.
fn asks(messages: &[&Message]) -> Vec<String> {
    let all = messages.iter().filter_map(|message| match message {
        Message::User(said) => Some(one_line(&words(&said.content), ASK_CHARS)),
        _ => None,
    });
    let all: Vec<String> = all.filter(|line| !line.is_empty()).collect();
    let later = all.len().saturating_sub(ASKS).max(1);
    all.iter().take(1).chain(all.iter().skip(later)).cloned().collect()
}

fn decisions(messages: &[&Message]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for message in messages.iter().rev() {
        let text = match message {
            Message::User(said) => words(&said.content),
            Message::Assistant(said) => words(&said.content),
            _ => continue,
        };
        let sentences = text.split(['\n', '!', '?']).flat_map(|line| line.split(". ")).collect::<Vec<_>>();
        for sentence in sentences.into_iter().rev() {
            let line = one_line(sentence, DECISION_CHARS);
            let lower = line.to_lowercase();
            if SIGNS.iter().any(|sign| lower.contains(sign)) && !found.contains(&line) {
                found.push(line);
            }
        }
        if found.len() >= DECISIONS {
            break;
        }
    }
    found.truncate(DECISIONS);
    found.reverse();
    found
}

/// Calls that failed or have no result.
fn troubles(messages: &[&Message]) -> Vec<String> {
    let mut open: BTreeMap<&ToolCallId, (usize, String)> = BTreeMap::new();
    let mut told: Vec<(usize, String)> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        match message {
            Message::Assistant(said) => open.extend(said.tool_calls().map(|call| {
                let line = format!("{} {} has no result yet", call.name, call.arguments);
                (&call.id, (index, one_line(&line, TROUBLE_CHARS)))
            })),
            Message::ToolResult(result) => {
                open.remove(&result.call);
                if result.outcome == ToolOutcome::Failed {
                    let line = format!("{} failed: {}", result.tool, words(&result.content));
                    told.push((index, one_line(&line, TROUBLE_CHARS)));
                }
            }
            _ => {}
        }
    }
    told.extend(open.into_values());
    told.sort();
    let earlier = told.len().saturating_sub(TROUBLES);
    told.into_iter().skip(earlier).map(|(_, line)| line).collect()
}

fn exchanges(messages: &[&Message]) -> Vec<String> {
    let said = messages.iter().filter_map(|message| match message {
        Message::User(said) => Some(("Person", words(&said.content))),
        Message::Assistant(said) => Some(("Assistant", words(&said.content))),
        _ => None,
    });
    let lines: Vec<String> = said
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(who, text)| format!("{who}: {}", one_line(&text, EXCHANGE_CHARS)))
        .collect();
    let earlier = lines.len().saturating_sub(EXCHANGES);
    lines.into_iter().skip(earlier).collect()
}
