//! `/focus`, `/unfocus`, `/session ttl` and `/agents`: which session answers in a thread.
//!
//! Everybody who gives commands may have a sub-agent of the conversation answer in its thread. Other sessions hold what was
//! said elsewhere, so that only owners may bind them.

use std::time::Duration;

use openclaw_inbound::commands::{TtlChoice, Who};
use openclaw_types::{SessionKey, UnixMillis};

use super::wording::span;
use super::{CommandCall, CommandTrouble};
use crate::bindings::{BoundPlace, ThreadBinding};
use crate::session_tools;
use crate::subagents::{self, label};

/// How far back those that ended are listed.
const RECENT: Duration = Duration::from_secs(30 * 60);

const NO_THREAD: &str = "⚠️ This is no thread that a session can be bound to: a thread can where it is a room of its own. \
                         Write it inside of one.";
const NOT_BOUND: &str = "⚠️ No other session answers in this thread. /focus binds one.";

/// Has a session answer in the thread.
pub(super) async fn focus(call: &CommandCall<'_>, target: &str) -> Result<String, CommandTrouble> {
    let Some(place) = place(call) else { return Ok(NO_THREAD.to_owned()) };
    let Some(channel_origin) = &call.submission.channel_origin else { return Ok(NO_THREAD.to_owned()) };
    let inbound = &channel_origin.inbound;
    let time = match call.flow.binding_time(&inbound.channel, &inbound.account) {
        Ok(time) => time,
        Err(key) => return Ok(format!("⚠️ Threads are not bound to sessions here: {key} is false.")),
    };
    let session = match meant(call, target).await? {
        Ok(session) => session,
        Err(refusal) => return Ok(refusal),
    };
    let ends = time.map(|time| call.flow.now().plus(time));
    let name = inbound.place.thread_name.clone();
    call.flow
        .bind(&place, &ThreadBinding { session: session.clone(), name, until: ends, target: None })
        .await?;
    Ok(format!("🎯 {session} answers in this thread, {}. /unfocus ends it.", end(call, ends)))
}

/// Gives the thread its own session back.
pub(super) async fn unfocus(call: &CommandCall<'_>) -> Result<String, CommandTrouble> {
    let Some(place) = place(call) else { return Ok(NO_THREAD.to_owned()) };
    Ok(match call.flow.unbind(&place).await? {
        true => "🎯 This thread has its own session again.".to_owned(),
        false => NOT_BOUND.to_owned(),
    })
}

/// Shows or changes how long a session answers in the thread.
pub(super) async fn ttl(call: &CommandCall<'_>, choice: TtlChoice) -> Result<String, CommandTrouble> {
    let Some(place) = place(call) else { return Ok(NO_THREAD.to_owned()) };
    let Some(mut binding) = call.flow.bound(&place).await? else { return Ok(NOT_BOUND.to_owned()) };
    match choice {
        TtlChoice::Show => {}
        TtlChoice::Set(span) => binding.until = Some(call.flow.now().plus(span)),
        TtlChoice::Off => binding.until = None,
    }
    if choice != TtlChoice::Show {
        call.flow.bind(&place, &binding).await?;
    }
    Ok(format!("🎯 {} answers in this thread, {}.", binding.session, end(call, binding.until)))
}

/// Shows which agents work for the session, and which threads are bound.
pub(super) async fn agents(call: &CommandCall<'_>) -> Result<String, CommandTrouble> {
    let roster = subagents::roster(call.flow, call.key(), RECENT).await?;
    let from = &call.submission.from;
    let bound = match from.channel.as_ref().zip(from.account.as_ref()) {
        Some((channel, account)) => call.flow.all_bound(channel, account).await?,
        None => Vec::new(),
    };
    let mut lines = vec!["🤖 Agents at work here".to_owned()];
    for one in &roster.active {
        lines.push(format!("{}. {}", one.index, label(&one.row)));
    }
    if roster.active.is_empty() {
        lines.push("(none)".to_owned());
    }
    lines.push("🎯 Threads that another session answers in".to_owned());
    for binding in &bound {
        let name = binding.name.as_deref().unwrap_or("a thread");
        lines.push(format!("• {name}: {}, {}", binding.session, end(call, binding.until)));
    }
    if bound.is_empty() {
        lines.push("(none)".to_owned());
    }
    Ok(lines.join("\n"))
}

/// The thread a command was given in.
fn place(call: &CommandCall<'_>) -> Option<BoundPlace> {
    BoundPlace::of(&call.submission.channel_origin.as_ref()?.inbound)
}

/// The session that somebody means, or what is wrong.
async fn meant(call: &CommandCall<'_>, target: &str) -> Result<Result<SessionKey, String>, CommandTrouble> {
    let above =
        call.submission.channel_origin.as_ref().and_then(|channel_origin| channel_origin.parent.as_ref());
    for asking in std::iter::once(call.key()).chain(above) {
        if let Ok(row) = subagents::roster(call.flow, asking, RECENT).await?.find(target) {
            return Ok(Ok(row.child.clone()));
        }
    }
    if call.submission.who() != Who::Owner {
        return Ok(Err(format!(
            "⚠️ No sub-agent of this conversation fits '{target}'. Other sessions are for the owner."
        )));
    }
    let found = match session_tools::session(call.flow, call.agent(), target).await {
        Ok(found) => Ok(found),
        Err(_unknown) => session_tools::labelled(call.flow, target, None).await,
    };
    Ok(found.map_err(|_unknown| format!("⚠️ There is no sub-agent and no session '{target}'.")))
}

/// When something ends, in words.
fn end(call: &CommandCall<'_>, at: Option<UnixMillis>) -> String {
    match at {
        Some(at) => format!("for {}", span(at.since(call.flow.now()))),
        None => "until somebody ends it".to_owned(),
    }
}
