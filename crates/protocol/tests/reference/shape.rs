//! A schema reduced to what matters when two are compared: types, fields, required, closed, words, bounds.
//!
//! References are followed, unions of constants become a set of words, maps lose their spelling. Descriptions, titles,
//! formats and defaults are left out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// What a value may be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    Any,
    Null,
    Bool,
    Number,
    Integer { min: Option<i64>, max: Option<i64> },
    Text { min: u64, max: Option<u64>, pattern: Option<String> },
    Words(BTreeSet<String>),
    List { items: Box<Shape>, min: u64, max: Option<u64> },
    Object { fields: BTreeMap<String, (Presence, Shape)>, closed: bool, entries: Option<Box<Shape>> },
    OneOf(BTreeSet<Shape>),
}

/// Whether a field must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Presence {
    Required,
    Optional,
}

impl Shape {
    /// Reads a schema; `root` holds the definitions it may refer to.
    pub(crate) fn read(schema: &Value, root: &Value) -> Self {
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target = root.pointer(target.trim_start_matches('#')).expect("references are local");
            return Self::read(target, root);
        }
        for word in ["anyOf", "oneOf", "allOf"] {
            if let Some(members) = schema.get(word).and_then(Value::as_array) {
                return union(members.iter().map(|member| Self::read(member, root)));
            }
        }
        if let Some(constant) = schema.get("const") {
            return Self::Words(BTreeSet::from([constant.to_string()]));
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            return Self::Words(words.iter().map(Value::to_string).collect());
        }
        match schema.get("type") {
            Some(Value::String(kind)) => Self::of_kind(kind, schema, root),
            Some(Value::Array(kinds)) => {
                union(kinds.iter().filter_map(Value::as_str).map(|kind| Self::of_kind(kind, schema, root)))
            }
            _ => Self::Any,
        }
    }

    fn of_kind(kind: &str, schema: &Value, root: &Value) -> Self {
        let bound = |word: &str| schema.get(word).and_then(Value::as_u64);
        match kind {
            "null" => Self::Null,
            "boolean" => Self::Bool,
            "number" => Self::Number,
            "integer" => Self::Integer {
                min: schema.get("minimum").and_then(Value::as_i64),
                max: schema.get("maximum").and_then(Value::as_i64),
            },
            "string" => Self::Text {
                min: bound("minLength").unwrap_or(0),
                max: bound("maxLength"),
                pattern: schema.get("pattern").and_then(Value::as_str).map(str::to_owned),
            },
            "array" => Self::List {
                items: Box::new(schema.get("items").map_or(Self::Any, |items| Self::read(items, root))),
                min: bound("minItems").unwrap_or(0),
                max: bound("maxItems"),
            },
            "object" => Self::object(schema, root),
            other => panic!("a type this test does not know: {other}"),
        }
    }

    fn object(schema: &Value, root: &Value) -> Self {
        let required: BTreeSet<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let fields = schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, inner)| {
                let presence =
                    if required.contains(name.as_str()) { Presence::Required } else { Presence::Optional };
                (name.clone(), (presence, Self::read(inner, root)))
            })
            .collect();
        let additional = schema.get("additionalProperties");
        let entries = schema
            .get("patternProperties")
            .and_then(Value::as_object)
            .and_then(|patterns| patterns.values().next())
            .or(additional.filter(|schema| schema.is_object()))
            .map(|inner| Self::read(inner, root))
            .filter(|shape| *shape != Self::Any)
            .map(Box::new);
        Self::Object { fields, closed: additional == Some(&Value::Bool(false)), entries }
    }

    /// The shape without what results do not promise: closed objects and bounds.
    pub(crate) fn relaxed(&self) -> Self {
        match self {
            Self::Text { .. } => Self::Text { min: 0, max: None, pattern: None },
            Self::Integer { .. } => Self::Integer { min: None, max: None },
            Self::List { items, .. } => Self::List { items: Box::new(items.relaxed()), min: 0, max: None },
            Self::OneOf(members) => union(members.iter().map(Self::relaxed)),
            Self::Object { fields, entries, .. } => Self::Object {
                fields: fields
                    .iter()
                    .map(|(name, (presence, inner))| (name.clone(), (*presence, inner.relaxed())))
                    .collect(),
                closed: false,
                entries: entries.as_ref().map(|inner| Box::new(inner.relaxed())),
            },
            plain => plain.clone(),
        }
    }

    /// Every difference between the original's shape and ours, with its place.
    pub(crate) fn differences(&self, ours: &Self, place: &str, found: &mut Vec<String>) {
        match (self, ours) {
            (one, other) if one == other => {}
            (
                Self::Object { fields: theirs, closed, entries },
                Self::Object { fields: mine, closed: mine_closed, entries: my_entries },
            ) => {
                if closed != mine_closed {
                    found.push(format!("{place}: theirs closed {closed}, ours {mine_closed}"));
                }
                match (entries, my_entries) {
                    (Some(one), Some(other)) => one.differences(other, &format!("{place}/*"), found),
                    (None, None) => {}
                    _ => found.push(format!("{place}: only one side has typed entries")),
                }
                field_differences(theirs, mine, place, found);
            }
            (Self::List { items: one, min, max }, Self::List { items: other, min: my_min, max: my_max }) => {
                if (min, max) != (my_min, my_max) {
                    found.push(format!("{place}: theirs {}, ours {}", self.in_short(), ours.in_short()));
                }
                one.differences(other, &format!("{place}/[]"), found);
            }
            (Self::OneOf(one), Self::OneOf(other)) if one.len() == other.len() => {
                for (index, (left, right)) in one.iter().zip(other).enumerate() {
                    left.differences(right, &format!("{place}/|{index}"), found);
                }
            }
            (one, other) => {
                found.push(format!("{place}: theirs {}, ours {}", one.in_short(), other.in_short()))
            }
        }
    }

    fn in_short(&self) -> String {
        match self {
            Self::Any => "anything".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::Number => "number".to_owned(),
            Self::Integer { min, max } => format!("integer {}..{}", shown(*min), shown(*max)),
            Self::Text { min, max, pattern } => {
                format!("text {min}..{}{}", shown(*max), pattern.as_deref().unwrap_or(""))
            }
            Self::Words(words) => words.iter().cloned().collect::<Vec<_>>().join("|"),
            Self::List { items, min, max } => format!("list {min}..{} of {}", shown(*max), items.in_short()),
            Self::Object { .. } => "object".to_owned(),
            Self::OneOf(members) => members.iter().map(Self::in_short).collect::<Vec<_>>().join(" or "),
        }
    }
}

fn shown<T: ToString>(bound: Option<T>) -> String {
    bound.map(|bound| bound.to_string()).unwrap_or_default()
}

fn field_differences(
    theirs: &BTreeMap<String, (Presence, Shape)>,
    ours: &BTreeMap<String, (Presence, Shape)>,
    place: &str,
    found: &mut Vec<String>,
) {
    for (name, (presence, shape)) in theirs {
        let place = format!("{place}/{name}");
        match ours.get(name) {
            None => found.push(format!("{place}: missing")),
            Some((my_presence, my_shape)) => {
                if presence != my_presence {
                    found.push(format!("{place}: theirs {presence:?}, ours {my_presence:?}"));
                }
                shape.differences(my_shape, &place, found);
            }
        }
    }
    for name in ours.keys().filter(|name| !theirs.contains_key(*name)) {
        found.push(format!("{place}/{name}: added"));
    }
}

/// Joins alternatives: words become one set, and words that a free text covers anyway disappear.
fn union(members: impl Iterator<Item = Shape>) -> Shape {
    let mut words = BTreeSet::new();
    let mut rest = BTreeSet::new();
    for member in members {
        match member {
            Shape::Words(more) => words.extend(more),
            Shape::OneOf(more) => rest.extend(more),
            other => {
                rest.insert(other);
            }
        }
    }
    let free_text =
        rest.iter().any(|shape| matches!(shape, Shape::Text { min: 0 | 1, max: None, pattern: None }));
    if free_text {
        words.retain(|word| !word.starts_with('"') || word == "\"\"");
    }
    if !words.is_empty() {
        rest.insert(Shape::Words(words));
    }
    if rest.len() == 1 { rest.pop_first().expect("there is one") } else { Shape::OneOf(rest) }
}
