//! Gathers `reasoning_details`: the list in which routers hand through the thoughts and proofs of many vendors.
//!
//! Entries stream like text: parts with the same number and type belong together. What must go back unchanged
//! (signatures, sealed thoughts) is kept in the signature of a tool call or of a piece of thinking.

use openclaw_ports::model::ModelFault;
use serde_json::{Map, Value};

use crate::apis::openai_dialect::Pieces;
use crate::apis::shared::too_large;

/// The entries so far.
#[derive(Debug, Default)]
pub(super) struct Details {
    list: Vec<Map<String, Value>>,
}

/// The most entries of one answer; each part is compared with all of them.
const MAX_ENTRIES: usize = 1024;

/// The fields that grow from part to part.
const GROWING: [&str; 3] = ["text", "summary", "data"];

impl Details {
    /// Whether there is none yet.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes parts of entries and gives back the thoughts in them that can be read.
    pub(super) fn take(
        &mut self,
        parts: Vec<Map<String, Value>>,
        pieces: &mut Pieces,
    ) -> Result<String, ModelFault> {
        let mut readable = String::new();
        for part in parts {
            pieces.account(32 + part.iter().map(|(name, value)| name.len() + size(value)).sum::<usize>())?;
            for name in ["text", "summary"] {
                readable.push_str(part.get(name).and_then(Value::as_str).unwrap_or_default());
            }
            match self.list.iter().rposition(|entry| continues(entry, &part)) {
                Some(at) => merge(&mut self.list[at], part),
                None if self.list.len() >= MAX_ENTRIES => return Err(too_large()),
                None => self.list.push(part),
            }
        }
        Ok(readable)
    }

    /// Leaves the proofs with the calls they name, and the rest, if it holds proofs, with the thoughts.
    pub(super) fn settle(&mut self, pieces: &mut Pieces) -> Result<(), ModelFault> {
        let mut rest = Vec::new();
        for entry in std::mem::take(&mut self.list) {
            let call = sealed_for(&entry).and_then(|id| pieces.call_with_id(id));
            match call {
                Some(call) => pieces.sign(call, Value::Object(entry).to_string())?,
                None => rest.push(entry),
            }
        }
        if !rest.iter().any(holds_proof) {
            return Ok(());
        }
        let proof = Value::Array(rest.into_iter().map(Value::Object).collect()).to_string();
        let open = (0..pieces.len()).find(|piece| pieces.is_open_thinking(*piece));
        let piece = match open {
            Some(piece) => piece,
            None => pieces.open_thinking()?,
        };
        pieces.sign(piece, proof)
    }
}

fn continues(entry: &Map<String, Value>, part: &Map<String, Value>) -> bool {
    let same = |name: &str| entry.get(name) == part.get(name);
    // Sealed thoughts without a number are whole each.
    let sealed = !part.contains_key("index") && part.contains_key("data");
    same("type") && same("index") && !sealed
}

fn merge(entry: &mut Map<String, Value>, part: Map<String, Value>) {
    for (name, value) in part {
        match (entry.get_mut(&name), value) {
            (Some(Value::String(text)), Value::String(more)) if GROWING.contains(&name.as_str()) => {
                text.push_str(&more);
            }
            (Some(Value::Null) | None, value) => {
                entry.insert(name, value);
            }
            (Some(_), _) => {}
        }
    }
}

fn sealed_for(entry: &Map<String, Value>) -> Option<&str> {
    let sealed = entry.get("type").and_then(Value::as_str) == Some("reasoning.encrypted");
    entry.get("id").and_then(Value::as_str).filter(|id| sealed && !id.is_empty())
}

fn holds_proof(entry: &Map<String, Value>) -> bool {
    ["signature", "data"].iter().any(|name| entry.get(*name).is_some_and(|value| !value.is_null()))
}

fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        other => other.to_string().len(),
    }
}
