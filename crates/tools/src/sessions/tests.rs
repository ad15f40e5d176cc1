//! What the tools about sessions ask of their port, whatever names and shapes a model writes.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use openclaw_ports::tool::{
    FileReach, HistoryRequest, ListRequest, SendRequest, SessionDesk, SessionToolFault, SpawnRequest,
    StatusRequest, SubagentOrder, ToolContext, ToolReply,
};
use serde_json::{Value, json};

use super::tools;
use crate::testing::{World, find, said};

/// A port that does nothing but remember what it was asked.
struct Remembering {
    asked: Mutex<Vec<String>>,
    answer: Result<Value, SessionToolFault>,
}

impl Remembering {
    fn note(&self, what: String) -> Result<Value, SessionToolFault> {
        self.asked.lock().unwrap().push(what);
        self.answer.clone()
    }
}

#[async_trait]
impl SessionDesk for Remembering {
    async fn list(&self, _: &ToolContext, request: ListRequest) -> Result<Value, SessionToolFault> {
        self.note(format!("{request:?}"))
    }

    async fn history(&self, _: &ToolContext, request: HistoryRequest) -> Result<Value, SessionToolFault> {
        self.note(format!("{request:?}"))
    }

    async fn send(&self, _: &ToolContext, request: SendRequest) -> Result<Value, SessionToolFault> {
        self.note(format!("{request:?}"))
    }

    async fn spawn(&self, _: &ToolContext, request: SpawnRequest) -> Result<Value, SessionToolFault> {
        self.note(format!("{request:?}"))
    }

    async fn subagents(&self, _: &ToolContext, order: SubagentOrder) -> Result<Value, SessionToolFault> {
        self.note(format!("{order:?}"))
    }

    async fn status(&self, _: &ToolContext, request: StatusRequest) -> Result<Value, SessionToolFault> {
        self.note(format!("{request:?}"))
    }

    async fn agents(&self, _: &ToolContext) -> Result<Value, SessionToolFault> {
        self.note("agents".to_owned())
    }
}

async fn call(
    answer: Result<Value, SessionToolFault>,
    tool: &str,
    arguments: Value,
) -> (ToolReply, Vec<String>) {
    let world = World::new();
    let desk = Arc::new(Remembering { asked: Mutex::default(), answer });
    let handle: Arc<dyn SessionDesk> = desk.clone();
    let reply = find(&tools(&handle), tool).call(&world.context(FileReach::Workspace), arguments).await;
    let asked = desk.asked.lock().unwrap().clone();
    (reply, asked)
}

#[tokio::test]
async fn arguments_are_read_leniently() {
    let rows = [
        (
            "sessions_list",
            json!({ "kinds": "main", "limit": "3", "activeMinutes": 5.9, "messageLimit": -1 }),
            format!(
                "{:?}",
                ListRequest {
                    kinds: vec!["main".to_owned()],
                    limit: Some(3),
                    active_minutes: Some(5),
                    message_limit: 0
                }
            ),
        ),
        (
            "sessions_history",
            json!({ "session_key": " main ", "includeTools": "true" }),
            format!("{:?}", HistoryRequest { session: "main".to_owned(), limit: None, include_tools: true }),
        ),
        (
            "sessions_send",
            json!({ "label": "desk", "message": "hi", "timeoutSeconds": 0 }),
            format!(
                "{:?}",
                SendRequest {
                    session: None,
                    label: Some("desk".to_owned()),
                    agent: None,
                    message: "hi".to_owned(),
                    timeout_seconds: Some(0)
                }
            ),
        ),
        (
            "sessions_spawn",
            json!({ "task": "look", "timeoutSeconds": 9, "cleanup": "delete" }),
            format!(
                "{:?}",
                SpawnRequest {
                    task: "look".to_owned(),
                    run_timeout_seconds: Some(9),
                    cleanup: Some("delete".to_owned()),
                    ..SpawnRequest::default()
                }
            ),
        ),
        ("subagents", json!({}), format!("{:?}", SubagentOrder::List { recent_minutes: None })),
        (
            "subagents",
            json!({ "action": "kill", "target": 2 }),
            format!("{:?}", SubagentOrder::Kill { target: "2".to_owned() }),
        ),
        (
            "subagents",
            json!({ "action": "steer", "target": "a", "message": "faster" }),
            format!("{:?}", SubagentOrder::Steer { target: "a".to_owned(), message: "faster".to_owned() }),
        ),
        ("session_status", json!({}), format!("{:?}", StatusRequest::default())),
        ("agents_list", json!({}), "agents".to_owned()),
    ];
    for (tool, arguments, expected) in rows {
        let (_, asked) = call(Ok(json!({})), tool, arguments).await;
        assert_eq!(asked, [expected], "{tool}");
    }
}

#[tokio::test]
async fn what_is_missing_is_told_without_asking_the_desk() {
    for (tool, arguments) in [
        ("sessions_history", json!({})),
        ("sessions_send", json!({ "sessionKey": "main" })),
        ("sessions_spawn", json!({ "task": "  " })),
        ("subagents", json!({ "action": "kill" })),
        ("subagents", json!({ "action": "dance" })),
        ("sessions_list", json!(7)),
    ] {
        let (reply, asked) = call(Ok(json!({})), tool, arguments.clone()).await;
        assert!(said(&reply).starts_with('-'), "{tool} {arguments}");
        assert!(asked.is_empty(), "{tool} {arguments}");
    }
}

#[tokio::test]
async fn refusals_name_their_rule_and_faults_stay_with_us() {
    for (fault, expected) in [
        (SessionToolFault::Refused("a rule".to_owned()), "!a rule"),
        (SessionToolFault::Wrong("no such session".to_owned()), "-no such session"),
    ] {
        let (reply, _) = call(Err(fault), "sessions_list", json!({})).await;
        assert_eq!(said(&reply), expected);
    }
    let (reply, _) =
        call(Err(SessionToolFault::Fault("disk on fire".to_owned())), "sessions_list", json!({})).await;
    assert!(said(&reply).starts_with('-') && !said(&reply).contains("fire"), "{reply:?}");
}

#[tokio::test]
async fn a_card_is_shown_as_text() {
    let (reply, _) = call(Ok(json!({ "statusText": "all is well" })), "session_status", json!({})).await;
    assert_eq!(said(&reply), "+all is well");
}

#[test]
fn each_tool_has_the_parameters_that_clients_know() {
    let handle: Arc<dyn SessionDesk> =
        Arc::new(Remembering { asked: Mutex::default(), answer: Ok(json!({})) });
    let shape = |tool: &str| {
        let parameters = find(&tools(&handle), tool).descriptor().parameters.clone();
        let mut names: Vec<String> = parameters["properties"].as_object().unwrap().keys().cloned().collect();
        names.sort();
        (names.join(" "), parameters.get("required").cloned())
    };
    let row = |names: &str, required: Option<Value>| (names.to_owned(), required);
    assert_eq!(shape("agents_list"), row("", None));
    assert_eq!(shape("sessions_list"), row("activeMinutes kinds limit messageLimit", None));
    assert_eq!(shape("sessions_history"), row("includeTools limit sessionKey", Some(json!(["sessionKey"]))));
    assert_eq!(
        shape("sessions_send"),
        row("agentId label message sessionKey timeoutSeconds", Some(json!(["message"])))
    );
    assert_eq!(
        shape("sessions_spawn"),
        row(
            "agentId cleanup cwd label mode model runTimeoutSeconds runtime task thinking thread timeoutSeconds",
            Some(json!(["task"]))
        )
    );
    assert_eq!(shape("subagents"), row("action message recentMinutes target", None));
    assert_eq!(shape("session_status"), row("model sessionKey", None));
}
