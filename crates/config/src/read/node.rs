//! A parsed value that remembers where each part was written.
//!
//! Includes are merged on this form, so that an issue can name the file, line and column a value came from. Everything
//! after that works on plain JSON values and asks here for places.

use std::collections::HashMap;
use std::path::PathBuf;

use openclaw_schema::PathStep;
use serde_json::{Map, Value};

use crate::issue::FilePosition;

/// A value with its origin.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) origin: Origin,
}

/// What a node holds.
#[derive(Debug, Clone)]
pub(crate) enum NodeKind {
    /// Null, a boolean, a number or a text.
    Scalar(Value),
    /// An array.
    List(Vec<Node>),
    /// An object.
    Object(NodeFields),
}

/// Where a value is written: byte offsets into one of the `Sources`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) source: usize,
    /// Start of the key, or of the value when it has none.
    pub(crate) key: usize,
    pub(crate) value: usize,
}

/// The members of an object, in the order of the file.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeFields {
    entries: Vec<(String, Node)>,
    index: HashMap<String, usize>,
}

impl NodeFields {
    /// Adds a member, or replaces the one with this name where it stands and returns it.
    pub(crate) fn insert(&mut self, name: String, node: Node) -> Option<Node> {
        if let Some(at) = self.index.get(&name) {
            return Some(std::mem::replace(&mut self.entries[*at].1, node));
        }
        self.index.insert(name.clone(), self.entries.len());
        self.entries.push((name, node));
        None
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        self.index.get(name).map(|at| &self.entries[*at].1)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Node> {
        self.index.get(name).map(|at| &mut self.entries[*at].1)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.entries.iter().map(|(name, node)| (name.as_str(), node))
    }

    pub(crate) fn into_entries(self) -> Vec<(String, Node)> {
        self.entries
    }
}

impl Node {
    /// The value without origins.
    pub(crate) fn to_value(&self) -> Value {
        match &self.kind {
            NodeKind::Scalar(value) => value.clone(),
            NodeKind::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            NodeKind::Object(fields) => {
                let mut map = Map::with_capacity(fields.entries.len());
                for (name, node) in fields.iter() {
                    map.insert(name.to_owned(), node.to_value());
                }
                Value::Object(map)
            }
        }
    }

    /// The origin of the value at `path`, or of the closest thing around it that is written somewhere.
    pub(crate) fn origin_of(&self, path: &[PathStep]) -> Origin {
        let mut node = self;
        for step in path {
            let child = match (&node.kind, step) {
                (NodeKind::Object(fields), PathStep::Key(key)) => fields.get(key),
                (NodeKind::List(items), PathStep::Index(index)) => items.get(*index),
                _ => None,
            };
            match child {
                Some(child) => node = child,
                None => break,
            }
        }
        node.origin
    }
}

/// The texts that were read, so that offsets can become lines.
#[derive(Debug, Default)]
pub(crate) struct Sources(Vec<(PathBuf, String)>);

impl Sources {
    /// Keeps a text and gives its number.
    pub(crate) fn add(&mut self, path: PathBuf, text: String) -> usize {
        self.0.push((path, text));
        self.0.len() - 1
    }

    pub(crate) fn text(&self, source: usize) -> &str {
        self.0.get(source).map_or("", |(_, text)| text)
    }

    /// The files that were read, the main one first.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().map(|(path, _)| path)
    }

    /// All bytes read so far.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|(_, text)| text.len()).sum()
    }

    /// The line and column of an offset.
    pub(crate) fn place(&self, source: usize, offset: usize) -> Option<FilePosition> {
        let (path, text) = self.0.get(source)?;
        let before = text.get(..offset.min(text.len()))?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Some(FilePosition {
            file: path.clone(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].trim_start_matches('\u{feff}').chars().count() + 1,
        })
    }
}
