//! Words with buttons below them, as blocks. Pure.

use openclaw_types::Button;
use serde_json::{Value, json};

/// The most characters of one block of words.
const WORDS: usize = 3_000;
/// The most characters a button says.
const LABEL: usize = 75;
/// The most bytes a button carries.
pub(super) const DATA: usize = 2_000;
/// The most buttons of one row.
const ROW: usize = 25;
/// The most blocks of a message.
const BLOCKS: usize = 50;

/// The blocks of words with rows of buttons.
pub(in super::super) fn with_buttons(written: &str, rows: &[Vec<Button>]) -> Value {
    let words = parts(written)
        .into_iter()
        .map(|part| json!({ "type": "section", "text": { "type": "mrkdwn", "text": part } }));
    let rows = rows.iter().filter(|row| !row.is_empty()).enumerate().map(|(number, row)| {
        let buttons = row.iter().take(ROW).enumerate().map(|(place, button)| {
            json!({
                "type": "button",
                "action_id": format!("openclaw:{number}:{place}"),
                "text": { "type": "plain_text", "text": shortened(label(button), LABEL), "emoji": true },
                "value": button.data,
            })
        });
        json!({ "type": "actions", "block_id": format!("openclaw:{number}"), "elements": buttons.collect::<Vec<_>>() })
    });
    Value::Array(words.chain(rows).take(BLOCKS).collect())
}

/// The blocks of a message that is written anew. Without buttons there are none: those it had would keep the old words.
pub(super) fn anew(written: &str, rows: &[Vec<Button>]) -> Value {
    match rows.iter().all(Vec::is_empty) {
        true => json!([]),
        false => with_buttons(written, rows),
    }
}

fn label(button: &Button) -> &str {
    if button.text.trim().is_empty() { "…" } else { &button.text }
}

/// Cuts words at lines, or where there is none, so that each part fits.
fn parts(written: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = written;
    while rest.chars().count() > WORDS {
        let most = rest.char_indices().nth(WORDS).map_or(rest.len(), |(at, _)| at);
        let cut = rest[..most].rfind('\n').filter(|at| *at > 0).unwrap_or(most);
        parts.push(rest[..cut].trim_end());
        rest = rest[cut..].trim_start_matches('\n');
    }
    parts.push(rest);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}
