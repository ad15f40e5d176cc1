//! When people see that we write.

use openclaw_config::TypingSettings;
use openclaw_config::sections::TypingMode;
use openclaw_types::ChatKind;

/// What the decision depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypingFacts {
    /// What kind of conversation it is.
    pub kind: ChatKind,
    /// Whether we were named.
    pub was_mentioned: bool,
    /// Whether a person waits for the answer: no heartbeat, no note of the gateway.
    pub person_waits: bool,
}

/// What happens in a run, as far as the sign is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypingSign {
    /// The run began.
    Started,
    /// The model thinks.
    Thinks,
    /// The model writes words that will be shown.
    Writes,
    /// The model writes what says that nothing will be shown.
    WritesSilence,
    /// A tool began.
    UsesTool,
}

/// Watches a run and says when the sign goes up. It stays up until the run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypingWatch {
    mode: TypingMode,
    up: bool,
}

/// When the sign goes up: as configured, else at once, and in rooms where nobody named us when the answer begins.
#[must_use]
pub fn typing_mode(settings: &TypingSettings, facts: TypingFacts) -> TypingMode {
    match (facts.person_waits, settings.mode) {
        (false, _) => TypingMode::Never,
        (true, Some(mode)) => mode,
        (true, None) if facts.kind == ChatKind::Direct || facts.was_mentioned => TypingMode::Instant,
        (true, None) => TypingMode::Message,
    }
}

impl TypingWatch {
    /// Watches a run.
    #[must_use]
    pub fn new(mode: TypingMode) -> Self {
        Self { mode, up: false }
    }

    /// Sees what happens; says whether the sign goes up now.
    pub fn see(&mut self, sign: TypingSign) -> bool {
        let raises = match (self.mode, sign) {
            (TypingMode::Never, _) | (_, TypingSign::WritesSilence) => false,
            (TypingMode::Instant, TypingSign::Started) => true,
            (TypingMode::Thinking, TypingSign::Thinks | TypingSign::Writes) => true,
            (TypingMode::Instant | TypingMode::Message, TypingSign::Writes) => true,
            // A tool at work is seen in every mode but never: people would wait before nothing.
            (_, TypingSign::UsesTool) => true,
            (_, TypingSign::Started | TypingSign::Thinks) => false,
        };
        let goes_up = raises && !self.up;
        self.up |= raises;
        goes_up
    }
}
