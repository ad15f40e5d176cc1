//! `agents_list`: the agents that the caller may hand work to, itself first.

use std::collections::BTreeSet;

use openclaw_config::{SubagentSettings, Targets};
use openclaw_ports::tool::ToolContext;
use serde_json::{Value, json};

use crate::flow::Inner;

pub(super) fn agents(flow: &Inner, context: &ToolContext) -> Value {
    let config = flow.settings();
    let targets = SubagentSettings::of(&config.raw, &context.agent).targets;
    let others: BTreeSet<_> = match &targets {
        Targets::Anyone => config.agents.list.iter().map(|agent| agent.id.clone()).collect(),
        Targets::Listed(listed) => listed.iter().cloned().collect(),
    };
    let others = others.into_iter().filter(|agent| *agent != context.agent);
    let rows: Vec<Value> = std::iter::once(context.agent.clone())
        .chain(others)
        .map(|id| {
            let known = config.agents.get(&id);
            let mut row = json!({ "id": id, "configured": known.is_some() });
            if let (Some(name), Some(fields)) =
                (known.and_then(|agent| agent.name.clone()), row.as_object_mut())
            {
                fields.insert("name".to_owned(), json!(name));
            }
            row
        })
        .collect();
    json!({ "requester": context.agent, "allowAny": targets == Targets::Anyone, "agents": rows })
}
