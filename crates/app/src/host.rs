//! What the process does for the gateway inside it: restart when a method asks for it, read secrets anew.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_config::{LiveConfig, Offered};
use openclaw_gateway::{Host, HostFault, RestartRequest};
use openclaw_ports::{Clock, TaskScope};
use openclaw_protocol::methods::config::{RestartMode, RestartPlan};
use tokio::sync::mpsc;

use crate::signals::Wish;

/// Between asking and doing, so that the answer and whatever else is under way arrives.
const USUAL_DELAY: Duration = Duration::from_secs(2);
const LONGEST_DELAY: Duration = Duration::from_secs(60);

/// The process around the gateway.
pub(crate) struct ProcessHost {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tasks: TaskScope,
    pub(crate) wishes: mpsc::Sender<Wish>,
    pub(crate) config: LiveConfig,
    /// When the scheduled restart happens, on the monotonic clock.
    pub(crate) scheduled: Mutex<Option<Duration>>,
}

#[async_trait]
impl Host for ProcessHost {
    fn request_restart(&self, request: RestartRequest) -> RestartPlan {
        let now = self.clock.elapsed();
        let mut scheduled = self.scheduled.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, coalesced) = match *scheduled {
            Some(at) => (at, true),
            None => (now + request.delay.unwrap_or(USUAL_DELAY).min(LONGEST_DELAY), false),
        };
        *scheduled = Some(at);
        drop(scheduled);
        let delay = at.saturating_sub(now);
        if !coalesced {
            tracing::info!(subsystem = "gateway", reason = %request.reason, delay_ms = delay.as_millis(), "restart scheduled");
            self.restart_after(delay);
        }
        RestartPlan {
            ok: true,
            pid: std::process::id(),
            signal: "SIGUSR1".to_owned(),
            delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
            reason: Some(request.reason),
            mode: RestartMode::Emit,
            coalesced,
            cooldown_ms_applied: 0,
        }
    }

    async fn reload_secrets(&self) -> Result<u64, HostFault> {
        let config = self.config.clone();
        let offered = tokio::task::spawn_blocking(move || config.reload())
            .await
            .map_err(|error| HostFault(format!("reading the configuration was cut off: {error}")))?;
        match offered {
            Offered::Unchanged | Offered::Off | Offered::Taken(_) => Ok(self.config.last_seen().warnings.len() as u64),
            Offered::Refused { issues } => Err(HostFault(format!(
                "the configuration has {} problem(s), so the old secrets stay in use; `openclaw config validate` lists them",
                issues.len()
            ))),
        }
    }
}

impl ProcessHost {
    fn restart_after(&self, delay: Duration) {
        let (clock, wishes) = (Arc::clone(&self.clock), self.wishes.clone());
        self.tasks.start_cancellable("restart", async move {
            clock.sleep(delay).await;
            if wishes.send(Wish::Restart).await.is_err() {
                tracing::debug!("the process is ending already");
            }
        });
    }
}
