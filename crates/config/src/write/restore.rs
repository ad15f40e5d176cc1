//! Puts back what a client saw replaced: redacted secrets, and references to variables it only knows resolved.
//!
//! A redaction mark becomes the stored value of the same path; entries of arrays are found by their `id`, else by
//! position. A mark with nothing behind it is an error, never written. A text that equals what a stored `${NAME}`
//! stands for becomes that reference again, so that secrets of the environment do not end up in the file. In a whole
//! text the hidden comments come back too.

use openclaw_schema::PathStep;
use serde_json::Value;

use super::edit;
use super::merge::{has_id, id};
use crate::error::WriteError;
use crate::key_path::dotted;
use crate::read::{has_reference, substitute_text};
use crate::redact::{LostComment, REDACTED, restore_text};
use crate::{Environment, FileSnapshot, KeyPath};

/// What stands around a value in the change being made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// The change replaces everything, so stored values must be written out.
    Replaced,
    /// The change is merged, so what is unchanged can be left out.
    Merged,
}

/// Restores a whole text, in place.
pub(super) fn in_text(text: &str, current: &FileSnapshot) -> Result<String, WriteError> {
    let before = super::parse_object(text, "the configuration")?;
    let mut value = before.clone();
    let mut walk = Walk { environment: &current.environment, path: Vec::new() };
    walk.value(&mut value, Some(&current.source), Around::Replaced)?;
    let stored = current.text.as_deref().unwrap_or_default();
    let restored = restore_text(text, stored).map_err(|LostComment| WriteError::Unusable {
        message: "a hidden comment was changed, or the file no longer has it; load the configuration again, \
                  or remove that comment"
            .to_owned(),
    })?;
    if super::parse_object(&restored, "the configuration")? == value {
        return Ok(restored);
    }
    edit::become_value(&restored, &value)
}

/// Restores a merge patch. What it leaves unchanged is dropped from it.
pub(super) fn in_patch(patch: &mut Value, current: &FileSnapshot) -> Result<(), WriteError> {
    let mut walk = Walk { environment: &current.environment, path: Vec::new() };
    walk.value(patch, Some(&current.source), Around::Merged).map(|_| ())
}

/// Restores a value that will be set at a path.
pub(super) fn at(value: &mut Value, path: &KeyPath, current: &FileSnapshot) -> Result<(), WriteError> {
    let mut walk = Walk { environment: &current.environment, path: path.steps().to_vec() };
    walk.value(value, path.find(&current.source), Around::Replaced).map(|_| ())
}

/// What became of a value.
#[derive(PartialEq, Eq)]
enum Outcome {
    /// It is what the client sent, or holds restored parts.
    Kept,
    /// It is exactly what is stored.
    AsStored,
}

struct Walk<'a> {
    environment: &'a Environment,
    path: Vec<PathStep>,
}

impl Walk<'_> {
    fn value(
        &mut self,
        value: &mut Value,
        stored: Option<&Value>,
        around: Around,
    ) -> Result<Outcome, WriteError> {
        match value {
            Value::String(text) if text.contains(REDACTED) => match stored {
                Some(stored) if text == REDACTED => {
                    *value = stored.clone();
                    Ok(Outcome::AsStored)
                }
                _ => Err(WriteError::NothingBehindRedaction { path: dotted(&self.path) }),
            },
            Value::String(text) => {
                let reference = stored.and_then(Value::as_str).filter(|stored| has_reference(stored));
                match reference {
                    Some(stored) if substitute_text(stored, self.environment).as_ref() == Ok(text) => {
                        *text = stored.to_owned();
                        Ok(Outcome::AsStored)
                    }
                    _ => Ok(Outcome::Kept),
                }
            }
            Value::Array(items) => self.items(items, stored, around),
            Value::Object(map) => {
                let mut unchanged = Vec::new();
                for (key, inner) in map.iter_mut() {
                    self.path.push(PathStep::Key(key.clone()));
                    let outcome = self.value(inner, stored.and_then(|stored| stored.get(key)), around)?;
                    self.path.pop();
                    if outcome == Outcome::AsStored {
                        unchanged.push(key.clone());
                    }
                }
                if around == Around::Merged {
                    map.retain(|key, _| !unchanged.contains(key));
                }
                Ok(Outcome::Kept)
            }
            _ => Ok(Outcome::Kept),
        }
    }

    fn items(
        &mut self,
        items: &mut [Value],
        stored: Option<&Value>,
        around: Around,
    ) -> Result<Outcome, WriteError> {
        let stored = stored.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let merged_by_id = around == Around::Merged && stored.iter().all(has_id);
        for (index, item) in items.iter_mut().enumerate() {
            let partner = match id(item) {
                Some(wanted) => stored.iter().find(|entry| id(entry) == Some(wanted)),
                None => stored.get(index),
            };
            let around = if merged_by_id && partner.is_some() { Around::Merged } else { Around::Replaced };
            self.path.push(PathStep::Index(index));
            self.value(item, partner, around)?;
            self.path.pop();
        }
        Ok(Outcome::Kept)
    }
}
