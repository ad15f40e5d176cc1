//! Builds the next text of the configuration file and puts it on disk.
//!
//! `edit` changes text in place and keeps comments and order, `merge` says what a patch means, `restore` puts back
//! what redaction and substitution had replaced, `disk` does the writing. `file` calls them in order.

mod base;
mod disk;
mod edit;
mod merge;
mod restore;
mod unknown;

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use openclaw_schema::PathStep;
use openclaw_types::UnixMillis;
use serde_json::{Map, Value, json};

use crate::defaults;
use crate::error::WriteError;
use crate::read::{self, SyntaxError};
use crate::{FileSnapshot, KeyPath};

pub use base::BaseHash;
pub(crate) use disk::{lock_directory, replace, replace_private};
use merge::merged;

/// The version that `meta.lastTouchedVersion` gets.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The next text of the file, and what it should mean.
pub(crate) struct Candidate {
    text: String,
    /// The configuration with includes resolved that the text should lead to, where that is promised.
    intended: Option<Value>,
}

impl Candidate {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text with the `meta` stamp.
    pub(crate) fn stamped(&self, now: UnixMillis) -> Result<String, WriteError> {
        let at = Timestamp::from_millisecond(now.0).unwrap_or(Timestamp::UNIX_EPOCH);
        let stamp = json!({ "meta": {
            "lastTouchedVersion": VERSION,
            "lastTouchedAt": format!("{at:.3}"),
        }});
        edit::patch(&self.text, &stamp)
    }

    /// Refuses a text that adds keys nobody knows.
    pub(crate) fn refuse_new_unknown_keys(
        current: &FileSnapshot,
        next: &FileSnapshot,
    ) -> Result<(), WriteError> {
        let issues = unknown::added_unknown_keys(current, next);
        if issues.is_empty() { Ok(()) } else { Err(WriteError::Invalid { issues }) }
    }

    /// Checks that the edit had the intended effect. It cannot when an included file sets the same value.
    pub(crate) fn check_effect(&self, next: &FileSnapshot) -> Result<(), WriteError> {
        let Some(intended) = &self.intended else { return Ok(()) };
        match crate::reload::changed_paths(&unstamped(intended), &unstamped(&next.source)).into_iter().next()
        {
            None => Ok(()),
            Some(path) => Err(WriteError::InIncludedFile { path, file: next.path.clone() }),
        }
    }
}

/// Replaces the whole text.
pub(crate) fn whole_text(current: &FileSnapshot, text: &str) -> Result<Candidate, WriteError> {
    let mut restored = restore::in_text(text, current)?;
    let mut value = parse_object(&restored, "the configuration")?;
    let (stored, platforms) = (&current.effective, &current.platform_defaults);
    if let Some(kept) = defaults::strip_echoed_defaults(&value, stored, platforms) {
        restored = edit::become_value(&restored, &kept)?;
        value = kept;
    }
    let text = match &current.text {
        Some(before) if edit::has_comments(before) && !edit::has_comments(&restored) => {
            edit::become_value(before, &value).unwrap_or(restored)
        }
        _ => restored,
    };
    Ok(Candidate { text, intended: None })
}

/// Applies a merge patch in place.
pub(crate) fn merge_patch(current: &FileSnapshot, patch_text: &str) -> Result<Candidate, WriteError> {
    let mut patch = parse_object(patch_text, "the patch")?;
    restore::in_patch(&mut patch, current)?;
    apply(current, &patch)
}

/// Sets one value in place.
pub(crate) fn set(current: &FileSnapshot, path: &KeyPath, value: &Value) -> Result<Candidate, WriteError> {
    let mut value = value.clone();
    restore::at(&mut value, path, current)?;
    let before = editable(current)?;
    let text = edit::set(before, path, &value)?;
    let intended = merge::set(&current.source, path, value);
    Ok(Candidate { text, intended })
}

/// Removes one value in place.
pub(crate) fn unset(current: &FileSnapshot, path: &KeyPath) -> Result<Candidate, WriteError> {
    let before = editable(current)?;
    let there = path.find(&current.parsed).is_some();
    if !there && path.find(&current.source).is_some() {
        return Err(WriteError::InIncludedFile { path: path.to_string(), file: current.path.clone() });
    }
    let text = there.then(|| edit::unset(before, path)).transpose()?.flatten();
    let text = text.ok_or_else(|| WriteError::NothingThere { path: path.to_string() })?;
    Ok(Candidate { text, intended: None })
}

/// Gives an entry another name in place.
pub(crate) fn rename(current: &FileSnapshot, path: &KeyPath, name: &str) -> Result<Candidate, WriteError> {
    let before = editable(current)?;
    let there = path.find(&current.parsed).is_some();
    if !there && path.find(&current.source).is_some() {
        return Err(WriteError::InIncludedFile { path: path.to_string(), file: current.path.clone() });
    }
    let mut renamed = path.steps().to_vec();
    renamed.pop();
    renamed.push(PathStep::Key(name.to_owned()));
    let renamed = KeyPath::new(renamed);
    if renamed.find(&current.source).is_some() {
        return Err(WriteError::Unusable { message: format!("{renamed} is set already") });
    }
    let text = edit::rename(before, path, name)?;
    let text = text.ok_or_else(|| WriteError::NothingThere { path: path.to_string() })?;
    Ok(Candidate { text, intended: None })
}

/// Rewrites old keys of the main file.
pub(crate) fn migrated_keys(current: &FileSnapshot) -> Result<Candidate, WriteError> {
    let mut value = current.parsed.clone();
    read::migrate(&mut value);
    let text = edit::become_value(editable(current)?, &value)?;
    Ok(Candidate { text, intended: None })
}

fn apply(current: &FileSnapshot, patch: &Value) -> Result<Candidate, WriteError> {
    let text = edit::patch(editable(current)?, patch)?;
    let intended = Some(merged(&current.source, patch));
    Ok(Candidate { text, intended })
}

/// The text that edits start from. A file that is not JSON5 cannot be edited, only replaced.
fn editable(current: &FileSnapshot) -> Result<&str, WriteError> {
    match &current.text {
        None if current.exists => Err(WriteError::Invalid { issues: current.issues.clone() }),
        None => Ok("{}\n"),
        Some(text) => match read::parse(text, 0) {
            Ok(_) => Ok(text),
            Err(_) => Err(WriteError::Invalid { issues: current.issues.clone() }),
        },
    }
}

fn parse_object(text: &str, what: &str) -> Result<Value, WriteError> {
    let unusable = |message: String| WriteError::Unusable { message };
    if text.len() > crate::file::MAX_BYTES {
        return Err(WriteError::TooLarge { size: text.len(), limit: crate::file::MAX_BYTES });
    }
    let parsed = read::parse(text, 0).map_err(|SyntaxError { offset, message }| {
        let line = text.get(..offset).map_or(1, |before| before.matches('\n').count() + 1);
        unusable(format!("{what} is not JSON5: {message} (line {line})"))
    })?;
    let value = parsed.node.to_value();
    if value.is_object() { Ok(value) } else { Err(unusable(format!("{what} must be an object"))) }
}

/// Without the stamp, which every write changes.
fn unstamped(config: &Value) -> Value {
    let mut map: Map<String, Value> = config.as_object().cloned().unwrap_or_default();
    map.shift_remove("meta");
    Value::Object(map)
}

/// Edits of plain text, for the property tests of the crate.
#[cfg(test)]
pub(crate) use self::{
    edit::{become_value as edit_become, patch as edit_patch, set as edit_set},
    merge::merged as merged_value,
};
