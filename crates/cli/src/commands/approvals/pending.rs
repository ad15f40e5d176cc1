//! `openclaw approvals pending` and `resolve`: the commands that agents wait to run, shown and answered over the gateway.
//!
//! The words for how far "always" reaches are those of `/approve` in a chat. Without any, nothing but the decision is sent,
//! which every gateway understands.

use clap::Args;
use openclaw_exec::{ApprovalDecision, GrantFolder, GrantHolder, GrantScope, GrantWords, shown_line};
use serde_json::{Map, Value, json};

use crate::call::{GatewayQuestion, ask, millis};
use crate::context::Context;
use crate::exit::{Exit, Output, misuse};
use crate::print::{self, TextTable};
use crate::target::{GatewayTarget, TargetArgs};

/// Which gateway is asked, and how its answer is shown.
#[derive(Debug, Clone, Args)]
pub(super) struct GatewayArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// How long the gateway may take, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 10_000)]
    timeout: u64,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// An answer to a waiting command.
#[derive(Debug, Clone, Args)]
pub(super) struct ResolveArgs {
    /// The request, or the beginning of its id, from `openclaw approvals pending`
    id: String,
    /// allow-once, allow-always or deny
    decision: String,
    /// How far allow-always reaches: exact, args or args=1; here or anywhere; agent or session; for 2h
    #[arg(value_name = "reach")]
    reach: Vec<String>,
    #[command(flatten)]
    pub(super) gateway: GatewayArgs,
}

/// Shows what waits for an answer.
pub(super) fn list(context: &Context, gateway: &GatewayArgs) -> anyhow::Result<Exit> {
    let pending = over_gateway(context, gateway, "exec.approval.list", json!({}))?;
    match Output::of(gateway.json) {
        Output::Json => print::json(&json!({ "pending": pending }))?,
        Output::Text => print::line(&render(&pending, context.clock.now().0))?,
    }
    Ok(Exit::Done)
}

/// Answers what waits.
pub(super) fn resolve(context: &Context, wanted: &ResolveArgs) -> anyhow::Result<Exit> {
    let params = params(wanted)?;
    over_gateway(context, &wanted.gateway, "exec.approval.resolve", params)?;
    match Output::of(wanted.gateway.json) {
        Output::Json => print::json(&json!({ "ok": true, "id": wanted.id, "decision": wanted.decision }))?,
        Output::Text => print::line(&format!("{} is answered: {}.", wanted.id, wanted.decision))?,
    }
    Ok(Exit::Done)
}

fn params(wanted: &ResolveArgs) -> anyhow::Result<Value> {
    let decision: ApprovalDecision =
        wanted.decision.parse().map_err(|error: openclaw_exec::UnknownDecision| misuse(error.to_string()))?;
    let mut params = json!({ "id": wanted.id, "decision": decision.as_str() });
    if wanted.reach.is_empty() {
        return Ok(params);
    }
    if decision != ApprovalDecision::AllowAlways {
        return Err(misuse("only allow-always can reach further than this once; leave the rest out"));
    }
    let scope = GrantScope::read(&wanted.reach.join(" ")).map_err(|error| misuse(error.to_string()))?;
    params["scope"] = written(&scope);
    Ok(params)
}

/// A scope as the gateway reads it.
fn written(scope: &GrantScope) -> Value {
    let mut fields = Map::new();
    let mut put = |key: &str, value: Value| fields.insert(key.to_owned(), value);
    match scope.words {
        GrantWords::Exact => put("arguments", json!("exact")),
        GrantWords::Any => put("arguments", json!("any")),
        GrantWords::Leading(count) => {
            put("arguments", json!("leading"));
            put("leading", json!(count))
        }
    };
    put("folder", json!(if scope.folder == GrantFolder::Anywhere { "anywhere" } else { "here" }));
    put("holder", json!(if scope.holder == GrantHolder::Session { "session" } else { "agent" }));
    if let Some(span) = scope.lasts {
        put("lastsMs", json!(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)));
    }
    Value::Object(fields)
}

fn over_gateway(
    context: &Context,
    gateway: &GatewayArgs,
    method: &str,
    params: Value,
) -> anyhow::Result<Value> {
    let target = GatewayTarget::resolve(context, &gateway.target)?;
    ask(context, &target, &GatewayQuestion::new(method, params, millis(gateway.timeout)))
}

fn render(pending: &Value, now: i64) -> String {
    let questions = pending.as_array().map(Vec::as_slice).unwrap_or_default();
    if questions.is_empty() {
        return print::muted("No command waits for an answer.");
    }
    let blocks: Vec<String> = questions.iter().map(|question| block(question, now)).collect();
    format!(
        "{}\n\n{}",
        blocks.join("\n\n"),
        print::muted("Answer with `openclaw approvals resolve <id> allow-once|allow-always|deny`.")
    )
}

fn block(question: &Value, now: i64) -> String {
    let request = &question["request"];
    let mut table = TextTable::pairs();
    let mut row = |name: &str, value: Option<&str>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            table.row([name, &shown_line(value)]);
        }
    };
    row("Id", question["id"].as_str());
    row("Command", request["command"].as_str());
    row("In", request["cwd"].as_str());
    row("Program", request["resolvedPath"].as_str());
    let names = request["envKeys"].as_array().into_iter().flatten().filter_map(Value::as_str);
    row("Sets", Some(&names.collect::<Vec<_>>().join(", ")));
    row("Agent", request["agentId"].as_str());
    row("Session", request["sessionKey"].as_str());
    let left = question["expiresAtMs"].as_i64().map(|end| print::ago(end, now));
    row("Ends in", left.as_deref().map(|left| left.trim_end_matches(" ago")));
    row("Always", question["always"].as_str());
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(decision: &str, reach: &[&str]) -> ResolveArgs {
        ResolveArgs {
            id: "abcd".to_owned(),
            decision: decision.to_owned(),
            reach: reach.iter().map(|word| (*word).to_owned()).collect(),
            gateway: GatewayArgs { target: TargetArgs::default(), timeout: 1, json: false },
        }
    }

    #[test]
    fn an_answer_carries_a_scope_only_where_one_is_named() {
        let sent = |decision: &str, reach: &[&str]| params(&wanted(decision, reach)).ok();
        assert_eq!(sent("deny", &[]), Some(json!({ "id": "abcd", "decision": "deny" })));
        assert_eq!(sent("allow-always", &[]), Some(json!({ "id": "abcd", "decision": "allow-always" })));
        let scope = json!({
            "arguments": "leading", "leading": 2, "folder": "anywhere", "holder": "session", "lastsMs": 7_200_000
        });
        assert_eq!(
            sent("allow-always", &["args=2", "anywhere", "session", "for", "2h"]),
            Some(json!({ "id": "abcd", "decision": "allow-always", "scope": scope }))
        );
        let scope = json!({ "arguments": "any", "folder": "here", "holder": "agent" });
        assert_eq!(
            sent("allow-always", &["args"]),
            Some(json!({ "id": "abcd", "decision": "allow-always", "scope": scope }))
        );
        for (decision, reach) in [("maybe", &[][..]), ("deny", &["session"]), ("allow-always", &["forever"])]
        {
            assert_eq!(sent(decision, reach), None, "{decision} {reach:?}");
        }
    }

    #[test]
    fn what_waits_is_shown_with_what_always_would_remember() {
        let pending = json!([{
            "id": "abcd-1", "createdAtMs": 0, "expiresAtMs": 65_000, "always": "It remembers this.",
            "request": { "command": "rm -r \u{1b}[2K\u{202e}old", "cwd": "/work", "envKeys": ["MODE"], "agentId": "main" },
        }]);
        insta::assert_snapshot!(print::without_colours(&render(&pending, 5_000)), @r"
        Id       abcd-1
        Command  rm -r \u{1b}[2K\u{202e}old
        In       /work
        Sets     MODE
        Agent    main
        Ends in  1m
        Always   It remembers this.

        Answer with `openclaw approvals resolve <id> allow-once|allow-always|deny`.
        ");
    }
}
