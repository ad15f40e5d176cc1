//! What the flow tells those who show it: the gateway's clients, the command line.
//!
//! Telling never blocks and never fails the flow. What is told carries no wire shape; the gateway turns it into events.

use std::sync::{Arc, OnceLock};

use openclaw_types::{AbortCause, RunEvent, RunId, SessionKey};

/// Something happened that people may want to see.
#[derive(Debug, Clone, PartialEq)]
pub enum FlowEvent {
    /// A step of a run.
    Step(RunStep),
    /// A message was dealt with without a run: a command, or an answer put into the session.
    Answered {
        /// The message.
        run: RunId,
        /// The session as its sender wrote it.
        raw_key: String,
        /// The session.
        key: SessionKey,
        /// The answer; nothing when there is nothing to say.
        text: Option<String>,
    },
    /// A message became part of another message's run.
    Joined {
        /// The message.
        run: RunId,
        /// The session as its sender wrote it.
        raw_key: String,
        /// The session.
        key: SessionKey,
    },
    /// A message was taken back before its run began, or its run was stopped.
    Stopped {
        /// The message.
        run: RunId,
        /// The session as its sender wrote it.
        raw_key: String,
        /// The session.
        key: SessionKey,
        /// Why.
        cause: AbortCause,
    },
    /// A message could not be answered, and no run tells why.
    Failed {
        /// The message.
        run: RunId,
        /// The session as its sender wrote it.
        raw_key: String,
        /// The session.
        key: SessionKey,
        /// Why, for people.
        message: String,
    },
    /// A message was put into a session without a run.
    Injected {
        /// The session as it was written.
        raw_key: String,
        /// The session.
        key: SessionKey,
        /// The entry.
        entry: String,
        /// The words.
        text: String,
    },
}

/// A step of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunStep {
    /// Which run.
    pub run: RunId,
    /// In which session.
    pub key: SessionKey,
    /// The session as the sender of the first message wrote it.
    pub raw_key: String,
    /// What is shown of its tools.
    pub verbose: Verbose,
    /// The step.
    pub event: RunEvent,
}

/// How much of its tools a session shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Verbose {
    /// Nothing in chats.
    #[default]
    Off,
    /// What they do.
    On,
    /// What they do and what comes of it.
    Full,
}

impl Verbose {
    /// Reads the word of a session or the configuration.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "off" => Some(Self::Off),
            "on" => Some(Self::On),
            "full" => Some(Self::Full),
            _ => None,
        }
    }
}

/// Is told what happens.
pub trait Observer: Send + Sync {
    /// Called in order for each run. Must not block.
    fn notice(&self, notice: &FlowEvent);
}

/// Where observers sign up: one, at start.
#[derive(Default)]
pub(crate) struct Audience(OnceLock<Arc<dyn Observer>>);

impl Audience {
    /// Signs up. The first stays.
    pub(crate) fn attach(&self, observer: Arc<dyn Observer>) {
        if self.0.set(observer).is_err() {
            tracing::error!("the flow has an observer already; the second one hears nothing");
        }
    }

    pub(crate) fn tell(&self, notice: &FlowEvent) {
        if let Some(observer) = self.0.get() {
            observer.notice(notice);
        }
    }
}
