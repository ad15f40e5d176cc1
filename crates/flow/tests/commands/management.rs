//! Running the place: approvals, the configuration, restarts, shell commands, sub-agents, groups.

use openclaw_exec::{ApprovalDecision, ApprovalQuestion, ApprovalRequest};
use openclaw_flow::{Author, Rank};
use openclaw_ports::tool::ControlRequest;
use serde_json::json;

use crate::world::{World, owner};

fn everything_on() -> serde_json::Value {
    json!({
        "commands": { "config": true, "debug": true, "bash": true },
        "tools": { "elevated": { "allowFrom": { "webchat": ["*"] } } },
    })
}

#[tokio::test]
async fn a_question_is_answered_by_those_who_may() {
    let world = World::new().await;
    let request = ApprovalRequest { command: "rm -r old".to_owned(), ..ApprovalRequest::default() };
    let ask =
        |id: &str| ApprovalQuestion { id: Some(id.to_owned()), request: request.clone(), timeout: None };
    world.approvals.ask(ask("abcd-1")).await.unwrap();
    world.approvals.ask(ask("abcd-2")).await.unwrap();

    let nobody = Author { may_approve: false, ..owner() };
    let said = world.say_as("/approve abcd-1 allow-once", nobody).await.unwrap();
    assert!(said.contains("You may not answer this"), "{said}");
    let said = world.answer("/approve abcd deny").await;
    assert!(said.contains("no open request abcd") && said.contains("• abcd-1: `rm -r old`"), "{said}");
    assert_eq!(world.answer("/approve abcd-1 allow-once").await, "✅ Allowed this once: `rm -r old`");
    assert_eq!(world.approvals.wait("abcd-1").await.unwrap().decision, Some(ApprovalDecision::AllowOnce));
    assert_eq!(world.answer("/approve abcd deny").await, "🚫 Denied: `rm -r old`", "now only one fits");
    assert!(world.answer("/approve abcd-1 deny").await.contains("no open request"));
    assert!(world.answer("/approve abcd-1").await.contains("/approve <id>"));
}

#[tokio::test]
async fn nobody_says_yes_in_a_chat_to_a_command_that_it_cannot_show() {
    let world = World::new().await;
    let ask = |id: &str, command: String| ApprovalQuestion {
        id: Some(id.to_owned()),
        request: ApprovalRequest { command, ..ApprovalRequest::default() },
        timeout: None,
    };
    world.approvals.ask(ask("long-1", format!("echo {}; evil", "a".repeat(2_000)))).await.unwrap();
    world.approvals.ask(ask("odd-1", "rm \u{202e}x\n`id`".to_owned())).await.unwrap();
    for choice in ["allow-once", "allow-always"] {
        let said = world.answer(&format!("/approve long-1 {choice}")).await;
        assert!(said.contains("too long to show here") && said.contains("openclaw approvals"), "{said}");
    }
    let said = world.answer("/approve none deny").await;
    assert!(said.contains("• odd-1: `` rm \\u{202e}x⏎`id` ``"), "{said}");
    assert_eq!(world.approvals.open().len(), 2, "still open");
    assert_eq!(world.answer("/approve long-1 deny").await, "🚫 Denied: a long command");
}

#[tokio::test]
async fn always_says_how_far_it_reaches_and_refuses_what_it_cannot_keep() {
    let world = World::new().await;
    let request = ApprovalRequest {
        command: "rm -r old".to_owned(),
        cwd: Some("/work".to_owned()),
        env_keys: Some(vec!["MODE".to_owned()]),
        ..ApprovalRequest::default()
    };
    let question = ApprovalQuestion { id: Some("abcd-1".to_owned()), request, timeout: None };
    world.approvals.ask(question).await.unwrap();
    let said = world.answer("/approve nothing deny").await;
    assert!(said.ends_with("• abcd-1: `rm -r old`\n  in /work\n  sets MODE"), "{said}");
    let said = world.answer("/approve abcd-1 allow-always forever").await;
    assert!(said.contains("\"forever\" says nothing about how far") && said.contains("for <time"), "{said}");
    let said = world.answer("/approve abcd-1 allow-always anywhere").await;
    assert!(said.starts_with("⚠️ Not answered: this command cannot be allowed so widely"), "{said}");
    assert!(world.answer("/approve abcd-1 deny session").await.contains("[reach…]"));
    assert_eq!(world.approvals.open().len(), 1, "still open");
    assert_eq!(world.answer("/approve abcd-1 allow-always").await, "✅ Allowed from now on: `rm -r old`");
    assert_eq!(world.approvals.wait("abcd-1").await.unwrap().decision, Some(ApprovalDecision::AllowAlways));
}

#[tokio::test]
async fn the_configuration_is_shown_and_changed_where_that_is_switched_on() {
    let off = World::new().await;
    assert!(off.answer("/config show").await.contains("set commands.config to true"));
    assert_eq!(off.control.asked(), []);

    let world = World::with(everything_on()).await;
    let guest = Author { standing: Rank::Guest, ..Author::default() };
    assert!(world.say_as("/config show", guest).await.is_none_or(|said| said.contains("owner")));
    for (text, said) in [
        ("/config", "\"port\": 18789"),
        ("/config get gateway.port", "⚙️ gateway.port:\n```json\n18789\n```"),
        ("/config get gateway.nothing", "gateway.nothing is not set"),
        ("/config set gateway.port=18790", "gateway.port is set. It is now 18789."),
        ("/config set ui.seamColor red one", "ui.seamColor is set"),
        ("/config unset nothing.here", "⚠️ nothing is set at nothing.here"),
    ] {
        let answer = world.answer(text).await;
        assert!(answer.contains(said), "{text}: {answer}");
    }
    let set = |path: &str, value| ControlRequest::ConfigSet { path: path.to_owned(), value };
    let asked = world.control.asked();
    assert_eq!(asked[3..5], [set("gateway.port", json!(18790)), set("ui.seamColor", json!("red one"))]);
}

#[tokio::test]
async fn settings_are_overridden_until_the_next_start() {
    let world = World::with(everything_on()).await;
    for (text, said) in [
        ("/debug set messages.queue.cap=3", "messages.queue.cap holds until the next start, in sessions"),
        ("/debug", "\"messages.queue.cap\": 3"),
        ("/debug unset messages.queue.cap", "The override of messages.queue.cap is gone"),
        ("/debug reset", "Every override is gone"),
    ] {
        let answer = world.answer(text).await;
        assert!(answer.contains(said), "{text}: {answer}");
    }
    let path = "messages.queue.cap".to_owned();
    assert_eq!(
        world.control.asked(),
        [
            ControlRequest::OverrideSet { path: path.clone(), value: json!(3) },
            ControlRequest::OverridesGet,
            ControlRequest::OverrideUnset { path },
            ControlRequest::OverridesClear,
        ]
    );
}

#[tokio::test]
async fn the_owner_restarts_the_gateway() {
    let world = World::new().await;
    assert!(world.answer("/restart").await.contains("Restarting"));
    assert_eq!(
        world.control.asked(),
        [ControlRequest::Restart { delay: None, reason: Some("/restart".to_owned()) }]
    );
}

#[tokio::test]
async fn shell_commands_run_for_those_who_may() {
    let off = World::new().await;
    assert!(off.answer("! echo hi").await.contains("commands.bash"));
    let gated = World::with(json!({ "commands": { "bash": true } })).await;
    assert!(gated.answer("! echo hi").await.contains("Closed gate: tools.elevated.allowFrom.webchat"));

    let world = World::with(everything_on()).await;
    let said = world.answer("! echo one; echo two >&2; exit 3").await;
    assert!(said.contains("It ended with code 3") && said.contains("one\ntwo"), "{said}");
    assert!(world.answer("/bash").await.contains("!poll"));
    assert!(world.answer("!poll").await.contains("No command runs in the background"));
    let said = world.answer("! echo '```' && echo safe").await;
    assert!(said.contains("````\n```\nsafe\n````"), "output cannot leave its fence: {said}");
}

#[tokio::test]
async fn a_long_shell_command_is_looked_at_and_ended() {
    let mut file = everything_on();
    file["commands"]["bashForegroundMs"] = json!(0);
    let world = World::with(file).await;
    let said = world.answer("! echo begun; sleep 600").await;
    let id = said.split("!poll ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    assert!(world.answer("!poll").await.contains(&format!("{id} still runs")));
    assert_eq!(world.answer(&format!("!stop {id}")).await, format!("⚙️ Ended {id}."));
}

#[tokio::test]
async fn without_sub_agents_there_is_nothing_to_control() {
    let world = World::new().await;
    for (text, said) in [
        ("/subagents", "(none)"),
        ("/subagents info 1", "no sub-agent number 1"),
        ("/subagents log x", "No sub-agent fits 'x'"),
        ("/kill all", "No sub-agents are at work"),
        ("/kill 3", "no sub-agent number 3"),
        ("/steer x go on", "No sub-agent fits 'x'"),
        ("/kill", "/kill <target>"),
    ] {
        let answer = world.answer(text).await;
        assert!(answer.contains(said), "{text}: {answer}");
    }
}

#[tokio::test]
async fn a_sub_agent_is_started_and_stopped_in_silence() {
    use openclaw_providers::{Gate, Script, Scripts};
    let gate = Gate::new();
    let scripts = Scripts::new().otherwise(Script::new().hold(&gate).say("done"));
    let world = World::talking(json!({}), scripts).await;
    let said = world.answer("/subagents spawn main count the boats").await;
    assert!(said.contains("A sub-agent is at work: count the boats"), "{said}");
    gate.until_arrived(1).await;
    let list = world.answer("/subagents list").await;
    assert!(list.contains("1. count the boats") && list.contains("running"), "{list}");
    let info = world.answer("/subagents info 1").await;
    assert!(info.contains("State: at work") && info.contains("Task: count the boats"), "{info}");
    assert_eq!(world.say("/kill 1").await, None, "stopping is silent");
    assert!(world.answer("/kill all").await.contains("No sub-agents are at work"));
    let info = world.answer("/subagents info 1").await;
    assert!(info.contains("State: stopped"), "{info}");
}

#[tokio::test]
async fn activation_is_a_matter_of_groups() {
    let world = World::new().await;
    assert!(world.answer("/activation always").await.contains("not a group"));
    let group = Author { group: true, to: Some("boats".to_owned()), ..owner() };
    for (text, said) in
        [("/activation", "mention"), ("/activation always", "every message"), ("/activation", "always")]
    {
        let answer = world.say_as(text, group.clone()).await.unwrap();
        assert!(answer.contains(said), "{text}: {answer}");
    }
    assert_eq!(world.facts().await.group_activation.as_deref(), Some("always"));
}
