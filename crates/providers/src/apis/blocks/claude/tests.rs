//! Names of models and what follows from them.

use openclaw_ports::model::{FaultReason, ModelFault, ModelRequest, ModelTarget, ToolChoice};
use openclaw_types::ThinkingLevel;

use super::{AnswerPlan, Claude, ThinkingPlan, plan};
use crate::apis::samples::{self, tool};

fn request(thinking: ThinkingLevel) -> ModelRequest {
    ModelRequest {
        thinking,
        max_output_tokens: Some(1000),
        temperature: Some(0.5),
        ..samples::request(Vec::new())
    }
}

fn target(model: &str) -> ModelTarget {
    samples::target(model, "")
}

#[test]
fn a_generation_is_read_from_every_form_of_a_name() {
    for (name, family, version) in [
        ("claude-opus-4-6", "opus", (4, 6)),
        ("claude-sonnet-4-20250514", "sonnet", (4, 0)),
        ("anthropic/claude-3.7-sonnet", "sonnet", (3, 7)),
        ("claude-3-5-haiku-latest", "haiku", (3, 5)),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "sonnet", (4, 5)),
        ("claude-haiku-4-5@20251001", "haiku", (4, 5)),
        ("Claude-Opus-5", "opus", (5, 0)),
        ("claude-opus-5-5", "opus", (5, 5)),
    ] {
        assert_eq!(Claude::of(name), Some(Claude { family: family.to_owned(), version }), "{name}");
    }
    for name in ["MiniMax-M2.5", "claude-instant-v1x", "amazon.nova-pro-v1:0", ""] {
        assert_eq!(Claude::of(name), None, "{name}");
    }
}

#[test]
fn each_generation_is_told_to_think_in_its_own_way() {
    use ThinkingLevel::{High, Low, Medium, Minimal, Off, XHigh};
    use ThinkingPlan::{Adaptive, Budget, Disabled, EffortOnly, Unsaid};
    let open = |effort| Adaptive { effort, display: None };
    let asked = |effort| Adaptive { effort, display: Some("summarized") };
    for (model, level, thinking, max_tokens, temperature) in [
        ("claude-sonnet-4-5", Off, Unsaid, 1000, Some(0.5)),
        ("claude-sonnet-4-5", Minimal, Budget(1024), 2024, None),
        ("claude-sonnet-4-5", Low, Budget(2048), 3048, None),
        ("claude-sonnet-4-5", XHigh, Budget(16_384), 17_384, None),
        ("kimi-k2", Medium, Budget(8192), 9192, None),
        ("claude-opus-4-6", Off, Unsaid, 1000, Some(0.5)),
        ("claude-opus-4-6", Minimal, open("low"), 1000, None),
        ("claude-opus-4-6", XHigh, open("max"), 1000, None),
        ("claude-sonnet-4-6", XHigh, open("high"), 1000, None),
        ("claude-opus-4-7", Off, Unsaid, 1000, None),
        ("claude-opus-4-7", XHigh, asked("xhigh"), 1000, None),
        ("claude-opus-5", Off, Disabled, 1000, None),
        ("claude-sonnet-5", High, asked("high"), 1000, None),
        ("claude-opus-5-5", Off, EffortOnly("low"), 1000, None),
        ("claude-mythos-5", Off, EffortOnly("low"), 1000, None),
        ("claude-opus-5-5", Medium, asked("medium"), 1000, None),
    ] {
        let expected = AnswerPlan { thinking, max_tokens, temperature };
        assert_eq!(plan(&request(level), &target(model)), Ok(expected), "{model} {level}");
    }
}

#[test]
fn a_budget_leaves_room_for_the_answer_or_is_not_used() {
    for (limit, thinking, max_tokens) in [
        (10_000, ThinkingPlan::Budget(8192), 9192),
        (8192, ThinkingPlan::Budget(7168), 8192),
        (2048, ThinkingPlan::Budget(1024), 2048),
        (2000, ThinkingPlan::Unsaid, 1000),
        (0, ThinkingPlan::Unsaid, 1),
    ] {
        let small = ModelTarget { max_output_tokens: limit, ..target("claude-sonnet-4-5") };
        let found = plan(&request(ThinkingLevel::Medium), &small).unwrap();
        assert_eq!((found.thinking, found.max_tokens), (thinking, max_tokens), "{limit}");
    }
}

#[test]
fn a_model_that_cannot_think_is_not_asked_to() {
    let plain = ModelTarget { reasoning: false, ..target("claude-3-5-haiku") };
    let found = plan(&request(ThinkingLevel::High), &plain).unwrap();
    assert_eq!((found.thinking, found.temperature), (ThinkingPlan::Unsaid, Some(0.5)));
}

#[test]
fn a_forced_tool_goes_before_thinking_and_is_refused_where_thinking_cannot_stop() {
    let forced = ModelRequest {
        tools: vec![tool("read")],
        tool_choice: ToolChoice::Required,
        ..request(ThinkingLevel::High)
    };
    for (model, thinking) in [
        ("claude-sonnet-4-5", ThinkingPlan::Unsaid),
        ("claude-opus-4-7", ThinkingPlan::Unsaid),
        ("claude-opus-5", ThinkingPlan::Disabled),
    ] {
        assert_eq!(plan(&forced, &target(model)).unwrap().thinking, thinking, "{model}");
    }
    let message = "claude-opus-5-5 always thinks, so it cannot be made to call a tool";
    assert_eq!(plan(&forced, &target("claude-opus-5-5")), Err(ModelFault::new(FaultReason::Format, message)));
}
