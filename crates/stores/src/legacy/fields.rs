//! Reads single fields of a loose JSON object and says what is wrong with them, never what is in them.
//!
//! Device files hold tokens, so a message that quotes a value could leak one. `null` counts as absent.

use openclaw_types::{IdError, Secret, UnixMillis};
use serde_json::{Map, Value};

/// What is wrong with an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryProblem {
    /// The file is not JSON.
    #[error("the file is not JSON (line {line}, column {column})")]
    NotJson {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
    },
    /// Something is of the wrong kind.
    #[error("{field} is not {expected}")]
    WrongKind {
        /// Which field.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// Something is missing.
    #[error("{field} is missing")]
    Missing {
        /// Which field.
        field: &'static str,
    },
    /// An identifier breaks the rules for identifiers.
    #[error(transparent)]
    BadId(#[from] IdError),
    /// The entry stands under a name that is not its own.
    #[error("the entry is filed under another id than its own")]
    Misfiled,
    /// A scope is not known here; it was left out.
    #[error("the scope {0:?} is not known and was left out")]
    UnknownScope(String),
    /// A role is not known here; it was left out.
    #[error("the role {0:?} is not known and was left out")]
    UnknownRole(String),
    /// A token has something wrong with it; it was left out.
    #[error("the token for the role {role:?} was left out: {problem}")]
    Token {
        /// The role it is for.
        role: String,
        /// What is wrong.
        problem: Box<EntryProblem>,
    },
}

/// The fields of one object.
#[derive(Clone, Copy)]
pub(super) struct LegacyFields<'a>(&'a Map<String, Value>);

impl<'a> LegacyFields<'a> {
    pub(super) fn of(value: &'a Value, what: &'static str) -> Result<Self, EntryProblem> {
        let object =
            value.as_object().ok_or(EntryProblem::WrongKind { field: what, expected: "an object" })?;
        Ok(Self(object))
    }

    pub(super) fn iter(self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.0.iter()
    }

    pub(super) fn value(self, field: &'static str) -> Option<&'a Value> {
        self.0.get(field).filter(|value| !value.is_null())
    }

    pub(super) fn text(self, field: &'static str) -> Result<Option<&'a str>, EntryProblem> {
        self.value(field)
            .map(|value| value.as_str().ok_or(EntryProblem::WrongKind { field, expected: "a text" }))
            .transpose()
    }

    pub(super) fn owned(self, field: &'static str) -> Result<Option<String>, EntryProblem> {
        Ok(self.text(field)?.map(str::to_owned))
    }

    pub(super) fn required(self, field: &'static str) -> Result<&'a str, EntryProblem> {
        self.text(field)?.filter(|text| !text.is_empty()).ok_or(EntryProblem::Missing { field })
    }

    pub(super) fn secret(self, field: &'static str) -> Result<Secret<String>, EntryProblem> {
        self.required(field).map(|text| Secret::new(text.to_owned()))
    }

    pub(super) fn texts(self, field: &'static str) -> Result<Option<Vec<&'a str>>, EntryProblem> {
        let wrong = EntryProblem::WrongKind { field, expected: "a list of texts" };
        let Some(value) = self.value(field) else { return Ok(None) };
        let list = value.as_array().ok_or_else(|| wrong.clone())?;
        list.iter().map(|item| item.as_str().ok_or_else(|| wrong.clone())).collect::<Result<_, _>>().map(Some)
    }

    pub(super) fn moment(self, field: &'static str) -> Result<Option<UnixMillis>, EntryProblem> {
        self.value(field)
            .map(|value| value.as_i64().map(UnixMillis))
            .map(|found| found.ok_or(EntryProblem::WrongKind { field, expected: "a time in milliseconds" }))
            .transpose()
    }

    pub(super) fn required_moment(self, field: &'static str) -> Result<UnixMillis, EntryProblem> {
        self.moment(field)?.ok_or(EntryProblem::Missing { field })
    }

    pub(super) fn flag(self, field: &'static str) -> Result<bool, EntryProblem> {
        self.value(field).map_or(Ok(false), |value| {
            value.as_bool().ok_or(EntryProblem::WrongKind { field, expected: "true or false" })
        })
    }
}
