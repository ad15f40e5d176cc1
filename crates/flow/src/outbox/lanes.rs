//! One sender for each conversation, so that pieces leave in the order they came and nobody waits for another place.
//!
//! A lane lives as long as it has pieces. What it holds is in the outbox too: a crash loses nothing, and a stop only asks
//! the lanes to end after the piece under way.

use std::collections::{BTreeSet, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use openclaw_ports::Deadline;
use openclaw_ports::stores::{NewPiece, OutboxId, OutboxRow, OutboxState, StoreError};
use openclaw_types::{MessageId, Outgoing, SendTarget, UnixMillis};
use tokio::sync::{oneshot, watch};

use super::attempt::{PieceEnd, broke, deliver};
use crate::flow::Inner;

/// The lanes.
pub(crate) struct SendLanes {
    lanes: Mutex<HashMap<SendTarget, BTreeSet<OutboxId>>>,
    /// How many lanes have something that can be sent now.
    busy: watch::Sender<usize>,
    /// Counts up when a person wants something tried again now.
    nudges: watch::Sender<u64>,
    /// Who waits for the message that a piece becomes, by its key.
    waiting: Mutex<HashMap<String, oneshot::Sender<MessageId>>>,
    /// Starts senders: the flow itself, once it is there.
    flow: std::sync::OnceLock<std::sync::Weak<Inner>>,
}

impl Default for SendLanes {
    fn default() -> Self {
        Self {
            lanes: Mutex::default(),
            busy: watch::Sender::new(0),
            nudges: watch::Sender::new(0),
            waiting: Mutex::default(),
            flow: std::sync::OnceLock::new(),
        }
    }
}

/// Keeps pieces and sends them on their way. Pieces whose key is known are left as they are.
///
/// # Errors
/// They could not be kept, and nothing is sent.
pub(crate) async fn keep(flow: &Inner, pieces: Vec<Outgoing>, source: &str) -> Result<(), StoreError> {
    keep_at(flow, pieces, source, flow.now()).await
}

/// Keeps pieces that leave at a moment, and sends them on their way.
///
/// # Errors
/// They could not be kept, and nothing is sent.
pub(crate) async fn keep_at(
    flow: &Inner,
    pieces: Vec<Outgoing>,
    source: &str,
    at: UnixMillis,
) -> Result<(), StoreError> {
    if pieces.is_empty() {
        return Ok(());
    }
    let targets: Vec<SendTarget> = pieces.iter().map(|piece| piece.target.clone()).collect();
    let new = pieces.into_iter().map(|piece| NewPiece { piece, at, source: source.to_owned() });
    let ids = flow.parts.outbox.add(new.collect()).await?;
    // They are kept now, and all of them stand in their lanes before anybody else's: nothing may fail or wait from here on.
    for (id, target) in ids.into_iter().zip(targets) {
        flow.mail.push(id, target);
    }
    Ok(())
}

/// Sends one kept piece on its way, unless it was sent, dropped or given up.
pub(super) async fn resume(flow: &Inner, id: OutboxId) -> Result<(), StoreError> {
    if let Some(row) = flow.parts.outbox.find(id).await?
        && matches!(row.state, OutboxState::Waiting | OutboxState::Sending)
    {
        flow.mail.push(row.id, row.piece.target);
    }
    Ok(())
}

/// Goes on with what an earlier process kept and did not send.
///
/// # Errors
/// The outbox cannot be read.
pub(crate) async fn take_up(flow: &Arc<Inner>) -> Result<usize, StoreError> {
    let open = flow.parts.outbox.open_pieces().await?;
    let count = open.len();
    for row in open {
        flow.mail.push(row.id, row.piece.target);
    }
    Ok(count)
}

impl SendLanes {
    /// Says whose pieces are sent. Once.
    pub(crate) fn serve(&self, flow: &Arc<Inner>) {
        if self.flow.set(Arc::downgrade(flow)).is_err() {
            tracing::error!(subsystem = "outbox", "the senders serve a flow already");
        }
    }

    /// Waits until nothing is being sent.
    pub(crate) async fn rest(&self, flow: &Inner, deadline: Deadline) -> bool {
        let mut busy = self.busy.subscribe();
        deadline.bound(flow.parts.clock.as_ref(), busy.wait_for(|count| *count == 0)).await.is_ok()
    }

    /// Hears which message a piece becomes; the other end is dropped when it becomes none.
    pub(crate) fn hear(&self, key: &str) -> oneshot::Receiver<MessageId> {
        let (tell, told) = oneshot::channel();
        self.waiting().insert(key.to_owned(), tell);
        told
    }

    /// Nobody waits any more for the message that a piece becomes.
    pub(super) fn overhear(&self, key: &str) {
        self.waiting().remove(key);
    }

    /// Tells which message a piece became; nothing when it is settled otherwise.
    pub(crate) fn became(&self, key: &str, message: Option<&MessageId>) {
        let (Some(tell), Some(message)) = (self.waiting().remove(key), message) else { return };
        if tell.send(message.clone()).is_err() {
            tracing::debug!(subsystem = "outbox", "nobody waits for a message any more");
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<MessageId>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has lanes that wait look again at when their first piece is due.
    pub(super) fn nudge(&self) {
        self.nudges.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Hears of those who want something tried again now.
    pub(super) fn nudges(&self) -> watch::Receiver<u64> {
        self.nudges.subscribe()
    }

    /// Notes that a lane only waits: for a moment, for a line. As long as what this gives lives.
    pub(super) fn waits(&self) -> Waits<'_> {
        self.busy.send_modify(|count| *count = count.saturating_sub(1));
        Waits(self)
    }

    /// Has a piece sent after those of its conversation that were kept before it. One that is being settled may be wanted
    /// again: it is looked at once more.
    fn push(&self, id: OutboxId, target: SendTarget) {
        let Some(flow) = self.flow.get().and_then(std::sync::Weak::upgrade) else { return };
        let mut lanes = self.lanes();
        if let Some(lane) = lanes.get_mut(&target) {
            lane.insert(id);
            return;
        }
        lanes.insert(target.clone(), BTreeSet::from([id]));
        drop(lanes);
        self.busy.send_modify(|count| *count += 1);
        let tasks = flow.parts.tasks.clone();
        tasks.start("sender", async move {
            run(&flow, &target).await;
            flow.mail.busy.send_modify(|count| *count = count.saturating_sub(1));
        });
    }

    /// Takes the first piece out of a lane; the lane ends when there is none.
    fn first(&self, target: &SendTarget) -> Option<OutboxId> {
        let mut lanes = self.lanes();
        let first = lanes.get_mut(target).and_then(BTreeSet::pop_first);
        if first.is_none() {
            lanes.remove(target);
        }
        first
    }

    fn close(&self, target: &SendTarget) {
        self.lanes().remove(target);
    }

    fn lanes(&self) -> MutexGuard<'_, HashMap<SendTarget, BTreeSet<OutboxId>>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A lane that only waits.
pub(super) struct Waits<'a>(&'a SendLanes);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.busy.send_modify(|count| *count += 1);
    }
}

/// How long a lane rests when the outbox itself fails.
const STORE_PAUSE: Duration = Duration::from_secs(5);

async fn run(flow: &Arc<Inner>, target: &SendTarget) {
    while let Some(id) = flow.mail.first(target) {
        match send(flow, id).await {
            Ok(PieceEnd::Settled) => {}
            Ok(PieceEnd::Stopping) => {
                flow.mail.close(target);
                return;
            }
            Err(error) => {
                tracing::error!(subsystem = "outbox", %error, "the outbox cannot be written; sending waits");
                flow.mail.push(id, target.clone());
                flow.parts.clock.sleep(STORE_PAUSE).await;
                if flow.parts.tasks.is_cancelled() {
                    flow.mail.close(target);
                    return;
                }
            }
        }
    }
}

/// Sends one piece. A fault of an adapter ends that piece and not the lane.
async fn send(flow: &Arc<Inner>, id: OutboxId) -> Result<PieceEnd, StoreError> {
    let open = |row: &OutboxRow| matches!(row.state, OutboxState::Waiting | OutboxState::Sending);
    let Some(row) = flow.parts.outbox.find(id).await?.filter(open) else { return Ok(PieceEnd::Settled) };
    let key = row.piece.key.clone();
    let ended = match AssertUnwindSafe(deliver(flow, row)).catch_unwind().await {
        Ok(ended) => ended?,
        Err(_panic) => {
            broke(flow, id).await?;
            PieceEnd::Settled
        }
    };
    if matches!(ended, PieceEnd::Settled) {
        flow.mail.became(&key, None);
    }
    Ok(ended)
}
