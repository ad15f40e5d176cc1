//! Signs on a message that show how its answer goes: `messages.statusReactions`.

use std::time::Duration;

use crate::sections::{Count, RawConfig};

/// The signs, and when they change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusSigns {
    /// The agent thinks.
    pub thinking: String,
    /// It uses a tool.
    pub tool: String,
    /// It works on files or runs something.
    pub coding: String,
    /// It reads the web.
    pub web: String,
    /// It is done.
    pub done: String,
    /// It failed.
    pub error: String,
    /// It takes long.
    pub stall_soft: String,
    /// It takes very long.
    pub stall_hard: String,
    /// How long something must last to be shown.
    pub debounce: Duration,
    /// How long nothing happens until it takes long.
    pub soft_after: Duration,
    /// How long nothing happens until it takes very long.
    pub hard_after: Duration,
    /// How long success is shown where signs are taken back.
    pub done_hold: Duration,
    /// How long failure is shown where signs are taken back.
    pub error_hold: Duration,
}

impl StatusSigns {
    /// What a configuration says; nothing where they are not switched on. An empty sign is one that is not shown.
    #[must_use]
    pub fn resolve(raw: &RawConfig) -> Option<Self> {
        let section = raw.messages.as_ref()?.status_reactions.as_ref()?;
        if section.enabled != Some(true) {
            return None;
        }
        let emojis = section.emojis.clone().unwrap_or_default();
        let timing = section.timing.clone().unwrap_or_default();
        let sign = |written: Option<String>, usual: &str| {
            written.map_or_else(|| usual.to_owned(), |sign| sign.trim().to_owned())
        };
        let time = |written: Option<Count>, usual: u64| {
            Duration::from_millis(written.map_or(usual, |millis| millis.get()))
        };
        Some(Self {
            thinking: sign(emojis.thinking, "🤔"),
            tool: sign(emojis.tool, "🔥"),
            coding: sign(emojis.coding, "👨‍💻"),
            web: sign(emojis.web, "⚡"),
            done: sign(emojis.done, "👍"),
            error: sign(emojis.error, "😱"),
            stall_soft: sign(emojis.stall_soft, "🥱"),
            stall_hard: sign(emojis.stall_hard, "😨"),
            debounce: time(timing.debounce_ms, 700),
            soft_after: time(timing.stall_soft_ms, 10_000),
            hard_after: time(timing.stall_hard_ms, 30_000),
            done_hold: time(timing.done_hold_ms, 1_500),
            error_hold: time(timing.error_hold_ms, 2_500),
        })
    }

    /// Every sign that may be on a message while its answer is made.
    #[must_use]
    pub fn all(&self) -> Vec<&str> {
        let all = [
            &self.thinking,
            &self.tool,
            &self.coding,
            &self.web,
            &self.done,
            &self.error,
            &self.stall_soft,
            &self.stall_hard,
        ];
        all.into_iter().map(String::as_str).filter(|sign| !sign.is_empty()).collect()
    }
}
