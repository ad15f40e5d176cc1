//! `/whoami`: who the author is to us, in the words that allow-lists want.

use super::CommandCall;
use crate::submission::Rank;

/// The card.
pub(super) fn whoami(call: &CommandCall<'_>) -> String {
    let from = &call.submission.from;
    let channel = call.channel();
    let mut lines = vec!["🧭 Who you are to me".to_owned(), format!("Channel: {channel}")];
    if let Some(account) = &from.account {
        lines.push(format!("My account there: {}", account.as_str()));
    }
    match &from.peer {
        Some(peer) => {
            lines.push(format!("Your id: {}", peer.as_str()));
            lines.push(format!("For an allow-list (allowFrom): {}", peer.as_str()));
        }
        None => lines.push("Your id: none; you came in through the gateway itself".to_owned()),
    }
    if let Some(name) = from.name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        lines.push(format!("Name: {name}"));
    }
    if from.group {
        lines.push(format!("Group: {}", from.to.as_deref().unwrap_or("unknown")));
    }
    lines.push(format!(
        "Standing: {}",
        match from.standing {
            Rank::Owner => "owner",
            Rank::Guest => "guest",
            Rank::System => "the gateway itself",
        }
    ));
    lines.join("\n")
}
