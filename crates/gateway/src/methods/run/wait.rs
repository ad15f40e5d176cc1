//! `agent.wait`: waiting for the end of a run.
//!
//! An error is told only after a while, as in the original: the same run may begin again until then, and then its
//! second end is the one that counts. Chats are told of an error at once.

use std::sync::Arc;
use std::time::Duration;

use openclaw_flow::{EndedRun, Flow};
use openclaw_ports::{Clock, Deadline};
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::chat::{AgentWaitParams, AgentWaitResult};
use openclaw_types::{RunEnding, RunId};

use super::answer;
use crate::methods::agents::{AgentServices, run_id};

/// How long a call waits when it is not told.
const USUAL_WAIT: Duration = Duration::from_secs(30);

/// How long after a run failed it may still begin again.
const ERRORS_HELD: Duration = Duration::from_secs(15);

/// The handler.
pub(super) async fn wait(
    services: Arc<AgentServices>,
    clock: Arc<dyn Clock>,
    params: AgentWaitParams,
) -> Result<AgentWaitResult, ErrorShape> {
    let run = run_id(params.run_id.as_str())?;
    let patience = params
        .timeout_ms
        .map_or(USUAL_WAIT, |limit| Duration::from_millis(u64::try_from(limit.get()).unwrap_or(0)));
    let deadline = Deadline::after(clock.as_ref(), patience);
    let ended = settled(&services.flow, clock.as_ref(), &run, deadline).await;
    Ok(answer::waited(&run, ended))
}

/// How a run ended for good; nothing when that was not known by the deadline.
async fn settled(flow: &Flow, clock: &dyn Clock, run: &RunId, deadline: Deadline) -> Option<EndedRun> {
    let mut ended = flow.wait(run, deadline.left(clock)).await?;
    loop {
        let held = held_for(&ended, clock);
        if held.is_zero() {
            return Some(ended);
        }
        let left = deadline.left(clock);
        if left < held {
            clock.sleep(left).await;
            return None;
        }
        clock.sleep(held).await;
        let now = flow.wait(run, deadline.left(clock)).await?;
        if now == ended {
            return Some(ended);
        }
        ended = now;
    }
}

/// How much longer an end is not told.
fn held_for(ended: &EndedRun, clock: &dyn Clock) -> Duration {
    match ended.how {
        RunEnding::Failed { .. } => ERRORS_HELD.saturating_sub(clock.now().since(ended.ended_at)),
        RunEnding::Answered | RunEnding::Aborted(_) => Duration::ZERO,
    }
}
