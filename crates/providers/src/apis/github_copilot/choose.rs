//! Decides which protocol a model of the service speaks.

/// The protocols behind the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speech {
    /// Chat completions: every model but the ones below.
    Completions,
    /// Responses: the generations of GPT from the fifth on, which the service has moved there.
    Responses,
}

impl Speech {
    /// The protocol of a model.
    pub(super) fn of(model: &str) -> Self {
        let model = model.trim().to_ascii_lowercase();
        let generation = model.strip_prefix("gpt-").map(leading_number);
        let codex = model.split(['-', '.']).any(|word| word == "codex");
        match generation {
            Some(Some(generation)) if generation >= 5 => Self::Responses,
            _ if codex => Self::Responses,
            _ => Self::Completions,
        }
    }
}

fn leading_number(text: &str) -> Option<u32> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    // `gpt-4o` is of the fourth generation like `gpt-4.1`.
    text[..digits].parse().ok()
}
