//! Reads the arguments of a call, leniently: models write numbers as text, use other names, and leave things out.
//!
//! What cannot be read is told with the name of the parameter, so that the next call can be right. Nothing here panics,
//! whatever the value is. Used by every tool, and by what stands behind the tool for messages.

use serde_json::{Map, Value};

/// The arguments of one call.
#[derive(Debug, Clone)]
pub struct ToolArguments {
    tool: &'static str,
    values: Map<String, Value>,
}

/// What is wrong with an argument, in words for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongArgument(pub String);

impl ToolArguments {
    /// Takes values that are known to be named.
    #[must_use]
    pub fn with(tool: &'static str, values: Map<String, Value>) -> Self {
        Self { tool, values }
    }

    /// Takes what the model wrote: an object, or the text of one. Nothing at all counts as no arguments.
    ///
    /// # Errors
    /// Says which parameter cannot be read, and what it must be.
    pub fn of(tool: &'static str, value: Value) -> Result<Self, WrongArgument> {
        let value = match value {
            Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            other => other,
        };
        match value {
            Value::Object(values) => Ok(Self { tool, values }),
            Value::Null => Ok(Self { tool, values: Map::new() }),
            _ => Err(WrongArgument(format!("{tool}: the arguments must be a JSON object."))),
        }
    }

    /// A text under the first of these names that has one. An empty one counts.
    ///
    /// # Errors
    /// Says which parameter cannot be read, and what it must be.
    pub fn text(&self, names: &[&str]) -> Result<Option<String>, WrongArgument> {
        let Some((name, value)) = self.find(names) else { return Ok(None) };
        match value {
            Value::String(text) => Ok(Some(text.clone())),
            Value::Number(number) => Ok(Some(number.to_string())),
            // Some models send text as a list of pieces.
            Value::Array(pieces) => match pieces.iter().map(piece).collect::<Option<Vec<_>>>() {
                Some(pieces) => Ok(Some(pieces.concat())),
                None => Err(self.wrong(name, "must be text")),
            },
            _ => Err(self.wrong(name, "must be text")),
        }
    }

    /// A text that is not blank, without the space around it.
    ///
    /// # Errors
    /// Says which parameter cannot be read, and what it must be.
    pub fn word(&self, names: &[&str]) -> Result<Option<String>, WrongArgument> {
        let text = self.text(names)?.map(|text| text.trim().to_owned());
        Ok(text.filter(|text| !text.is_empty()))
    }

    /// A text that must be there, even if it is empty.
    ///
    /// # Errors
    /// Says which parameter cannot be read, and what it must be.
    pub fn needed_text(&self, names: &[&str]) -> Result<String, WrongArgument> {
        self.text(names)?.ok_or_else(|| self.missing(names))
    }

    /// A text that must be there and not be blank.
    ///
    /// # Errors
    /// Says which parameter cannot be read, and what it must be.
    pub fn needed_word(&self, names: &[&str]) -> Result<String, WrongArgument> {
        self.word(names)?.ok_or_else(|| self.missing(names))
    }

    /// A number that may have a fraction.
    ///
    /// # Errors
    /// Says which parameter cannot be read, and what it must be.
    pub fn number(&self, name: &str) -> Result<Option<f64>, WrongArgument> {
        let Some((name, value)) = self.find(&[name]) else { return Ok(None) };
        let number = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) if text.trim().is_empty() => return Ok(None),
            Value::String(text) => text.trim().parse::<f64>().ok(),
            _ => None,
        };
        match number.filter(|number| number.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(name, "must be a number")),
        }
    }

    /// A whole number of zero or more; a fraction is cut off, what is below zero counts as zero.
    ///
    /// # Errors
    /// Says which parameter cannot be read, and what it must be.
    pub fn whole(&self, name: &str) -> Result<Option<u64>, WrongArgument> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the cast cuts off at both ends, which is what is wanted"
        )]
        Ok(self.number(name)?.map(|number| number.max(0.0) as u64))
    }

    /// Yes or no.
    ///
    /// # Errors
    /// Says which parameter cannot be read, and what it must be.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, WrongArgument> {
        let Some((name, value)) = self.find(&[name]) else { return Ok(None) };
        match value {
            Value::Bool(flag) => Ok(Some(*flag)),
            Value::String(text) if text.trim().is_empty() => Ok(None),
            Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Ok(Some(true)),
            Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Ok(Some(false)),
            _ => Err(self.wrong(name, "must be true or false")),
        }
    }

    /// Several texts; one alone counts as a list of one.
    ///
    /// # Errors
    /// Says which parameter cannot be read, and what it must be.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, WrongArgument> {
        match self.find(&[name]) {
            None => Ok(Vec::new()),
            Some((_, Value::String(text))) => Ok(vec![text.clone()]),
            Some((_, Value::Number(number))) => Ok(vec![number.to_string()]),
            Some((name, Value::Array(list))) => list
                .iter()
                .map(one)
                .collect::<Option<Vec<_>>>()
                .ok_or_else(|| self.wrong(name, "must be a list of texts")),
            Some((name, _)) => Err(self.wrong(name, "must be a list of texts")),
        }
    }

    /// Named values: an object, or the text of one. Nothing, or a blank text, counts as none.
    ///
    /// # Errors
    /// Says which parameter cannot be read, and what it must be.
    pub fn object(&self, name: &str) -> Result<Map<String, Value>, WrongArgument> {
        let Some((name, value)) = self.find(&[name]) else { return Ok(Map::new()) };
        let read = match value {
            Value::Object(values) => Some(values.clone()),
            Value::String(text) if text.trim().is_empty() => Some(Map::new()),
            Value::String(text) => serde_json::from_str(text).ok(),
            _ => None,
        };
        read.ok_or_else(|| self.wrong(name, "must be an object with names and values"))
    }

    /// Says that a parameter is missing.
    #[must_use]
    pub fn missing(&self, names: &[&str]) -> WrongArgument {
        let name = names.first().copied().unwrap_or_default();
        let others = match names.get(1..).unwrap_or_default() {
            [] => String::new(),
            others => format!(" (also accepted as {})", others.join(", ")),
        };
        WrongArgument(format!(
            "{}: the parameter `{name}`{others} is missing. Call again with it.",
            self.tool
        ))
    }

    /// Says what is wrong with a parameter.
    #[must_use]
    pub fn wrong(&self, name: &str, rule: &str) -> WrongArgument {
        WrongArgument(format!("{}: the parameter `{name}` {rule}.", self.tool))
    }

    /// The first name with a value; `null` counts as none.
    fn find<'n>(&self, names: &[&'n str]) -> Option<(&'n str, &Value)> {
        let found = names.iter().find_map(|name| Some((*name, self.values.get(*name)?)));
        found.filter(|(_, value)| !value.is_null()).or_else(|| {
            let mut rest = names.iter().filter_map(|name| Some((*name, self.values.get(*name)?)));
            rest.find(|(_, value)| !value.is_null())
        })
    }
}

/// One text of a list; a number counts as its digits.
fn one(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A piece of a text that was sent in pieces.
fn piece(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("text")?.as_str())
}
