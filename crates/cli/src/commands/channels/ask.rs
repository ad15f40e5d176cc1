//! What all commands about platforms share: the options of a question to the gateway, asking it, printing the answer.

use std::time::Duration;

use clap::Args;
use serde_json::Value;

use crate::call::{GatewayQuestion, ask, millis};
use crate::context::Context;
use crate::exit::{Exit, Output, answering};
use crate::print;
use crate::target::{GatewayTarget, TargetArgs};

/// Options of all commands that ask the gateway.
#[derive(Debug, Clone, Args)]
pub(super) struct AskArgs {
    #[command(flatten)]
    pub(super) target: TargetArgs,
    /// How long to wait, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 10_000)]
    pub(super) timeout: u64,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Asks the gateway and prints its answer as JSON, or in words.
pub(super) fn tell(
    context: &Context,
    arguments: &AskArgs,
    (method, params): (&str, Value),
    words: impl FnOnce(&Value) -> String,
) -> anyhow::Result<Exit> {
    answering(Output::of(arguments.json), || {
        let target = GatewayTarget::resolve(context, &arguments.target)?;
        let patience = millis(arguments.timeout).saturating_add(Duration::from_secs(1));
        let answer = ask(context, &target, &GatewayQuestion::new(method, params, patience))?;
        match arguments.json {
            true => print::json(&answer)?,
            false => print::line(&words(&answer))?,
        }
        Ok(Exit::Done)
    })
}

/// One answer of the gateway.
pub(super) fn answer_of(
    context: &Context,
    arguments: &AskArgs,
    (method, params): (&str, Value),
) -> anyhow::Result<Value> {
    let target = GatewayTarget::resolve(context, &arguments.target)?;
    let patience = millis(arguments.timeout).saturating_add(Duration::from_secs(1));
    ask(context, &target, &GatewayQuestion::new(method, params, patience))
}

/// A value as people read it.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}
