//! Takes typed fields out of a JSON object, for the readers of this folder.
//!
//! A field that is missing or of another type is `None`: the line's residue keeps what it held.

use std::str::FromStr;

use serde_json::{Map, Value};

use super::stamp;
use super::tape::{Node, to_map};
use crate::UnixMillis;

/// An object whose fields are being read.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(Node<'a>);

impl<'a> Fields<'a> {
    /// The fields of an object; nothing when it is something else.
    pub(super) fn of(node: Node<'a>) -> Option<Self> {
        node.fields().map(|_| Self(node))
    }

    pub(super) fn value(self, name: &str) -> Option<Node<'a>> {
        self.all().filter(|(field, _)| *field == name).last().map(|(_, value)| value)
    }

    /// A value that is there and not null.
    pub(super) fn present(self, name: &str) -> Option<Value> {
        self.value(name).filter(|value| !value.is_null()).map(Node::to_value)
    }

    pub(super) fn object(self, name: &str) -> Option<Fields<'a>> {
        Self::of(self.value(name)?)
    }

    pub(super) fn text(self, name: &str) -> Option<&'a str> {
        self.value(name)?.text()
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
        self.value(name)?.flag()
    }

    pub(super) fn count(self, names: &[&str]) -> Option<u64> {
        names.iter().find_map(|name| self.value(name)?.number()?.as_u64())
    }

    /// A whole number, negative ones included.
    pub(super) fn whole(self, name: &str) -> Option<i64> {
        self.value(name)?.number()?.as_i64()
    }

    pub(super) fn amount(self, name: &str) -> Option<f64> {
        self.value(name)?.number()?.as_f64()
    }

    pub(super) fn time(self, name: &str) -> Option<UnixMillis> {
        stamp::read(self.value(name)?)
    }

    /// All fields, as an object that can be kept.
    pub(super) fn to_map(self) -> Map<String, Value> {
        to_map(self.all())
    }

    /// All fields but some, as an object that can be kept.
    pub(super) fn without(self, names: &[&str]) -> Map<String, Value> {
        to_map(self.all().filter(|(name, _)| !names.contains(name)))
    }

    fn all(self) -> impl Iterator<Item = (&'a str, Node<'a>)> {
        self.0.fields().into_iter().flatten()
    }
}
