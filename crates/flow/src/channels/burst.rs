//! Stage: lets submissions that come in quick succession wait for each other, and makes one of them.
//!
//! Each is in the inbox already; what waits here is lost with the process and found there again. When a burst goes on is
//! decided in `inbound::conversation`. Time is counted from the start of the process, so that nobody waits longer when
//! the clock on the wall is set back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_inbound::conversation::{Burst, BurstKey, BurstMessage, Debounce, nature};
use openclaw_types::{SessionKey, UnixMillis};

use super::admit::us;
use super::attach;
use crate::flow::Inner;
use crate::intake::Accepted;
use crate::pipeline::PipelineStep;

/// The submissions that wait, by session.
#[derive(Default)]
pub(crate) struct Bursts(Mutex<HashMap<SessionKey, Waiting>>);

#[derive(Default)]
struct Waiting {
    submissions: Debounce<Accepted>,
    /// When the session is looked at next.
    alarm: Option<UnixMillis>,
}

/// Lets a submission wait for others, or go on with those that waited before it.
pub(crate) async fn gather(flow: &Arc<Inner>, accepted: Accepted) {
    let key = accepted.submission().key.clone();
    let Some(arrival) = arrival(flow, &accepted) else {
        return flow.go_on(accepted).await;
    };
    let now = beat(flow);
    let changed = flow.bursts.on(&key, |waiting| waiting.submissions.arrive(arrival, now));
    Box::pin(go_all(flow, &key, changed)).await;
}

/// Lets those go on that have waited long enough when an alarm goes off.
pub(crate) async fn ring(flow: &Arc<Inner>, key: &SessionKey, alarm: UnixMillis) {
    let now = beat(flow);
    let changed = flow.bursts.on(key, |waiting| {
        // Another alarm took the place of one that was set for later.
        if waiting.alarm != Some(alarm) {
            return Vec::new();
        }
        waiting.alarm = None;
        waiting.submissions.due(now)
    });
    go_all(flow, key, changed).await;
}

/// Lets everything go on that waits in a session.
pub(crate) fn release(flow: &Arc<Inner>, key: &SessionKey) {
    let (bursts, _) = flow.bursts.on(key, |waiting| waiting.submissions.all());
    for burst in bursts {
        flow.then(key, PipelineStep::Together(burst));
    }
}

/// Makes one submission of those that waited for each other, and sends it on.
pub(crate) async fn go(flow: &Arc<Inner>, burst: Burst<Accepted>) {
    let burst = flow.without_stopped(burst).await;
    let Some(mut one) = Accepted::merged(burst, |run| flow.runs.forget(run)) else { return };
    if attach(flow, &mut one).await {
        flow.go_on(one).await;
    }
}

impl Bursts {
    /// Changes what waits for a session. Gives what goes on, and the alarm to set.
    fn on(
        &self,
        key: &SessionKey,
        change: impl FnOnce(&mut Waiting) -> Vec<Burst<Accepted>>,
    ) -> (Vec<Burst<Accepted>>, Option<UnixMillis>) {
        let mut all = self.all();
        let waiting = all.entry(key.clone()).or_default();
        let bursts = change(waiting);
        let Some(due) = waiting.submissions.next_due() else {
            all.remove(key);
            return (bursts, None);
        };
        // An alarm that goes off too early is set again then.
        let sooner = waiting.alarm.is_none_or(|alarm| due < alarm).then_some(due);
        waiting.alarm = sooner.or(waiting.alarm);
        (bursts, sooner)
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SessionKey, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn go_all(
    flow: &Arc<Inner>,
    key: &SessionKey,
    (bursts, alarm): (Vec<Burst<Accepted>>, Option<UnixMillis>),
) {
    // First the alarm: what goes on may take long.
    if let Some(at) = alarm {
        set_alarm(flow, key.clone(), at);
    }
    for burst in bursts {
        go(flow, burst).await;
    }
}

fn set_alarm(flow: &Arc<Inner>, key: SessionKey, at: UnixMillis) {
    let then = Arc::clone(flow);
    flow.parts.tasks.start_cancellable("burst", async move {
        then.parts.clock.sleep(at.since(beat(&then))).await;
        then.then(&key, PipelineStep::Alarm(at));
    });
}

/// The time since the process began.
fn beat(flow: &Inner) -> UnixMillis {
    UnixMillis(0).plus(flow.parts.clock.elapsed())
}

fn arrival(flow: &Inner, accepted: &Accepted) -> Option<BurstMessage<Accepted>> {
    let inbound = &accepted.submission().channel_origin.as_ref()?.inbound;
    let view = flow.parts.channels.view(&inbound.channel, &inbound.account)?;
    Some(BurstMessage {
        key: BurstKey::of(inbound),
        nature: nature(inbound, us(&view)),
        wait: flow.rules().debounce.on(&inbound.channel),
        item: accepted.clone(),
    })
}
