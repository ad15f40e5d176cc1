//! A JSON value laid out flat, only to be looked at: one list of items, texts where they were read from.
//!
//! The readers of this folder go over it, so that a stored line becomes its meaning without a tree of owned values in
//! between, which took most of the time of opening a long conversation.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// How many items most lines have room for.
const ITEMS: usize = 96;

/// One value, or the name of a field.
#[derive(Debug)]
enum Item<'a> {
    Null,
    Flag(bool),
    Number(Number),
    Text(Cow<'a, str>),
    /// As many of the next items are its elements.
    List(usize),
    /// As many of the next items are its fields: a name, a value, and so on.
    Object(usize),
}

/// A JSON value laid out flat.
#[derive(Debug)]
pub(super) struct Tape<'a>(Vec<Item<'a>>);

impl<'a> Tape<'a> {
    /// Lays out a text.
    pub(super) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        let mut items = Vec::with_capacity(ITEMS);
        let mut from = serde_json::Deserializer::from_str(text);
        Push(&mut items).deserialize(&mut from)?;
        from.end()?;
        Ok(Self(items))
    }

    /// Lays out a value.
    pub(super) fn of(value: &'a Value) -> Self {
        let mut items = Vec::with_capacity(ITEMS);
        lay(value, &mut items);
        Self(items)
    }

    /// The value.
    pub(super) fn root(&self) -> Node<'_> {
        Node(&self.0)
    }
}

/// A value on the tape, with everything inside of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'a>(&'a [Item<'a>]);

impl<'a> Node<'a> {
    pub(super) fn is_null(self) -> bool {
        matches!(self.0.first(), Some(Item::Null))
    }

    pub(super) fn flag(self) -> Option<bool> {
        match self.0.first() {
            Some(Item::Flag(flag)) => Some(*flag),
            _ => None,
        }
    }

    pub(super) fn number(self) -> Option<&'a Number> {
        match self.0.first() {
            Some(Item::Number(number)) => Some(number),
            _ => None,
        }
    }

    pub(super) fn text(self) -> Option<&'a str> {
        match self.0.first() {
            Some(Item::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The elements of a list.
    pub(super) fn elements(self) -> Option<impl Iterator<Item = Node<'a>>> {
        match self.0.split_first() {
            Some((Item::List(_), inside)) => Some(Values(inside)),
            _ => None,
        }
    }

    /// The fields of an object. A name that stands twice means its last value, as everywhere in JSON.
    pub(super) fn fields(self) -> Option<impl Iterator<Item = (&'a str, Node<'a>)>> {
        let inside = match self.0.split_first() {
            Some((Item::Object(_), inside)) => inside,
            _ => return None,
        };
        let mut values = Values(inside);
        Some(std::iter::from_fn(move || Some((values.next()?.text()?, values.next()?))))
    }

    /// The value as one that can be kept.
    pub(super) fn to_value(self) -> Value {
        match self.0.first() {
            None | Some(Item::Null) => Value::Null,
            Some(Item::Flag(flag)) => Value::Bool(*flag),
            Some(Item::Number(number)) => Value::Number(number.clone()),
            Some(Item::Text(text)) => Value::String(text.as_ref().to_owned()),
            Some(Item::List(_)) => self.elements().into_iter().flatten().map(Node::to_value).collect(),
            Some(Item::Object(_)) => Value::Object(to_map(self.fields().into_iter().flatten())),
        }
    }
}

/// Fields as an object that can be kept.
pub(super) fn to_map<'a>(fields: impl Iterator<Item = (&'a str, Node<'a>)>) -> Map<String, Value> {
    fields.map(|(name, value)| (name.to_owned(), value.to_value())).collect()
}

/// Goes from value to value, over what is inside of each.
struct Values<'a>(&'a [Item<'a>]);

impl<'a> Iterator for Values<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        let inside = match self.0.first()? {
            Item::List(items) | Item::Object(items) => *items,
            _ => 0,
        };
        let (value, rest) = self.0.split_at_checked(inside + 1)?;
        self.0 = rest;
        Some(Node(value))
    }
}

fn lay<'a>(value: &'a Value, items: &mut Vec<Item<'a>>) {
    match value {
        Value::Null => items.push(Item::Null),
        Value::Bool(flag) => items.push(Item::Flag(*flag)),
        Value::Number(number) => items.push(Item::Number(number.clone())),
        Value::String(text) => items.push(Item::Text(Cow::Borrowed(text))),
        Value::Array(list) => group(items, Item::List, |items| {
            list.iter().for_each(|one| lay(one, items));
        }),
        Value::Object(fields) => group(items, Item::Object, |items| {
            for (name, value) in fields {
                items.push(Item::Text(Cow::Borrowed(name)));
                lay(value, items);
            }
        }),
    }
}

/// Puts down a list or an object: first how much is inside, which is known last, then what is inside.
fn group<'a, T>(
    items: &mut Vec<Item<'a>>,
    kind: impl FnOnce(usize) -> Item<'a>,
    fill: impl FnOnce(&mut Vec<Item<'a>>) -> T,
) -> T {
    let at = items.len();
    items.push(Item::Null);
    let filled = fill(items);
    let inside = items.len() - at - 1;
    if let Some(first) = items.get_mut(at) {
        *first = kind(inside);
    }
    filled
}

/// Puts whatever is read at the end of a tape.
struct Push<'t, 'a>(&'t mut Vec<Item<'a>>);

impl<'de> DeserializeSeed<'de> for Push<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Push<'_, 'de> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.push(Item::Null);
        Ok(())
    }

    fn visit_bool<E>(self, flag: bool) -> Result<(), E> {
        self.0.push(Item::Flag(flag));
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.0.push(Item::Number(number.into()));
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.0.push(Item::Number(number.into()));
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.0.push(Number::from_f64(number).map_or(Item::Null, Item::Number));
        Ok(())
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<(), E> {
        self.0.push(Item::Text(Cow::Borrowed(text)));
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.push(Item::Text(Cow::Owned(text.to_owned())));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        group(self.0, Item::List, |items| {
            while from.next_element_seed(Push(items))?.is_some() {}
            Ok(())
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        group(self.0, Item::Object, |items| {
            while from.next_key_seed(Push(items))?.is_some() {
                from.next_value_seed(Push(items))?;
            }
            Ok(())
        })
    }
}
