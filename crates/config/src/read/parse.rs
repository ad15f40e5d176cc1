//! JSON5 text to a value with origins.
//!
//! Accepts what the JSON5 of configuration files has (comments, trailing commas, unquoted keys, single quotes, hex,
//! line continuations) and refuses what the original's parser refuses too, so that a file we accept stays readable
//! there. `Infinity` and `NaN` are refused: no setting can be one. Hostile depth is refused before anything recurses.

use jsonc_parser::ast::{self, ObjectPropName};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Number, Value};

use super::node::{Node, NodeFields, NodeKind, Origin};

/// Deeper files are refused. People nest less than twenty levels.
pub(crate) const MAX_DEPTH: usize = 100;

/// A parsed text.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) node: Node,
    /// Keys that stand twice in one object: the offset and name of the later one.
    pub(crate) duplicates: Vec<(usize, String)>,
}

/// A text is not JSON5.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) offset: usize,
    pub(crate) message: String,
}

/// How all configuration text is parsed, for reading and for editing.
pub(crate) fn options() -> ParseOptions {
    ParseOptions { allow_missing_commas: false, allow_non_finite_numbers: false, ..ParseOptions::default() }
}

/// Parses a text that will be known as number `source`.
pub(crate) fn parse(text: &str, source: usize) -> Result<Parsed, SyntaxError> {
    let skipped = text.len() - text.trim_start_matches('\u{feff}').len();
    let body = &text[skipped..];
    let shift = |error: SyntaxError| SyntaxError { offset: error.offset + skipped, ..error };
    check_depth(body).map_err(shift)?;
    let tree = parse_to_ast(body, &CollectOptions::default(), &options())
        .map_err(|error| SyntaxError {
            offset: error.range().start,
            message: error.kind().to_string().to_lowercase(),
        })
        .map_err(shift)?;
    let Some(root) = tree.value else {
        return Err(SyntaxError {
            offset: 0,
            message: "the file is empty; it must hold an object, { }".to_owned(),
        });
    };
    let mut converter = Converter { source, skipped, duplicates: Vec::new() };
    let key = root.start();
    let node = converter.node(root, key).map_err(shift)?;
    Ok(Parsed { node, duplicates: converter.duplicates })
}

struct Converter {
    source: usize,
    skipped: usize,
    duplicates: Vec<(usize, String)>,
}

impl Converter {
    fn node(&mut self, value: ast::Value<'_>, key: usize) -> Result<Node, SyntaxError> {
        let origin =
            Origin { source: self.source, key: key + self.skipped, value: value.start() + self.skipped };
        let kind = match value {
            ast::Value::StringLit(text) => NodeKind::Scalar(Value::String(text.value.into_owned())),
            ast::Value::BooleanLit(literal) => NodeKind::Scalar(Value::Bool(literal.value)),
            ast::Value::NullKeyword(_) => NodeKind::Scalar(Value::Null),
            ast::Value::NumberLit(literal) => NodeKind::Scalar(Value::Number(number(&literal)?)),
            ast::Value::Array(array) => NodeKind::List(
                array
                    .elements
                    .into_iter()
                    .map(|item| {
                        let start = item.start();
                        self.node(item, start)
                    })
                    .collect::<Result<_, _>>()?,
            ),
            ast::Value::Object(object) => NodeKind::Object(self.fields(object)?),
        };
        Ok(Node { kind, origin })
    }

    fn fields(&mut self, object: ast::Object<'_>) -> Result<NodeFields, SyntaxError> {
        let mut fields = NodeFields::default();
        for property in object.properties {
            let start = property.range.start;
            if let ObjectPropName::Word(word) = &property.name
                && !is_identifier(word.value)
            {
                let message = format!("the key {} needs quotes", word.value);
                return Err(SyntaxError { offset: start, message });
            }
            let name = property.name.into_string();
            let node = self.node(property.value, start)?;
            if fields.insert(name.clone(), node).is_some() {
                self.duplicates.push((start + self.skipped, name));
            }
        }
        Ok(fields)
    }
}

/// JSON5 allows only identifiers without quotes.
fn is_identifier(word: &str) -> bool {
    let mut letters = word.chars();
    let starts = |letter: char| letter.is_alphabetic() || letter == '_' || letter == '$';
    letters.next().is_some_and(starts) && letters.all(|letter| starts(letter) || letter.is_alphanumeric())
}

fn number(literal: &ast::NumberLit<'_>) -> Result<Number, SyntaxError> {
    let fail =
        || SyntaxError { offset: literal.range.start, message: "this number cannot be used".to_owned() };
    let (negative, digits) = match literal.value.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, literal.value.trim_start_matches('+')),
    };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let magnitude = i64::from_str_radix(hex, 16).ok().ok_or_else(fail)?;
        return Ok(Number::from(if negative { -magnitude } else { magnitude }));
    }
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => digits.split_at(at),
        None => (digits, ""),
    };
    let mut text = String::from(if negative { "-" } else { "" });
    if mantissa.starts_with('.') {
        text.push('0');
    }
    text.push_str(mantissa);
    if mantissa.ends_with('.') {
        text.push('0');
    }
    text.push_str(exponent);
    text.parse().ok().ok_or_else(fail)
}

/// Counts brackets outside texts and comments.
fn check_depth(text: &str) -> Result<(), SyntaxError> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    let message = format!("the file nests deeper than {MAX_DEPTH} levels");
                    return Err(SyntaxError { offset: at, message });
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            quote @ (b'"' | b'\'') => at = skip_text(bytes, at, quote),
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += bytes[at..].iter().take_while(|byte| !matches!(byte, b'\n' | b'\r')).count();
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 1);
            }
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// The position of the quote that closes the text starting at `at`.
fn skip_text(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    at += 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at
}
