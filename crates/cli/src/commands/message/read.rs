//! `openclaw message read`: the newest messages of a conversation. A web chat is a session and is read as one; a
//! platform is asked.

use clap::Args;
use serde_json::{Map, Value, json};

use super::{Done, PlaceArgs, WEBCHAT, Where, act, question, tell_dry, whole};
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print::{self, TextTable};

/// How many characters of a message a table shows.
const SHOWN: usize = 90;

#[derive(Debug, Args)]
pub(super) struct ReadArgs {
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
    /// Refused: threads are read one by one, each as a target of its own
    #[arg(long)]
    include_thread: bool,
    #[command(flatten)]
    pub(super) place: PlaceArgs,
}

/// Shows a conversation.
pub(super) fn show(context: &Context, arguments: &ReadArgs) -> anyhow::Result<Exit> {
    let place = &arguments.place;
    if let Some(problem) = beyond(arguments) {
        return Err(misuse(problem));
    }
    match place.read(context)? {
        Where::Webchat => show_session(context, arguments),
        Where::Channel(_) => act(context, "read", params(arguments), place),
    }
}

/// What is asked for that no channel does.
fn beyond(arguments: &ReadArgs) -> Option<String> {
    let problem = "threads are read one by one: leave --include-thread out and name the thread in --target";
    arguments.include_thread.then(|| problem.to_owned())
}

fn params(arguments: &ReadArgs) -> Map<String, Value> {
    let fields = [
        ("target", json!(arguments.target.trim())),
        ("limit", json!(arguments.limit)),
        ("before", json!(arguments.before)),
        ("after", json!(arguments.after)),
        ("around", json!(arguments.around)),
    ];
    let given = fields.into_iter().filter(|(_, value)| !value.is_null());
    given.map(|(name, value)| (name.to_owned(), value)).collect()
}

fn show_session(context: &Context, arguments: &ReadArgs) -> anyhow::Result<Exit> {
    let place = &arguments.place;
    let asked = [
        ("--before", arguments.before.is_some()),
        ("--after", arguments.after.is_some()),
        ("--around", arguments.around.is_some()),
    ];
    if let Some((flag, _)) = asked.iter().find(|(_, asked)| *asked) {
        return Err(misuse(format!("the web chat cannot do what {flag} asks for; leave it out")));
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
        let mut told = whole(place, "read", &Done { by: "core", payload: history });
        told["channel"] = json!(WEBCHAT);
        print::json(&told)?;
    } else {
        print::line(&render(&history))?;
    }
    Ok(Exit::Done)
}

fn render(history: &Value) -> String {
    let messages = history["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    if messages.is_empty() {
        return print::muted("Nothing was said yet.");
    }
    let mut table = TextTable::new(&["When", "Who", "What"]);
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
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        read: ReadArgs,
    }

    #[test]
    fn reading_threads_along_is_refused_in_words_instead_of_ignored() {
        let read =
            |more: &[&str]| Command::parse_from([&["message", "--target", "room"], more].concat()).read;
        assert_eq!(beyond(&read(&[])), None);
        let problem = beyond(&read(&["--include-thread"])).unwrap();
        assert!(problem.contains("--include-thread") && problem.contains("one by one"), "{problem}");
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
