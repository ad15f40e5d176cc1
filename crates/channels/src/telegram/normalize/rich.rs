//! The words of a rich message: its blocks from top to bottom, without their looks.

use serde_json::Value;

/// The words of a rich message.
pub(super) fn words(message: &Value) -> String {
    lines(&message["blocks"]).join("\n").trim().to_owned()
}

fn lines(blocks: &Value) -> Vec<String> {
    each(blocks).flat_map(block).collect()
}

/// The lines of one block. What kind it is shows in what it has.
fn block(block: &Value) -> Vec<String> {
    let mut found: Vec<String> =
        ["summary", "text", "expression"].into_iter().map(|name| text(&block[name])).collect();
    found.extend(each(&block["items"]).map(item));
    found.extend(each(&block["cells"]).map(row));
    found.extend(lines(&block["blocks"]));
    found.extend([&block["caption"], &block["caption"]["credit"], &block["credit"]].map(text));
    found.retain(|line| !line.trim().is_empty());
    found
}

/// An item of a list, behind its label.
fn item(item: &Value) -> String {
    let label = item["label"].as_str().unwrap_or("-");
    let mark = match (item["has_checkbox"].as_bool(), item["is_checked"].as_bool()) {
        (Some(true), Some(true)) => " [x]",
        (Some(true), _) => " [ ]",
        _ => "",
    };
    format!("{label}{mark} {}", lines(&item["blocks"]).join("\n"))
}

fn row(cells: &Value) -> String {
    each(cells).map(|cell| text(&cell["text"])).collect::<Vec<_>>().join(" | ")
}

/// A text: words as they are, one text after the other, or a text with a look.
fn text(value: &Value) -> String {
    match value {
        Value::String(words) => words.clone(),
        Value::Array(parts) => parts.iter().map(text).collect(),
        Value::Object(look) => {
            let inner =
                ["text", "alternative_text", "expression"].into_iter().find_map(|name| look.get(name));
            let inner = inner.map(text).unwrap_or_default();
            match look.get("url").and_then(Value::as_str).filter(|address| *address != inner) {
                Some(address) => format!("[{inner}]({address})"),
                None => inner,
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
