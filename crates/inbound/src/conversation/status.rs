//! The sign on a message that shows how its answer goes: which one, and when it changes.
//!
//! What lasts a moment is not shown; the end is shown at once. A run in which nothing happens for a while shows that too,
//! until something happens again.

use std::time::Duration;

use openclaw_config::StatusSigns;

/// Parts of names of tools that read the web.
const WEB: [&str; 5] = ["web_search", "web-search", "web_fetch", "web-fetch", "browser"];
/// Parts of names of tools that work on files, or run something.
const CODING: [&str; 7] = ["exec", "process", "read", "write", "edit", "session_status", "bash"];

/// How the answer to a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It has not begun.
    Waits,
    /// The model is asked, or writes.
    Thinks,
    /// A tool works.
    UsesTool(ToolFamily),
    /// It is over.
    Over(Over),
}

/// What kind of tool works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolFamily {
    /// One that works on files, or runs something.
    Coding,
    /// One that reads the web.
    Web,
    /// Another.
    Other,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// It was answered.
    Done,
    /// It failed.
    Failed,
    /// Somebody stopped it.
    Stopped,
}

impl ToolFamily {
    /// The family of a tool.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let name = name.trim().to_lowercase();
        match () {
            () if WEB.iter().any(|part| name.contains(part)) => Self::Web,
            () if CODING.iter().any(|part| name.contains(part)) => Self::Coding,
            () => Self::Other,
        }
    }
}

/// The sign of one message, over time.
#[derive(Debug, Clone)]
pub struct StatusWatch {
    signs: StatusSigns,
    /// What is on the message.
    shown: String,
    /// What will be, and when.
    next: Option<(String, Duration)>,
    /// When something happened last; nothing before the run begins.
    last: Option<Duration>,
    stall: Stall,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stall {
    None,
    Soft,
    Hard,
}

impl StatusWatch {
    /// A message that carries this sign.
    #[must_use]
    pub fn new(signs: StatusSigns, shown: &str) -> Self {
        Self { signs, shown: shown.to_owned(), next: None, last: None, stall: Stall::None }
    }

    /// Something happened in the run.
    pub fn see(&mut self, phase: Phase, now: Duration) {
        let sign = match phase {
            Phase::Waits | Phase::Over(_) => return,
            Phase::Thinks => &self.signs.thinking,
            Phase::UsesTool(ToolFamily::Coding) => &self.signs.coding,
            Phase::UsesTool(ToolFamily::Web) => &self.signs.web,
            Phase::UsesTool(ToolFamily::Other) => &self.signs.tool,
        };
        self.last = Some(now);
        self.stall = Stall::None;
        if sign.is_empty() || *sign == self.shown {
            self.next = None;
        } else if self.next.as_ref().is_none_or(|(next, _)| next != sign) {
            self.next = Some((sign.clone(), now + self.signs.debounce));
        }
    }

    /// The sign to show now, where it changes.
    pub fn due(&mut self, now: Duration) -> Option<String> {
        let quiet = self.last.map_or(Duration::ZERO, |last| now.saturating_sub(last));
        let wanted = if self.stall != Stall::Hard && self.last.is_some() && quiet >= self.signs.hard_after {
            self.stall = Stall::Hard;
            self.signs.stall_hard.clone()
        } else if self.stall == Stall::None && self.last.is_some() && quiet >= self.signs.soft_after {
            self.stall = Stall::Soft;
            self.signs.stall_soft.clone()
        } else {
            self.next.take_if(|(_, at)| *at <= now)?.0
        };
        self.change(wanted)
    }

    /// When to look again; nothing when only the run can change something.
    #[must_use]
    pub fn wake(&self) -> Option<Duration> {
        let next = self.next.as_ref().map(|(_, at)| *at);
        let stall = self.last.and_then(|last| match self.stall {
            Stall::None => Some(last + self.signs.soft_after.min(self.signs.hard_after)),
            Stall::Soft => Some(last + self.signs.hard_after),
            Stall::Hard => None,
        });
        next.into_iter().chain(stall).min()
    }

    /// The last sign, where it is another one, and how long it stays where signs are taken back. One that was stopped
    /// goes back to the sign it had first.
    pub fn end(&mut self, how: Over, first: &str) -> (Option<String>, Duration) {
        let (sign, hold) = match how {
            Over::Done => (self.signs.done.clone(), self.signs.done_hold),
            Over::Failed => (self.signs.error.clone(), self.signs.error_hold),
            Over::Stopped => (first.to_owned(), Duration::ZERO),
        };
        (self.change(sign), hold)
    }

    /// The sign on the message.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    fn change(&mut self, sign: String) -> Option<String> {
        self.next = None;
        if sign.is_empty() || sign == self.shown {
            return None;
        }
        self.shown.clone_from(&sign);
        Some(sign)
    }
}
