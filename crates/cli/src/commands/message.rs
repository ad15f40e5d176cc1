//! `openclaw message …`: writes into a conversation without asking an agent, and reads one.
//!
//! The web chat is the only place there is yet; its conversations are sessions. What a channel would have to be able to
//! do, such as buttons, is refused and not left out in silence. Every command asks the gateway.

use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::call::{Question, ask};
use crate::context::Context;
use crate::exit::{Exit, Output, answering, misuse};
use crate::print::{self, Table};
use crate::target::{Target, TargetArgs};

/// The place that is meant when none is named.
const USUAL: &str = "webchat";
/// How long the gateway may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How many characters of a message a table shows.
const SHOWN: usize = 90;

/// What channels can do and the web chat cannot.
const NEED_A_CHANNEL: [&str; 21] = [
    "poll",
    "react",
    "reactions",
    "edit",
    "delete",
    "pin",
    "unpin",
    "pins",
    "permissions",
    "search",
    "thread",
    "emoji",
    "sticker",
    "role",
    "channel",
    "member",
    "voice",
    "event",
    "timeout",
    "kick",
    "ban",
];

/// `openclaw message`
#[derive(Debug, Args)]
pub(crate) struct MessageArgs {
    #[command(subcommand)]
    command: MessageCommand,
}

#[derive(Debug, Subcommand)]
enum MessageCommand {
    /// Write into a conversation, as the agent
    Send(SendArgs),
    /// Write the same into several conversations
    Broadcast(BroadcastArgs),
    /// Show the newest messages of a conversation
    Read(ReadArgs),
    /// Everything else that people know from elsewhere.
    #[command(external_subcommand)]
    Other(Vec<String>),
}

/// Options of all commands of the family.
#[derive(Debug, Clone, Args)]
struct PlaceArgs {
    /// The channel [default: webchat]
    #[arg(long, value_name = "channel")]
    channel: Option<String>,
    /// Our account on the channel
    #[arg(long, value_name = "id")]
    account: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Tell what would be sent, and send nothing
    #[arg(long)]
    dry_run: bool,
    /// Show which gateway is asked
    #[arg(long)]
    verbose: bool,
}

impl PlaceArgs {
    fn channel(&self) -> &str {
        self.channel.as_deref().map(str::trim).filter(|channel| !channel.is_empty()).unwrap_or(USUAL)
    }
}

#[derive(Debug, Args)]
struct SendArgs {
    /// What to write
    #[arg(short, long, value_name = "text")]
    message: Option<String>,
    /// The conversation: in the web chat the key of a session, such as main
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
    place: PlaceArgs,
}

#[derive(Debug, Args)]
struct BroadcastArgs {
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
    place: PlaceArgs,
}

#[derive(Debug, Args)]
struct ReadArgs {
    /// The conversation: in the web chat the key of a session, such as main
    #[arg(short, long, value_name = "dest")]
    target: String,
    /// How many messages at most
    #[arg(long, value_name = "n", value_parser = clap::value_parser!(u64).range(1..=1000))]
    limit: Option<u64>,
    /// Only older ones than this, on channels that have that
    #[arg(long, value_name = "id")]
    before: Option<String>,
    /// Only newer ones than this, on channels that have that
    #[arg(long, value_name = "id")]
    after: Option<String>,
    /// Those around this one, on channels that have that
    #[arg(long, value_name = "id")]
    around: Option<String>,
    /// Those of its threads too, on channels that have them
    #[arg(long)]
    include_thread: bool,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Runs a command of the family.
pub(crate) fn run(context: &Context, arguments: MessageArgs) -> anyhow::Result<Exit> {
    match arguments.command {
        MessageCommand::Send(send) => answering(Output::of(send.place.json), || one(context, &send)),
        MessageCommand::Broadcast(all) => answering(Output::of(all.place.json), || many(context, &all)),
        MessageCommand::Read(read) => answering(Output::of(read.place.json), || show(context, &read)),
        MessageCommand::Other(words) => Err(unserved(&words)),
    }
}

/// Says why a command of the family is not there.
fn unserved(words: &[String]) -> anyhow::Error {
    let action = words.first().map(String::as_str).unwrap_or_default();
    if NEED_A_CHANNEL.contains(&action) {
        return misuse(format!(
            "`message {action}` needs a channel that can do it, and only the web chat is connected; it knows \
             `message send`, `message broadcast` and `message read`"
        ));
    }
    misuse(format!(
        "there is no `message {action}`; there are `message send`, `message broadcast` and `message read`"
    ))
}

fn one(context: &Context, arguments: &SendArgs) -> anyhow::Result<Exit> {
    refuse(&[
        ("--buttons", arguments.buttons.is_some()),
        ("--components", arguments.components.is_some()),
        ("--card", arguments.card.is_some()),
        ("--reply-to", arguments.reply_to.is_some()),
        ("--thread-id", arguments.thread_id.is_some()),
        ("--gif-playback", arguments.gif_playback),
        ("--silent", arguments.silent),
    ])?;
    let place = &arguments.place;
    let params =
        params(place, &arguments.target, (arguments.message.as_deref(), arguments.media.as_deref()))?;
    if place.dry_run {
        return tell_dry(place, "send", &params);
    }
    let result = question(context, place, "send", params)?;
    if place.json {
        let payload = json!({ "channel": place.channel(), "to": arguments.target, "via": "gateway", "mediaUrl": arguments.media, "result": result });
        print::json(&whole(place, "send", "core", payload))?;
    } else {
        let id = result["messageId"]
            .as_str()
            .map(|id| format!(" {}", print::muted(&format!("({id})"))))
            .unwrap_or_default();
        print::line(&format!("{} to {}{id}", print::good("Written"), arguments.target.trim()))?;
    }
    Ok(Exit::Done)
}

fn many(context: &Context, arguments: &BroadcastArgs) -> anyhow::Result<Exit> {
    let place = &arguments.place;
    let mut results = Vec::new();
    for target in &arguments.targets {
        let params = params(place, target, (arguments.message.as_deref(), arguments.media.as_deref()))?;
        let sent = if place.dry_run { Ok(Value::Null) } else { question(context, place, "send", params) };
        results.push(match sent {
            Ok(result) => json!({ "channel": place.channel(), "to": target, "ok": true, "result": result }),
            Err(error) => json!({ "channel": place.channel(), "to": target, "ok": false, "error": format!("{error:#}") }),
        });
    }
    let failed = results.iter().any(|result| result["ok"] != json!(true));
    if place.json {
        let handled_by = if place.dry_run { "dry-run" } else { "core" };
        print::json(&whole(place, "broadcast", handled_by, json!({ "results": results })))?;
    } else {
        let mut table = Table::new(&["To", if place.dry_run { "Would be" } else { "Is" }, ""]);
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

fn show(context: &Context, arguments: &ReadArgs) -> anyhow::Result<Exit> {
    refuse(&[
        ("--before", arguments.before.is_some()),
        ("--after", arguments.after.is_some()),
        ("--around", arguments.around.is_some()),
        ("--include-thread", arguments.include_thread),
    ])?;
    let place = &arguments.place;
    if place.channel() != USUAL {
        return Err(misuse(format!("{} cannot be read; there is only the web chat yet", place.channel())));
    }
    let mut params = json!({ "sessionKey": arguments.target.trim() });
    if let Some(limit) = arguments.limit {
        params["limit"] = json!(limit);
    }
    if place.dry_run {
        return tell_dry(place, "read", &params);
    }
    let history = question(context, place, "chat.history", params)?;
    if place.json {
        print::json(&whole(place, "read", "core", history))?;
    } else {
        print::line(&render(&history))?;
    }
    Ok(Exit::Done)
}

/// Refuses what was asked for and no place can do.
fn refuse(asked: &[(&str, bool)]) -> anyhow::Result<()> {
    match asked.iter().find(|(_, asked)| *asked) {
        Some((flag, _)) => Err(misuse(format!("the web chat cannot do what {flag} asks for; leave it out"))),
        None => Ok(()),
    }
}

fn params(
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
    let mut params = json!({
        "to": target, "channel": place.channel(), "idempotencyKey": uuid::Uuid::new_v4().to_string(),
    });
    for (name, value) in [("message", message), ("mediaUrl", media), ("accountId", place.account.as_deref())]
    {
        if let Some(value) = value {
            params[name] = json!(value);
        }
    }
    Ok(params)
}

fn question(context: &Context, place: &PlaceArgs, method: &str, params: Value) -> anyhow::Result<Value> {
    let target = Target::resolve(context, &TargetArgs::default())?;
    if place.verbose {
        print::note(&print::muted(&format!("Gateway: {} ({})", target.address, target.source.text())))?;
    }
    ask(context, &target, &Question::new(method, params, PATIENCE))
}

fn whole(place: &PlaceArgs, action: &str, handled_by: &str, payload: Value) -> Value {
    json!({
        "action": action, "channel": place.channel(), "dryRun": place.dry_run, "handledBy": handled_by,
        "payload": payload,
    })
}

fn tell_dry(place: &PlaceArgs, action: &str, params: &Value) -> anyhow::Result<Exit> {
    if place.json {
        print::json(&whole(place, action, "dry-run", params.clone()))?;
    } else {
        print::line(&format!("Nothing was done. `message {action}` would ask for {params}"))?;
    }
    Ok(Exit::Done)
}

fn render(history: &Value) -> String {
    let messages = history["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    if messages.is_empty() {
        return print::muted("Nothing was said yet.");
    }
    let mut table = Table::new(&["When", "Who", "What"]);
    for message in messages {
        let when = message["timestamp"].as_i64().map(print::local_minute).unwrap_or_default();
        let who = message["role"].as_str().unwrap_or("?").to_owned();
        table.row([when, who, shortened(&words(message))]);
    }
    table.render()
}

/// The words of a message; what is no text is named.
pub(crate) fn words(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let parts: Vec<String> = blocks
                .iter()
                .filter_map(|block| match block["type"].as_str()? {
                    "text" => Some(block["text"].as_str()?.to_owned()),
                    "toolCall" => Some(format!("[calls {}]", block["name"].as_str()?)),
                    "image" => Some("[picture]".to_owned()),
                    _ => None,
                })
                .collect();
            parts.join(" ")
        }
        _ => String::new(),
    }
}

/// The beginning of a text on one line.
pub(crate) fn shortened(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match one_line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &one_line[..end]),
        None => one_line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_a_channel_says_so() {
        let told = |action: &str| unserved(&[action.to_owned()]).to_string();
        assert!(told("react").contains("needs a channel"), "{}", told("react"));
        assert!(told("sing").contains("there is no `message sing`"), "{}", told("sing"));
    }

    #[test]
    fn messages_are_shown_on_one_line_each() {
        let history = json!({ "messages": [
            { "role": "user", "content": "hello\nthere" },
            { "role": "assistant", "content": [
                { "type": "thinking", "thinking": "hm" }, { "type": "toolCall", "name": "read", "id": "1" },
                { "type": "text", "text": "x".repeat(100) },
            ] },
        ] });
        insta::assert_snapshot!(print::without_colours(&render(&history)), @r"
        When  Who        What
              user       hello there
              assistant  [calls read] xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
        ");
    }
}
