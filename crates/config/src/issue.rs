//! Something a person should know about a configuration file: what, where, and what to do.
//!
//! Issues never contain the offending value: it may be a secret.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use crate::schema::is_sensitive_path;

/// One problem, warning or note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigIssue {
    /// The dotted path, `agents.list[0].id`; empty for the file as a whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Where it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<FilePosition>,
}

/// A position in a file, counted from one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilePosition {
    /// The file.
    pub file: PathBuf,
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl ConfigIssue {
    /// Whether it is about a value that is a secret.
    #[must_use]
    pub fn is_about_secret(&self) -> bool {
        is_sensitive_path(&self.path.split(['.', '[']).collect::<Vec<_>>())
    }

    /// An issue about the file as a whole.
    pub(crate) fn about_file(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into(), hint: Some(hint.into()), place: None }
    }
}

/// Collects issues up to a limit; more are counted, so that a hostile file cannot make the list long or slow.
#[derive(Debug, Default)]
pub(crate) struct IssueList {
    listed: Vec<ConfigIssue>,
    more: usize,
}

impl IssueList {
    /// More issues than this are counted, not listed.
    const MAX: usize = 100;

    /// Adds an issue, which is only made when there is room.
    pub(crate) fn add(&mut self, make: impl FnOnce() -> ConfigIssue) {
        if self.listed.len() < Self::MAX {
            self.listed.push(make());
        } else {
            self.more += 1;
        }
    }

    /// The issues, with a last one that counts the rest.
    pub(crate) fn into_issues(mut self) -> Vec<ConfigIssue> {
        if self.more > 0 {
            let message = format!("and {} more", self.more);
            self.listed.push(ConfigIssue::about_file(message, "fix the ones above first"));
        }
        self.listed
    }
}

impl Extend<ConfigIssue> for IssueList {
    fn extend<I: IntoIterator<Item = ConfigIssue>>(&mut self, issues: I) {
        for issue in issues {
            self.add(|| issue);
        }
    }
}

impl fmt::Display for ConfigIssue {
    /// One line: `file:line:column: path: message (hint)`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(out, "{place}: ")?;
        }
        if !self.path.is_empty() {
            write!(out, "{}: ", self.path)?;
        }
        out.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(out, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for FilePosition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}
