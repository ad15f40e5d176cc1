//! `openclaw message send`, `broadcast` and `poll`: something is written where people are.

use clap::Args;
use serde_json::{Map, Value, json};

use super::{Done, PlaceArgs, WEBCHAT, Where, act, question, tell_dry, whole};
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print::{self, TextTable};

#[derive(Debug, Args)]
pub(super) struct SendArgs {
    /// What to write
    #[arg(short, long, value_name = "text")]
    message: Option<String>,
    /// The conversation: a person or a room; in the web chat the key of a session, such as main
    #[arg(short, long, value_name = "dest")]
    target: String,
    /// A file or an address to send along
    #[arg(long, value_name = "path-or-url")]
    media: Option<String>,
    /// Buttons below it, on channels that have them
    #[arg(long, value_name = "json")]
    buttons: Option<String>,
    /// Parts below it, on channels that have them
    #[arg(long, value_name = "json")]
    components: Option<String>,
    /// A card, on channels that have them
    #[arg(long, value_name = "json")]
    card: Option<String>,
    /// The message it answers, on channels that have that
    #[arg(long, value_name = "id")]
    reply_to: Option<String>,
    /// The thread it belongs to, on channels that have them
    #[arg(long, value_name = "id")]
    thread_id: Option<String>,
    /// Play a moving picture at once, on channels that have that
    #[arg(long)]
    gif_playback: bool,
    /// Without a sound, on channels that have that
    #[arg(long)]
    silent: bool,
    #[command(flatten)]
    pub(super) place: PlaceArgs,
}

#[derive(Debug, Args)]
pub(super) struct BroadcastArgs {
    /// The conversations; several may follow
    #[arg(long, value_name = "target", num_args = 1.., required = true)]
    targets: Vec<String>,
    /// What to write
    #[arg(long, value_name = "text")]
    message: Option<String>,
    /// A file or an address to send along
    #[arg(long, value_name = "url")]
    media: Option<String>,
    #[command(flatten)]
    pub(super) place: PlaceArgs,
}

#[derive(Debug, Args)]
pub(super) struct PollArgs {
    /// The conversation
    #[arg(short, long, value_name = "dest")]
    target: String,
    /// The question
    #[arg(long, value_name = "text")]
    poll_question: String,
    /// An answer; given at least twice
    #[arg(long, value_name = "choice")]
    poll_option: Vec<String>,
    /// Several answers may be chosen
    #[arg(long)]
    poll_multi: bool,
    /// How many hours it is open
    #[arg(long, value_name = "n", value_parser = clap::value_parser!(u64).range(1..))]
    poll_duration_hours: Option<u64>,
    /// How many seconds it is open
    #[arg(long, value_name = "n", value_parser = clap::value_parser!(u64).range(1..=604_800))]
    poll_duration_seconds: Option<u64>,
    /// Nobody sees who chose what
    #[arg(long, conflicts_with = "poll_public")]
    poll_anonymous: bool,
    /// Everybody sees who chose what
    #[arg(long)]
    poll_public: bool,
    /// Known from elsewhere; a poll says nothing but its question
    #[arg(short, long, value_name = "text")]
    message: Option<String>,
    /// Without a sound, on channels that have that
    #[arg(long)]
    silent: bool,
    /// The thread it belongs to, on channels that have them
    #[arg(long, value_name = "id")]
    thread_id: Option<String>,
    #[command(flatten)]
    pub(super) place: PlaceArgs,
}

/// Writes a message.
pub(super) fn one(context: &Context, arguments: &SendArgs) -> anyhow::Result<Exit> {
    let place = &arguments.place;
    let whither = place.read(context)?;
    let extras = extras(arguments)?;
    let mut params = params(
        &whither,
        place,
        &arguments.target,
        (arguments.message.as_deref(), arguments.media.as_deref()),
    )?;
    if let (Where::Webchat, Some(name)) = (&whither, extras.keys().next()) {
        return Err(misuse(format!(
            "the web chat cannot do what {name} asks for; name a channel with --channel"
        )));
    }
    // What only some channels can do is an action; plain words go the short way, which tells the message's id.
    if extras.keys().any(|name| name != "threadId") {
        return act(context, "send", action(arguments, extras), place);
    }
    if let Some(thread) = extras.get("threadId") {
        params["threadId"] = thread.clone();
    }
    if place.dry_run {
        return tell_dry(place, "send", &params);
    }
    let result = question(context, place, "send", params)?;
    if place.json {
        let payload = json!({
            "channel": result["channel"], "to": arguments.target, "via": "gateway", "mediaUrl": arguments.media,
            "result": result,
        });
        print::json(&whole(place, "send", &Done { by: "core", payload }))?;
    } else {
        print::line(&written(&arguments.target, &result))?;
    }
    Ok(Exit::Done)
}

/// What was written where, and how it can be named.
fn written(target: &str, result: &Value) -> String {
    match result["messageId"].as_str() {
        Some(id) if id.starts_with("outbox:") => {
            format!("{} to {}", print::warn("Waits to be sent"), target.trim())
        }
        Some(id) => {
            format!("{} to {} {}", print::good("Written"), target.trim(), print::muted(&format!("({id})")))
        }
        None => format!("{} to {}", print::good("Written"), target.trim()),
    }
}

/// What only some channels can do, under the names the gateway knows.
fn extras(arguments: &SendArgs) -> anyhow::Result<Map<String, Value>> {
    let parsed = |flag: &str, text: &Option<String>| match text {
        Some(text) => serde_json::from_str(text)
            .map_err(|error| misuse(format!("{flag} wants JSON, and this is none: {error}"))),
        None => Ok(Value::Null),
    };
    let on = |flag: bool| json!(flag.then_some(true));
    let fields = [
        ("buttons", parsed("--buttons", &arguments.buttons)?),
        ("components", parsed("--components", &arguments.components)?),
        ("card", parsed("--card", &arguments.card)?),
        ("replyTo", json!(arguments.reply_to)),
        ("threadId", json!(arguments.thread_id)),
        ("gifPlayback", on(arguments.gif_playback)),
        ("silent", on(arguments.silent)),
    ];
    let given = fields.into_iter().filter(|(_, value)| !value.is_null());
    Ok(given.map(|(name, value)| (name.to_owned(), value)).collect())
}

fn action(arguments: &SendArgs, mut extras: Map<String, Value>) -> Map<String, Value> {
    extras.insert("target".to_owned(), json!(arguments.target.trim()));
    for (name, value) in [("message", &arguments.message), ("media", &arguments.media)] {
        if let Some(value) = value {
            extras.insert(name.to_owned(), json!(value));
        }
    }
    extras
}

/// Writes the same into several conversations.
pub(super) fn many(context: &Context, arguments: &BroadcastArgs) -> anyhow::Result<Exit> {
    let place = &arguments.place;
    let whither = place.read(context)?;
    let mut results = Vec::new();
    for target in &arguments.targets {
        let params =
            params(&whither, place, target, (arguments.message.as_deref(), arguments.media.as_deref()))?;
        let sent = if place.dry_run { Ok(Value::Null) } else { question(context, place, "send", params) };
        results.push(match sent {
            Ok(result) => json!({ "channel": result["channel"], "to": target, "ok": true, "result": result }),
            Err(error) => json!({ "channel": place.channel(), "to": target, "ok": false, "error": format!("{error:#}") }),
        });
    }
    let failed = results.iter().any(|result| result["ok"] != json!(true));
    if place.json {
        let by = if place.dry_run { "dry-run" } else { "core" };
        let channel = results.first().map(|result| result["channel"].clone()).unwrap_or_default();
        let mut told = whole(place, "broadcast", &Done { by, payload: json!({ "results": results }) });
        told["channel"] = channel;
        print::json(&told)?;
    } else {
        let mut table = TextTable::new(&["To", if place.dry_run { "Would be" } else { "Is" }, ""]);
        for result in &results {
            let state =
                if result["ok"] == json!(true) { print::good("written") } else { print::bad("not written") };
            let text = |key: &str| result[key].as_str().unwrap_or_default().to_owned();
            table.row([text("to"), state, text("error")]);
        }
        print::line(&table.render())?;
    }
    Ok(if failed { Exit::NotInOrder } else { Exit::Done })
}

/// Asks a poll.
pub(super) fn poll(context: &Context, arguments: &PollArgs) -> anyhow::Result<Exit> {
    let place = &arguments.place;
    if arguments.message.is_some() {
        return Err(misuse("a poll says nothing but its question; write the rest with `message send`"));
    }
    if arguments.poll_option.len() < 2 {
        return Err(misuse("give at least two answers with --poll-option <choice>"));
    }
    let most = if arguments.poll_multi { arguments.poll_option.len() } else { 1 };
    let hidden = match (arguments.poll_anonymous, arguments.poll_public) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    };
    let fields = [
        ("to", json!(arguments.target.trim())),
        ("question", json!(arguments.poll_question)),
        ("options", json!(arguments.poll_option)),
        ("maxSelections", json!(most)),
        ("durationSeconds", json!(arguments.poll_duration_seconds)),
        ("durationHours", json!(arguments.poll_duration_hours)),
        ("isAnonymous", json!(hidden)),
        ("silent", json!(arguments.silent.then_some(true))),
        ("threadId", json!(arguments.thread_id)),
        ("idempotencyKey", json!(uuid::Uuid::new_v4().to_string())),
    ];
    let given = fields.into_iter().filter(|(_, value)| !value.is_null());
    let mut params = Value::Object(given.map(|(name, value)| (name.to_owned(), value)).collect());
    place.name_in(&mut params);
    if place.dry_run {
        return tell_dry(place, "poll", &params);
    }
    let result = question(context, place, "poll", params)?;
    match place.json {
        true => print::json(&whole(place, "poll", &Done { by: "core", payload: result }))?,
        false => print::line(&written(&arguments.target, &result))?,
    }
    Ok(Exit::Done)
}

fn params(
    whither: &Where,
    place: &PlaceArgs,
    target: &str,
    (message, media): (Option<&str>, Option<&str>),
) -> anyhow::Result<Value> {
    let target = target.trim();
    if target.is_empty() {
        return Err(misuse("say where with --target <dest>, such as --target main"));
    }
    if message.is_none_or(|message| message.trim().is_empty()) && media.is_none() {
        return Err(misuse("say what with --message <text> or --media <path-or-url>"));
    }
    let mut params = json!({ "to": target, "idempotencyKey": uuid::Uuid::new_v4().to_string() });
    for (name, value) in [("message", message), ("mediaUrl", media)] {
        if let Some(value) = value {
            params[name] = json!(value);
        }
    }
    place.name_in(&mut params);
    if *whither == Where::Webchat {
        params["channel"] = json!(WEBCHAT);
    }
    Ok(params)
}
