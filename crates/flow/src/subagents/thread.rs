//! A thread of its own for a sub-agent, in the conversation it was asked for in.
//!
//! Made before anything is written down: a thread that nobody works in does no harm, a sub-agent without its thread would
//! talk to nobody.

use openclaw_ports::tool::SessionToolFault;
use openclaw_types::{ChatKind, SendTarget, Sender, SessionKey};

use super::spawn::fault;
use crate::bindings::{BoundPlace, ThreadBinding};
use crate::flow::Inner;

/// The longest name of a thread, in submissions.
const LONGEST_NAME: usize = 80;

/// Makes a thread beside what somebody wrote, called by these words.
pub(super) async fn make(
    flow: &Inner,
    asked_by: &Sender,
    name: &str,
) -> Result<SendTarget, SessionToolFault> {
    let (Some(channel), Some(account), Some(to)) = (&asked_by.channel, &asked_by.account, &asked_by.to)
    else {
        return Err(SessionToolFault::Refused(
            "This conversation is on no platform, so that there is no place for a thread. Leave `thread` out.".to_owned(),
        ));
    };
    if asked_by.chat == ChatKind::Direct {
        return Err(SessionToolFault::Refused(
            "A direct chat has no threads. Leave `thread` out.".to_owned(),
        ));
    }
    if let Err(key) = flow.binding_time(channel, account) {
        return Err(SessionToolFault::Refused(format!(
            "Threads are not bound to sessions here: {key} is false. Leave `thread` out."
        )));
    }
    if !flow.spawns_threads(channel, account) {
        return Err(SessionToolFault::Refused(format!(
            "Sub-agents get no threads there: channels.{channel}.threadBindings.spawnSubagentSessions is not true. Leave \
             `thread` out, or ask the owner to set it."
        )));
    }
    let surface = flow.parts.channels.surface(channel, account);
    let threads = surface.as_ref().and_then(|surface| surface.threads.clone()).ok_or_else(|| {
        SessionToolFault::Refused(format!("No threads can be made on {channel} now. Leave `thread` out."))
    })?;
    let here = SendTarget {
        channel: channel.clone(),
        account: account.clone(),
        to: to.clone(),
        thread: asked_by.thread.clone(),
    };
    let name: String =
        name.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST_NAME).collect();
    let made = threads.create(&here, &name, None).await;
    let thread =
        made.map_err(|error| SessionToolFault::Refused(format!("No thread could be made: {error}")))?;
    Ok(SendTarget { thread: Some(thread), ..here })
}

/// Has a session answer in its thread.
pub(super) async fn bind(
    flow: &Inner,
    target: &SendTarget,
    session: &SessionKey,
    name: &str,
) -> Result<(), SessionToolFault> {
    let Some(place) = BoundPlace::made(target) else { return Ok(()) };
    let time = flow.binding_time(&target.channel, &target.account).unwrap_or(None);
    let binding = ThreadBinding {
        session: session.clone(),
        name: Some(name.to_owned()),
        until: time.map(|time| flow.now().plus(time)),
        target: Some(target.clone()),
    };
    flow.bind(&place, &binding).await.map_err(fault)
}
