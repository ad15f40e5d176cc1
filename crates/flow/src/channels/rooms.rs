//! Which tools may be used in sessions, as the rules of the rooms said for the last message of a person there.
//!
//! For what comes into a session without a person: what a sub-agent found, a command that ended. It gets no more than the
//! person who wrote last, and a sub-agent no more than who had it started. Memory only, and bounded.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use openclaw_types::{SessionKey, ToolRule};

use crate::letter::{Letter, Surface};

/// How many sessions are remembered.
const MOST: usize = 5_000;

/// The rules of rooms, by session.
#[derive(Default)]
pub(crate) struct RoomBook(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    rules: HashMap<SessionKey, ToolRule>,
    order: VecDeque<SessionKey>,
}

impl RoomBook {
    /// What holds for the run of a letter.
    pub(crate) fn of_letter(&self, letter: &Letter) -> Option<ToolRule> {
        let own = letter.wishes.tools.clone();
        match letter.surface {
            Surface::Channel => self.note(&letter.key, own.clone()),
            // The owner's own programs are in no room.
            Surface::Webchat | Surface::Agent | Surface::Api => {}
            Surface::Session | Surface::Subagent | Surface::System => match &own {
                Some(rule) => self.note(&letter.key, Some(rule.clone())),
                None => return self.of(&letter.key),
            },
        }
        own
    }

    /// What holds in a session.
    pub(crate) fn of(&self, key: &SessionKey) -> Option<ToolRule> {
        self.pages().rules.get(key).cloned()
    }

    fn note(&self, key: &SessionKey, rule: Option<ToolRule>) {
        let mut pages = self.pages();
        match rule {
            None => {
                if pages.rules.remove(key).is_some() {
                    pages.order.retain(|each| each != key);
                }
            }
            Some(rule) => {
                if pages.rules.insert(key.clone(), rule).is_none() {
                    pages.order.push_back(key.clone());
                }
                if pages.order.len() > MOST
                    && let Some(oldest) = pages.order.pop_front()
                {
                    pages.rules.remove(&oldest);
                }
            }
        }
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
