//! `openclaw gateway call` and `openclaw gateway health`: one question, one answer.
//!
//! `call` passes parameters and answer through as they are, so it reaches every method a gateway has, also those this
//! build does not know.

use anyhow::Context as _;
use clap::Args;
use openclaw_client::Await;
use serde_json::{Value, json};

use super::AskArgs;
use crate::call::{Question, ask, millis};
use crate::context::Context;
use crate::exit::{Exit, Output, answering, misuse};
use crate::print;
use crate::target::Target;

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

/// Calls a method.
pub(super) fn call(context: &Context, arguments: &CallArgs) -> anyhow::Result<Exit> {
    answering(Output::of(arguments.ask.json), || call_method(context, arguments))
}

fn call_method(context: &Context, arguments: &CallArgs) -> anyhow::Result<Exit> {
    let params: Value = serde_json::from_str(&arguments.params).map_err(|error| {
        misuse(format!("--params is no JSON: {error}; quote it, as in --params '{{\"limit\": 5}}'"))
    })?;
    let target = Target::resolve(context, &arguments.ask.target)?;
    let question = Question {
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
    let target = Target::resolve(context, &arguments.ask.target)?;
    let question = Question {
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

fn until(expect_final: bool) -> Await {
    if expect_final { Await::Final } else { Await::First }
}
