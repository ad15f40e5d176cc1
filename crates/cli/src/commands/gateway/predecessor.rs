//! Ends or restarts the gateway that holds this state directory, whether or not a service runs it.
//!
//! The lock file names the process; the lock itself, held by the kernel, says whether it still lives.

use std::time::Duration;

use anyhow::Context as _;
use openclaw_app::{InstanceInfo, running_instance};
use openclaw_ports::{Clock, Deadline};
use rustix::process::{Pid, Signal, kill_process};

use crate::call::block_on;
use crate::context::Context;
use crate::print;
use crate::service::Manager;

/// How long a gateway may take to stop in order.
const POLITE: Duration = Duration::from_secs(20);
/// How long the kernel may take to end a process that was killed.
const FORCED: Duration = Duration::from_secs(5);
/// How often the lock is looked at.
const LOOK: Duration = Duration::from_millis(25);

/// The gateway that holds the state directory.
pub(super) fn find(context: &Context) -> anyhow::Result<Option<InstanceInfo>> {
    running_instance(&context.locations)
        .context("the lock of the gateway cannot be read; check the state directory with `openclaw doctor`")
}

/// Stops the gateway that is in the way, by force if it does not listen.
pub(super) fn make_way(context: &Context) -> anyhow::Result<()> {
    let Some(instance) = find(context)? else { return Ok(()) };
    let manager = Manager::new(&context.environment, &context.locations, context.clock.as_ref());
    let service = block_on(async { Ok(manager.report().await) })?;
    // A service manager would start it again at once, and the two would fight.
    anyhow::ensure!(
        service.runtime.pid != Some(instance.pid),
        "the gateway with pid {} is run by the service {}; stop it with `openclaw gateway stop`",
        instance.pid,
        service.name
    );
    print::note(&format!("stopping the gateway with pid {}", instance.pid))?;
    if stop(context, &instance)? == Stopped::StillThere {
        print::note("it does not stop in order; ending it by force")?;
        signal(&instance, Signal::KILL)?;
        anyhow::ensure!(
            wait_until_free(context, FORCED)?,
            "the gateway with pid {} cannot be ended; end it by hand",
            instance.pid
        );
    }
    Ok(())
}

/// Whether a gateway ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    /// It ended in order.
    InOrder,
    /// It still holds the state directory.
    StillThere,
}

/// Asks a gateway to stop and waits until it has.
pub(super) fn stop(context: &Context, instance: &InstanceInfo) -> anyhow::Result<Stopped> {
    signal(instance, Signal::TERM)?;
    Ok(if wait_until_free(context, POLITE)? { Stopped::InOrder } else { Stopped::StillThere })
}

/// Asks a gateway to start itself anew.
pub(super) fn restart(instance: &InstanceInfo) -> anyhow::Result<()> {
    signal(instance, Signal::USR1)
}

fn signal(instance: &InstanceInfo, signal: Signal) -> anyhow::Result<()> {
    let pid = i32::try_from(instance.pid).ok().and_then(Pid::from_raw);
    let pid =
        pid.context("the lock of the gateway names no process; remove it after making sure no gateway runs")?;
    kill_process(pid, signal).with_context(|| {
        format!("the gateway with pid {} cannot be signalled; is it another user's?", instance.pid)
    })
}

fn wait_until_free(context: &Context, limit: Duration) -> anyhow::Result<bool> {
    block_on(async {
        let clock: &dyn Clock = context.clock.as_ref();
        let deadline = Deadline::after(clock, limit);
        loop {
            if find(context)?.is_none() {
                return Ok(true);
            }
            if deadline.left(clock).is_zero() {
                return Ok(false);
            }
            clock.sleep(LOOK).await;
        }
    })
}
