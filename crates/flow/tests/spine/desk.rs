//! What agents see of other sessions, and what they can say in them.

use std::sync::Arc;

use openclaw_ports::tool::{
    ExecChoices, FileReach, HistoryRequest, ListRequest, MessageAction, MessageFault, Messenger, SendRequest,
    SessionDesk, SessionToolFault, StatusRequest, ToolContext,
};
use openclaw_types::{RunId, Sender, SessionId, SessionKey, ToolCallId};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::subagents::config;
use crate::world::{MAIN, Machine, World};

const OTHER: &str = "agent:main:other";
const ELSE: &str = "agent:work:main";

/// A call of a tool in a session.
pub(crate) fn context(world: &World, key: &str) -> ToolContext {
    let session: SessionKey = key.parse().unwrap();
    ToolContext {
        run: RunId::new("calling").unwrap(),
        call: ToolCallId::new("call").unwrap(),
        agent: session.agent().unwrap().clone(),
        session,
        session_id: SessionId::new("session").unwrap(),
        workspace: world.machine.home.path().to_path_buf(),
        files: FileReach::Workspace,
        keep: world.machine.home.path().join("keep"),
        model: None,
        sees_images: false,
        sender: Sender::owner(),
        exec: ExecChoices::default(),
        progress: Arc::new(|_partial| {}),
        cancel: CancellationToken::new(),
    }
}

async fn world(tools: Value) -> World {
    let machine = Machine::new();
    let more = json!({
        "tools": tools,
        "agents": { "list": [{ "id": "main", "name": "Ana", "subagents": { "allowAgents": ["work"] } }, { "id": "work" }] },
    });
    let config = config(&machine, more);
    let world = World::open(machine, config, crate::crash_plan::CrashPlan::never()).await;
    world.say("a", "#a do:x").await;
    world.say_in(OTHER, "b", "#b").await;
    let mut submission = world.submission(ELSE, "c", "#c");
    submission.agent = openclaw_types::AgentId::new("work").unwrap();
    world.submit(submission).await.unwrap();
    world.quiet().await;
    world
}

async fn listed(world: &World, from: &str) -> Vec<String> {
    let list = world.desk.list(&context(world, from), ListRequest::default()).await.unwrap();
    let rows = list["sessions"].as_array().unwrap().iter();
    let mut keys: Vec<String> = rows.map(|row| row["key"].as_str().unwrap().to_owned()).collect();
    keys.sort();
    assert_eq!(list["count"], keys.len());
    keys
}

fn send(to: &str, message: &str, seconds: u64) -> SendRequest {
    SendRequest {
        session: Some(to.to_owned()),
        label: None,
        agent: None,
        message: message.to_owned(),
        timeout_seconds: Some(seconds),
    }
}

#[tokio::test]
async fn how_far_a_session_sees_is_a_matter_of_settings() {
    let rows = [
        (json!({}), vec![MAIN]),
        (json!({ "sessions": { "visibility": "self" } }), vec![MAIN]),
        (json!({ "sessions": { "visibility": "agent" } }), vec![MAIN, OTHER]),
        (json!({ "sessions": { "visibility": "all" } }), vec![MAIN, OTHER]),
        (
            json!({ "sessions": { "visibility": "all" }, "agentToAgent": { "enabled": true } }),
            vec![MAIN, OTHER, ELSE],
        ),
        (
            json!({ "sessions": { "visibility": "all" }, "agentToAgent": { "enabled": true, "allow": ["work"] } }),
            vec![MAIN, OTHER],
        ),
    ];
    for (tools, expected) in rows {
        let world = world(tools.clone()).await;
        assert_eq!(listed(&world, MAIN).await, expected, "{tools}");
        for key in [MAIN, OTHER, ELSE] {
            let request = HistoryRequest { session: key.to_owned(), limit: None, include_tools: false };
            let read = world.desk.history(&context(&world, MAIN), request).await;
            match expected.contains(&key) {
                true => assert_eq!(read.unwrap()["sessionKey"], key, "{tools}"),
                false => assert!(matches!(read, Err(SessionToolFault::Refused(_))), "{tools} {key}"),
            }
        }
    }
}

#[tokio::test]
async fn a_sub_agent_is_seen_by_the_session_that_started_it_whatever_its_agent() {
    let world = world(json!({})).await;
    let request = openclaw_ports::tool::SpawnRequest {
        task: "#t".to_owned(),
        agent: Some("work".to_owned()),
        ..openclaw_ports::tool::SpawnRequest::default()
    };
    let spawned = world.desk.spawn(&context(&world, MAIN), request).await.unwrap();
    world.quiet().await;
    let child = spawned["childSessionKey"].as_str().unwrap().to_owned();
    assert!(child.starts_with("agent:work:subagent:"), "{child}");
    assert_eq!(listed(&world, MAIN).await, [MAIN.to_owned(), child.clone()]);
    assert_eq!(listed(&world, &child).await, [child]);
}

#[tokio::test]
async fn a_history_leaves_out_results_of_tools_unless_they_are_wanted() {
    let world = world(json!({})).await;
    let roles = |include_tools: bool| {
        let request = HistoryRequest { session: "main".to_owned(), limit: None, include_tools };
        let world = &world;
        async move {
            let read = world.desk.history(&context(world, MAIN), request).await.unwrap();
            let all = read["messages"].as_array().unwrap().iter();
            all.map(|message| message["role"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        }
    };
    assert_eq!(roles(false).await, ["user", "assistant", "assistant"]);
    assert_eq!(roles(true).await, ["user", "assistant", "toolResult", "assistant"]);
    let missing = HistoryRequest { session: "nowhere".to_owned(), limit: None, include_tools: false };
    let wrong = world.desk.history(&context(&world, MAIN), missing).await.unwrap_err();
    assert!(matches!(&wrong, SessionToolFault::Wrong(text) if text.contains("sessions_list")), "{wrong:?}");
}

#[tokio::test]
async fn another_session_answers_and_the_two_talk_until_one_has_enough() {
    let world = world(json!({ "sessions": { "visibility": "agent" } })).await;
    let here = context(&world, MAIN);
    let sending = world.desk.send(&here, send(OTHER, "#bye", 5));
    let answer = tokio::select! {
        answer = sending => answer.unwrap(),
        () = world.until(|| false) => unreachable!(),
    };
    assert_eq!((&answer["status"], &answer["reply"]), (&json!("ok"), &json!("Heard #bye.")));
    world.quiet().await;
    world.quiet().await;
    let other = world.machine.transcript(OTHER).await;
    let main = world.transcript().await;
    assert!(other.iter().any(|line| line.starts_with("user: ") && line.ends_with("] #bye")), "{other:#?}");
    // The answer goes to the one that began, which has enough; then the other may tell its people.
    assert!(main.last().unwrap().ends_with("REPLY_SKIP"), "{main:#?}");
    assert!(other.iter().any(|line| line.contains("Tell the people of this session")), "{other:#?}");
}

#[tokio::test]
async fn two_sessions_never_talk_longer_than_the_settings_say() {
    let machine = Machine::new();
    let config = config(
        &machine,
        json!({
            "tools": { "sessions": { "visibility": "agent" } },
            "session": { "agentToAgent": { "maxPingPongTurns": 3 } },
        }),
    );
    let world = World::open(machine, config, crate::crash_plan::CrashPlan::never()).await;
    world.say_in(OTHER, "b", "#b").await;
    world.quiet().await;
    let answer = world.desk.send(&context(&world, MAIN), send(OTHER, "#on", 0)).await.unwrap();
    assert_eq!(answer["status"], "accepted");
    for _ in 0..12 {
        world.quiet().await;
    }
    let heard = |lines: &[String]| {
        lines.iter().filter(|line| line.starts_with("user:") && line.contains("Heard")).count()
    };
    let (main, other) = (world.transcript().await, world.machine.transcript(OTHER).await);
    assert_eq!((heard(&main), heard(&other)), (2, 1), "{main:#?} {other:#?}");
}

#[tokio::test]
async fn who_does_not_answer_in_time_answers_later() {
    let world = world(json!({ "sessions": { "visibility": "agent" } })).await;
    let here = context(&world, MAIN);
    let sending = world.desk.send(&here, send(OTHER, "#late hold:x", 1));
    let answer = tokio::select! {
        answer = sending => answer.unwrap(),
        () = world.until(|| false) => unreachable!(),
    };
    assert_eq!(answer["status"], "timeout");
    world.gate.open();
    world.quiet().await;
    assert!(world.machine.transcript(OTHER).await.last().unwrap().ends_with("Heard #late."));
    for wrong in [send(MAIN, "to myself", 1), send("nowhere", "x", 1), send(OTHER, "  ", 1)] {
        assert!(
            matches!(world.desk.send(&here, wrong.clone()).await, Err(SessionToolFault::Wrong(_))),
            "{wrong:?}"
        );
    }
    let refused = world.desk.send(&here, send(ELSE, "x", 1)).await;
    assert!(matches!(refused, Err(SessionToolFault::Refused(_))), "{refused:?}");
}

#[tokio::test]
async fn a_card_shows_a_session_and_changes_its_model() {
    let world = world(json!({})).await;
    let here = context(&world, MAIN);
    let card = world.desk.status(&here, StatusRequest::default()).await.unwrap();
    assert!(card["statusText"].as_str().unwrap().contains("local/tiny"), "{card:#}");
    let request = StatusRequest { session: None, model: Some("local/tiny".to_owned()) };
    assert_eq!(world.desk.status(&here, request).await.unwrap()["changedModel"], false);
    let request = StatusRequest { session: None, model: Some("no such model".to_owned()) };
    assert!(matches!(world.desk.status(&here, request).await, Err(SessionToolFault::Wrong(_))));
    let request = StatusRequest { session: Some(ELSE.to_owned()), model: None };
    assert!(matches!(world.desk.status(&here, request).await, Err(SessionToolFault::Refused(_))));
    let look = StatusRequest { session: Some(OTHER.to_owned()), model: None };
    assert_eq!(world.desk.status(&here, look).await.unwrap()["sessionKey"], OTHER);
    let change = StatusRequest { session: Some(OTHER.to_owned()), model: Some("default".to_owned()) };
    assert!(
        matches!(world.desk.status(&here, change).await, Err(SessionToolFault::Refused(_))),
        "it is no look"
    );
}

#[tokio::test]
async fn agents_that_may_be_given_work_are_listed_with_their_own_first() {
    let world = world(json!({})).await;
    assert_eq!(
        world.desk.agents(&context(&world, MAIN)).await.unwrap(),
        json!({
            "requester": "main",
            "allowAny": false,
            "agents": [
                { "id": "main", "name": "Ana", "configured": true },
                { "id": "work", "configured": true },
            ],
        })
    );
    let alone = world.desk.agents(&context(&world, ELSE)).await.unwrap();
    assert_eq!(alone["agents"], json!([{ "id": "work", "configured": true }]));
}

#[tokio::test]
async fn a_message_stands_in_the_web_chat_once_and_other_channels_are_not_there() {
    let world = world(json!({})).await;
    let here = context(&world, MAIN);
    let act = |name: &str, parameters: Value| {
        let parameters = parameters.as_object().unwrap().clone();
        world.desk.act(&here, MessageAction { name: name.to_owned(), parameters })
    };
    for _ in 0..2 {
        let receipt = act("send", json!({ "message": "look here" })).await.unwrap();
        let said: Vec<_> = receipt.said.iter().map(|said| (said.to.as_str(), said.text.as_str())).collect();
        assert_eq!(said, [(MAIN, "look here")]);
    }
    let lines = world.transcript().await;
    assert_eq!(lines.iter().filter(|line| line.as_str() == "assistant: look here").count(), 1, "{lines:#?}");
    assert!(world.told().contains(&"injected look here".to_owned()));
    for (name, parameters) in [
        ("send", json!({ "message": "x", "channel": "pigeon" })),
        ("send", json!({})),
        ("send", json!({ "message": "x", "media": "cat.png" })),
        ("react", json!({ "emoji": "x" })),
    ] {
        let wrong = act(name, parameters.clone()).await;
        assert!(matches!(wrong, Err(MessageFault::Wrong(_))), "{name} {parameters}");
    }
    let refused = act("send", json!({ "message": "x", "target": ELSE })).await;
    assert!(matches!(refused, Err(MessageFault::Refused(_))), "{refused:?}");
}
