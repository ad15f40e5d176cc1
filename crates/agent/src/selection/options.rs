//! Options that the configuration sets for the calls of one model.
//!
//! Options nobody here knows are left to those who do. What the caller of a model asked for wins over them.

use std::collections::BTreeMap;

use openclaw_config::sections::Raw;
use openclaw_ports::model::CacheLifetime;

/// What the configuration says about calls of a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CallOptions {
    pub(crate) temperature: Option<f64>,
    pub(crate) max_output_tokens: Option<u64>,
    pub(crate) cache: Option<CacheLifetime>,
}

impl CallOptions {
    pub(crate) fn read(params: &BTreeMap<String, Raw>) -> Self {
        let word = |name: &str| params.get(name).and_then(|raw| raw.value().as_str());
        let number = |name: &str| params.get(name).and_then(|raw| raw.value().as_f64());
        let cache =
            word("cacheRetention").and_then(retention).or_else(|| word("cacheControlTtl").and_then(lifetime));
        Self {
            temperature: number("temperature"),
            max_output_tokens: number("maxTokens").and_then(whole),
            cache,
        }
    }
}

fn retention(word: &str) -> Option<CacheLifetime> {
    match word {
        "none" => Some(CacheLifetime::Off),
        "short" => Some(CacheLifetime::Short),
        "long" => Some(CacheLifetime::Long),
        _ => None,
    }
}

/// The older option, which named the time itself.
fn lifetime(word: &str) -> Option<CacheLifetime> {
    match word {
        "5m" => Some(CacheLifetime::Short),
        "1h" => Some(CacheLifetime::Long),
        _ => None,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be a positive number first"
)]
fn whole(number: f64) -> Option<u64> {
    (number >= 1.0).then_some(number as u64)
}
