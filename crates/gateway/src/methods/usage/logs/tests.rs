//! What a line says.

use openclaw_types::TranscriptLine;
use serde_json::{Value, json};

use super::*;

fn line(message: Value) -> Option<Value> {
    let entry = json!({
        "type": "message", "id": "e", "parentId": null, "timestamp": "2026-01-01T00:00:00.000Z",
        "message": message,
    });
    let stored = StoredEntry { sequence: 0, run: None, line: TranscriptLine::from_value(&entry).into() };
    message_line(&stored).map(|line| serde_json::to_value(line).unwrap())
}

#[test]
fn each_kind_of_message_has_its_words() {
    let check = |message: Value, expected: Option<Value>| {
        let expected = expected.map(|mut line| {
            line["timestamp"] = json!(1_767_225_600_000_i64);
            line
        });
        assert_eq!(line(message.clone()), expected, "{message}");
    };
    check(
        json!({"role": "user", "content": "[Sun 2026-11-15 19:26 UTC] hello\n[message_id: 12]"}),
        Some(json!({"role": "user", "content": "hello"})),
    );
    check(
        json!({
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": " Let me see. "},
                {"type": "toolCall", "id": "c", "name": "ls", "arguments": {"path": "."}},
            ],
            "usage": {"input": 7, "output": 3, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 10,
                      "cost": {"input": 0.25, "output": 0.25, "cacheRead": 0, "cacheWrite": 0, "total": 0.5}},
        }),
        Some(json!({"role": "assistant", "content": "Let me see. \n[Tool: ls]", "tokens": 10, "cost": 0.5})),
    );
    check(
        json!({"role": "assistant", "content": [{"type": "text", "text": "yes"}], "usage": {"input": 2, "output": 1}}),
        Some(json!({"role": "assistant", "content": "yes", "tokens": 3})),
    );
    check(
        json!({"role": "toolResult", "toolCallId": "c", "toolName": "ls", "isError": false,
               "content": [{"type": "text", "text": "a\nb"}]}),
        Some(json!({"role": "toolResult", "content": "[Tool: ls]\n[Tool Result]\na\nb"})),
    );
    check(json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]}), None);
    check(json!({"role": "user", "content": "  "}), None);
    check(json!({"role": "bashExecution", "command": "ls", "output": "", "exitCode": 0}), None);
}

#[test]
fn long_words_are_cut() {
    let said = |letters: usize| {
        line(json!({"role": "user", "content": "é".repeat(letters)})).unwrap()["content"].clone()
    };
    assert_eq!(said(MOST_CHARS), "é".repeat(MOST_CHARS));
    assert_eq!(said(MOST_CHARS + 1), format!("{}…", "é".repeat(MOST_CHARS)));
}
