//! Turns the texts in columns into domain values and back, with errors that name the row and never its content.
//!
//! Every aggregate whose rows hold ids or JSON calls in here.

use std::str::FromStr;

use rusqlite::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Fault;

/// A value as JSON text.
pub(super) fn json(value: &impl Serialize) -> Result<String, Fault> {
    serde_json::to_string(value).map_err(|error| Fault::Refused(error.into()))
}

/// Reads a column of JSON; `what` names it for people.
pub(super) fn from_json<T: DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
    what: impl Fn() -> String,
) -> Result<T, Fault> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| Fault::Corrupt(format!("{}: {error}", what())))
}

/// Parses the text of a column; `what` names it for people.
pub(super) fn parsed<T>(text: &str, what: impl Fn() -> String) -> Result<T, Fault>
where
    T: FromStr,
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error| Fault::Corrupt(format!("{}: {error}", what())))
}
