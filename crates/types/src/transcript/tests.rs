//! Reading and writing of every transcript shape: the fixtures' meaning, and that no JSON value changes on the way.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::*;

const CURRENT: &str = include_str!("fixtures/current.jsonl");
const BLOCKS: &str = include_str!("fixtures/blocks-with-tool-use.jsonl");
const NUMERIC: &str = include_str!("fixtures/numeric-times.jsonl");
const ODDITIES: &str = include_str!("fixtures/oddities.jsonl");

fn lines(file: &str) -> Vec<TranscriptLine> {
    file.lines().map(|line| TranscriptLine::parse(line).unwrap()).collect()
}

fn entry(file: &str, line: usize) -> LineEntry {
    match lines(file).swap_remove(line).record {
        LineRecord::Entry(entry) => *entry,
        other => panic!("line {line} is no entry: {other:?}"),
    }
}

fn message(file: &str, line: usize) -> Message {
    match entry(file, line).body {
        EntryBody::Message(message) => Arc::unwrap_or_clone(message),
        other => panic!("line {line} is no message: {other:?}"),
    }
}

fn assistant(file: &str, line: usize) -> AssistantMessage {
    match message(file, line) {
        Message::Assistant(message) => message,
        other => panic!("line {line} is no answer: {other:?}"),
    }
}

fn id(text: &str) -> Option<EntryId> {
    Some(EntryId::new(text).unwrap())
}

#[test]
fn every_line_of_every_layout_is_written_as_it_was_read() {
    for file in [CURRENT, BLOCKS, NUMERIC, ODDITIES] {
        for text in file.lines() {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(TranscriptLine::from_value(&value).to_value(), value, "{text}");
        }
    }
}

#[test]
fn lines_of_todays_layout_leave_no_residue() {
    for (number, line) in lines(CURRENT).into_iter().enumerate() {
        // The text of a custom message may stand bare; both ways are today's.
        let expected = number != 10;
        assert_eq!(line.residue.is_same(), expected, "line {number}: {:?}", line.residue);
    }
}

#[test]
fn events_are_written_in_the_order_of_the_original() {
    for (number, text) in CURRENT.lines().enumerate() {
        // Messages with additional fields differ: the original appends those behind the time.
        if ![4, 8, 10].contains(&number) {
            assert_eq!(TranscriptLine::parse(text).unwrap().to_text(), text);
        }
    }
}

#[test]
fn lines_of_known_layouts_are_understood() {
    for file in [CURRENT, BLOCKS, NUMERIC] {
        for line in lines(file) {
            let unknown = match &line.record {
                LineRecord::Header(_) => false,
                LineRecord::Foreign(_) => true,
                LineRecord::Entry(entry) => match &entry.body {
                    EntryBody::Other(_) => true,
                    EntryBody::Message(message) => {
                        matches!(**message, Message::Other(_))
                            || message.content().iter().any(|piece| matches!(piece, Content::Other(_)))
                    }
                    _ => false,
                },
            };
            assert!(!unknown, "{line:?}");
        }
    }
}

#[test]
fn the_header_says_where_a_session_comes_from() {
    let header = SessionHeader {
        id: Some(SessionId::new("c0ffee00-0000-4000-8000-000000000004").unwrap()),
        version: Some(3),
        at: Some(UnixMillis(1_772_100_000_000)),
        cwd: Some("/srv/assistant".to_owned()),
        parent_session: Some("/srv/state/agents/main/sessions/older.jsonl".to_owned()),
    };
    assert_eq!(lines(CURRENT).swap_remove(0).record, LineRecord::Header(Box::new(header)));
}

#[test]
fn a_question_knows_its_pieces_and_its_provenance() {
    let expected = UserMessage {
        content: vec![
            Content::text("Look at this"),
            Content::Image(Image {
                media_type: Some("image/png".to_owned()),
                data: ImageData::Inline("iVBORw0KGgo=".to_owned()),
            }),
        ],
        at: Some(UnixMillis(1_772_100_000_999)),
        provenance: Some(Provenance {
            kind: ProvenanceKind::InterSession,
            source_session: Some("agent:ops:main".parse().unwrap()),
            source_channel: Some(ChannelId::new("webchat").unwrap()),
            source_tool: Some("sessions_send".to_owned()),
        }),
        idempotency_key: None,
    };
    assert_eq!(
        entry(CURRENT, 4),
        LineEntry {
            id: id("00000004"),
            parent: id("00000003"),
            at: Some(UnixMillis(1_772_100_001_000)),
            body: Message::User(expected).into(),
        }
    );
}

#[test]
fn an_answer_knows_its_thoughts_calls_and_price() {
    let usage = Usage {
        input: 10,
        output: 20,
        cache_read: 300,
        cache_write: 40,
        total_tokens: 370,
        reasoning: 0,
        cost: Some(Cost {
            input: 0.00005,
            output: 0.0005,
            cache_read: 0.00015,
            cache_write: 0.00025,
            total: 0.00095,
        }),
    };
    let expected = AssistantMessage {
        content: vec![
            Content::Thinking(Thinking { text: "A picture.".to_owned(), signature: Some("c2ln".to_owned()) }),
            Content::RedactedThinking(RedactedThinking { data: "c2VhbGVk".to_owned() }),
            Content::Text(Text { text: "I see.".to_owned(), signature: Some("msg_1".to_owned()) }),
            Content::ToolCall(ToolCall {
                id: ToolCallId::new("toolu_1").unwrap(),
                name: "read".to_owned(),
                arguments: json!({ "path": "a.txt" }),
                signature: Some("dGhvdWdodA==".to_owned()),
            }),
        ],
        api: Some("anthropic-messages".to_owned()),
        provider: Some(ProviderId::new("anthropic").unwrap()),
        model: Some("claude-opus-4-5".to_owned()),
        usage: Some(usage),
        stop: Some(StopReason::ToolUse),
        at: Some(UnixMillis(1_772_100_001_000)),
        ..AssistantMessage::default()
    };
    assert_eq!(assistant(CURRENT, 5), expected);
}

#[test]
fn a_tool_result_keeps_its_images_and_record() {
    let expected = ToolResultMessage {
        call: ToolCallId::new("toolu_1").unwrap(),
        tool: "read".to_owned(),
        content: vec![
            Content::text("Read image file [image/png]"),
            Content::Image(Image {
                media_type: Some("image/png".to_owned()),
                data: ImageData::Inline("iVBORw0KGgo=".to_owned()),
            }),
        ],
        outcome: ToolOutcome::Failed,
        details: Some(json!({ "truncation": { "truncated": false } })),
        at: Some(UnixMillis(1_772_100_002_000)),
    };
    assert_eq!(message(CURRENT, 6), Message::ToolResult(expected));
}

#[test]
fn failed_and_aborted_answers_say_so() {
    let failed = assistant(CURRENT, 7);
    assert_eq!((failed.stop, failed.error.as_deref()), (Some(StopReason::Error), Some("529 overloaded")));
    let aborted = assistant(CURRENT, 8);
    assert_eq!(aborted.source(), AssistantSource::Injected);
    assert_eq!(aborted.idempotency_key.as_deref(), Some("run-7:assistant"));
    assert_eq!(
        aborted.abort,
        Some(AbortMark { origin: "stop-command".to_owned(), run: RunId::new("run-7").unwrap() })
    );
}

#[test]
fn shell_and_extension_messages_keep_their_parts() {
    let shell = ShellMessage {
        command: "ls".to_owned(),
        output: "a.txt\n".to_owned(),
        exit_code: Some(0),
        cancelled: false,
        truncated: true,
        full_output_path: Some("/tmp/out.log".to_owned()),
        for_model: Visibility::Hidden,
        at: Some(UnixMillis(1_772_100_005_000)),
    };
    assert_eq!(message(CURRENT, 9), Message::Shell(shell));
    let notice = CustomMessage {
        kind: "notice".to_owned(),
        content: vec![Content::text("Mind the gap")],
        for_people: Visibility::Shown,
        details: Some(json!({ "level": 2 })),
        at: Some(UnixMillis(1_772_100_006_000)),
    };
    assert_eq!(message(CURRENT, 10), Message::Custom(notice));
    let reminder = CustomMessage {
        kind: "reminder".to_owned(),
        content: vec![Content::text("Water the plants")],
        for_people: Visibility::Hidden,
        details: Some(json!({ "due": "today" })),
        at: Some(UnixMillis(1_772_100_010_000)),
    };
    assert_eq!(entry(CURRENT, 13).body, EntryBody::CustomMessage(reminder));
}

#[test]
fn events_that_are_no_messages_keep_their_parts() {
    let model = ModelRef::new(ProviderId::new("openrouter").unwrap(), "qwen/qwen3:free").unwrap();
    let compaction = Compaction {
        summary: "Much was said.".to_owned(),
        first_kept: id("00000006"),
        tokens_before: Some(180_000),
        tokens_after: None,
        details: Some(json!({ "readFiles": ["a.txt"], "modifiedFiles": [] })),
        author: SummaryAuthor::Extension,
    };
    let branch = BranchSummary {
        from: id("00000005"),
        summary: "A dead end.".to_owned(),
        details: Some(json!({ "readFiles": [] })),
        author: SummaryAuthor::Agent,
    };
    let target = EntryId::new("00000004").unwrap();
    for (line, expected) in [
        (1, EntryBody::ModelChange(model)),
        (2, EntryBody::ThinkingLevelChange(ThinkingLevel::XHigh)),
        (11, EntryBody::Compaction(compaction)),
        (12, EntryBody::BranchSummary(branch)),
        (14, EntryBody::Label(Label { target: target.clone(), label: Some("start here".to_owned()) })),
        (15, EntryBody::Label(Label { target, label: None })),
        (16, EntryBody::SessionName(Some("Pictures".to_owned()))),
    ] {
        assert_eq!(entry(CURRENT, line).body, expected);
    }
}

#[test]
fn older_tool_calls_and_usage_mean_the_same_as_todays() {
    let answer = assistant(BLOCKS, 2);
    let call = ToolCall {
        id: ToolCallId::new("toolu_016Gz8").unwrap(),
        name: "calendar-list".to_owned(),
        arguments: json!({ "days": 1 }),
        signature: None,
    };
    assert_eq!(answer.tool_calls().collect::<Vec<_>>(), [&call]);
    assert_eq!(answer.stop, Some(StopReason::ToolUse));
    let usage = Usage { input: 5000, output: 200, total_tokens: 5200, ..Usage::default() };
    assert_eq!(answer.usage, Some(usage));
}

#[test]
fn a_delivery_mirror_is_told_from_an_answer() {
    let mirror = assistant(BLOCKS, 4);
    assert_eq!(mirror.source(), AssistantSource::DeliveryMirror);
    assert_eq!(mirror.content, [Content::text("You have lunch at noon.")]);
    assert_eq!(assistant(BLOCKS, 2).source(), AssistantSource::Model);
}

#[test]
fn notes_with_their_kind_in_the_type_mean_the_same_as_todays() {
    let ttl = CustomEntry {
        kind: "openclaw.cache-ttl".to_owned(),
        data: Some(json!({ "timestamp": 1_769_846_403_000_i64 })),
    };
    assert_eq!(entry(BLOCKS, 8).body, EntryBody::Custom(ttl));
    let snapshot = CustomEntry {
        kind: "model-snapshot".to_owned(),
        data: Some(json!({ "provider": "anthropic", "modelId": "claude-opus-4-5" })),
    };
    assert_eq!(entry(BLOCKS, 9).body, EntryBody::Custom(snapshot));
}

#[test]
fn times_are_read_as_text_and_as_number() {
    assert_eq!(entry(NUMERIC, 1).at, Some(UnixMillis(1_706_976_000_000)));
    assert_eq!(entry(BLOCKS, 1).at, Some(UnixMillis(1_769_844_370_958)));
    let odd = message(ODDITIES, 2);
    assert_eq!(odd.at(), Some(UnixMillis(1_772_092_800_000)));
}

#[test]
fn thoughts_under_an_older_name_are_thoughts() {
    let thought = Content::Thinking(Thinking { text: "It may be long.".to_owned(), signature: None });
    assert_eq!(assistant(NUMERIC, 1).content[2], thought);
    assert_eq!(message(NUMERIC, 2).plain_text(), "Thanks");
}

#[test]
fn older_names_are_renames_and_cost_no_second_copy() {
    let residue = serde_json::to_string(&lines(BLOCKS)[2].residue).unwrap();
    assert!(!residue.contains("days") && !residue.contains("5000"), "{residue}");
    let residue = serde_json::to_string(&lines(NUMERIC)[2].residue).unwrap();
    assert!(!residue.contains("Thanks"), "{residue}");
}

#[test]
fn what_is_odd_is_kept_and_understood_where_it_can_be() {
    let content = assistant(ODDITIES, 5).content;
    let known: Vec<usize> =
        (0..content.len()).filter(|place| !matches!(content[*place], Content::Other(_))).collect();
    assert_eq!(known, [6, 7, 8, 9, 10]);
    assert_eq!(content[7], Content::RedactedThinking(RedactedThinking { data: "c2VhbGVk".to_owned() }));
    let inline =
        Image { media_type: Some("image/png".to_owned()), data: ImageData::Inline("AA==".to_owned()) };
    assert_eq!(content[8], Content::Image(inline));
    let leaf = entry(ODDITIES, 14);
    let fields = json!({ "entryId": "x1", "__openclaw": { "seq": 4 } });
    let other = OtherEntry { kind: "leaf".to_owned(), fields: fields.as_object().unwrap().clone() };
    assert_eq!((leaf.id, leaf.body), (id("z1"), EntryBody::Other(other)));
}

#[test]
fn an_entry_gets_what_an_older_file_left_out() {
    let missing =
        || MissingParts { id: EntryId::new("new").unwrap(), parent: id("before"), at: UnixMillis(5) };
    let bare = entry(NUMERIC, 3).complete(missing());
    assert_eq!((bare.id.as_str(), bare.parent, bare.at), ("new", id("before"), UnixMillis(5)));
    let full = entry(CURRENT, 4);
    assert_eq!(LineEntry::from(full.clone().complete(missing())), full);
}

#[test]
fn a_changed_entry_is_written_changed_and_keeps_the_rest() {
    let mut line = TranscriptLine::parse(
        r#"{"type":"label","id":"a","parentId":null,"timestamp":1000,"targetId":"b","label":"old","color":"red"}"#,
    )
    .unwrap();
    let LineRecord::Entry(entry) = &mut line.record else { panic!("an entry") };
    entry.body =
        EntryBody::Label(Label { target: EntryId::new("b").unwrap(), label: Some("new".to_owned()) });
    let expected = json!({
        "type": "label", "id": "a", "parentId": null, "timestamp": 1000, "targetId": "b", "label": "new", "color": "red",
    });
    assert_eq!(line.to_value(), expected);
}

#[test]
fn a_new_line_is_written_in_todays_order() {
    let entry = TranscriptEntry {
        id: EntryId::new("a1").unwrap(),
        parent: None,
        at: UnixMillis(1_772_100_001_000),
        body: Message::User(UserMessage {
            content: vec![Content::text("hi")],
            at: Some(UnixMillis(1_772_100_000_999)),
            ..UserMessage::default()
        })
        .into(),
    };
    assert_eq!(
        TranscriptLine::new(LineRecord::Entry(Box::new(entry.into()))).to_text(),
        r#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-02-26T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1772100000999}}"#
    );
}

#[test]
fn times_outside_the_calendar_do_not_break_a_line() {
    let line = json!({ "type": "session_info", "id": "a", "parentId": null, "timestamp": i64::MAX });
    assert_eq!(TranscriptLine::from_value(&line).to_value(), line);
}

#[test]
fn a_torn_line_is_an_error_not_a_panic() {
    assert!(matches!(TranscriptLine::parse(r#"{"type":"mess"#), Err(TranscriptError::NotJson(_))));
}

#[test]
fn a_text_means_the_same_as_the_value_in_it() {
    let twice = r#"{"type":"label","id":"a","targetId":"x","targetId":"y","label":"one \"two\""}"#;
    let unknown = r#"{"type":"new","id":"a","more":{"b":1,"b":2},"\u0061":"escaped"}"#;
    let files = [CURRENT, BLOCKS, NUMERIC, ODDITIES, twice, unknown, "[1,-2,0.5,null]"];
    for text in files.into_iter().flat_map(str::lines) {
        assert_eq!(LineRecord::parse(text).unwrap(), TranscriptLine::parse(text).unwrap().record, "{text}");
    }
    assert!(matches!(LineRecord::parse(r#"{"type":"mess"#), Err(TranscriptError::NotJson(_))));
}

#[test]
fn a_residue_survives_being_stored() {
    for file in [BLOCKS, NUMERIC, ODDITIES] {
        for line in lines(file) {
            let stored = serde_json::to_string(&line.residue).unwrap();
            assert_eq!(serde_json::from_str::<Residue>(&stored).unwrap(), line.residue);
        }
    }
}

/// Words that readers look for, so that random objects hit their branches.
const WORDS: &[&str] = &[
    "type",
    "id",
    "parentId",
    "timestamp",
    "message",
    "role",
    "content",
    "text",
    "thinking",
    "thinkingSignature",
    "signature",
    "redacted",
    "data",
    "mimeType",
    "source",
    "url",
    "omitted",
    "name",
    "input",
    "arguments",
    "usage",
    "output",
    "inputTokens",
    "cacheRead",
    "total",
    "totalTokens",
    "cost",
    "stopReason",
    "api",
    "provider",
    "model",
    "modelId",
    "customType",
    "display",
    "details",
    "summary",
    "firstKeptEntryId",
    "label",
    "targetId",
    "toolCallId",
    "isError",
    "provenance",
    "kind",
    "openclawAbort",
    "aborted",
    "origin",
    "runId",
    "user",
    "assistant",
    "toolResult",
    "custom",
    "custom:x",
    "custom_message",
    "compaction",
    "branch_summary",
    "model_change",
    "thinking_level_change",
    "session",
    "image",
    "toolCall",
    "tool_use",
    "output_text",
    "high",
    "stop",
    "end_turn",
    "inter_session",
    "extra",
    "2026-02-26T10:00:00.000Z",
    "",
];

fn words() -> impl Strategy<Value = String> {
    proptest::sample::select(WORDS).prop_map(str::to_owned)
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        words().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((words(), inner), 0..8)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn extras() -> impl Strategy<Value = Map<String, Value>> {
    proptest::collection::vec((words(), json_value()), 0..4).prop_map(|fields| fields.into_iter().collect())
}

/// Lays extras over every object of a known line, so that known and unknown fields mix at every depth.
fn sprinkle(value: &mut Value, extras: &Map<String, Value>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| sprinkle(item, extras)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|field| sprinkle(field, extras));
            fields.extend(extras.clone());
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn any_json_value_is_written_as_it_was_read(value in json_value()) {
        prop_assert_eq!(TranscriptLine::from_value(&value).to_value(), value);
    }

    #[test]
    fn any_text_means_the_same_as_the_value_in_it(place in 0_usize..18, extras in extras()) {
        let mut value: Value = serde_json::from_str(CURRENT.lines().nth(place).unwrap()).unwrap();
        sprinkle(&mut value, &extras);
        let text = value.to_string();
        prop_assert_eq!(LineRecord::parse(&text).unwrap(), TranscriptLine::parse(&text).unwrap().record);
    }

    #[test]
    fn known_lines_keep_any_extras(place in 0_usize..18, extras in extras()) {
        let text = CURRENT.lines().nth(place).unwrap();
        let mut value: Value = serde_json::from_str(text).unwrap();
        sprinkle(&mut value, &extras);
        prop_assert_eq!(TranscriptLine::from_value(&value).to_value(), value);
    }

    #[test]
    fn what_a_line_means_survives_being_written_in_todays_spelling(place in 0_usize..18, extras in extras()) {
        let mut value: Value = serde_json::from_str(CURRENT.lines().nth(place).unwrap()).unwrap();
        sprinkle(&mut value, &extras);
        let record = TranscriptLine::from_value(&value).record;
        let again = TranscriptLine::from_value(&TranscriptLine::new(record.clone()).to_value());
        prop_assert_eq!((again.record, again.residue), (record, Residue::Same));
    }

    #[test]
    fn a_difference_laid_over_gives_the_other_value(one in json_value(), two in json_value()) {
        prop_assert_eq!(Residue::between(&one, &two).apply(one), two);
    }
}
