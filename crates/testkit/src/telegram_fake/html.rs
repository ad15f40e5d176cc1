//! Reads the platform's HTML as its documents describe it, and stricter than the platform does.
//!
//! Tags must be known, closed in order and nested as entities may be: code stands in nothing but a quote and holds
//! nothing, quotes and links hold none of their kind. Every `<`, `>` and `&` that is no markup must be written as its name.

use serde_json::{Value, json};

/// The words of a text with markup, and its entities.
///
/// # Errors
/// What is wrong with the markup, in the words the platform begins its refusal with.
pub fn read_html(markup: &str) -> Result<(String, Vec<Value>), String> {
    let mut reader = Reader { text: String::new(), entities: Vec::new(), open: Vec::new() };
    let mut rest = markup;
    while let Some(letter) = rest.chars().next() {
        rest = match letter {
            '<' => reader.tag(rest)?,
            '>' => return Err(wrong("a bare >")),
            '&' => reader.name(rest)?,
            other => {
                reader.text.push(other);
                &rest[other.len_utf8()..]
            }
        };
    }
    match reader.open.last() {
        Some(open) => Err(wrong(&format!("Can't find end tag corresponding to start tag {}", open.name))),
        None => Ok((reader.text, reader.entities)),
    }
}

struct Reader {
    text: String,
    entities: Vec<Value>,
    open: Vec<Open>,
}

struct Open {
    name: String,
    kind: &'static str,
    start: usize,
    value: Option<String>,
}

impl Reader {
    fn tag<'a>(&mut self, rest: &'a str) -> Result<&'a str, String> {
        let end = rest.find('>').ok_or_else(|| wrong("Unclosed start tag"))?;
        let (inside, after) = (&rest[1..end], &rest[end + 1..]);
        match inside.strip_prefix('/') {
            Some(name) => self.close(name.trim())?,
            None => self.begin(inside)?,
        }
        Ok(after)
    }

    fn begin(&mut self, inside: &str) -> Result<(), String> {
        let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
        let value = attribute(attributes)?;
        let (kind, value) = match (name, value) {
            ("b" | "strong", None) => ("bold", None),
            ("i" | "em", None) => ("italic", None),
            ("u" | "ins", None) => ("underline", None),
            ("s" | "strike" | "del", None) => ("strikethrough", None),
            ("tg-spoiler", None) => ("spoiler", None),
            ("span", Some(("class", class))) if class == "tg-spoiler" => ("spoiler", None),
            ("a", Some(("href", address))) => ("text_link", Some(address)),
            ("blockquote", None) => ("blockquote", None),
            ("pre", None) => ("pre", None),
            ("code", None) => ("code", None),
            ("code", Some(("class", class))) if class.starts_with("language-") && self.is_in("pre") => {
                ("language", Some(class["language-".len()..].to_owned()))
            }
            _ => return Err(wrong(&format!("Unsupported start tag \"{inside}\""))),
        };
        self.nests(kind)?;
        let start = self.units();
        self.open.push(Open { name: name.to_owned(), kind, start, value });
        Ok(())
    }

    /// Whether an entity may begin here.
    fn nests(&self, kind: &str) -> Result<(), String> {
        let code = ["code", "pre", "language"];
        let in_code = self.open.iter().any(|open| code.contains(&open.kind));
        if in_code && kind != "language" {
            return Err(wrong(&format!("{kind} inside of code")));
        }
        if ["code", "pre"].contains(&kind) && self.open.iter().any(|open| open.kind != "blockquote") {
            return Err(wrong(&format!("{kind} inside of another entity")));
        }
        if ["blockquote", "text_link"].contains(&kind) && self.is_in(kind) {
            return Err(wrong(&format!("{kind} inside of {kind}")));
        }
        Ok(())
    }

    fn close(&mut self, name: &str) -> Result<(), String> {
        let open = self.open.pop().ok_or_else(|| wrong("Unexpected end tag"))?;
        if open.name != name {
            return Err(wrong(&format!(
                "Unmatched end tag, expected \"</{}>\", found \"</{name}>\"",
                open.name
            )));
        }
        let length = self.units() - open.start;
        if length == 0 {
            return Ok(());
        }
        let mut entity = json!({ "type": open.kind, "offset": open.start, "length": length });
        match (open.kind, open.value) {
            ("text_link", Some(address)) => entity["url"] = json!(address),
            ("language", Some(language)) => {
                if let Some(outer) = self.open.last_mut() {
                    outer.value = Some(language);
                }
                return Ok(());
            }
            ("pre", Some(language)) => entity["language"] = json!(language),
            _ => {}
        }
        self.entities.push(entity);
        Ok(())
    }

    fn name<'a>(&mut self, rest: &'a str) -> Result<&'a str, String> {
        let (name, letter) = [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"')]
            .into_iter()
            .find(|(name, _)| rest.starts_with(name))
            .ok_or_else(|| wrong("a bare &"))?;
        self.text.push(letter);
        Ok(&rest[name.len()..])
    }

    fn is_in(&self, kind: &str) -> bool {
        self.open.iter().any(|open| open.kind == kind)
    }

    fn units(&self) -> usize {
        self.text.encode_utf16().count()
    }
}

/// The one attribute of a tag, with names of signs read.
fn attribute(text: &str) -> Result<Option<(&str, String)>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let (name, value) = text.split_once('=').ok_or_else(|| wrong("an attribute without a value"))?;
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    let value =
        value.filter(|value| !value.contains('"')).ok_or_else(|| wrong("an attribute without quotes"))?;
    let mut reader = Reader { text: String::new(), entities: Vec::new(), open: Vec::new() };
    let mut rest = value;
    while let Some(letter) = rest.chars().next() {
        rest = match letter {
            '&' => reader.name(rest)?,
            '<' => return Err(wrong("a bare < in an attribute")),
            other => {
                reader.text.push(other);
                &rest[other.len_utf8()..]
            }
        };
    }
    Ok(Some((name, reader.text)))
}

fn wrong(what: &str) -> String {
    format!("can't parse entities: {what}")
}
