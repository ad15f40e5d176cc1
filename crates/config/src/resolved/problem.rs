//! What is wrong with a configuration beyond its schema.
//!
//! A problem names the dotted path and what to do, never the value: it may be a secret. The loader adds file, line
//! and column.

/// Something that contradicts itself, or cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// How bad it is.
    pub severity: Severity,
    /// The dotted path, `agents.list[0].id`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Whether a configuration with the problem may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The configuration must not be used.
    Error,
    /// The configuration works, perhaps not as meant.
    Warning,
}

impl ConfigProblem {
    pub(super) fn error(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, path: path.into(), message: message.into(), hint: None }
    }

    pub(super) fn warning(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, path: path.into(), message: message.into(), hint: None }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
