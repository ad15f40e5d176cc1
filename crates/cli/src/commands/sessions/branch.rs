//! `openclaw sessions branch`: a conversation goes on from an earlier message, in place or as a new session.
//!
//! Without a message the newest ones are listed with their ids. A gateway that runs does it itself, since a run may be
//! under way; without one it is done here, under the lock of the state directory.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use openclaw_app::{InstanceLock, running_instance};
use openclaw_session::BranchTo;
use openclaw_types::{EntryId, SessionKey};
use serde_json::{Value, json};

use super::{sessions_over, with_stores};
use crate::agents::key_context;
use crate::call::{GatewayQuestion, ask};
use crate::commands::message::{shortened, words};
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print::{self, TextTable};
use crate::target::{GatewayTarget, TargetArgs};

/// How long the gateway may take: a run may have to stop first.
const PATIENCE: Duration = Duration::from_secs(30);

/// `openclaw sessions branch`
#[derive(Debug, Args)]
pub(super) struct BranchArgs {
    /// The session, such as main
    #[arg(value_name = "key")]
    key: String,
    /// The message to go on from; without one the newest messages are listed
    #[arg(value_name = "message-id")]
    entry: Option<String>,
    /// Go on in a new session of this name; the old one stays as it is
    #[arg(long, value_name = "key")]
    to: Option<String>,
    /// How many messages are listed
    #[arg(long, value_name = "n", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1000))]
    limit: u64,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Branches, or lists where one can.
pub(super) fn run(context: &Context, arguments: &BranchArgs) -> anyhow::Result<Exit> {
    let snapshot = context.read_config();
    let keys = key_context(&snapshot.config);
    let read = |text: &str| {
        SessionKey::resolve(text, &keys).map_err(|error| misuse(format!("{text} is no session key: {error}")))
    };
    let key = read(&arguments.key)?;
    let to = arguments.to.as_deref().map(read).transpose()?;
    let Some(entry) = &arguments.entry else {
        if to.is_some() {
            return Err(misuse(
                "say from which message; without --to the messages are listed with their ids",
            ));
        }
        return list(context, arguments, &key);
    };
    let from = EntryId::new(entry).map_err(|error| misuse(format!("{entry} is no message id: {error}")))?;
    let done = match running_instance(&context.locations)? {
        Some(_) => over_gateway(context, &key, &from, to.as_ref())?,
        None => alone(context, &key, &from, to.as_ref())?,
    };
    if arguments.json {
        print::json(&done)?;
    } else {
        let goes_on = done["key"].as_str().unwrap_or_default();
        print::line(&format!("{} {goes_on} goes on after {from}", print::good("Branched:")))?;
    }
    Ok(Exit::Done)
}

fn over_gateway(
    context: &Context,
    key: &SessionKey,
    from: &EntryId,
    to: Option<&SessionKey>,
) -> anyhow::Result<Value> {
    let mut params = json!({ "key": key, "entryId": from });
    if let Some(to) = to {
        params["newKey"] = json!(to);
    }
    let target = GatewayTarget::resolve(context, &TargetArgs::default())?;
    ask(context, &target, &GatewayQuestion::new("sessions.branch", params, PATIENCE))
}

fn alone(
    context: &Context,
    key: &SessionKey,
    from: &EntryId,
    to: Option<&SessionKey>,
) -> anyhow::Result<Value> {
    let lock = InstanceLock::acquire(&context.locations, context.clock.now())?;
    let config = context.read_config().config;
    let done = with_stores(context, &config, async |stores| {
        let sessions = sessions_over(context, stores, Arc::clone(&config));
        if let Some(to) = to
            && sessions.agent_of(to) != sessions.agent_of(key)
        {
            return Err(misuse("the new session must belong to the same agent as the one it branches off"));
        }
        let whither = to.map_or(BranchTo::Here, |to| BranchTo::Session(to.clone()));
        let entry = sessions.branch_from(key, from, whither).await?;
        Ok(json!({ "ok": true, "key": to.unwrap_or(key), "entry": entry }))
    });
    drop(lock);
    done
}

fn list(context: &Context, arguments: &BranchArgs, key: &SessionKey) -> anyhow::Result<Exit> {
    let config = context.read_config().config;
    let limit = usize::try_from(arguments.limit).ok();
    let history = with_stores(context, &config, async |stores| {
        Ok(sessions_over(context, stores, Arc::clone(&config)).history(key, limit).await?)
    })?;
    if history.entry.is_none() {
        anyhow::bail!("there is no session {key}; `openclaw sessions` lists them");
    }
    if arguments.json {
        print::json(&json!({ "key": key, "messages": history.messages }))?;
        return Ok(Exit::Done);
    }
    let mut table = TextTable::new(&["Message", "Who", "What"]);
    for message in &history.messages {
        let id = message["__openclaw"]["id"].as_str().unwrap_or_default().to_owned();
        let who = message["role"].as_str().unwrap_or("?").to_owned();
        table.row([id, who, shortened(&words(message))]);
    }
    print::line(&table.render())?;
    Ok(Exit::Done)
}
