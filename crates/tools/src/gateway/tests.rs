//! What the `gateway` tool asks of the gateway, and what it never does.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::tool::{
    Audience, ConfigText, ControlFault, ControlRequest, FileReach, GatewayControl, ToolReply,
};
use serde_json::{Value, json};

use super::tools;
use crate::testing::{World, said};

/// A gateway that does nothing but remember what it was asked.
#[derive(Default)]
struct Remembering(Mutex<Vec<ControlRequest>>);

#[async_trait]
impl GatewayControl for Remembering {
    async fn act(&self, request: ControlRequest) -> Result<Value, ControlFault> {
        self.0.lock().unwrap().push(request.clone());
        match request {
            ControlRequest::ConfigGet => Ok(json!({ "hash": "h1" })),
            ControlRequest::ConfigSchema => Err(ControlFault("no schema today".to_owned())),
            _ => Ok(json!({ "done": true })),
        }
    }
}

async fn call(config: Value, arguments: Value) -> (ToolReply, Vec<ControlRequest>) {
    let mut world = World::new();
    world.config = config;
    let control = Arc::new(Remembering::default());
    let handle: Arc<dyn GatewayControl> = control.clone();
    let all = tools(&handle, &world.handles().settings);
    let reply = all[0].call(&world.context(FileReach::Workspace), arguments).await;
    let asked = control.0.lock().unwrap().clone();
    (reply, asked)
}

#[tokio::test]
async fn a_change_of_what_is_open_is_written_as_it_was_judged() {
    let raw = "{ agents: { defaults: { model: { primary: 'v/m' }, subagents: { maxSpawnDepth: 2, }, } } }";
    let (reply, asked) =
        call(json!({}), json!({ "action": "config.patch", "raw": raw, "note": "done" })).await;
    assert!(said(&reply).starts_with('+'), "{reply:?}");
    let expected = ConfigText {
        raw: json!({ "agents": { "defaults": { "model": { "primary": "v/m" }, "subagents": { "maxSpawnDepth": 2 } } } })
            .to_string(),
        base_hash: Some("h1".to_owned()),
        session: Some("agent:main:main".parse().unwrap()),
        note: Some("done".to_owned()),
        restart_delay: None,
    };
    assert_eq!(asked, [ControlRequest::ConfigGet, ControlRequest::ConfigPatch(expected)]);
}

#[tokio::test]
async fn what_people_decide_is_never_changed_by_an_agent() {
    for raw in [
        "{ agents: { list: [] } }",
        "{ agents: { defaults: { heartbeat: { every: '1m' } } } }",
        "{ agents: { defaults: null } }",
        "{ agents: { defaults: {} } }",
        "{ agents: null }",
        "{ ui: { assistant: { name: 'Eve' } } }",
        "{ cron: { enabled: true } }",
        "{ channels: { any: { allowFrom: ['*'] } } }",
        "{ tools: { exec: { security: 'full' } } }",
        "{ tools: null }",
        "{ tools: { elevated: { enabled: true } } }",
        "{ approvals: {} }",
        "{ gateway: { auth: { mode: 'none' } } }",
        "{ hooks: { enabled: true } }",
        "{ env: { A: 'b' } }",
        "{ models: { providers: { v: { baseUrl: 'http://elsewhere.example' } } } }",
        "{ routing: { agentToAgent: { enabled: true } } }",
        "{ agent: { heartbeat: '1m' } }",
        "{ $include: 'other.json5' }",
        "{ logging: { redactSensitive: 'off' } }",
        "{ session: { store: '/tmp/x' } }",
        "{ 'agents.defaults.model': 'x', 'agents.list': [] }",
        "{ agents: { defaults: { model: 'v/m', heartbeat: null } } }",
        "{ agents: { defaults: { compaction: { memoryFlush: { prompt: 'obey' } } } } }",
        "{ agents: { defaults: { compaction: { memoryFlush: { systemPrompt: 'obey' } } } } }",
        "{ agents: { defaults: { compaction: { memoryFlush: null } } } }",
        "{ agents: { defaults: { compaction: null } } }",
    ] {
        let (reply, asked) = call(json!({}), json!({ "action": "config.patch", "raw": raw })).await;
        assert!(matches!(reply, ToolReply::Refused(_)), "{raw}: {reply:?}");
        assert_eq!(asked, [], "{raw}");
    }
    let (reply, asked) = call(json!({}), json!({ "action": "config.apply", "raw": "{}" })).await;
    assert!(matches!(reply, ToolReply::Refused(_)), "{reply:?}");
    assert_eq!(asked, []);
}

#[tokio::test]
async fn a_restart_is_asked_for_unless_people_keep_it_to_themselves() {
    let arguments = json!({ "action": "restart", "delayMs": 500, "reason": "new model" });
    let (_, asked) = call(json!({}), arguments.clone()).await;
    let delay = Some(Duration::from_millis(500));
    assert_eq!(asked, [ControlRequest::Restart { delay, reason: Some("new model".to_owned()) }]);
    let (reply, asked) = call(json!({ "commands": { "restart": false } }), arguments).await;
    assert_eq!(said(&reply), "!commands.restart is false: the gateway is restarted by people only.");
    assert_eq!(asked, []);
}

#[tokio::test]
async fn what_does_not_work_is_told() {
    let (reply, _) = call(json!({}), json!({ "action": "config.schema" })).await;
    assert_eq!(said(&reply), "-no schema today");
    for arguments in [
        json!({ "action": "update.run" }),
        json!({}),
        json!({ "action": "config.patch", "raw": "[" }),
        json!({ "action": "config.patch", "raw": "{}" }),
        json!({ "action": "config.patch", "raw": "7" }),
        json!({ "action": "config.patch", "raw": "{ logging: { level: 'debug' } }", "sessionKey": "agent:" }),
    ] {
        let (reply, asked) = call(json!({}), arguments.clone()).await;
        assert!(said(&reply).starts_with('-'), "{arguments}: {reply:?}");
        assert_eq!(asked, [], "{arguments}");
    }
}

#[test]
fn the_tool_is_for_the_owner_alone() {
    let world = World::new();
    let handle: Arc<dyn GatewayControl> = Arc::new(Remembering::default());
    let all = tools(&handle, &world.handles().settings);
    assert_eq!(all[0].descriptor().audience, Audience::Owner);
}
