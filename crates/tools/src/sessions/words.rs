//! What the tools of this family say about themselves: names, purposes, arguments. Tables.

use openclaw_ports::tool::{Audience, Concurrency, Effect, ToolDescriptor, ToolGroup};
use serde_json::{Value, json};

use super::Which;

/// All of them, in the order in which they are listed.
pub(super) fn all() -> Vec<(Which, ToolDescriptor)> {
    vec![agents(), list(), history(), send(), spawn(), subagents(), status()]
}

fn agents() -> (Which, ToolDescriptor) {
    let words = Words {
        name: "agents_list",
        label: "Agents",
        summary: "List the agents that work can be handed to",
        description: "Lists the agents that `sessions_spawn` may be given as `agentId` from here, this one first.",
    };
    (Which::Agents, ToolDescriptor { group: ToolGroup::Agents, ..looking(words, json!({})) })
}

fn list() -> (Which, ToolDescriptor) {
    let words = Words {
        name: "sessions_list",
        label: "Sessions",
        summary: "List sessions, with filters and last messages",
        description: "Lists the sessions that can be seen from here, the one that changed last first. `kinds` keeps some \
                      (main, group, cron, hook, node, other), `activeMinutes` those that changed lately, `messageLimit` \
                      adds up to 20 of the last messages of each.",
    };
    let parameters = json!({
        "kinds": { "type": "array", "items": { "type": "string" } },
        "limit": { "type": "number", "minimum": 1 },
        "activeMinutes": { "type": "number", "minimum": 1 },
        "messageLimit": { "type": "number", "minimum": 0 },
    });
    (Which::List, looking(words, parameters))
}

fn history() -> (Which, ToolDescriptor) {
    let words = Words {
        name: "sessions_history",
        label: "Session History",
        summary: "Read what was said in a session",
        description: "Reads the newest messages of a session, by its key or the id of its transcript. Results of tools \
                      are left out unless `includeTools` is true; long texts are cut.",
    };
    let parameters = json!({
        "sessionKey": { "type": "string" },
        "limit": { "type": "number", "minimum": 1 },
        "includeTools": { "type": "boolean" },
    });
    (Which::History, needing(looking(words, parameters), &["sessionKey"]))
}

fn send() -> (Which, ToolDescriptor) {
    let words = Words {
        name: "sessions_send",
        label: "Session Send",
        summary: "Say something in another session and get its answer",
        description: "Says something in another session, named by `sessionKey` or `label`, and waits for its answer: 30 \
                      seconds unless `timeoutSeconds` says otherwise, not at all when that is 0. The two sessions may go \
                      on talking afterwards.",
    };
    let parameters = json!({
        "sessionKey": { "type": "string" },
        "label": { "type": "string", "minLength": 1, "maxLength": 64 },
        "agentId": { "type": "string", "minLength": 1, "maxLength": 64 },
        "message": { "type": "string" },
        "timeoutSeconds": { "type": "number", "minimum": 0 },
    });
    (Which::Send, needing(acting(words, parameters), &["message"]))
}

fn spawn() -> (Which, ToolDescriptor) {
    let words = Words {
        name: "sessions_spawn",
        label: "Sessions",
        summary: "Hand a task to a sub-agent in a session of its own",
        description: "Starts a sub-agent with a task in a session of its own and comes back at once. Its result is \
                      announced here by itself when it is done: do not wait for it and do not ask for it. The sub-agent \
                      knows nothing of this conversation, so write the whole task. `cleanup` `delete` puts its session \
                      away as soon as the result is here. `thread` true gives it a thread of its own in this chat, where \
                      that can be had: it speaks to people there and stays (`mode` `session`).",
    };
    let parameters = json!({
        "task": { "type": "string" },
        "label": { "type": "string" },
        "runtime": { "type": "string", "enum": ["subagent", "acp"] },
        "agentId": { "type": "string" },
        "model": { "type": "string" },
        "thinking": { "type": "string" },
        "cwd": { "type": "string" },
        "runTimeoutSeconds": { "type": "number", "minimum": 0 },
        "timeoutSeconds": { "type": "number", "minimum": 0 },
        "thread": { "type": "boolean" },
        "mode": { "type": "string", "enum": ["run", "session"] },
        "cleanup": { "type": "string", "enum": ["delete", "keep"] },
    });
    (Which::Spawn, needing(acting(words, parameters), &["task"]))
}

fn subagents() -> (Which, ToolDescriptor) {
    let words = Words {
        name: "subagents",
        label: "Subagents",
        summary: "List, stop or steer the sub-agents of this session",
        description: "Looks after the sub-agents of this session. `list` shows them with numbers, those that ended in the \
                      last `recentMinutes` (30) too; `kill` stops one, or `all`, with everything below it; `steer` says \
                      something to one at work. `target` is a number of the list, a label, a run id or `last`.",
    };
    let parameters = json!({
        "action": { "type": "string", "enum": ["list", "kill", "steer"] },
        "target": { "type": "string" },
        "message": { "type": "string" },
        "recentMinutes": { "type": "number", "minimum": 1 },
    });
    (Which::Subagents, acting(words, parameters))
}

fn status() -> (Which, ToolDescriptor) {
    let words = Words {
        name: "session_status",
        label: "Session Status",
        summary: "Show the card of a session: model, tokens, cost, time; can set its model",
        description: "Shows the same card as /status: which model answers, how full the context is, what it cost, what \
                      time it is. Use it when asked about any of that. `model` gives the session another model; \
                      `default` takes the choice back.",
    };
    let parameters = json!({ "sessionKey": { "type": "string" }, "model": { "type": "string" } });
    (Which::Status, ToolDescriptor { effect: Effect::Changes, ..looking(words, parameters) })
}

/// How a tool is called.
struct Words {
    name: &'static str,
    label: &'static str,
    summary: &'static str,
    description: &'static str,
}

/// A tool that only looks.
fn looking(words: Words, properties: Value) -> ToolDescriptor {
    ToolDescriptor {
        name: words.name,
        label: words.label,
        summary: words.summary,
        description: words.description.into(),
        parameters: json!({ "type": "object", "properties": properties }).into(),
        group: ToolGroup::Sessions,
        concurrency: Concurrency::Parallel,
        effect: Effect::Looks,
        audience: Audience::Everybody,
    }
}

/// A tool that sets others to work.
fn acting(words: Words, properties: Value) -> ToolDescriptor {
    ToolDescriptor { effect: Effect::Reaches, ..looking(words, properties) }
}

fn needing(descriptor: ToolDescriptor, names: &[&str]) -> ToolDescriptor {
    let mut parameters = (*descriptor.parameters).clone();
    if let Some(fields) = parameters.as_object_mut() {
        fields.insert("required".to_owned(), json!(names));
    }
    ToolDescriptor { parameters: parameters.into(), ..descriptor }
}
