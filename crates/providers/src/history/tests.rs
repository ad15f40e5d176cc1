//! What a conversation looks like to another protocol or model.

use std::borrow::Cow;

use openclaw_ports::model::ApiName;
use openclaw_types::{
    AssistantMessage, Content, CustomMessage, Image, ImageData, Message, OtherMessage, RedactedThinking,
    ShellMessage, StopReason, ToolCallId, ToolOutcome, ToolResultMessage, UserMessage, Visibility,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{HistoryRules, IdRule, ImageRule, for_target};
use crate::apis::samples::{self, call as call_with, call_id as id, signed_text as signed, thought};

const HERE: HistoryRules<'static> = HistoryRules {
    api: ApiName::AnthropicMessages,
    model: "claude",
    ids: IdRule::Restricted { max_len: 12 },
    images: ImageRule::Keep,
};

fn user(text: &str) -> Message {
    Message::User(UserMessage { content: vec![Content::text(text)], ..UserMessage::default() })
}

fn answer(api: &str, model: &str, content: Vec<Content>) -> AssistantMessage {
    AssistantMessage {
        content,
        api: Some(api.to_owned()),
        model: Some(model.to_owned()),
        stop: Some(StopReason::Stop),
        ..AssistantMessage::default()
    }
}

fn here(content: Vec<Content>) -> Message {
    Message::Assistant(answer("anthropic-messages", "claude", content))
}

fn elsewhere(content: Vec<Content>) -> Message {
    Message::Assistant(answer("openai-responses", "gpt", content))
}

fn stopped(stop: StopReason, content: Vec<Content>) -> Message {
    Message::Assistant(AssistantMessage {
        stop: Some(stop),
        ..answer("anthropic-messages", "claude", content)
    })
}

fn sealed() -> Content {
    Content::RedactedThinking(RedactedThinking { data: "sealed".to_owned() })
}

fn call(call: &str) -> Content {
    call_with(call, "read", json!({ "path": "a" }))
}

fn signed_call(call: &str) -> Content {
    samples::signed_call(call, "read", json!({ "path": "a" }), "proof")
}

fn result_of(call: &str, tool: &str, content: Vec<Content>) -> Message {
    samples::result_of(tool, call, content, ToolOutcome::Done)
}

fn result(call: &str, text: &str) -> Message {
    result_of(call, "read", vec![Content::text(text)])
}

fn unrecorded(call: &str) -> Message {
    Message::ToolResult(ToolResultMessage {
        call: id(call),
        tool: "read".to_owned(),
        content: vec![Content::text(
            "No result of this call was recorded. It may or may not have been carried out.",
        )],
        outcome: ToolOutcome::Failed,
        details: None,
        at: None,
    })
}

fn image(data: ImageData) -> Content {
    Content::Image(Image { media_type: Some("image/png".to_owned()), data })
}

fn shell(output: &str, for_model: Visibility) -> ShellMessage {
    ShellMessage {
        command: "ls".to_owned(),
        output: output.to_owned(),
        exit_code: Some(0),
        cancelled: false,
        truncated: false,
        full_output_path: None,
        for_model,
        at: None,
    }
}

fn fitted(messages: &[Message], rules: &HistoryRules<'_>) -> Vec<Message> {
    for_target(messages, rules).into_iter().map(Cow::into_owned).collect()
}

#[track_caller]
fn check(messages: &[Message], expected: &[Message]) {
    check_with(HERE, messages, expected);
}

#[track_caller]
fn check_with(rules: HistoryRules<'_>, messages: &[Message], expected: &[Message]) {
    assert_eq!(fitted(messages, &rules), expected);
}

#[test]
fn thinking_and_proofs_stay_with_the_model_that_gave_them() {
    let pieces = vec![
        thought("hm", Some("proof")),
        thought("", Some("proof")),
        sealed(),
        signed("yes", "proof"),
        signed_call("c"),
    ];
    check(&[here(pieces.clone()), result("c", "ok")], &[here(pieces.clone()), result("c", "ok")]);
    let kept = vec![Content::text("yes"), call("c")];
    check(&[elsewhere(pieces.clone()), result("c", "ok")], &[elsewhere(kept.clone()), result("c", "ok")]);
    let other_model = |content| Message::Assistant(answer("anthropic-messages", "opus", content));
    check(&[other_model(pieces), result("c", "ok")], &[other_model(kept), result("c", "ok")]);
}

#[test]
fn thinking_without_a_proof_stays_when_it_says_something() {
    check(
        &[here(vec![thought("hm", None), thought(" ", None), Content::text("yes")])],
        &[here(vec![thought("hm", None), Content::text("yes")])],
    );
}

#[test]
fn thoughts_from_elsewhere_become_words_when_there_is_nothing_else() {
    check(
        &[elsewhere(vec![thought("hm", Some("proof")), sealed(), thought(" ", None)])],
        &[elsewhere(vec![Content::text("hm")])],
    );
}

#[test]
fn failed_answers_go_with_their_calls_and_results() {
    check(
        &[
            user("a"),
            stopped(StopReason::Error, vec![Content::text("half"), call("c")]),
            result("c", "ok"),
            user("b"),
        ],
        &[user("a"), user("b")],
    );
}

#[test]
fn of_a_stopped_answer_only_the_words_stay() {
    check(
        &[
            stopped(StopReason::Aborted, vec![thought("hm", Some("p")), signed("half", "p"), call("c")]),
            result("c", "ok"),
        ],
        &[stopped(StopReason::Aborted, vec![Content::text("half")])],
    );
    check(&[stopped(StopReason::Aborted, vec![call("c")])], &[]);
}

#[test]
fn empty_messages_are_left_out_and_empty_results_say_so() {
    let blank = || vec![Content::text(" \n")];
    check(
        &[
            user(""),
            Message::User(UserMessage::default()),
            here(vec![]),
            here(blank()),
            elsewhere(blank()),
            elsewhere(vec![sealed()]),
        ],
        &[],
    );
    check(&[here(vec![call("c")]), result("c", "")], &[here(vec![call("c")]), result("c", "(no output)")]);
}

#[test]
fn an_empty_text_with_a_proof_goes_back_to_its_model() {
    check(
        &[here(vec![Content::text("yes"), signed("", "proof")])],
        &[here(vec![Content::text("yes"), signed("", "proof")])],
    );
}

#[test]
fn results_move_right_behind_their_calls_in_order() {
    check(
        &[
            here(vec![call("a"), call("b")]),
            user("wait"),
            result("b", "2"),
            here(vec![Content::text("hm")]),
            result("a", "1"),
        ],
        &[
            here(vec![call("a"), call("b")]),
            result("a", "1"),
            result("b", "2"),
            user("wait"),
            here(vec![Content::text("hm")]),
        ],
    );
}

#[test]
fn calls_without_a_result_are_closed_and_results_without_a_call_dropped() {
    check(
        &[
            result("a", "early"),
            here(vec![call("a"), call("b")]),
            result("b", "2"),
            result("b", "again"),
            result("x", "?"),
        ],
        &[here(vec![call("a"), call("b")]), unrecorded("a"), result("b", "2")],
    );
}

#[test]
fn ids_that_are_used_again_are_told_apart() {
    check(
        &[
            here(vec![call("a")]),
            result("a", "1"),
            here(vec![call("a"), call("a")]),
            result("a", "2"),
            result("a", "3"),
        ],
        &[
            here(vec![call("a")]),
            result("a", "1"),
            here(vec![call("a_2"), call("a_3")]),
            result("a_2", "2"),
            result("a_3", "3"),
        ],
    );
    check(
        &[here(vec![call("a")]), here(vec![call("a")]), result("a", "second")],
        &[here(vec![call("a")]), unrecorded("a"), here(vec![call("a_2")]), result("a_2", "second")],
    );
}

#[test]
fn ids_take_the_form_that_the_target_wants() {
    for (rule, own, expected) in [
        (IdRule::Any, "call:1|fc_2", "call:1|fc_2"),
        (IdRule::None, "call:1|fc_2", "call:1|fc_2"),
        (IdRule::Restricted { max_len: 64 }, "call_1|fc_2", "call_1"),
        (IdRule::Restricted { max_len: 64 }, "|fc_2", "_fc_2"),
        (IdRule::Restricted { max_len: 64 }, "functions.read:0é", "functions_read_0_"),
        (IdRule::Restricted { max_len: 9 }, "0123456789abc", "012345678"),
    ] {
        check_with(
            HistoryRules { ids: rule, ..HERE },
            &[here(vec![call(own)]), result(own, "ok")],
            &[here(vec![call(expected)]), result(expected, "ok")],
        );
    }
}

#[test]
fn ids_that_become_equal_by_shortening_are_told_apart_within_the_limit() {
    check(
        &[here(vec![call("0123456789abcX"), call("0123456789abcY")]), result("0123456789abcY", "y")],
        &[
            here(vec![call("0123456789ab"), call("0123456789_2")]),
            unrecorded("0123456789ab"),
            result("0123456789_2", "y"),
        ],
    );
}

#[test]
fn calls_come_back_with_a_plain_name_and_an_object_of_arguments() {
    for (name, arguments, plain, object) in [
        ("functions.read", json!({ "a": 1 }), "functions_read", json!({ "a": 1 })),
        (" read ", json!("{broken"), "read", json!({ "raw": "{broken" })),
        ("read", json!(" "), "read", json!({})),
        ("read", Value::Null, "read", json!({})),
        ("read", json!([1]), "read", json!({ "raw": [1] })),
    ] {
        check(
            &[here(vec![call_with("c", name, arguments)]), result_of("c", name, vec![Content::text("ok")])],
            &[here(vec![call_with("c", plain, object)]), result_of("c", plain, vec![Content::text("ok")])],
        );
    }
    check(&[here(vec![call_with("c", " ", json!({}))]), result("c", "no such tool")], &[]);
}

#[test]
fn other_kinds_of_messages_are_said_by_the_person() {
    let custom = CustomMessage {
        kind: "note".to_owned(),
        content: vec![Content::text("remember"), call("c")],
        for_people: Visibility::Hidden,
        details: None,
        at: None,
    };
    let summary =
        |text: &str| Message::CompactionSummary { summary: text.to_owned(), tokens_before: None, at: None };
    let branch = Message::BranchSummary { summary: "B".to_owned(), from: None, at: None };
    let failed = ShellMessage { exit_code: Some(2), truncated: true, ..shell("x", Visibility::Shown) };
    let path = ShellMessage { full_output_path: Some("/tmp/o".to_owned()), ..failed.clone() };
    check(
        &[
            Message::Custom(custom),
            summary("S"),
            summary(" "),
            branch,
            Message::Shell(shell("out\n", Visibility::Shown)),
            Message::Shell(shell("out", Visibility::Hidden)),
            Message::Shell(path),
            Message::Shell(ShellMessage { cancelled: true, exit_code: None, ..shell("", Visibility::Shown) }),
            Message::Shell(ShellMessage { exit_code: None, ..shell("", Visibility::Shown) }),
            Message::Other(OtherMessage { fields: Map::new() }),
        ],
        &[
            user("remember"),
            user("Earlier parts of this conversation were replaced by this summary:\n\nS"),
            user("This conversation left another branch behind, which is summarised here:\n\nB"),
            user("I ran this command myself:\n```\nls\n```\nIt printed:\n```\nout\n```"),
            user(
                "I ran this command myself:\n```\nls\n```\nIt printed:\n```\nx\n```\nThe output was shortened. \
                 All of it is in /tmp/o.\nIt ended with exit code 2.",
            ),
            user(
                "I ran this command myself:\n```\nls\n```\nIt printed nothing.\nI stopped it before it ended.",
            ),
            user("I ran this command myself:\n```\nls\n```\nIt printed nothing.\nIt did not end by itself."),
        ],
    );
}

#[test]
fn pictures_stay_where_they_can_be_seen_and_leave_a_line_elsewhere() {
    let inline = || image(ImageData::Inline("AAAA".to_owned()));
    let linked = || image(ImageData::Url("https://x/y.png".to_owned()));
    let said = |content| Message::User(UserMessage { content, ..UserMessage::default() });
    let omitted = image(ImageData::Omitted { bytes: Some(9) });
    let gone = Content::text("[image/png of 9 bytes, left out]");
    let blind = HistoryRules { images: ImageRule::Describe, ..HERE };
    let all = [said(vec![inline(), linked(), omitted]), here(vec![inline()])];
    let drawn = here(vec![Content::text("[image/png, not shown]")]);
    check(&all, &[said(vec![inline(), linked(), gone.clone()]), drawn.clone()]);
    let lines =
        [Content::text("[image/png, not shown]"), Content::text("[image/png at https://x/y.png, not shown]")];
    check_with(blind, &all, &[said([&lines[..], &[gone]].concat()), drawn]);
    let nothing = image(ImageData::Inline(String::new()));
    check(&[said(vec![nothing])], &[user("[image/png, not shown]")]);
}

fn any_content() -> impl Strategy<Value = Content> {
    let texts = prop::sample::select(vec!["", " ", "a", "b c"]);
    let ids = prop::sample::select(vec!["a", "b", "a_2", "x|y", "long-long-long-1", "long-long-long-2", "é"]);
    let names = prop::sample::select(vec!["read", "", "a.b"]);
    let arguments = prop::sample::select(vec![Value::Null, json!({}), json!("x"), json!([1])]);
    let proofs = prop::sample::select(vec![None, Some("p")]);
    prop_oneof![
        texts.clone().prop_map(Content::text),
        texts.clone().prop_map(|text| signed(text, "p")),
        (texts, proofs).prop_map(|(text, proof)| thought(text, proof)),
        Just(sealed()),
        Just(image(ImageData::Inline("AA".to_owned()))),
        Just(image(ImageData::Omitted { bytes: None })),
        (ids, names, arguments).prop_map(|(id, name, arguments)| call_with(id, name, arguments)),
    ]
}

fn any_message() -> impl Strategy<Value = Message> {
    let pieces = || prop::collection::vec(any_content(), 0..4);
    let ids = prop::sample::select(vec!["a", "b", "a_2", "x|y", "long-long-long-1", "é"]);
    let stops = prop::sample::select(vec![
        StopReason::Stop,
        StopReason::ToolUse,
        StopReason::Error,
        StopReason::Aborted,
    ]);
    prop_oneof![
        pieces().prop_map(|content| Message::User(UserMessage { content, ..UserMessage::default() })),
        pieces().prop_map(here),
        pieces().prop_map(elsewhere),
        (stops, pieces()).prop_map(|(stop, content)| stopped(stop, content)),
        (ids, pieces()).prop_map(|(id, content)| result_of(id, "read", content)),
        prop::sample::select(vec!["", "s"]).prop_map(|summary| Message::CompactionSummary {
            summary: summary.to_owned(),
            tokens_before: None,
            at: None,
        }),
        Just(Message::Shell(shell("x", Visibility::Shown))),
    ]
}

fn any_rules() -> impl Strategy<Value = HistoryRules<'static>> {
    let ids = prop::sample::select(vec![
        IdRule::Any,
        IdRule::None,
        IdRule::Restricted { max_len: 9 },
        IdRule::Restricted { max_len: 64 },
    ]);
    let images = prop::sample::select(vec![ImageRule::Keep, ImageRule::Describe]);
    (ids, images).prop_map(|(ids, images)| HistoryRules { ids, images, ..HERE })
}

/// Walks a conversation and insists on what every encoder relies on.
fn is_well_formed(messages: &[Message], rules: &HistoryRules<'_>) {
    let mut seen = std::collections::HashSet::new();
    let mut expected: std::collections::VecDeque<ToolCallId> = std::collections::VecDeque::new();
    for message in messages {
        assert!(!message.content().is_empty(), "an empty message");
        match message {
            Message::ToolResult(result) => assert_eq!(expected.pop_front().as_ref(), Some(&result.call)),
            Message::User(_) => assert!(expected.is_empty(), "a user message before {expected:?}"),
            Message::Assistant(answer) => {
                assert!(expected.is_empty(), "an answer before {expected:?}");
                for call in answer.tool_calls() {
                    assert!(seen.insert(call.id.clone()), "{} comes twice", call.id);
                    assert!(call.arguments.is_object());
                    expected.push_back(call.id.clone());
                }
            }
            other => panic!("{other:?} is of no kind that protocols have"),
        }
    }
    assert!(expected.is_empty(), "no result for {expected:?}");
    if let IdRule::Restricted { max_len } = rules.ids {
        for id in seen {
            let plain =
                id.as_str().chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
            assert!(plain && id.as_str().len() <= max_len, "{id}");
        }
    }
}

proptest! {
    #[test]
    fn any_conversation_comes_out_well_formed_and_stays_as_it_is(
        messages in prop::collection::vec(any_message(), 0..14),
        rules in any_rules(),
    ) {
        let once = fitted(&messages, &rules);
        is_well_formed(&once, &rules);
        let again = for_target(&once, &rules);
        prop_assert!(again.iter().all(|message| matches!(message, Cow::Borrowed(_))), "copied: {again:?}");
        prop_assert_eq!(fitted(&once, &rules), once);
    }

    #[test]
    fn a_longer_conversation_keeps_the_ids_of_its_beginning(
        messages in prop::collection::vec(any_message(), 0..10),
        rules in any_rules(),
    ) {
        let ids = |messages: &[Message]| -> Vec<ToolCallId> {
            fitted(messages, &rules)
                .iter()
                .flat_map(Message::content)
                .filter_map(|piece| piece.as_tool_call().map(|call| call.id.clone()))
                .collect()
        };
        let all = ids(&messages);
        let beginning = ids(&messages[..messages.len() / 2]);
        prop_assert!(all.starts_with(&beginning));
    }
}
