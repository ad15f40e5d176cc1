//! Counts tokens: exactly where the model's tokenizer is known, else by estimate.

use openclaw_types::ModelRef;

use super::estimate::estimate_text_tokens;
#[cfg(feature = "tokenizer")]
use super::tokenizer::Tokenizer;

/// The names of models whose vocabulary is `o200k_base`, by how they begin.
#[cfg(feature = "tokenizer")]
const O200K_MODELS: [&str; 10] =
    ["gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-oss", "chatgpt-4o", "codex-", "o1", "o3", "o4"];

/// Counts tokens. An exact one holds a vocabulary: make it for a report and drop it.
pub struct TokenCounter {
    how: How,
}

enum How {
    Estimate,
    #[cfg(feature = "tokenizer")]
    O200k(Box<Tokenizer>),
}

impl TokenCounter {
    /// One that guesses. Costs nothing.
    #[must_use]
    pub fn estimate() -> Self {
        Self { how: How::Estimate }
    }

    /// The best there is for a model. Takes a few milliseconds where it is exact.
    #[must_use]
    #[cfg_attr(
        not(feature = "tokenizer"),
        expect(unused_variables, reason = "without vocabularies all models are alike")
    )]
    pub fn for_model(model: Option<&ModelRef>) -> Self {
        #[cfg(feature = "tokenizer")]
        if model.is_some_and(|model| speaks_o200k(model.model())) {
            return Self { how: How::O200k(Box::new(Tokenizer::load())) };
        }
        Self::estimate()
    }

    /// How many tokens a text takes.
    #[must_use]
    pub fn count(&self, text: &str) -> u64 {
        match &self.how {
            How::Estimate => estimate_text_tokens(text),
            #[cfg(feature = "tokenizer")]
            How::O200k(tokenizer) => tokenizer.count(text),
        }
    }

    /// How it counts: `estimate`, or the name of a vocabulary.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match &self.how {
            How::Estimate => super::ESTIMATE,
            #[cfg(feature = "tokenizer")]
            How::O200k(_) => "o200k_base",
        }
    }
}

#[cfg(feature = "tokenizer")]
fn speaks_o200k(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    O200K_MODELS.iter().any(|start| name.starts_with(start))
}
