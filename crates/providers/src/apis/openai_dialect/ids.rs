//! The ids under which tool calls travel.
//!
//! Our own ids may hold the call's id and the item's id with a bar between, may be longer than a server takes, and
//! may come from any vendor. A call and its result get the same id; no two calls of a request share one. The same
//! conversation always gives the same ids, so that prompt caches hit.

use std::collections::{HashMap, HashSet};

use openclaw_types::ToolCallId;
use sha2::{Digest, Sha256};

/// Which form of ids a server takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::apis) enum IdForm {
    /// Any text of at most forty characters.
    Short,
    /// Exactly nine letters and digits.
    Nine,
    /// At most sixty-four letters, digits, `_` and `-`.
    Plain,
}

/// Gives out ids for one request.
#[derive(Debug)]
pub(in crate::apis) struct CallIds {
    form: IdForm,
    given: HashMap<ToolCallId, String>,
    used: HashSet<String>,
}

impl CallIds {
    /// Starts with no id given out.
    pub(in crate::apis) fn new(form: IdForm) -> Self {
        Self { form, given: HashMap::new(), used: HashSet::new() }
    }

    /// The id under which a call or its result travels.
    pub(in crate::apis) fn of(&mut self, own: &ToolCallId) -> String {
        if let Some(given) = self.given.get(own) {
            return given.clone();
        }
        let call = own.as_str().split('|').next().filter(|call| !call.is_empty()).unwrap_or(own.as_str());
        let mut id = self.form.of(call);
        if self.used.contains(&id) {
            id = self.form.of_hash(own.as_str());
        }
        self.used.insert(id.clone());
        self.given.insert(own.clone(), id.clone());
        id
    }
}

impl IdForm {
    fn of(self, call: &str) -> String {
        match self {
            Self::Short if call.len() <= 40 => call.to_owned(),
            Self::Nine if call.len() == 9 && call.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                call.to_owned()
            }
            Self::Plain if call.len() <= 64 => call.chars().map(plain).collect(),
            _ => self.of_hash(call),
        }
    }

    fn of_hash(self, text: &str) -> String {
        let digest = hex::encode(Sha256::digest(text.as_bytes()));
        match self {
            Self::Nine => digest[..9].to_owned(),
            Self::Short | Self::Plain => format!("call_{}", &digest[..32]),
        }
    }
}

fn plain(letter: char) -> char {
    if letter.is_ascii_alphanumeric() || letter == '_' || letter == '-' { letter } else { '_' }
}
