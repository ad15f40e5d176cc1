//! `openclaw gateway call`, `health` and `usage-cost`: one question, one answer.
//!
//! `call` passes parameters and answer through as they are, so it reaches every method a gateway has, also those this
//! build does not know.

use anyhow::Context as _;
use clap::Args;
use openclaw_client::Await;
use openclaw_types::Money;
use serde_json::{Value, json};

use super::AskArgs;
use crate::call::{GatewayQuestion, ask, millis};
use crate::context::Context;
use crate::exit::{Exit, Output, answering, misuse};
use crate::print::{self, TextTable};
use crate::target::GatewayTarget;

/// `openclaw gateway call`
#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// Name of the method, such as health, status or config.get
    method: String,
    /// Parameters as JSON
    #[arg(long, value_name = "json", default_value = "{}")]
    params: String,
    #[command(flatten)]
    ask: AskArgs,
    /// Wait for the last answer of methods that first say "accepted"
    #[arg(long)]
    expect_final: bool,
}

/// `openclaw gateway health`
#[derive(Debug, Args)]
pub(crate) struct HealthArgs {
    #[command(flatten)]
    ask: AskArgs,
    /// Wait for the last answer of methods that first say "accepted"
    #[arg(long)]
    expect_final: bool,
}

/// `openclaw gateway usage-cost`
#[derive(Debug, Args)]
pub(crate) struct CostArgs {
    /// How many days to look back
    #[arg(long, value_name = "days", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    days: u32,
    #[command(flatten)]
    ask: AskArgs,
    /// Wait for the last answer of methods that first say "accepted"
    #[arg(long)]
    expect_final: bool,
}

/// Calls a method.
pub(super) fn call(context: &Context, arguments: &CallArgs) -> anyhow::Result<Exit> {
    answering(Output::of(arguments.ask.json), || call_method(context, arguments))
}

fn call_method(context: &Context, arguments: &CallArgs) -> anyhow::Result<Exit> {
    let params: Value = serde_json::from_str(&arguments.params).map_err(|error| {
        misuse(format!("--params is no JSON: {error}; quote it, as in --params '{{\"limit\": 5}}'"))
    })?;
    let target = GatewayTarget::resolve(context, &arguments.ask.target)?;
    let question = GatewayQuestion {
        method: &arguments.method,
        params,
        limit: millis(arguments.ask.timeout),
        until: until(arguments.expect_final),
    };
    let answer = ask(context, &target, &question)
        .with_context(|| format!("Gateway call failed: {}", arguments.method))?;
    if !arguments.ask.json {
        print::line(&format!("{} {}", print::heading("Gateway call:"), print::accent(&arguments.method)))?;
    }
    print::json(&answer)?;
    Ok(Exit::Done)
}

/// Asks how the gateway is.
pub(super) fn health(context: &Context, arguments: &HealthArgs) -> anyhow::Result<Exit> {
    answering(Output::of(arguments.ask.json), || ask_health(context, arguments))
}

fn ask_health(context: &Context, arguments: &HealthArgs) -> anyhow::Result<Exit> {
    let target = GatewayTarget::resolve(context, &arguments.ask.target)?;
    let question = GatewayQuestion {
        method: "health",
        params: json!({}),
        limit: millis(arguments.ask.timeout),
        until: until(arguments.expect_final),
    };
    let answer = ask(context, &target, &question)?;
    if arguments.ask.json {
        print::json(&answer)?;
    } else {
        print::line(&print::heading("Gateway health"))?;
        print::line(&crate::commands::health::summary(&answer))?;
    }
    Ok(crate::commands::health::exit_of(&answer))
}

/// Asks what models cost.
pub(super) fn cost(context: &Context, arguments: &CostArgs) -> anyhow::Result<Exit> {
    answering(Output::of(arguments.ask.json), || {
        let target = GatewayTarget::resolve(context, &arguments.ask.target)?;
        let question = GatewayQuestion {
            method: "usage.cost",
            params: json!({ "days": arguments.days }),
            limit: millis(arguments.ask.timeout),
            until: until(arguments.expect_final),
        };
        let answer = ask(context, &target, &question)?;
        if arguments.ask.json {
            print::json(&answer)?;
        } else {
            print::line(&cost_text(&answer, arguments.days))?;
        }
        Ok(Exit::Done)
    })
}

fn cost_text(answer: &Value, days: u32) -> String {
    let mut table = TextTable::new(&["Day", "Cost", "Tokens"]);
    let mut add = |name: &str, totals: &Value| {
        let cost = Money::from_dollars(totals["totalCost"].as_f64().unwrap_or(0.0));
        let tokens = totals["totalTokens"].as_u64().unwrap_or(0);
        table.row([name.to_owned(), cost.to_string(), tokens.to_string()]);
    };
    for day in answer["daily"].as_array().into_iter().flatten() {
        add(day["date"].as_str().unwrap_or("?"), day);
    }
    add("Together", &answer["totals"]);
    let mut text =
        format!("{}\n{}", print::heading(&format!("What models cost in {days} days")), table.render());
    let unpriced = answer["totals"]["missingCostEntries"].as_u64().unwrap_or(0);
    if unpriced > 0 {
        text.push_str(&format!("\n{}", print::warn(&format!("{unpriced} calls have no known price"))));
    }
    text
}

fn until(expect_final: bool) -> Await {
    if expect_final { Await::Final } else { Await::First }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_is_shown_by_day_and_together() {
        let answer = json!({
            "daily": [{ "date": "2026-02-25", "totalCost": 0.5, "totalTokens": 1200 }],
            "totals": { "totalCost": 0.5, "totalTokens": 1200, "missingCostEntries": 2 },
        });
        assert_eq!(
            print::without_colours(&cost_text(&answer, 7)),
            "What models cost in 7 days\n\
             Day         Cost   Tokens\n\
             2026-02-25  $0.50  1200\n\
             Together    $0.50  1200\n\
             2 calls have no known price"
        );
    }
}
