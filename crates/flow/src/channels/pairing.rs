//! Strangers: they get a code, and whoever owns the assistant lets them in by it.
//!
//! `inbound::access` decides about codes. What a stranger is told goes through the outbox under a name of its own, so
//! that it is said once.

use std::sync::{Mutex, PoisonError};

use openclaw_inbound::access::{
    Attempt, PairingReply, PairingStep, Pending, Stranger, approved_notice, expired_before, find, may_try,
    request,
};
use openclaw_ports::stores::{RequestChange, SenderRequest, StoreError};
use openclaw_types::{AccountId, ChannelId, Inbound, SendTarget, UnixMillis};

use super::sink::answer_to;
use crate::flow::Inner;
use crate::outbox;

/// How many wrong codes are remembered.
const MOST_WRONG: usize = 64;

/// What is remembered of strangers while the process lives.
#[derive(Default)]
pub(crate) struct PairingBook {
    /// When wrong codes were tried.
    wrong: Mutex<Vec<UnixMillis>>,
    /// One stranger at a time: whoever looks at those who wait decides before the next one looks.
    turn: tokio::sync::Mutex<()>,
}

/// Why nobody was let in.
#[derive(Debug, thiserror::Error)]
pub enum PairingFault {
    /// Nobody waits with that code.
    #[error("no request has this code; `openclaw pairing list` shows those that wait")]
    Unknown,
    /// Too many wrong codes were tried.
    #[error("too many wrong codes; try again in {seconds} s")]
    TooMany {
        /// How long to wait.
        seconds: u64,
    },
    /// It could not be kept.
    #[error("it could not be kept: {0}")]
    Store(#[from] StoreError),
}

/// Gives a stranger a code, unless they have one. They are told it once, also when we were cut off before that was kept.
pub(super) async fn pair(flow: &Inner, inbound: &Inbound) -> Result<(), StoreError> {
    let _turn = flow.pairing.turn.lock().await;
    let senders = &flow.parts.senders;
    let now = flow.now();
    let kept = senders.requests(Some(&inbound.channel)).await?;
    let pending = pending(&kept);
    let stranger = Stranger { account: &inbound.account, sender: inbound.from.id.as_str() };
    let code = match request(&pending, stranger, now, outbox::chance_bytes()) {
        PairingStep::Full => {
            tracing::info!(subsystem = "channels", channel = %inbound.channel, "too many strangers wait; one more hears nothing");
            return Ok(());
        }
        PairingStep::Fresh { code } | PairingStep::Known { code } => code,
    };
    let known = kept.iter().find(|each| each.code == code);
    let created_at = known.map_or(now, |known| known.created_at);
    let put = SenderRequest {
        channel: inbound.channel.clone(),
        account: inbound.account.clone(),
        sender: inbound.from.id.as_str().to_owned(),
        code: code.clone(),
        created_at,
        seen_at: now,
        to: inbound.place.to.clone(),
        facts: facts(inbound),
    };
    senders.change_requests(&inbound.channel, RequestChange::Expire { before: expired_before(now) }).await?;
    senders.change_requests(&inbound.channel, RequestChange::Put(put)).await?;
    let text = PairingReply { channel: &inbound.channel, person: &inbound.from, code: &code }.text();
    // Named by the request, so that it is said once however often they write.
    let request = format!("{}/{}/{}/{}", inbound.channel, inbound.account, inbound.from.id, created_at.0);
    let saying = outbox::OwnWords {
        target: answer_to(inbound),
        stem: format!("pairing/{request}"),
        source: "pairing".to_owned(),
        text,
        buttons: Vec::new(),
    };
    outbox::say(flow, saying).await
}

/// Lets in whoever has a code, and tells them.
pub(crate) async fn approve(
    flow: &Inner,
    channel: Option<&ChannelId>,
    account: Option<&AccountId>,
    code: &str,
) -> Result<SenderRequest, PairingFault> {
    let _turn = flow.pairing.turn.lock().await;
    let now = flow.now();
    if let Attempt::Wait(pause) = may_try(&flow.pairing.wrong(), now) {
        return Err(PairingFault::TooMany { seconds: pause.as_secs().max(1) });
    }
    let senders = &flow.parts.senders;
    let mut kept = senders.requests(channel).await?;
    kept.retain(|request| account.is_none_or(|account| request.account == *account));
    let Some(found) = find(&pending(&kept), code, now).and_then(|place| kept.get(place).cloned()) else {
        flow.pairing.add_wrong(now);
        return Err(PairingFault::Unknown);
    };
    senders.allow(&found.channel, &found.account, &found.sender).await?;
    let target = SendTarget {
        channel: found.channel.clone(),
        account: found.account.clone(),
        to: found.to.clone(),
        thread: None,
    };
    let stem = format!("paired/{}/{}/{}", found.channel, found.account, found.code);
    let text = approved_notice().to_owned();
    let buttons = Vec::new();
    outbox::say(flow, outbox::OwnWords { target, stem, source: "pairing".to_owned(), text, buttons }).await?;
    // Last: as long as it is there, the same code lets them in and tells them.
    let remove = RequestChange::Remove { account: found.account.clone(), sender: found.sender.clone() };
    senders.change_requests(&found.channel, remove).await?;
    Ok(found)
}

/// Sends somebody away who waits, so that another may. Their code is worth nothing then; when they write again they ask
/// anew.
pub(crate) async fn dismiss(flow: &Inner, waiting: &SenderRequest) -> Result<(), PairingFault> {
    let _turn = flow.pairing.turn.lock().await;
    let senders = &flow.parts.senders;
    let kept = senders.requests(Some(&waiting.channel)).await?;
    let same = |request: &&SenderRequest| {
        request.account == waiting.account && request.sender == waiting.sender && request.code == waiting.code
    };
    if !kept.iter().any(|request| same(&request)) {
        return Err(PairingFault::Unknown);
    }
    let remove = RequestChange::Remove { account: waiting.account.clone(), sender: waiting.sender.clone() };
    senders.change_requests(&waiting.channel, remove).await?;
    Ok(())
}

impl PairingBook {
    fn wrong(&self) -> Vec<UnixMillis> {
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add_wrong(&self, at: UnixMillis) {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        wrong.push(at);
        let spare = wrong.len().saturating_sub(MOST_WRONG);
        wrong.drain(..spare);
    }
}

fn pending(kept: &[SenderRequest]) -> Vec<Pending<'_>> {
    let pending = kept.iter().map(|request| Pending {
        account: &request.account,
        sender: &request.sender,
        code: &request.code,
        created_at: request.created_at,
    });
    pending.collect()
}

/// What people see of a stranger. Text from outside: shown, never trusted.
fn facts(inbound: &Inbound) -> Vec<(String, String)> {
    let named = [("name", &inbound.from.name), ("username", &inbound.from.handle)];
    named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?))).collect()
}
