//! What request after request carries: shared, and written as JSON once.
//!
//! The system prompt, and what tools are for and take, are most of what is written for a short conversation. They seldom
//! change, so that they are copied and escaped once; codecs that send them as they are send that text.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The JSON Schema of a tool's arguments.
pub type ToolSchema = Written<Value>;

/// A text that many requests carry.
pub type SharedText = Written<String>;

/// A value that knows its JSON once it was asked for it. Cloning is cheap.
#[derive(Clone, Default)]
pub struct Written<T>(Arc<Inside<T>>);

#[derive(Default)]
struct Inside<T> {
    value: T,
    text: OnceLock<Option<Box<RawValue>>>,
}

impl<T> From<T> for Written<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(Inside { value, text: OnceLock::new() }))
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl<T> Deref for Written<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T: PartialEq> PartialEq for Written<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.value == other.0.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Written<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.fmt(out)
    }
}

impl<T: Serialize> Serialize for Written<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.text.get_or_init(|| to_raw_value(&self.0.value).ok()) {
            Some(text) => text.serialize(serializer),
            None => self.0.value.serialize(serializer),
        }
    }
}

/// A system prompt, in parts that change at different times: stable parts first, so that caches hit. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub struct SystemText(Arc<Parts>);

#[derive(Debug, Default)]
struct Parts {
    parts: Vec<SharedText>,
    whole: OnceLock<SharedText>,
}

impl SystemText {
    /// The parts that say something.
    pub fn spoken(&self) -> impl Iterator<Item = &SharedText> {
        self.0.parts.iter().filter(|part| !part.trim().is_empty())
    }

    /// The prompt in one piece; nothing when it says nothing.
    #[must_use]
    pub fn whole(&self) -> Option<&SharedText> {
        let whole = self.0.whole.get_or_init(|| {
            let parts: Vec<&str> = self.spoken().map(|part| part.as_str()).collect();
            parts.join("\n\n").into()
        });
        (!whole.is_empty()).then_some(whole)
    }

    /// The same with one part more.
    #[must_use]
    pub fn and(&self, part: String) -> Self {
        let parts = self.0.parts.iter().cloned().chain([part.into()]);
        Self(Arc::new(Parts { parts: parts.collect(), whole: OnceLock::new() }))
    }
}

impl Deref for SystemText {
    type Target = [SharedText];

    fn deref(&self) -> &[SharedText] {
        &self.0.parts
    }
}

impl From<Vec<String>> for SystemText {
    fn from(parts: Vec<String>) -> Self {
        let parts = parts.into_iter().map(SharedText::from).collect();
        Self(Arc::new(Parts { parts, whole: OnceLock::new() }))
    }
}

impl<const N: usize> From<[&str; N]> for SystemText {
    fn from(parts: [&str; N]) -> Self {
        Vec::from(parts.map(str::to_owned)).into()
    }
}

impl PartialEq for SystemText {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.parts == other.0.parts
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{SharedText, SystemText, ToolSchema};

    #[test]
    fn a_schema_is_written_as_its_value_is_each_time() {
        let value = json!({ "type": "object", "properties": { "path": { "type": "string", "description": "a \"path\"\n" } } });
        let schema = ToolSchema::from(value.clone());
        for _ in 0..2 {
            assert_eq!(serde_json::to_string(&[&schema]).unwrap(), serde_json::to_string(&[&value]).unwrap());
            assert_eq!(serde_json::to_value(&schema).unwrap(), value);
        }
        assert_eq!(schema, ToolSchema::from(value));
        assert_eq!(schema["type"], "object");
    }

    #[test]
    fn a_text_is_written_as_it_is_each_time() {
        let words = "say \"hello\",\n\tand \\ and \u{1}, to the \u{1f98a}";
        let text = SharedText::from(words);
        for _ in 0..2 {
            assert_eq!(serde_json::to_string(&[&text]).unwrap(), serde_json::to_string(&[words]).unwrap());
        }
    }

    #[test]
    fn the_whole_prompt_is_made_of_the_parts_that_say_something() {
        let system = SystemText::from(["Be kind.", " ", "Be brief."]);
        assert_eq!(system.whole().unwrap().as_str(), "Be kind.\n\nBe brief.");
        let more = system.and("Be quick.".to_owned());
        assert_eq!(more.whole().unwrap().as_str(), "Be kind.\n\nBe brief.\n\nBe quick.");
        assert_eq!(system.spoken().count(), 2);
        assert_eq!(SystemText::from(["", " \n"]).whole(), None);
        assert_eq!(SystemText::default().whole(), None);
    }
}
