//! Whether a model can read enough to be an agent.

/// Below this many tokens a model is used with a warning.
pub(crate) const WARN_BELOW: u64 = 32_000;
/// Below this many it is not used at all: the instructions alone would not fit.
pub(crate) const HARD_MINIMUM: u64 = 16_000;
/// What is assumed of a model that does not say.
const USUAL: u64 = 200_000;

/// How much a model may read and write together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextWindow {
    /// In tokens.
    pub tokens: u64,
    /// Whether that is enough.
    pub verdict: WindowVerdict,
}

/// Whether a window is large enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowVerdict {
    /// It is.
    Fine,
    /// It is small; conversations will be compacted often.
    Low,
    /// It is too small to be used.
    TooSmall,
}

impl ContextWindow {
    /// Judges what a model says of itself, at most `cap` when a person set one.
    #[must_use]
    pub fn judge(said: u64, cap: Option<u64>) -> Self {
        let said = if said == 0 { USUAL } else { said };
        let tokens = cap.filter(|cap| *cap > 0).map_or(said, |cap| cap.min(said));
        let verdict = match tokens {
            0..HARD_MINIMUM => WindowVerdict::TooSmall,
            HARD_MINIMUM..WARN_BELOW => WindowVerdict::Low,
            _ => WindowVerdict::Fine,
        };
        Self { tokens, verdict }
    }
}
