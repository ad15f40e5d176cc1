//! Stage: lets letters that come in quick succession wait for each other, and makes one of them.
//!
//! Each is in the inbox already; what waits here is lost with the process and found there again. When a burst goes on is
//! decided in `inbound::conversation`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_inbound::conversation::{Arrival, Burst, BurstKey, Debounce, nature};
use openclaw_types::{SessionKey, UnixMillis};

use super::admit::us;
use super::attach;
use crate::flow::Inner;
use crate::intake::Accepted;

/// The letters that wait, by session.
#[derive(Default)]
pub(crate) struct Bursts(Mutex<HashMap<SessionKey, Debounce<Accepted>>>);

/// Lets a letter wait for others, or go on with those that waited before it.
pub(crate) async fn gather(flow: &Arc<Inner>, accepted: Accepted) {
    let key = accepted.letter().key.clone();
    let Some(arrival) = arrival(flow, &accepted) else {
        return flow.go_on(accepted).await;
    };
    let now = flow.now();
    let (bursts, due) = flow.bursts.on(&key, |waiting| waiting.arrive(arrival, now));
    for burst in bursts {
        go(flow, burst).await;
    }
    if let Some(due) = due {
        wake(flow, key, due);
    }
}

impl Bursts {
    /// Changes what waits for a session. Gives what goes on, and when to look again.
    fn on(
        &self,
        key: &SessionKey,
        change: impl FnOnce(&mut Debounce<Accepted>) -> Vec<Burst<Accepted>>,
    ) -> (Vec<Burst<Accepted>>, Option<UnixMillis>) {
        let mut all = self.all();
        let waiting = all.entry(key.clone()).or_default();
        let bursts = change(waiting);
        let due = waiting.next_due();
        if due.is_none() {
            all.remove(key);
        }
        (bursts, due)
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SessionKey, Debounce<Accepted>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn arrival(flow: &Inner, accepted: &Accepted) -> Option<Arrival<Accepted>> {
    let inbound = &accepted.letter().arrived.as_ref()?.inbound;
    let view = flow.parts.channels.view(&inbound.channel, &inbound.account)?;
    Some(Arrival {
        key: BurstKey::of(inbound),
        nature: nature(inbound, us(&view)),
        wait: flow.rules().debounce.on(&inbound.channel),
        item: accepted.clone(),
    })
}

fn wake(flow: &Arc<Inner>, key: SessionKey, due: UnixMillis) {
    let then = Arc::clone(flow);
    flow.parts.tasks.start_cancellable("burst", async move {
        then.parts.clock.sleep(due.since(then.now())).await;
        let _turn = then.turn(&key).await;
        let now = then.now();
        let (bursts, _) = then.bursts.on(&key, |waiting| waiting.due(now));
        for burst in bursts {
            go(&then, burst).await;
        }
    });
}

async fn go(flow: &Arc<Inner>, burst: Burst<Accepted>) {
    let Some(one) = Accepted::merged(burst, |run| flow.runs.forget(run)) else { return };
    let one = attach(flow, one).await;
    flow.go_on(one).await;
}
