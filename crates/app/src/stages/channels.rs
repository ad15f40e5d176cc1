//! Stage: connects the accounts on platforms, keeps them in step with the configuration, and lets them go in order.

use openclaw_config::LiveConfig;
use openclaw_flow::{Flow, SectionFault};
use openclaw_ports::{Deadline, TaskScope};

/// Connects the accounts and goes on with what waits to be sent. Nobody waits until a platform answers.
///
/// # Errors
/// What waits to be sent cannot be read.
pub(crate) async fn open(flow: &Flow) -> anyhow::Result<()> {
    tell(&flow.open_channels().await?);
    Ok(())
}

/// Follows the configuration until the scope ends. Accounts whose settings stay the same keep their lines.
pub(crate) fn follow(flow: &Flow, config: &LiveConfig, tasks: &TaskScope) {
    let (flow, config) = (flow.clone(), config.clone());
    tasks.child("channel reload").start_cancellable("channel reload", async move {
        let mut seen = config.current();
        let mut changes = config.subscribe();
        while changes.changed().await.is_ok() {
            let now = config.current();
            if seen.raw.channels != now.raw.channels {
                tell(&flow.apply_channels().await);
            }
            seen = now;
        }
    });
}

/// Waits until what can be sent was.
pub(crate) async fn flush(flow: &Flow, deadline: Deadline) -> Result<(), &'static str> {
    match flow.flush(deadline).await {
        true => Ok(()),
        false => Err("some messages were not sent; they are sent after the next start"),
    }
}

fn tell(faults: &[SectionFault]) {
    for SectionFault { channel, fault } in faults {
        tracing::warn!(subsystem = "channels", "channels.{channel}.{}: {}", fault.path, fault.message);
    }
}
