//! Takes typed fields out of a JSON object, for the readers of this folder.
//!
//! A field that is missing or of another type is `None`: the line's residue keeps what it held.

use std::str::FromStr;

use serde_json::{Map, Value};

use super::stamp;
use crate::UnixMillis;

/// An object whose fields are being read.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Fields<'a> {
    pub(super) fn value(self, name: &str) -> Option<&'a Value> {
        self.0.get(name)
    }

    /// A value that is there and not null.
    pub(super) fn present(self, name: &str) -> Option<Value> {
        self.value(name).filter(|value| !value.is_null()).cloned()
    }

    pub(super) fn object(self, name: &str) -> Option<Fields<'a>> {
        self.value(name)?.as_object().map(Fields)
    }

    pub(super) fn text(self, name: &str) -> Option<&'a str> {
        self.value(name)?.as_str()
    }

    pub(super) fn string(self, name: &str) -> Option<String> {
        self.text(name).map(str::to_owned)
    }

    /// The first of several spellings that is there.
    pub(super) fn any_string(self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.string(name))
    }

    /// A text that parses; ids are the usual case.
    pub(super) fn parsed<T: FromStr>(self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    pub(super) fn flag(self, name: &str) -> Option<bool> {
        self.value(name)?.as_bool()
    }

    pub(super) fn count(self, names: &[&str]) -> Option<u64> {
        names.iter().find_map(|name| self.value(name)?.as_u64())
    }

    pub(super) fn amount(self, name: &str) -> Option<f64> {
        self.value(name)?.as_f64()
    }

    pub(super) fn time(self, name: &str) -> Option<UnixMillis> {
        stamp::read(self.value(name)?)
    }
}
