//! What messages answer about themselves.

use serde_json::json;

use super::*;
use crate::{ToolCallId, UnixMillis};

#[test]
fn every_known_spelling_of_a_stop_reason_means_one_of_five() {
    for (words, reason) in [
        (vec!["stop", "end_turn", "endTurn", "stop_sequence", "pause_turn", "completed"], StopReason::Stop),
        (vec!["length", "max_tokens", "maxTokens", "max_output_tokens"], StopReason::Length),
        (vec!["toolUse", "tool_use", "tool_calls", "toolCalls"], StopReason::ToolUse),
        (vec!["error", "refusal", "content_filter", "sensitive"], StopReason::Error),
        (vec!["aborted", "cancelled"], StopReason::Aborted),
    ] {
        for word in words {
            assert_eq!(StopReason::from_word(word), reason, "{word}");
        }
        assert_eq!(StopReason::from_word(reason.as_str()), reason);
    }
    let unknown = StopReason::from_word("galaxy_brain");
    assert_eq!((unknown.as_str(), &unknown), ("galaxy_brain", &StopReason::Other("galaxy_brain".into())));
}

#[test]
fn usage_adds_up_and_never_wraps() {
    let one = Usage {
        input: 1,
        output: 2,
        cache_read: 3,
        cache_write: 4,
        total_tokens: 10,
        reasoning: 1,
        cost: None,
    };
    let cost = Cost { input: 0.5, total: 0.5, ..Cost::default() };
    let two = Usage { input: u64::MAX, cost: Some(cost), ..Usage::default() };
    assert_eq!(one.sum(), 10);
    assert_eq!(two.plus(&two).cost, Some(Cost { input: 1.0, total: 1.0, ..Cost::default() }));
    assert_eq!(
        one.plus(&two),
        Usage {
            input: u64::MAX,
            output: 2,
            cache_read: 3,
            cache_write: 4,
            total_tokens: 10,
            reasoning: 1,
            cost: Some(cost)
        }
    );
}

#[test]
fn usage_is_written_the_way_clients_read_it() {
    let usage = Usage { input: 1, cache_read: 3, total_tokens: 4, ..Usage::default() };
    let expected = json!({ "input": 1, "output": 0, "cacheRead": 3, "cacheWrite": 0, "totalTokens": 4 });
    assert_eq!(serde_json::to_value(usage).unwrap(), expected);
    assert_eq!(
        serde_json::from_value::<Usage>(json!({ "input": 1, "cacheRead": 3, "totalTokens": 4 })).unwrap(),
        usage
    );
}

#[test]
fn a_message_gives_its_words_and_leaves_out_the_rest() {
    let call = ToolCall {
        id: ToolCallId::new("c1").unwrap(),
        name: "read".to_owned(),
        arguments: json!({}),
        signature: None,
    };
    let answer = AssistantMessage {
        content: vec![
            Content::Thinking(Thinking { text: "hm".to_owned(), signature: None }),
            Content::text("one"),
            Content::ToolCall(call.clone()),
            Content::text("two"),
        ],
        at: Some(UnixMillis(7)),
        ..AssistantMessage::default()
    };
    assert_eq!(answer.tool_calls().collect::<Vec<_>>(), [&call]);
    let message = Message::Assistant(answer);
    assert_eq!((message.plain_text().as_str(), message.at()), ("one\ntwo", Some(UnixMillis(7))));
}

#[test]
fn messages_without_pieces_have_no_words() {
    let summary = Message::CompactionSummary {
        summary: "before".to_owned(),
        tokens_before: None,
        at: Some(UnixMillis(1)),
    };
    assert_eq!((summary.content(), summary.plain_text().as_str()), (&[][..], ""));
}
