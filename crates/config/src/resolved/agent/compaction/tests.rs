//! Tables from a file's content to the settings of compaction.

use serde_json::{Value, json};

use super::*;

fn settings(section: Value) -> CompactionSettings {
    let file = json!({ "agents": { "defaults": { "compaction": section } } });
    CompactionSettings::of(&serde_json::from_value(file).unwrap())
}

fn usual() -> CompactionSettings {
    CompactionSettings {
        mode: CompactionMode::Safeguard,
        reserve_tokens: 20_000,
        reserve_floor: 20_000,
        keep_recent_tokens: 20_000,
        max_history_share: 0.5,
        memory_flush: Some(MemoryFlushSettings {
            soft_threshold_tokens: 4_000,
            prompt: None,
            system_prompt: None,
        }),
    }
}

#[test]
fn every_key_has_a_default() {
    assert_eq!(settings(json!({})), usual());
    assert_eq!(CompactionSettings::of(&serde_json::from_value(json!({})).unwrap()), usual());
}

#[test]
fn the_reserve_is_never_below_its_floor() {
    let rows = [
        (json!({ "reserveTokens": 1_000 }), 20_000),
        (json!({ "reserveTokens": 50_000 }), 50_000),
        (json!({ "reserveTokensFloor": 0 }), 16_384),
        (json!({ "reserveTokens": 1_000, "reserveTokensFloor": 0 }), 1_000),
        (json!({ "reserveTokensFloor": 30_000 }), 30_000),
    ];
    for (section, reserve) in rows {
        assert_eq!(settings(section.clone()).reserve_tokens, reserve, "{section}");
    }
}

#[test]
fn memories_can_be_left_unwritten_and_asked_for_in_other_words() {
    assert_eq!(settings(json!({ "memoryFlush": { "enabled": false } })).memory_flush, None);
    let found = settings(
        json!({ "memoryFlush": { "softThresholdTokens": 9, "prompt": " write ", "systemPrompt": " " } }),
    );
    let expected = MemoryFlushSettings {
        soft_threshold_tokens: 9,
        prompt: Some("write".to_owned()),
        system_prompt: None,
    };
    assert_eq!(found.memory_flush, Some(expected));
}
