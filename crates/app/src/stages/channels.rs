//! Stage: connects the accounts on platforms, keeps them in step with the configuration, and lets them go in order. Before
//! that, people who were let in at an earlier installation are taken over.

use openclaw_config::{LiveConfig, Locations};
use openclaw_flow::{Flow, SectionFault};
use openclaw_ports::{Deadline, TaskScope};
use openclaw_stores::legacy::import_senders_once;
use openclaw_stores::sqlite::StateDatabase;
use openclaw_types::ChannelId;

/// Takes over who was let in, and who waits, from files of the original. Each file once; a failure keeps nobody from
/// starting, since people can be let in again.
pub(crate) async fn take_over(flow: &Flow, locations: &Locations, store: &StateDatabase) {
    let channel_accounts = flow.channels();
    let channels: Vec<&str> = channel_accounts.kinds().iter().map(|kind| kind.id).collect();
    let reach = |channel: &ChannelId, id: &str| {
        let named = channel_accounts
            .target(channel, &format!("user:{id}"))
            .or_else(|_| channel_accounts.target(channel, id));
        named.unwrap_or_else(|_| id.to_owned())
    };
    let folder = locations.credentials_dir();
    match import_senders_once(folder, &channels, &reach, (store, store)).await {
        Ok(report) if report.allowed + report.requests + report.left_out > 0 => tracing::info!(
            subsystem = "channels",
            allowed = report.allowed,
            requests = report.requests,
            left_out = report.left_out,
            "took over who was let in at an earlier installation"
        ),
        Ok(_) => {}
        Err(error) => {
            tracing::warn!(subsystem = "channels", %error, "who was let in earlier could not be taken over")
        }
    }
}

/// Connects the accounts and goes on with what waits to be sent. Nobody waits until a platform answers; what platforms
/// bring waits until what came before is resumed.
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
            let other = seen.raw.channels != now.raw.channels
                || seen.raw.commands != now.raw.commands
                || seen.gateway.channel_health_check != now.gateway.channel_health_check;
            if other {
                apply(&flow).await;
            }
            seen = now;
        }
    });
}

/// Brings the accounts in step with the configuration and its secrets.
pub(crate) async fn apply(flow: &Flow) {
    tell(&flow.apply_channels().await);
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
