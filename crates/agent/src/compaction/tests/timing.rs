//! When a conversation is summed up, and when memories are written before.

use std::sync::Arc;

use openclaw_config::{CompactionSettings, MemoryFlushSettings};
use openclaw_types::{AssistantMessage, Message, SessionEntry, SessionId, StopReason, UnixMillis, Usage};
use serde_json::json;

use super::super::*;
use super::{done, says, user};

fn settings(section: serde_json::Value) -> CompactionSettings {
    let file = json!({ "agents": { "defaults": { "compaction": section } } });
    CompactionSettings::of(&serde_json::from_value(file).unwrap())
}

#[test]
fn room_is_fitted_to_the_window() {
    let rows = [
        (json!({}), 200_000, (20_000, 20_000, 90_000, 100_000)),
        (json!({ "mode": "default" }), 200_000, (20_000, 20_000, 90_000, 180_000)),
        (json!({}), 32_000, (16_000, 8_000, 8_000, 16_000)),
        (json!({ "keepRecentTokens": 100_000 }), 100_000, (20_000, 40_000, 40_000, 50_000)),
        (json!({ "maxHistoryShare": 0.9 }), 100_000, (20_000, 20_000, 40_000, 80_000)),
        (json!({}), 0, (0, 0, 0, 0)),
    ];
    for (section, window, (reserve, keep_recent, keep_most, one_call)) in rows {
        let expected = CompactionRoom { window: window.max(1), reserve, keep_recent, keep_most, one_call };
        assert_eq!(CompactionRoom::of(&settings(section.clone()), window), expected, "{section} in {window}");
    }
}

#[test]
fn a_conversation_is_summed_up_when_the_reserve_is_touched() {
    let room = CompactionRoom::of(&settings(json!({})), 200_000);
    assert_eq!([180_000, 180_001].map(|tokens| should_compact(tokens, &room)), [false, true]);
    let small = CompactionRoom::of(&settings(json!({})), 16_000);
    assert_eq!([8_000, 8_001].map(|tokens| should_compact(tokens, &small)), [false, true]);
}

fn counted(tokens: u64, stop: StopReason, at: i64) -> Message {
    let usage = Usage { input: tokens, ..Usage::default() };
    Message::Assistant(AssistantMessage {
        usage: Some(usage),
        stop: Some(stop),
        at: Some(UnixMillis(at)),
        ..AssistantMessage::default()
    })
}

#[test]
fn what_a_call_counted_is_used_and_only_the_rest_is_estimated() {
    let rest = context_tokens(&[user("and now?")]);
    let summed_up = Message::CompactionSummary {
        summary: "short".to_owned(),
        tokens_before: None,
        at: Some(UnixMillis(50)),
    };
    let short = context_tokens(std::slice::from_ref(&summed_up));
    let rows = [
        (vec![user("go"), counted(900, StopReason::Stop, 60), user("and now?")], 900 + rest),
        (
            vec![
                counted(900, StopReason::Stop, 60),
                counted(5_000, StopReason::Aborted, 70),
                user("and now?"),
            ],
            904 + rest,
        ),
        (vec![summed_up.clone(), counted(900, StopReason::Stop, 40), user("and now?")], short + 4 + rest),
        (vec![summed_up, counted(900, StopReason::Stop, 60), user("and now?")], 900 + rest),
        (vec![], 0),
    ];
    for (messages, expected) in rows {
        assert_eq!(context_tokens(&messages), expected, "{messages:?}");
        // A count from before the summary holds nothing of the system prompt either: that is guessed again.
        assert_eq!(is_counted(&messages), expected >= 900, "{messages:?}");
    }
}

fn entry(compactions: Option<u64>, flushed: Option<u64>) -> SessionEntry {
    let mut entry = SessionEntry::new(SessionId::new("s").unwrap(), UnixMillis(0));
    entry.facts.compaction_count = compactions;
    entry.facts.memory_flush_compaction_count = flushed;
    entry
}

#[test]
fn memories_are_written_once_before_each_compaction_and_where_they_can_be() {
    use WorkspaceWrites::{Impossible, Possible};
    let rows = [
        (json!({}), (None, None), 176_000, Possible, true),
        (json!({}), (None, None), 175_999, Possible, false),
        (json!({}), (None, Some(0)), 176_000, Possible, false),
        (json!({}), (Some(1), Some(0)), 176_000, Possible, true),
        (json!({}), (Some(1), Some(1)), 176_000, Possible, false),
        (json!({}), (None, None), 176_000, Impossible, false),
        (json!({ "memoryFlush": { "enabled": false } }), (None, None), 176_000, Possible, false),
        (
            json!({ "memoryFlush": { "softThresholdTokens": 500_000 } }),
            (None, None),
            176_000,
            Possible,
            false,
        ),
    ];
    for (section, (compactions, flushed), tokens, workspace, expected) in rows {
        let (settings, entry) = (settings(section.clone()), entry(compactions, flushed));
        let case = FlushCase { entry: &entry, tokens, window: 200_000, settings: &settings, workspace };
        assert_eq!(
            should_flush(case),
            expected,
            "{section} {compactions:?} {flushed:?} {tokens} {workspace:?}"
        );
    }
}

#[test]
fn a_flush_is_noted_for_the_compactions_there_were() {
    let mut entry = entry(Some(3), None);
    mark_flushed(&mut entry, UnixMillis(7));
    assert_eq!(
        (entry.facts.memory_flush_at, entry.facts.memory_flush_compaction_count),
        (Some(UnixMillis(7)), Some(3))
    );
}

#[test]
fn the_words_name_the_day_and_always_allow_silence() {
    let usual = MemoryFlushSettings { soft_threshold_tokens: 0, prompt: None, system_prompt: None };
    let words = flush_words(&usual, "2026-02-26");
    assert!(words.prompt.contains("memory/2026-02-26.md") && words.prompt.contains("NO_REPLY"));
    assert!(words.system.contains("NO_REPLY"));
    let own = MemoryFlushSettings { prompt: Some("Keep notes in YYYY-MM-DD.".to_owned()), ..usual };
    let expected = "Keep notes in 2026-02-26.\n\nAnswer NO_REPLY when there is nothing to tell.";
    assert_eq!(flush_words(&own, "2026-02-26").prompt, expected);
}

#[test]
fn results_that_no_model_could_read_are_cut_the_same_way_every_time() {
    let mut messages = [user("go"), done("a", 9_000), done("b", 100), says("done")].map(Arc::new);
    assert_eq!(cut_oversized_results(&mut messages, 5_000), 1);
    let shown: Vec<usize> = messages.iter().map(|message| message.plain_text().chars().count()).collect();
    assert!(shown[1] <= 6_000 && shown[1] > 5_800, "{shown:?}");
    assert!(messages[1].plain_text().contains("characters left out: too much for this model"));
    assert_eq!((shown[0], shown[2], shown[3]), (2, 100, 4));
    let once = messages.clone();
    assert_eq!(cut_oversized_results(&mut messages, 5_000), 0);
    assert_eq!(messages, once);
}
