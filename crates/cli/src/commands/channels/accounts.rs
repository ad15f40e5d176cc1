//! `openclaw channels list`, `add`, `remove` and `login`: the accounts as the configuration has them.
//!
//! Works without a gateway; one that runs follows the file by itself. Secrets go into the file and nowhere else.

use clap::Args;
use openclaw_config::BaseHash;
use openclaw_ports::channel::{AccountPlan, ChannelDescriptor, ChannelKind, Readiness};
use serde_json::{Map, Value, json};

use super::edit::{AccountPlace, DEFAULT, Way, token_key};
use super::later::LaterArgs;
use super::show::NO_ACCOUNT;
use crate::agents::valid_config;
use crate::context::Context;
use crate::exit::{Exit, Output, misuse};
use crate::print::{self, TextTable};

/// `openclaw channels add`
#[derive(Debug, Args)]
pub(super) struct AccountAddArgs {
    /// The platform
    #[arg(long, value_name = "name")]
    channel: Option<String>,
    /// The account [default: the usual one]
    #[arg(long, value_name = "id")]
    account: Option<String>,
    /// Its name for people
    #[arg(long, value_name = "name")]
    name: Option<String>,
    /// The token of the bot
    #[arg(long, value_name = "token")]
    token: Option<String>,
    /// A file that holds the token
    #[arg(long, value_name = "path")]
    token_file: Option<String>,
    /// The token of the bot, where there are several kinds
    #[arg(long, value_name = "token")]
    bot_token: Option<String>,
    /// The token of the app, where there are several kinds
    #[arg(long, value_name = "token")]
    app_token: Option<String>,
    /// A password
    #[arg(long, value_name = "password")]
    password: Option<String>,
    /// The path to which the platform brings events
    #[arg(long, value_name = "path")]
    webhook_path: Option<String>,
    /// The address under which the platform reaches us
    #[arg(long, value_name = "url")]
    webhook_url: Option<String>,
    /// Take the secret from the environment; only for the usual account
    #[arg(long, conflicts_with_all = ["token", "token_file", "bot_token"])]
    use_env: bool,
    /// Any other setting of the account, as key=value; may be given several times
    #[arg(long, value_name = "key=value")]
    set: Vec<String>,
    #[command(flatten)]
    later: LaterArgs,
}

/// `openclaw channels remove`
#[derive(Debug, Args)]
pub(super) struct RemoveArgs {
    /// The platform
    #[arg(long, value_name = "name")]
    channel: Option<String>,
    /// The account [default: the usual one]
    #[arg(long, value_name = "id")]
    account: Option<String>,
    /// Delete its settings too
    #[arg(long)]
    delete: bool,
}

/// `openclaw channels login`
#[derive(Debug, Args)]
pub(super) struct LoginArgs {
    /// The platform
    #[arg(long, value_name = "channel")]
    channel: Option<String>,
    /// The account
    #[arg(long, value_name = "id")]
    account: Option<String>,
    /// Accepted for compatibility
    #[arg(long)]
    verbose: bool,
}

/// Shows the accounts.
pub(super) fn list(context: &Context, output: Output) -> anyhow::Result<Exit> {
    let all = accounts(context);
    if output == Output::Json {
        let mut chat: Map<String, Value> = Map::new();
        for (kind, plan) in &all {
            let ids = chat.entry(kind.id).or_insert_with(|| json!([]));
            if let Some(ids) = ids.as_array_mut() {
                ids.push(json!(plan.id));
            }
        }
        print::json(&json!({ "chat": chat }))?;
        return Ok(Exit::Done);
    }
    if all.is_empty() {
        print::line(&print::muted(NO_ACCOUNT))?;
        return Ok(Exit::Done);
    }
    let mut table = TextTable::new(&["Channel", "Account", "Name", "State"]);
    for (kind, plan) in &all {
        let state = match (&plan.ready, plan.enabled) {
            (_, false) => "switched off".to_owned(),
            (Readiness::Missing(what), true) => format!("not configured: {what}"),
            (Readiness::Ready, true) => "configured".to_owned(),
        };
        table.row([kind.label.to_owned(), plan.id.to_string(), plan.name.clone().unwrap_or_default(), state]);
    }
    print::line(&table.render())?;
    Ok(Exit::Done)
}

/// Adds an account, or changes one.
pub(super) fn add(context: &Context, arguments: &AccountAddArgs) -> anyhow::Result<Exit> {
    let kind = platform(arguments.channel.as_deref())?;
    let descriptor = kind.descriptor();
    arguments.later.refuse(descriptor.label)?;
    let account = account_id(arguments.account.as_deref());
    if arguments.use_env && account != DEFAULT {
        return Err(misuse("--use-env works for the usual account only; give others a token of their own"));
    }
    let settings = settings(kind.as_ref(), arguments)?;
    let snapshot = valid_config(context)?;
    let section = &snapshot.parsed["channels"][descriptor.id];
    let known = known(context, descriptor.id);
    let place = AccountPlace { section, channel: descriptor.id, account: &account, known: &known };
    let patch = place.with(settings);
    context.config_file().patch(&patch.to_string(), &BaseHash::Given(snapshot.hash.clone()))?;
    print::line(&format!("{} {} {account}", print::good("Saved"), descriptor.label))?;
    let saved = accounts(context);
    let plan = saved.iter().find(|(kind, plan)| kind.id == descriptor.id && plan.id.as_str() == account);
    if let Some((_, AccountPlan { ready: Readiness::Missing(what), .. })) = plan {
        print::note(&format!("{} {what}", print::warn("something is missing:")))?;
        return Ok(Exit::NotInOrder);
    }
    Ok(Exit::Done)
}

/// The settings that the options stand for.
fn settings(kind: &dyn ChannelKind, arguments: &AccountAddArgs) -> anyhow::Result<Map<String, Value>> {
    let mut settings = Map::new();
    let plain = [
        ("name", &arguments.name),
        ("tokenFile", &arguments.token_file),
        ("botToken", &arguments.bot_token),
        ("appToken", &arguments.app_token),
        ("password", &arguments.password),
        ("webhookPath", &arguments.webhook_path),
        ("webhookUrl", &arguments.webhook_url),
    ];
    for (key, value) in plain {
        if let Some(value) = value {
            settings.insert(key.to_owned(), json!(value.trim()));
        }
    }
    if let Some(token) = &arguments.token {
        let label = kind.descriptor().label;
        let key = token_key(kind, &["token", "botToken"])
            .ok_or_else(|| misuse(format!("{label} has no token; use the options it has, or --set")))?;
        settings.insert(key.to_owned(), json!(token.trim()));
    }
    for pair in &arguments.set {
        let (key, value) =
            pair.split_once('=').ok_or_else(|| misuse("--set wants key=value, as in --set nick=claw"))?;
        // What reads as JSON is meant as such: numbers, switches, lists.
        let value = serde_json::from_str(value).unwrap_or_else(|_text| json!(value));
        settings.insert(key.trim().to_owned(), value);
    }
    if settings.is_empty() && !arguments.use_env {
        return Err(misuse(
            "say what the account signs in with: --token, --bot-token, --use-env, --set key=value",
        ));
    }
    Ok(settings)
}

/// Switches an account off, or deletes it.
pub(super) fn remove(context: &Context, arguments: &RemoveArgs) -> anyhow::Result<Exit> {
    let kind = platform(arguments.channel.as_deref())?;
    let descriptor = kind.descriptor();
    let account = account_id(arguments.account.as_deref());
    let way = if arguments.delete { Way::Gone } else { Way::Off };
    let snapshot = valid_config(context)?;
    let section = &snapshot.parsed["channels"][descriptor.id];
    let known = known(context, descriptor.id);
    let place = AccountPlace { section, channel: descriptor.id, account: &account, known: &known };
    let Some(patch) = place.without(way) else {
        anyhow::bail!(
            "{} has no account {account} of its own; `openclaw channels list` shows those there are",
            descriptor.label
        );
    };
    if way == Way::Off && print::can_ask() {
        let question = format!("Switch {} {account} off? Its settings stay.", descriptor.label);
        if !print::confirm(&question)? {
            return Ok(Exit::Done);
        }
    }
    context.config_file().patch(&patch.to_string(), &BaseHash::Given(snapshot.hash.clone()))?;
    let done = if way == Way::Gone { "Deleted" } else { "Switched off" };
    print::line(&format!("{} {} {account}", print::warn(done), descriptor.label))?;
    Ok(Exit::Done)
}

/// Says what an account signs in with: none of the platforms there are needs a dialogue.
pub(super) fn login(context: &Context, arguments: &LoginArgs) -> anyhow::Result<Exit> {
    let kind = platform(arguments.channel.as_deref())?;
    let descriptor = kind.descriptor();
    let account = account_id(arguments.account.as_deref());
    let all = accounts(context);
    let found = all.iter().find(|(kind, plan)| kind.id == descriptor.id && plan.id.as_str() == account);
    match found.map(|(_, plan)| &plan.ready) {
        Some(Readiness::Ready) => print::line(&format!(
            "{} signs in with what is configured; `openclaw channels status --probe` shows whether that works",
            descriptor.label
        ))?,
        Some(Readiness::Missing(what)) => anyhow::bail!("{} {account}: {what}", descriptor.label),
        None => anyhow::bail!(
            "{} {account} is not configured; add it with `openclaw channels add --channel {}`",
            descriptor.label,
            descriptor.id
        ),
    }
    Ok(Exit::Done)
}

fn accounts(context: &Context) -> Vec<(&'static ChannelDescriptor, AccountPlan)> {
    let config = context.read_config().config;
    openclaw_app::configured_accounts(&config, &context.environment, &context.clock).0
}

/// The accounts of a platform.
fn known(context: &Context, channel: &str) -> Vec<String> {
    let all = accounts(context).into_iter().filter(|(kind, _)| kind.id == channel);
    all.map(|(_, plan)| plan.id.to_string()).collect()
}

/// The platform of a name or another name of it.
fn platform(name: Option<&str>) -> anyhow::Result<Box<dyn ChannelKind>> {
    let kinds = openclaw_app::platforms();
    let known: Vec<&str> = kinds.iter().map(|kind| kind.descriptor().id).collect();
    let known = known.join(", ");
    let Some(name) = name.map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()) else {
        return Err(misuse(format!("say which platform with --channel: {known}")));
    };
    let means = |kind: &dyn ChannelKind| {
        kind.descriptor().id == name || kind.descriptor().aliases.contains(&name.as_str())
    };
    kinds
        .into_iter()
        .find(|kind| means(kind.as_ref()))
        .ok_or_else(|| misuse(format!("there is no platform {name}; there are: {known}")))
}

fn account_id(written: Option<&str>) -> String {
    let written = written.map(|id| id.trim().to_lowercase()).filter(|id| !id.is_empty());
    written.unwrap_or_else(|| DEFAULT.to_owned())
}
