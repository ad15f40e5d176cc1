//! Tables from a file's content and a sign-in to the settings of pruning.

use serde_json::{Value, json};

use super::*;

fn settings(section: Value, sign_in: CachedVendorSignIn) -> Option<PruningSettings> {
    let file = json!({ "agents": { "defaults": { "contextPruning": section } } });
    PruningSettings::of(&serde_json::from_value(file).unwrap(), sign_in)
}

fn usual(ttl: Duration) -> PruningSettings {
    PruningSettings {
        ttl,
        keep_last_assistants: 3,
        soft_trim_ratio: 0.3,
        hard_clear_ratio: 0.5,
        min_prunable_tool_chars: 50_000,
        allow: Vec::new(),
        deny: Vec::new(),
        soft_trim: SoftTrimSettings { max_chars: 4_000, head_chars: 1_500, tail_chars: 1_500 },
        placeholder: Some(PLACEHOLDER.to_owned()),
    }
}

#[test]
fn the_mode_and_the_lifetime_follow_the_sign_in_where_nobody_chose() {
    use CachedVendorSignIn::{Key, None as Nobody, Token};
    let rows = [
        (json!({}), Nobody, None),
        (json!({}), Token, Some(TTL_BY_ITSELF)),
        (json!({}), Key, Some(TTL_BY_ITSELF)),
        (json!({ "ttl": "10m" }), Key, Some(Duration::from_secs(600))),
        (json!({ "mode": "off" }), Key, None),
        (json!({ "mode": "cache-ttl" }), Nobody, Some(TTL)),
        (json!({ "mode": "cache-ttl", "ttl": "90" }), Nobody, Some(Duration::from_secs(90 * 60))),
        (json!({ "mode": "cache-ttl", "ttl": "soon" }), Nobody, Some(TTL)),
        (json!({ "mode": "cache-ttl", "ttl": "0m" }), Nobody, None),
    ];
    for (section, sign_in, ttl) in rows {
        assert_eq!(settings(section.clone(), sign_in), ttl.map(usual), "{section} with {sign_in:?}");
    }
}

#[test]
fn every_key_can_be_written() {
    let section = json!({
        "mode": "cache-ttl", "ttl": "1h", "keepLastAssistants": 0, "softTrimRatio": 0.1, "hardClearRatio": 1,
        "minPrunableToolChars": 7, "tools": { "allow": ["exec"], "deny": ["*image*"] },
        "softTrim": { "maxChars": 10, "headChars": 2, "tailChars": 3 },
        "hardClear": { "enabled": true, "placeholder": " gone " },
    });
    let expected = PruningSettings {
        ttl: Duration::from_secs(3600),
        keep_last_assistants: 0,
        soft_trim_ratio: 0.1,
        hard_clear_ratio: 1.0,
        min_prunable_tool_chars: 7,
        allow: vec!["exec".to_owned()],
        deny: vec!["*image*".to_owned()],
        soft_trim: SoftTrimSettings { max_chars: 10, head_chars: 2, tail_chars: 3 },
        placeholder: Some("gone".to_owned()),
    };
    assert_eq!(settings(section, CachedVendorSignIn::None), Some(expected));
}

#[test]
fn removing_output_can_be_switched_off() {
    let found =
        settings(json!({ "mode": "cache-ttl", "hardClear": { "enabled": false } }), CachedVendorSignIn::None);
    assert_eq!(found, Some(PruningSettings { placeholder: None, ..usual(TTL) }));
}
