//! Tables from messages to what is left of them, and what must hold for all messages.

use std::sync::Arc;
use std::time::Duration;

use openclaw_config::{PruningSettings, SoftTrimSettings};
use openclaw_types::{
    AssistantMessage, Content, Image, ImageData, Message, ToolCall, ToolCallId, ToolOutcome,
    ToolResultMessage, UnixMillis, UserMessage,
};
use proptest::prelude::*;
use serde_json::json;

use super::*;

const GONE: &str = "[gone]";

fn settings() -> PruningSettings {
    PruningSettings {
        ttl: Duration::from_secs(300),
        keep_last_assistants: 1,
        soft_trim_ratio: 0.3,
        hard_clear_ratio: 0.5,
        min_prunable_tool_chars: 0,
        allow: Vec::new(),
        deny: Vec::new(),
        soft_trim: SoftTrimSettings { max_chars: 400, head_chars: 5, tail_chars: 5 },
        placeholder: Some(GONE.to_owned()),
    }
}

fn user(text: &str) -> Message {
    Message::User(UserMessage { content: vec![Content::text(text)], ..UserMessage::default() })
}

fn says(text: &str) -> Message {
    Message::Assistant(AssistantMessage { content: vec![Content::text(text)], ..AssistantMessage::default() })
}

fn result(call: &str, tool: &str, content: Vec<Content>) -> Message {
    Message::ToolResult(ToolResultMessage {
        call: ToolCallId::new(call).unwrap(),
        tool: tool.to_owned(),
        content,
        outcome: ToolOutcome::Done,
        details: Some(json!({ "kept": true })),
        at: None,
    })
}

fn output(call: &str, letters: usize) -> Message {
    result(call, "exec", vec![Content::text("x".repeat(letters))])
}

fn picture() -> Content {
    Content::Image(Image { media_type: None, data: ImageData::Inline("aGk=".to_owned()) })
}

fn name(call: &str) -> ResultName {
    ResultName { call: ToolCallId::new(call).unwrap(), at: None }
}

/// The marks of a request, as `a shortened, b removed`.
fn marks(messages: &[Message], settings: &PruningSettings, window: u64) -> String {
    let marks = decide_prune(messages, settings, window);
    let told = marks.iter().map(|(call, mark)| format!("{} {mark:?}", call.call).to_lowercase());
    told.collect::<Vec<_>>().join(", ")
}

#[test]
fn output_is_shortened_first_and_removed_when_that_is_not_enough() {
    let talk = |first: usize, second: usize| {
        vec![user("go"), output("a", first), output("b", second), says("done"), output("c", 900)]
    };
    let rows = [
        (talk(600, 600), 10_000, ""),
        (talk(600, 600), 1_000, "a shortened, b shortened"),
        (talk(600, 300), 1_000, "a shortened"),
        (talk(390, 390), 660, "a removed"),
        (talk(390, 390), 300, "a removed, b removed"),
        (talk(600, 600), 100, "a removed, b removed"),
        (talk(600, 600), 0, ""),
    ];
    for (messages, window, expected) in rows {
        assert_eq!(marks(&messages, &settings(), window), expected, "a window of {window}");
    }
}

#[test]
fn what_is_shown_of_shortened_and_removed_output() {
    let long = format!("12345{}67890", "x".repeat(500));
    let two_pieces = result("b", "exec", vec![Content::text("first"), Content::text("y".repeat(500))]);
    let mut messages = [
        user("go"),
        result("a", "exec", vec![Content::text(long)]),
        two_pieces,
        output("c", 500),
        says("done"),
    ]
    .map(Arc::new);
    let marks = PruneMarks::from([
        (name("a"), PruneMark::Shortened),
        (name("b"), PruneMark::Shortened),
        (name("c"), PruneMark::Removed),
        (name("elsewhere"), PruneMark::Removed),
    ]);
    apply_prune(&mut messages, &marks, &settings());
    let shown: Vec<String> = messages.iter().map(|message| message.plain_text()).collect();
    assert_eq!(
        shown,
        [
            "go",
            "12345\n...\n67890\n\n[Shortened: the first 5 and the last 5 of 510 characters are shown.]",
            "first\n...\nyyyyy\n\n[Shortened: the first 5 and the last 5 of 506 characters are shown.]",
            GONE,
            "done",
        ]
    );
}

#[test]
fn what_is_protected_stays() {
    let keep = |count: usize| PruningSettings { keep_last_assistants: count, ..settings() };
    let messages = [
        output("early", 900),
        user("go"),
        says("one"),
        output("a", 900),
        says("two"),
        output("b", 900),
        says("three"),
    ];
    let rows = [(0, "a removed, b removed"), (1, "a removed, b removed"), (2, "a removed"), (3, ""), (4, "")];
    for (count, expected) in rows {
        assert_eq!(marks(&messages, &keep(count), 100), expected, "keeping {count}");
    }
    let with_picture =
        [user("go"), result("a", "exec", vec![Content::text("x".repeat(900)), picture()]), says("done")];
    assert_eq!(marks(&with_picture, &settings(), 100), "", "results with pictures are left alone");
    let little = PruningSettings { min_prunable_tool_chars: 50_000, ..settings() };
    assert_eq!(marks(&messages, &little, 100), "a shortened, b shortened", "too little to remove");
    let never = PruningSettings { placeholder: None, ..settings() };
    assert_eq!(marks(&messages, &never, 100), "a shortened, b shortened", "removing is switched off");
}

#[test]
fn tools_are_chosen_by_patterns_and_refusals_win() {
    let messages = [
        user("go"),
        result("a", "Exec", vec![Content::text("x".repeat(900))]),
        result("b", "web_fetch", vec![Content::text("x".repeat(900))]),
        says("done"),
    ];
    let rows: [(&[&str], &[&str], &str); 5] = [
        (&[], &[], "a removed, b removed"),
        (&["exec"], &[], "a removed"),
        (&["WEB_*"], &[], "b removed"),
        (&["*"], &["web*"], "a removed"),
        (&[" "], &["exec"], "b removed"),
    ];
    for (allow, deny, expected) in rows {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let settings = PruningSettings { allow: owned(allow), deny: owned(deny), ..settings() };
        assert_eq!(marks(&messages, &settings, 20), expected, "allow {allow:?}, deny {deny:?}");
    }
}

#[test]
fn only_a_cold_cache_of_a_vendor_that_forgets_is_pruned() {
    let at = |millis: i64| UnixMillis(millis);
    let rows = [
        ("anthropic/claude-opus-4-6", Some(at(0)), 300_000, true),
        ("anthropic/claude-opus-4-6", Some(at(0)), 299_999, false),
        ("anthropic/claude-opus-4-6", None, 900_000, false),
        ("openrouter/anthropic/claude-opus-4-6", Some(at(0)), 900_000, true),
        ("openai/gpt-5", Some(at(0)), 900_000, false),
        ("anthropic/claude-opus-4-6", Some(at(900_000)), 0, false),
    ];
    for (model, last_call, now, expected) in rows {
        let model = model.parse().unwrap();
        let cache = CacheState { model: &model, last_call, now: at(now) };
        assert_eq!(is_prunable_now(&settings(), cache), expected, "{model} at {now}");
    }
}

fn messages() -> impl Strategy<Value = Vec<Message>> {
    let words = "[a-z .\n]{0,40}";
    let one = prop_oneof![
        words.prop_map(|text| user(&text)),
        words.prop_map(|text| says(&text)),
        (0_usize..900, 0_u32..200).prop_map(|(letters, call)| output(&call.to_string(), letters)),
        (0_u32..200).prop_map(|call| result(&call.to_string(), "look", vec![picture()])),
        (0_u32..200).prop_map(|id| {
            let call = ToolCall {
                id: ToolCallId::new(id.to_string()).unwrap(),
                name: "exec".to_owned(),
                arguments: json!({ "command": "ls" }),
                signature: None,
            };
            Message::Assistant(AssistantMessage {
                content: vec![Content::ToolCall(call)],
                ..AssistantMessage::default()
            })
        }),
    ];
    prop::collection::vec(one, 0..30)
}

proptest! {
    #[test]
    fn only_results_change_and_pruning_again_changes_nothing(
        mut before in messages(), window in 1_u64..3_000, keep in 0_usize..4, max in 0_usize..600, least in 0_usize..4_000,
    ) {
        let rule = SoftTrimSettings { max_chars: max, head_chars: 5, tail_chars: 5 };
        let settings = PruningSettings {
            keep_last_assistants: keep, min_prunable_tool_chars: least, soft_trim: rule, ..settings()
        };
        for (message, at) in before.iter_mut().zip(0..) {
            if let Message::ToolResult(result) = message {
                result.at = Some(UnixMillis(at));
            }
        }
        let before: Vec<Arc<Message>> = before.into_iter().map(Arc::new).collect();
        let mut once = before.clone();
        apply_prune(&mut once, &decide_prune(&before, &settings, window), &settings);
        prop_assert_eq!(once.len(), before.len());
        for (old, new) in before.iter().zip(&once) {
            match (&**old, &**new) {
                (Message::ToolResult(old), Message::ToolResult(new)) => {
                    prop_assert_eq!(
                        (&old.call, &old.tool, old.outcome, &old.details),
                        (&new.call, &new.tool, new.outcome, &new.details)
                    );
                }
                (old, new) => prop_assert_eq!(old, new),
            }
        }
        let mut twice = once.clone();
        apply_prune(&mut twice, &decide_prune(&once, &settings, window), &settings);
        prop_assert_eq!(twice, once);
    }
}
