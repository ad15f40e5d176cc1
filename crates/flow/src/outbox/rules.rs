//! How often a piece is tried, as the account or its platform says (`retry`).

use std::time::Duration;

use openclaw_delivery::RetryRules;
use openclaw_types::{AccountId, ChannelId};
use serde_json::Value;

use crate::channels::own_part;
use crate::flow::Inner;

/// The rules for what an account does. What an account says counts before what its platform says.
pub(crate) fn retry_rules(flow: &Inner, channel: &ChannelId, account: &AccountId) -> RetryRules {
    let config = flow.settings();
    let Some(section) = config.raw.channels.get(channel.as_str()) else {
        return RetryRules::default();
    };
    read(section.value(), account)
}

fn read(section: &Value, account: &AccountId) -> RetryRules {
    let own = own_part(section, account).and_then(|(_, own)| own.get("retry"));
    let number = |key: &str| {
        let written = [own, section.get("retry")].into_iter().flatten();
        written
            .filter_map(|rules| rules.get(key)?.as_f64())
            .find(|number| number.is_finite() && *number >= 0.0)
    };
    let usual = RetryRules::default();
    let span =
        |key: &str, usual: Duration| number(key).map_or(usual, |millis| Duration::from_millis(millis as u64));
    RetryRules {
        attempts: number("attempts").map_or(usual.attempts, |attempts| (attempts as u32).max(1)),
        least: span("minDelayMs", usual.least),
        most: span("maxDelayMs", usual.most),
        jitter: number("jitter").map_or(usual.jitter, |jitter| jitter.min(1.0)),
        ..usual
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(section: &Value, account: &str) -> RetryRules {
        read(section, &AccountId::new(account).unwrap())
    }

    #[test]
    fn an_account_says_how_often_it_tries_before_its_platform_does() {
        let section = json!({
            "retry": { "attempts": 5, "minDelayMs": 100, "jitter": 7 },
            "accounts": { "Work": { "retry": { "attempts": 2, "maxDelayMs": 900 } } },
        });
        let usual = RetryRules::default();
        let platform = RetryRules { attempts: 5, least: Duration::from_millis(100), jitter: 1.0, ..usual };
        assert_eq!(of(&section, "other"), platform);
        let own = RetryRules { attempts: 2, most: Duration::from_millis(900), ..platform };
        assert_eq!(of(&section, "work"), own);
        assert_eq!(of(&json!({ "retry": { "attempts": -1 } }), "x"), usual);
    }
}
