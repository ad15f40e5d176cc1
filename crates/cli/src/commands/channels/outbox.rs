//! `openclaw outbox …`: what waits to be sent to platforms.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::ask::{AskArgs, tell, text};
use crate::context::Context;
use crate::exit::Exit;
use crate::print::{self, TextTable};

/// `openclaw outbox`
#[derive(Debug, Args)]
pub(crate) struct OutboxArgs {
    #[command(subcommand)]
    command: OutboxCommand,
}

#[derive(Debug, Subcommand)]
enum OutboxCommand {
    /// Show messages that wait to be sent, and others
    List {
        /// Only in this state: waiting, sending, sent, failed, dropped
        #[arg(long, value_name = "state")]
        state: Option<String>,
        /// Maximum number of messages
        #[arg(long, value_name = "n")]
        limit: Option<u64>,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Try a message again
    Retry {
        /// Its number, from `openclaw outbox list`
        id: i64,
        #[command(flatten)]
        ask: AskArgs,
    },
    /// Drop a message
    Drop {
        /// Its number, from `openclaw outbox list`
        id: i64,
        #[command(flatten)]
        ask: AskArgs,
    },
}

/// Runs `openclaw outbox`.
pub(crate) fn run(context: &Context, arguments: OutboxArgs) -> anyhow::Result<Exit> {
    match arguments.command {
        OutboxCommand::List { state, limit, ask } => {
            let mut params = json!({});
            if let Some(state) = state {
                params["state"] = json!(state);
            }
            if let Some(limit) = limit {
                params["limit"] = json!(limit);
            }
            tell(context, &ask, ("outbox.list", params), pieces)
        }
        OutboxCommand::Retry { id, ask } => {
            tell(context, &ask, ("outbox.retry", json!({ "id": id })), |_| {
                format!("Message {id} is tried again")
            })
        }
        OutboxCommand::Drop { id, ask } => {
            tell(context, &ask, ("outbox.drop", json!({ "id": id })), |_| format!("Message {id} is dropped"))
        }
    }
}

fn pieces(answer: &Value) -> String {
    let all = answer["pieces"].as_array().cloned().unwrap_or_default();
    if all.is_empty() {
        return print::muted("The outbox is empty.");
    }
    let mut table = TextTable::new(&["Number", "Channel", "To", "State", "Attempts", "Text", "Error"]);
    for one in &all {
        table.row([
            text(&one["id"]),
            text(&one["channel"]),
            text(&one["to"]),
            text(&one["state"]),
            text(&one["attempts"]),
            text(&one["text"]).lines().next().unwrap_or_default().to_owned(),
            text(&one["lastError"]),
        ]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_wait_are_shown_with_their_number_and_what_went_wrong() {
        assert!(pieces(&json!({ "pieces": [] })).contains("The outbox is empty."));
        let one = json!({
            "id": 7, "channel": "sim", "accountId": "default", "to": "ana", "state": "failed", "source": "send",
            "text": "first line\nsecond line", "attempts": 3, "lastError": "blocked", "createdAt": 1, "dueAt": 1,
        });
        let shown = pieces(&json!({ "pieces": [one] }));
        for word in ["7", "sim", "ana", "failed", "3", "first line", "blocked"] {
            assert!(shown.contains(word), "{word}: {shown}");
        }
        assert!(!shown.contains("second line"), "{shown}");
    }
}
