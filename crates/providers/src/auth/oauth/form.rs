//! Writes and reads the fields of queries.

use std::fmt::Write;

/// Fields as a query.
fn form(fields: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in fields {
        if !text.is_empty() {
            text.push('&');
        }
        escape(name, &mut text);
        text.push('=');
        escape(value, &mut text);
    }
    text
}

/// An address with fields as its query.
pub(crate) fn with_query(url: &str, fields: &[(&str, &str)]) -> String {
    let joint = if url.contains('?') { '&' } else { '?' };
    format!("{url}{joint}{}", form(fields))
}

/// A field of a query; the first of its name. Nothing when it is absent or not text.
pub(crate) fn field_of(query: &str, name: &str) -> Option<String> {
    query.trim_start_matches('?').split('&').find_map(|field| {
        let (found, value) = field.split_once('=').unwrap_or((field, ""));
        (unescape(found)? == name).then(|| unescape(value))?
    })
}

fn escape(value: &str, text: &mut String) {
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(byte))
            }
            // Writing to a text cannot fail.
            other => write!(text, "%{other:02X}").unwrap_or_default(),
        }
    }
}

fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit =
                    |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                digit(rest.next()?)? * 16 + digit(rest.next()?)?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}
