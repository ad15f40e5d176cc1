//! When old tool output is left out of requests, with every default filled in.
//!
//! Where nobody chose a mode, it depends on how the agent signs in to a vendor whose cache expires: with a sign-in of
//! its own, output is left out when the cache is cold. Which vendors those are is known to the model contracts.

use std::time::Duration;

use crate::resolved::measure::{DurationUnit, parse_duration};
use crate::sections::{ContextPruning, Count, HardClear, PruningMode, RawConfig, SoftTrim};

#[cfg(test)]
mod tests;

const TTL: Duration = Duration::from_secs(5 * 60);
/// When nobody chose a mode, the longer of the lifetimes that vendors offer.
const TTL_BY_ITSELF: Duration = Duration::from_secs(60 * 60);
const KEEP_LAST_ASSISTANTS: u64 = 3;
const SOFT_TRIM_RATIO: f64 = 0.3;
const HARD_CLEAR_RATIO: f64 = 0.5;
const MIN_PRUNABLE_TOOL_CHARS: u64 = 50_000;
const SOFT_TRIM_MAX_CHARS: u64 = 4_000;
const SOFT_TRIM_KEPT_CHARS: u64 = 1_500;
const PLACEHOLDER: &str = "[Old tool output was removed here. Call the tool again if it is needed.]";

/// How an agent signs in to the vendor whose cache expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CachedVendorSignIn {
    /// Not at all.
    None,
    /// With a token of a subscription.
    Token,
    /// With a key.
    Key,
}

/// How old tool output is left out.
#[derive(Debug, Clone, PartialEq)]
pub struct PruningSettings {
    /// How long a vendor keeps a request cached.
    pub ttl: Duration,
    /// How many of the last answers keep their tool output.
    pub keep_last_assistants: usize,
    /// How full the context must be to shorten output, as a share.
    pub soft_trim_ratio: f64,
    /// How full it must be to remove output.
    pub hard_clear_ratio: f64,
    /// How much output there must be to remove any, in characters.
    pub min_prunable_tool_chars: usize,
    /// Tools whose output may be left out; all when empty.
    pub allow: Vec<String>,
    /// Tools whose output is always kept.
    pub deny: Vec<String>,
    /// How output is shortened.
    pub soft_trim: SoftTrimSettings,
    /// What stands where output was removed; nothing when none is.
    pub placeholder: Option<String>,
}

/// How output is shortened, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoftTrimSettings {
    /// Longer output is shortened.
    pub max_chars: usize,
    /// What is kept of its beginning.
    pub head_chars: usize,
    /// What is kept of its end.
    pub tail_chars: usize,
}

impl PruningSettings {
    /// Reads `agents.defaults.contextPruning`; nothing when output is never left out.
    #[must_use]
    pub fn of(raw: &RawConfig, sign_in: CachedVendorSignIn) -> Option<Self> {
        let defaults = raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
        let section = defaults.and_then(|defaults| defaults.context_pruning.clone()).unwrap_or_default();
        let usual_ttl = match (section.mode, sign_in) {
            (Some(PruningMode::CacheTtl), _) => TTL,
            (None, CachedVendorSignIn::Token | CachedVendorSignIn::Key) => TTL_BY_ITSELF,
            (Some(PruningMode::Off), _) | (None, CachedVendorSignIn::None) => return None,
        };
        let written = section.ttl.as_deref().map(|text| parse_duration(text, DurationUnit::Minutes));
        let ttl = written.and_then(Result::ok).unwrap_or(usual_ttl);
        (!ttl.is_zero()).then(|| resolved(section, ttl))
    }
}

fn resolved(section: ContextPruning, ttl: Duration) -> PruningSettings {
    let ContextPruning { tools, soft_trim, hard_clear, .. } = section;
    let SoftTrim { max_chars, head_chars, tail_chars } = soft_trim.unwrap_or_default();
    let HardClear { enabled, placeholder } = hard_clear.unwrap_or_default();
    let tools = tools.unwrap_or_default();
    let words = placeholder.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    PruningSettings {
        ttl,
        keep_last_assistants: number(section.keep_last_assistants, KEEP_LAST_ASSISTANTS),
        soft_trim_ratio: section.soft_trim_ratio.unwrap_or(SOFT_TRIM_RATIO).clamp(0.0, 1.0),
        hard_clear_ratio: section.hard_clear_ratio.unwrap_or(HARD_CLEAR_RATIO).clamp(0.0, 1.0),
        min_prunable_tool_chars: number(section.min_prunable_tool_chars, MIN_PRUNABLE_TOOL_CHARS),
        allow: tools.allow.unwrap_or_default(),
        deny: tools.deny.unwrap_or_default(),
        soft_trim: SoftTrimSettings {
            max_chars: number(max_chars, SOFT_TRIM_MAX_CHARS),
            head_chars: number(head_chars, SOFT_TRIM_KEPT_CHARS),
            tail_chars: number(tail_chars, SOFT_TRIM_KEPT_CHARS),
        },
        placeholder: enabled.unwrap_or(true).then(|| words.unwrap_or_else(|| PLACEHOLDER.to_owned())),
    }
}

fn number(written: Option<Count>, usual: u64) -> usize {
    usize::try_from(written.map_or(usual, Count::get)).unwrap_or(usize::MAX)
}
