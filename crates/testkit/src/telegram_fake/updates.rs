//! Updates until they are confirmed: an update is forgotten once somebody asks for a later one, and not before.

use std::collections::BTreeMap;

use serde_json::Value;

/// What is told where nobody says what to tell: everything but these.
const ONLY_WHEN_ASKED: &[&str] = &["chat_member", "message_reaction", "message_reaction_count"];

/// Updates that are not confirmed.
#[derive(Default)]
pub(super) struct Updates {
    waiting: BTreeMap<i64, Value>,
    last: i64,
    told: Option<Vec<String>>,
    /// Who asks now: somebody who asks later takes their place.
    pub(super) asker: u64,
}

impl Updates {
    pub(super) fn next_number(&mut self) -> i64 {
        self.last = self.last.max(870_000_000) + 1;
        self.last
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Notes what is to be told. It counts for what happens from now on.
    pub(super) fn tell(&mut self, told: Option<&Value>) {
        if let Some(told) = told.and_then(Value::as_array) {
            let told: Vec<String> = told.iter().filter_map(|kind| kind.as_str().map(str::to_owned)).collect();
            self.told = (!told.is_empty()).then_some(told);
        }
    }

    pub(super) fn add(&mut self, number: i64, update: Value) {
        let kind =
            update.as_object().into_iter().flatten().map(|(key, _)| key).find(|key| *key != "update_id");
        let wanted = match (kind, &self.told) {
            (Some(kind), Some(told)) => told.contains(kind),
            (Some(kind), None) => !ONLY_WHEN_ASKED.contains(&kind.as_str()),
            (None, _) => false,
        };
        if wanted {
            self.waiting.insert(number, update);
        }
    }

    /// Forgets everything before an update.
    pub(super) fn confirm(&mut self, before: i64) {
        if before < 0 {
            let keep = usize::try_from(before.unsigned_abs()).unwrap_or(usize::MAX);
            while self.waiting.len() > keep {
                self.waiting.pop_first();
            }
        } else {
            self.waiting = self.waiting.split_off(&before);
        }
    }

    /// The earliest updates.
    pub(super) fn first(&self, most: usize) -> Vec<Value> {
        self.waiting.values().take(most).cloned().collect()
    }

    /// Forgets one update.
    pub(super) fn brought(&mut self, number: i64) {
        self.waiting.remove(&number);
    }
}
