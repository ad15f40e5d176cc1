//! Words of Slack as people read them. Pure.
//!
//! Slack writes `&`, `<` and `>` as entities and everything special between `<` and `>`. Names of people stay as
//! `<@U…>`, which is how they are named back; links, channels and the rest are written out.

use serde_json::Value;

use super::super::wire::{Attachment, Event};

/// How deep blocks are looked into.
const DEEPEST: usize = 12;

/// The words of a message: its text, else what its blocks or the parts below it say.
pub(super) fn words(event: &Event) -> String {
    let text = readable(event.text.as_deref().unwrap_or_default().trim());
    if !text.is_empty() {
        return text;
    }
    let mut out = String::new();
    event.blocks.iter().for_each(|block| gather(block, &mut out, 0));
    if !out.trim().is_empty() {
        return out.trim().to_owned();
    }
    let parts = event.attachments.iter().filter(|part| !part.is_share).filter_map(attached);
    parts.collect::<Vec<_>>().join("\n\n")
}

/// The words of a part below a message.
pub(super) fn attached(part: &Attachment) -> Option<String> {
    let said = |text: &Option<String>| {
        text.as_deref().map(|text| readable(text.trim())).filter(|text| !text.is_empty())
    };
    let lines: Vec<String> =
        [said(&part.pretext), said(&part.title), said(&part.text)].into_iter().flatten().collect();
    match lines.is_empty() {
        true => said(&part.fallback),
        false => Some(lines.join("\n")),
    }
}

/// Slack's writing as people read it.
pub(in super::super) fn readable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        out.push_str(&unescaped(&rest[..start]));
        let after = &rest[start + 1..];
        match after.find('>') {
            Some(end) => {
                out.push_str(&special(&after[..end]));
                rest = &after[end + 1..];
            }
            None => {
                out.push('<');
                rest = after;
            }
        }
    }
    out.push_str(&unescaped(rest));
    out
}

fn special(inner: &str) -> String {
    let (target, label) = match inner.split_once('|') {
        Some((target, label)) => (target, Some(unescaped(label)).filter(|label| !label.is_empty())),
        None => (inner, None),
    };
    match target.chars().next() {
        Some('@') => format!("<{target}>"),
        Some('#') => label.map_or_else(|| format!("<{target}>"), |label| format!("#{label}")),
        Some('!') => {
            let word = target[1..].split('^').next().unwrap_or_default();
            label.unwrap_or_else(|| format!("@{word}"))
        }
        _ => {
            let address = unescaped(target);
            let shown = address.strip_prefix("mailto:").unwrap_or(&address);
            match label {
                Some(label) if label != address && label != shown => format!("{label} ({shown})"),
                _ => shown.to_owned(),
            }
        }
    }
}

fn unescaped(text: &str) -> String {
    match text.contains('&') {
        true => text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"),
        false => text.to_owned(),
    }
}

/// Gathers what blocks say, one line for each block.
fn gather(block: &Value, out: &mut String, depth: usize) {
    if depth > DEEPEST {
        return;
    }
    let before = out.len();
    match block["type"].as_str().unwrap_or_default() {
        "text" | "plain_text" => out.push_str(block["text"].as_str().unwrap_or_default()),
        "mrkdwn" => out.push_str(&readable(block["text"].as_str().unwrap_or_default())),
        "markdown" => out.push_str(block["text"].as_str().unwrap_or_default()),
        "user" => out.push_str(&format!("<@{}>", block["user_id"].as_str().unwrap_or_default())),
        "channel" => out.push_str(&format!("<#{}>", block["channel_id"].as_str().unwrap_or_default())),
        "broadcast" => out.push_str(&format!("@{}", block["range"].as_str().unwrap_or_default())),
        "emoji" => out.push_str(&format!(":{}:", block["name"].as_str().unwrap_or_default())),
        "link" => {
            let address = block["url"].as_str().unwrap_or_default();
            match block["text"].as_str().filter(|text| !text.is_empty() && *text != address) {
                Some(text) => out.push_str(&format!("{text} ({address})")),
                None => out.push_str(address),
            }
        }
        "image" => out.push_str(block["alt_text"].as_str().unwrap_or_default()),
        "header" | "section" => {
            gather(&block["text"], out, depth + 1);
            for field in block["fields"].as_array().into_iter().flatten() {
                gather(field, out, depth + 1);
                out.push('\n');
            }
        }
        _ => {
            for element in block["elements"].as_array().into_iter().flatten() {
                gather(element, out, depth + 1);
            }
        }
    }
    let ends_line = matches!(
        block["type"].as_str().unwrap_or_default(),
        "section"
            | "header"
            | "context"
            | "markdown"
            | "rich_text_section"
            | "rich_text_preformatted"
            | "rich_text_quote"
    );
    if ends_line && out.len() > before && !out.ends_with('\n') {
        out.push('\n');
    }
}
