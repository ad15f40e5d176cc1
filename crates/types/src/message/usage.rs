//! What one answer of a model took: tokens and money.
//!
//! Counting is done by providers; prices come from the model catalog.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tokens of one answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Tokens read that were in no cache.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read from the vendor's cache.
    pub cache_read: u64,
    /// Tokens put into the vendor's cache.
    pub cache_write: u64,
    /// All of them, as the vendor counts.
    pub total_tokens: u64,
    /// Those of `output` that were thoughts, where the vendor says so.
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning: u64,
    /// What it cost, where prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

impl Usage {
    /// The four counts together, for vendors that report no total.
    #[must_use]
    pub fn sum(&self) -> u64 {
        [self.output, self.cache_read, self.cache_write].into_iter().fold(self.input, u64::saturating_add)
    }

    /// This usage and another one together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            total_tokens: self.total_tokens.saturating_add(other.total_tokens),
            reasoning: self.reasoning.saturating_add(other.reasoning),
            cost: match (self.cost, other.cost) {
                (Some(one), Some(two)) => Some(one.plus(&two)),
                (one, two) => one.or(two),
            },
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What one answer cost, in US dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Cost {
    /// For tokens read.
    pub input: f64,
    /// For tokens written.
    pub output: f64,
    /// For tokens read from the cache.
    pub cache_read: f64,
    /// For tokens put into the cache.
    pub cache_write: f64,
    /// For everything.
    pub total: f64,
}

impl Cost {
    /// This cost and another one together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            input: self.input + other.input,
            output: self.output + other.output,
            cache_read: self.cache_read + other.cache_read,
            cache_write: self.cache_write + other.cache_write,
            total: self.total + other.total,
        }
    }
}
