//! What a run finds when it begins: its tools, how far they reach, how hard its model thinks, how it signs in.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use openclaw_agent::{PromptMode, RunInput, RunOrder, ToolVerdict};
use openclaw_config::CachedVendorSignIn;
use openclaw_ports::model::{CredentialKind, ProfileFacts};
use openclaw_providers::{LastTurn, Script, Scripts};
use openclaw_types::{
    AgentId, AssistantMessage, Content, Message, ToolCall, ToolCallId, ToolOutcome, ToolResultMessage,
    UnixMillis,
};
use serde_json::{Value, json};

use super::stage::{Stage, said};
use crate::world::{Setup, key, model, sign_in};

const CHANGING: [&str; 3] = ["write", "edit", "exec"];

/// Why a session does not get the tools that change the machine; `-` for those it gets.
async fn refused(file: Value, session: &str) -> Vec<String> {
    let stage = Stage::built(Setup::new().config(file), &CHANGING).await;
    let order = RunOrder { key: session.parse().unwrap(), ..stage.ask("hi") };
    let decision = stage.agent.tools_for(&order).await;
    let why = |name: &&str| match decision.judge(name) {
        ToolVerdict::Allowed => "-".to_owned(),
        ToolVerdict::Refused(rule) => {
            rule.to_string().split_whitespace().next().unwrap_or_default().to_owned()
        }
    };
    CHANGING.iter().map(why).collect()
}

#[tokio::test]
async fn a_session_that_belongs_into_a_sandbox_changes_nothing_on_this_machine() {
    let (main, group) = ("agent:main:main", "agent:main:irc:group:den");
    let mode = |mode: &str| json!({ "agents": { "defaults": { "model": "alpha/one", "sandbox": { "mode": mode } } } });
    let setting = "agents.defaults.sandbox.mode";
    let mut own = mode("off");
    own["agents"]["list"] = json!([{ "id": "main", "sandbox": { "mode": "all" } }]);
    let mut open = mode("all");
    open["tools"] = json!({ "exec": { "host": "gateway" } });
    for (file, session, expected) in [
        (mode("off"), group, ["-", "-", "-"]),
        (mode("non-main"), main, ["-", "-", "-"]),
        (mode("non-main"), group, [setting, setting, setting]),
        (mode("all"), main, [setting, setting, setting]),
        (own, main, ["agents.list[0].sandbox.mode"; 3]),
        (open, main, [setting, setting, "-"]),
    ] {
        assert_eq!(refused(file.clone(), session).await, expected, "{file} {session}");
    }
}

#[tokio::test]
async fn a_session_that_belongs_into_a_sandbox_sees_its_workspace_and_no_other_file() {
    for (mode, reach) in [("off", "Machine"), ("all", "Workspace")] {
        let file = json!({
            "agents": { "defaults": { "model": "alpha/one", "sandbox": { "mode": mode } } },
            "tools": { "sandbox": { "tools": { "allow": ["*"] } } },
        });
        let scripts = [Script::new().call_tool("reach", json!({ "what": "a" })), Script::new().say("Seen.")];
        let stage = Stage::built(Setup::new().config(file).scripts(scripts), &["reach"]).await;
        stage.run(stage.ask("hi")).await;
        assert_eq!(stage.transcript().await[2], format!("reach: {reach}"));
    }
}

#[tokio::test]
async fn what_no_model_can_see_is_not_offered_and_what_one_can_is() {
    for (file, offered) in [
        (json!({ "agents": { "defaults": { "model": "alpha/one" } } }), false),
        (json!({ "agents": { "defaults": { "model": "beta/one" } } }), true),
        (json!({ "agents": { "defaults": { "model": "alpha/one", "imageModel": "beta/one" } } }), true),
    ] {
        let stage = Stage::built(Setup::new().config(file.clone()), &["image"]).await;
        let decision = stage.agent.tools_for(&stage.ask("hi")).await;
        assert_eq!(decision.judge("image") == ToolVerdict::Allowed, offered, "{file}");
    }
}

#[tokio::test]
async fn the_prompt_says_how_hard_the_model_really_thinks() {
    let file = |level: Option<&str>| {
        let mut defaults = json!({ "model": "alpha/one" });
        if let Some(level) = level {
            defaults["thinkingDefault"] = level.into();
        }
        json!({ "agents": { "defaults": defaults } })
    };
    for (file, wanted) in [(file(None), "thinking=low"), (file(Some("high")), "thinking=high")] {
        let seen = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&seen);
        let scripts = Scripts::new().then(Script::new().say("Yes.")).when(
            move |asked| {
                *heard.lock().unwrap() = asked.system.clone();
                false
            },
            Script::new(),
        );
        let stage = Stage::with(file, scripts).await;
        stage.run(RunOrder { prompt: PromptMode::Full, ..stage.ask("hi") }).await;
        let prompt = seen.lock().unwrap().clone();
        assert!(prompt.contains(wanted), "{wanted} in {prompt}");
    }
}

#[tokio::test]
async fn the_kind_of_the_first_sign_in_is_known_before_the_call() {
    let token = ProfileFacts { kind: CredentialKind::Token, ..key("anthropic:token") };
    let rows = [
        ("anthropic/one", vec![key("anthropic:key")], CachedVendorSignIn::Key),
        ("anthropic/one", vec![key("anthropic:key"), token], CachedVendorSignIn::Token),
        ("anthropic/one", vec![sign_in("anthropic:web")], CachedVendorSignIn::Token),
        ("anthropic/one", Vec::new(), CachedVendorSignIn::None),
        ("alpha/one", vec![key("alpha:1")], CachedVendorSignIn::None),
    ];
    for (name, keys, expected) in rows {
        let world = Setup { keys, ..Setup::new() }.build().await;
        let found = world.models.cached_sign_in(&AgentId::main(), &model(name), None).await;
        assert_eq!(found, expected, "{name}");
    }
}

#[tokio::test]
async fn old_output_is_left_out_by_itself_where_a_sign_in_has_a_cache_that_went_cold() {
    let pruning = json!({ "keepLastAssistants": 0, "softTrimRatio": 0, "hardClearRatio": 0, "minPrunableToolChars": 0 });
    let call = ToolCallId::new("call-1").unwrap();
    for (name, left_out) in [("anthropic/one", true), ("alpha/one", false)] {
        let seen = Arc::new(Mutex::new(LastTurn::Nothing));
        let heard = Arc::clone(&seen);
        let scripts = Scripts::new().then(Script::new().say("Yes.")).when(
            move |asked| {
                *heard.lock().unwrap() = asked.last_turn.clone();
                false
            },
            Script::new(),
        );
        let file = json!({ "agents": { "defaults": { "model": name, "contextPruning": pruning } } });
        let keys = vec![key("alpha:1"), key("anthropic:1")];
        let setup = Setup { keys, ..Setup::new() }.config(file).scripts(scripts);
        let stage = Stage::built(setup, &[]).await;
        let asked = ToolCall {
            id: call.clone(),
            name: "look".to_owned(),
            arguments: json!({ "what": "a" }),
            signature: None,
        };
        let messages = vec![
            Message::User(said("hi")),
            Message::Assistant(AssistantMessage {
                content: vec![Content::ToolCall(asked)],
                at: Some(UnixMillis(0)),
                ..AssistantMessage::default()
            }),
            Message::ToolResult(ToolResultMessage {
                call: call.clone(),
                tool: "look".to_owned(),
                content: vec![Content::text("x".repeat(9_000))],
                outcome: ToolOutcome::Done,
                details: None,
                at: Some(UnixMillis(0)),
            }),
        ];
        stage.wrote("run-1", messages).await;
        stage.world.clock.advance(Duration::from_secs(2 * 60 * 60)).await;
        stage.run(stage.order(RunInput::Resume)).await;
        let LastTurn::ToolResult(text) = seen.lock().unwrap().clone() else { panic!("no result was shown") };
        assert_eq!(text.len() < 9_000, left_out, "{name}: {} bytes", text.len());
    }
}
