//! Names that travel: tools' names in the alphabet that all vendors take, and ids that are unique and of the right form.
//!
//! The same conversation always gives the same ids, and a longer one the same ids for its beginning, so that
//! vendors' prompt caches hit.

use std::borrow::Cow;
use std::collections::HashSet;

use openclaw_types::ToolCallId;

use super::IdRule;

/// The longest tool name that all vendors take.
const MAX_NAME: usize = 64;

/// Gives out ids, each only once.
#[derive(Debug)]
pub(super) struct Ids {
    rule: IdRule,
    used: HashSet<String>,
}

impl Ids {
    /// Starts with no id given out.
    pub(super) fn new(rule: IdRule) -> Self {
        Self { rule, used: HashSet::new() }
    }

    /// The id under which a call travels; the same as its own wherever the rule allows.
    pub(super) fn assign(&mut self, own: &ToolCallId) -> ToolCallId {
        let wanted = self.formed(own.as_str());
        let mut candidate = wanted.clone().into_owned();
        let mut number = 1_usize;
        while !self.used.insert(candidate.clone()) {
            number += 1;
            candidate = self.numbered(&wanted, number);
        }
        // Only a text that is no id at all could fail here, and none is built from an id by the steps above.
        ToolCallId::new(&candidate).unwrap_or_else(|_| own.clone())
    }

    fn formed<'a>(&self, own: &'a str) -> Cow<'a, str> {
        match self.rule {
            IdRule::Any | IdRule::None => Cow::Borrowed(own),
            IdRule::Restricted { max_len } => {
                // Responses-style ids hold the call's id, a bar, and the item's id; the first one is enough.
                let call = own.split('|').next().filter(|call| !call.is_empty()).unwrap_or(own);
                plain(call, max_len.max(1))
            }
        }
    }

    fn numbered(&self, wanted: &str, number: usize) -> String {
        let suffix = format!("_{number}");
        let limit = match self.rule {
            IdRule::Restricted { max_len } => max_len,
            IdRule::Any | IdRule::None => 512,
        };
        let mut room = limit.saturating_sub(suffix.len()).min(wanted.len());
        while !wanted.is_char_boundary(room) {
            room -= 1;
        }
        format!("{}{suffix}", &wanted[..room])
    }
}

/// A tool's name as every vendor takes it; nothing when there is no name.
pub(super) fn tool_name(name: &str) -> Option<Cow<'_, str>> {
    let name = name.trim();
    (!name.is_empty()).then(|| plain(name, MAX_NAME))
}

fn plain(text: &str, max_len: usize) -> Cow<'_, str> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if text.len() <= max_len && text.chars().all(fits) {
        return Cow::Borrowed(text);
    }
    text.chars().take(max_len).map(|letter| if fits(letter) { letter } else { '_' }).collect()
}
