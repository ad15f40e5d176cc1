//! Wire types that both protocols share.

use std::fmt;

use openclaw_ports::model::{SharedText, ToolSchema};
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// A tool.
#[derive(Debug, Serialize)]
pub(in crate::apis) struct Function<'a> {
    pub(in crate::apis) name: &'a str,
    pub(in crate::apis) description: &'a SharedText,
    pub(in crate::apis) parameters: &'a ToolSchema,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::apis) strict: Option<bool>,
}

/// Of what was read, what the cache had to do with.
#[derive(Debug, Default, Deserialize)]
pub(in crate::apis) struct InputDetails {
    #[serde(default)]
    pub(in crate::apis) cached_tokens: Count,
    #[serde(default)]
    pub(in crate::apis) cache_write_tokens: Count,
}

/// Of what was written, what were thoughts.
#[derive(Debug, Default, Deserialize)]
pub(in crate::apis) struct OutputDetails {
    #[serde(default)]
    pub(in crate::apis) reasoning_tokens: Count,
}

/// A number of tokens. Servers write it as a number, a float, a text or null; what is no number counts nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::apis) struct Count(pub(in crate::apis) u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(CountVisitor)
    }
}

struct CountVisitor;

impl<'de> Visitor<'de> for CountVisitor {
    type Value = Count;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number of tokens")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Count, E> {
        Ok(Count(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Count, E> {
        Ok(Count(u64::try_from(number).unwrap_or(0)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Count, E> {
        Ok(Count(format!("{number:.0}").parse().unwrap_or(0)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Count, E> {
        Ok(Count(text.trim().parse().unwrap_or(0)))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Count, E> {
        Ok(Count(0))
    }

    fn visit_unit<E>(self) -> Result<Count, E> {
        Ok(Count(0))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Count, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Count(0))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Count, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Count(0))
    }
}

/// Whether a server's word for the end of an answer means that its filter stepped in.
pub(in crate::apis) fn refused_by_filter(word: &str) -> bool {
    matches!(word, "content_filter" | "content_filtered" | "sensitive" | "safety" | "SAFETY" | "refusal")
}
