//! Counting and reporting: tables for counts, snapshots for what people and programs read.

use std::path::Path;

use openclaw_ports::model::ToolSpec;
use openclaw_types::{
    Content, Image, ImageData, Message, ModelRef, SessionId, SessionKey, ThinkingLevel, ToolCall, ToolCallId,
    UnixMillis, UserMessage,
};
use serde_json::json;

use super::*;
use crate::prompt::tests::{Stage, skills, tools};
use crate::prompt::{PromptInput, build};

fn says(content: Vec<Content>) -> Message {
    Message::User(UserMessage { content, ..UserMessage::default() })
}

#[test]
fn scripts_that_tokenizers_cut_finer_weigh_more() {
    let check = |text: &str, tokens: u64| assert_eq!(estimate_text_tokens(text), tokens, "{text}");
    check("", 0);
    check("a", 1);
    check("twelve chars", 3);
    check("Привет мир", 5);
    check("你好世界", 4);
    check("🎉", 2);
}

#[test]
fn a_message_is_weighed_with_its_calls_and_pictures() {
    let call = ToolCall {
        id: ToolCallId::new("c1").unwrap(),
        name: "read".to_owned(),
        arguments: json!({ "path": "a.md" }),
        signature: None,
    };
    let picture = |data| Content::Image(Image { media_type: None, data });
    let check = |content: Vec<Content>, tokens: u64| assert_eq!(estimate_tokens(&says(content)), tokens);
    check(vec![], 4);
    check(vec![Content::text("twelve chars")], 7);
    check(vec![Content::ToolCall(call)], 4 + 5);
    check(vec![picture(ImageData::Inline("A".repeat(100_000)))], 4 + 1_600);
    check(vec![picture(ImageData::Omitted { bytes: Some(9) })], 4);
}

#[test]
fn summaries_are_weighed() {
    let summary =
        Message::CompactionSummary { summary: "twelve chars".to_owned(), tokens_before: None, at: None };
    assert_eq!(estimate_tokens(&summary), 7);
}

#[cfg(feature = "tokenizer")]
#[test]
fn a_counter_is_exact_only_where_the_vocabulary_is_known() {
    let check = |model: &str, name: &str| {
        let model: ModelRef = model.parse().unwrap();
        assert_eq!(TokenCounter::for_model(Some(&model)).name(), name, "{model}");
    };
    check("a/claude-opus-4-6", "estimate");
    check("a/gpt-4", "estimate");
    check("a/gpt-3.5-turbo", "estimate");
    check("a/gpt-4o-mini", "o200k_base");
    check("a/vendor/gpt-5.2", "o200k_base");
    check("a/o3-mini", "o200k_base");
    assert_eq!(TokenCounter::for_model(None).name(), "estimate");
}

/// Counts of the published tokenizer.
#[cfg(feature = "tokenizer")]
#[test]
fn exact_counts_are_those_of_the_published_tokenizer() {
    let tokenizer = tokenizer::Tokenizer::load();
    let check = |text: &str, tokens: u64| assert_eq!(tokenizer.count(text), tokens, "{text:?}");
    check("", 0);
    check("hello world", 2);
    check("Hello, World! It's 12345 o'clock; they'RE late.", 16);
    check("   leading and   inner   spaces \n\n\n next\tline\r\n", 11);
    check("Grüße aus München, Straße 7", 9);
    check("Привет, как дела?", 6);
    check("你好,世界!今天天气很好。", 9);
    check("こんにちは、元気ですか?", 7);
    check("नमस्ते दुनिया", 5);
    check("مرحبا بالعالم", 4);
    check("👩‍👩‍👧 🎉🎉", 12);
    check("fn main() { println!(\"{}\", x + 1); }", 12);
    check("HELLOworld CamelCaseWord SHOUTING'S x1y22z333", 16);
    check("https://example.com/a/b?c=1&d=2//\n", 15);
    check("Ǆungla ǅ ʰʷ ªº ⅣⅤ ①②", 22);
    check(" \u{a0}\u{2003}x", 3);
    check("e\u{301}a\u{300} \u{301}\u{301}", 7);
    check("don\u{2019}t can't WE'LL I'd'", 8);
    check("---\n\n===//\n\n", 3);
    check(&"a".repeat(600), 75);
}

#[cfg(feature = "tokenizer")]
#[test]
fn nonsense_without_an_end_is_counted_in_time() {
    let text: String =
        (0..50_000_u64).map(|at| char::from(b'a' + u8::try_from(at * at % 26).unwrap())).collect();
    let tokens = tokenizer::Tokenizer::load().count(&text);
    assert!((5_000..50_000).contains(&tokens), "{tokens}");
}

#[cfg(feature = "tokenizer")]
proptest::proptest! {
    #[test]
    fn pieces_are_the_text(text in "\\PC{0,60}|[ \\t\\r\\na-zA-Z0-9'/.éß你\u{301}]{0,60}") {
        proptest::prop_assert_eq!(pieces::pieces(&text).collect::<String>(), text);
    }
}

fn report(stage: &Stage, counter: &TokenCounter) -> PromptReport {
    let lines = tools();
    let skills = skills();
    let input = PromptInput {
        situation: crate::prompt::PromptSituation {
            tools: &lines,
            skills: &skills,
            ..stage.input().situation
        },
        ..stage.input()
    };
    let specs = [
        ToolSpec {
            name: "read".to_owned(),
            description: "Reads a file.".into(),
            parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } } }).into(),
        },
        ToolSpec { name: "ping".to_owned(), description: "".into(), parameters: json!({}).into() },
    ];
    let frame = ReportFrame {
        source: ReportSource::Run,
        at: UnixMillis(1_760_000_000_000),
        session: Some(&SessionId::new("5a0c").unwrap()),
        key: Some(&"agent:main:main".parse::<SessionKey>().unwrap()),
        sandbox_mode: "off",
        tools: &specs,
    };
    assert_eq!(
        (input.situation.workspace, input.situation.thinking),
        (Path::new("/home/ana/ws"), ThinkingLevel::Low)
    );
    PromptReport::of(&input, &build(&input), &frame, counter)
}

#[test]
fn a_report_is_kept_in_the_shape_of_the_original() {
    let report = report(&Stage::new(), &TokenCounter::estimate());
    insta::assert_json_snapshot!(report.to_value());
    assert_eq!(serde_json::from_value::<PromptReport>(report.to_value()).unwrap(), report);
}

#[test]
fn a_report_of_the_original_is_understood() {
    let kept = json!({
        "source": "run", "generatedAt": 1_760_000_000_000_i64, "sessionId": "s", "sessionKey": "agent:main:main",
        "provider": "p", "model": "m", "workspaceDir": "/w", "bootstrapMaxChars": 20_000,
        "bootstrapTotalMaxChars": 150_000, "sandbox": { "mode": "off", "sandboxed": false },
        "systemPrompt": { "chars": 40_000, "projectContextChars": 15_000, "nonProjectContextChars": 25_000 },
        "injectedWorkspaceFiles": [
            { "name": "AGENTS.md", "path": "/w/AGENTS.md", "missing": false, "rawChars": 7_800, "injectedChars": 7_800, "truncated": false },
            { "name": "TOOLS.md", "path": "/w/TOOLS.md", "missing": false, "rawChars": 54_210, "injectedChars": 20_000, "truncated": true },
            { "name": "USER.md", "path": "/w/USER.md", "missing": true, "rawChars": 0, "injectedChars": 0, "truncated": false },
        ],
        "skills": { "promptChars": 0, "entries": [] },
        "tools": { "listChars": 2_000, "schemaChars": 30_000, "entries": [
            { "name": "read", "summaryChars": 100, "schemaChars": 900, "propertiesCount": 4 },
            { "name": "exec", "summaryChars": 300, "schemaChars": 2_900, "propertiesCount": null },
        ] },
    });
    let report: PromptReport = serde_json::from_value(kept).unwrap();
    let session = SessionTokens { total: Some(14_250), context: Some(32_000), ..SessionTokens::default() };
    insta::assert_snapshot!(context_text(ContextView::Detail, &report, &session));
}

#[cfg(feature = "tokenizer")]
#[test]
fn the_list_says_which_numbers_are_counted() {
    let model: ModelRef = "a/gpt-5".parse().unwrap();
    let report = report(&Stage::new(), &TokenCounter::for_model(Some(&model)));
    insta::assert_snapshot!(context_text(ContextView::List, &report, &SessionTokens::default()));
}

#[test]
fn the_json_view_holds_the_report_and_the_session() {
    let report = report(&Stage::new(), &TokenCounter::estimate());
    let session = SessionTokens { total: Some(1), input: Some(2), output: None, context: Some(4) };
    let text = context_text(ContextView::Json, &report, &session);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["report"], report.to_value());
    assert_eq!(
        value["session"],
        json!({ "totalTokens": 1, "inputTokens": 2, "outputTokens": null, "contextTokens": 4 })
    );
}
