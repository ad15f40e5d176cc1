//! Takes what happens on platforms: each event once, durable before the platform is told so.
//!
//! Walks an event through `admit` and `routing` and hands submissions to the flow. An error means that nothing is certain;
//! the platform brings the event again.

mod moved;

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_delivery::NoticeText;
use openclaw_inbound::conversation::happening;
use openclaw_ports::channel::{NotTaken, Sink};
use openclaw_ports::stores::StoreError;
use openclaw_types::{Inbound, SendTarget};

use super::admit::{Admitted, EventAdmission, admit};
use super::routing::Routed;
use super::{heard, pairing, routing};
use crate::error::FlowError;
use crate::flow::Inner;
use crate::outbox;

pub(crate) use moved::{AccountName, follow_room};

/// Takes events into the flow.
pub(crate) struct FlowSink(pub(crate) Arc<Inner>);

#[async_trait]
impl Sink for FlowSink {
    async fn take(&self, events: Vec<Inbound>) -> Result<(), NotTaken> {
        self.0.may_take().await;
        for event in events {
            let (channel, account) = (event.channel.clone(), event.account.clone());
            let channel_accounts = &self.0.parts.channels;
            if let Err(error) = take(&self.0, event).await {
                tracing::error!(subsystem = "channels", %channel, %account, %error, "a message could not be kept; it has to come again");
                let why = format!("messages come but cannot be taken ({error}); the gateway's log says more");
                channel_accounts.note_stuck(&channel, &account, Some(why));
                return Err(NotTaken);
            }
            channel_accounts.note_stuck(&channel, &account, None);
        }
        Ok(())
    }
}

async fn take(flow: &Arc<Inner>, inbound: Inbound) -> Result<(), FlowError> {
    if flow.heard.knows(&inbound) {
        return Ok(());
    }
    let channel_accounts = &flow.parts.channels;
    let Some(view) = channel_accounts.view(&inbound.channel, &inbound.account) else {
        tracing::warn!(subsystem = "channels", channel = %inbound.channel, account = %inbound.account, "a message of an account that is gone is left out");
        return Ok(());
    };
    channel_accounts.note_inbound(&inbound.channel, &inbound.account);
    if let Some(moved) = &inbound.moved {
        follow_room(flow, &view, (&inbound.channel, &inbound.account), moved).await;
    }
    let event = heard::key(&inbound);
    match admit(flow, view.clone(), inbound).await? {
        EventAdmission::In(admitted) => {
            let now = flow.now();
            for part in flow.heard.let_in(admitted.inbound(), admitted.admission(), now) {
                submissions(flow, &part).await?;
            }
            submissions(flow, &admitted).await?;
        }
        EventAdmission::Pair(inbound) => pairing::pair(flow, &inbound).await?,
        EventAdmission::Context(overheard) => match flow.heard.album(overheard.inbound(), flow.now()) {
            Some(admission) => submissions(flow, &overheard.admitted_with(admission)).await?,
            None => {
                let inbound = overheard.inbound();
                flow.heard.keep(inbound, routing::limit(flow, &view, inbound));
                flow.heard.keep_part(*overheard, flow.now());
            }
        },
        EventAdmission::Notice(inbound, keys) => {
            if let Some(line) =
                happening(&inbound, view.descriptor.label, openclaw_agent::prompt::clean_block)
            {
                let now = flow.now();
                keys.iter().for_each(|key| flow.notes.add(key, &line, now));
            }
        }
        EventAdmission::Refused(inbound) => refuse(flow, &inbound).await?,
        EventAdmission::Nothing(rule) => {
            tracing::debug!(subsystem = "channels", %rule, "a message is left out")
        }
    }
    flow.heard.done(event);
    Ok(())
}

/// Tells somebody that a command is not theirs to give.
async fn refuse(flow: &Inner, inbound: &Inbound) -> Result<(), StoreError> {
    let saying = outbox::OwnWords {
        target: answer_to(inbound),
        stem: format!("refused/{}/{}/{}", inbound.channel, inbound.account, inbound.event),
        source: "refused".to_owned(),
        text: NoticeText::CommandNotAllowed.text(),
        buttons: Vec::new(),
    };
    outbox::say(flow, saying).await
}

/// Where an answer of our own to an event goes.
pub(super) fn answer_to(inbound: &Inbound) -> SendTarget {
    SendTarget {
        channel: inbound.channel.clone(),
        account: inbound.account.clone(),
        to: inbound.place.to.clone(),
        thread: inbound.place.answer_thread().cloned(),
    }
}

async fn submissions(flow: &Arc<Inner>, admitted: &Admitted) -> Result<(), FlowError> {
    let heard = flow.heard.waiting(admitted.inbound());
    let routed = routing::route(flow, admitted, &heard).map_err(|error| FlowError::Wrong(error.to_string()));
    let taken = match routed {
        Ok(routed) => take_each(flow, routed).await,
        Err(error) => Err(error),
    };
    match taken {
        Ok(()) => flow.heard.told(admitted.inbound(), &heard),
        // It would be the same when it came again, and everything behind it would wait.
        Err(FlowError::Wrong(why)) => {
            tracing::error!(subsystem = "channels", channel = %admitted.inbound().channel, "a message is left out: {why}");
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

async fn take_each(flow: &Arc<Inner>, routed: Vec<Routed>) -> Result<(), FlowError> {
    for each in routed {
        match flow.take_in(each.into_letter()).await {
            Ok(()) => {}
            // Rules of the session forbid it, or there is nothing to answer: coming again would not help.
            Err(FlowError::Blocked | FlowError::Empty) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
