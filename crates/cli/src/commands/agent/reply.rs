//! Prints what an agent answered: its words, its files, or the whole as JSON.

use openclaw_protocol::methods::chat::AgentOutcome;
use serde_json::Value;

use crate::exit::{Exit, Output};
use crate::print;

/// Prints the gateway's second answer. A run that failed is told by its last message and by the exit code.
pub(super) fn show_answer(answer: &Value, output: Output) -> anyhow::Result<Exit> {
    let exit = if answer["result"]["meta"]["stopReason"] == "error" { Exit::NotInOrder } else { Exit::Done };
    if output == Output::Json {
        print::json(answer)?;
        return Ok(exit);
    }
    let payloads = answer["result"]["payloads"].as_array().map(Vec::as_slice).unwrap_or_default();
    let nothing = answer["summary"].as_str().unwrap_or("The agent had nothing to say.");
    show_payloads(payloads, nothing)?;
    Ok(exit)
}

/// Prints what came of a run in this process.
pub(super) fn show_outcome(outcome: &AgentOutcome, output: Output) -> anyhow::Result<Exit> {
    let value = serde_json::to_value(outcome)?;
    if output == Output::Json {
        print::json(&value)?;
    } else {
        let payloads = value["payloads"].as_array().map(Vec::as_slice).unwrap_or_default();
        show_payloads(payloads, "The agent had nothing to say.")?;
    }
    Ok(Exit::Done)
}

fn show_payloads(payloads: &[Value], nothing: &str) -> anyhow::Result<()> {
    let shown: Vec<String> = payloads.iter().map(words).filter(|words| !words.is_empty()).collect();
    if shown.is_empty() {
        return Ok(print::line(&print::muted(nothing))?);
    }
    for words in shown {
        print::line(&words)?;
    }
    Ok(())
}

/// A message of the answer: its words, then a line for each file.
fn words(payload: &Value) -> String {
    let mut lines: Vec<String> = Vec::new();
    if let Some(text) = payload["text"].as_str() {
        lines.push(text.trim_end().to_owned());
    }
    match payload["mediaUrls"].as_array() {
        Some(urls) => lines.extend(urls.iter().filter_map(Value::as_str).map(media)),
        None => {
            lines.extend(payload["mediaUrl"].as_str().map(str::trim).filter(|url| !url.is_empty()).map(media))
        }
    }
    lines.join("\n").trim_end().to_owned()
}

fn media(url: &str) -> String {
    format!("MEDIA:{url}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_its_words_and_a_line_for_each_file() {
        let cases = [
            (json!({ "text": "hello \n", "mediaUrl": null }), "hello"),
            (
                json!({ "text": "see", "mediaUrl": "/a", "mediaUrls": ["/a", "/b"] }),
                "see\nMEDIA:/a\nMEDIA:/b",
            ),
            (json!({ "mediaUrl": " /a " }), "MEDIA:/a"),
            (json!({}), ""),
        ];
        for (payload, expected) in cases {
            assert_eq!(words(&payload), expected);
        }
    }
}
