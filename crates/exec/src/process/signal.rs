//! Ends whole families of processes: the group, and those that left the group but still carry our mark.
//!
//! Every child gets a variable with a mark of its own, which its children inherit even when they start sessions of
//! their own. Where `/proc` is missing, the group is all that can be reached.

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

/// The variable that carries the mark.
pub(super) const MARK: &str = "OPENCLAW_PROCESS_MARK";

/// A family of processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Family {
    group: Option<Pid>,
    mark: String,
}

impl Family {
    pub(super) fn new(leader: Option<u32>, mark: String) -> Self {
        Self { group: leader.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw), mark }
    }

    /// The number of the group.
    pub(super) fn group(&self) -> Option<i32> {
        self.group.map(|group| group.as_raw_nonzero().get())
    }

    /// Whether anything of the group still lives.
    pub(super) fn is_alive(&self) -> bool {
        self.group.is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    /// Asks everybody to end.
    pub(super) async fn terminate(&self) {
        self.send(Signal::TERM).await;
    }

    /// Ends everybody.
    pub(super) async fn kill(&self) {
        self.send(Signal::KILL).await;
    }

    /// Looking through all processes takes a while, so it is done where waiting is allowed.
    async fn send(&self, signal: Signal) {
        let family = self.clone();
        if let Err(error) = tokio::task::spawn_blocking(move || family.send_now(signal)).await {
            tracing::warn!(%error, "a family of processes could not be looked through; its group is ended alone");
            self.send_to_group(signal);
        }
    }

    fn send_now(&self, signal: Signal) {
        let members = marked(&self.mark);
        self.send_to_group(signal);
        for member in members {
            if let Err(error) = kill_process(member, signal) {
                tracing::debug!(%error, "a member of the family is gone");
            }
        }
    }

    fn send_to_group(&self, signal: Signal) {
        if let Some(group) = self.group
            && let Err(error) = kill_process_group(group, signal)
        {
            tracing::debug!(%error, "the group is gone");
        }
    }
}

/// The processes that carry a mark.
fn marked(mark: &str) -> Vec<Pid> {
    let Ok(folders) = std::fs::read_dir("/proc") else { return Vec::new() };
    let wanted = format!("{MARK}={mark}");
    let numbers = folders.filter_map(|folder| folder.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let carries = |number: &i32| {
        let variables = std::fs::read(format!("/proc/{number}/environ"));
        variables
            .is_ok_and(|bytes| bytes.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()))
    };
    numbers.filter(carries).filter_map(Pid::from_raw).collect()
}

/// The name of a signal.
pub(super) fn name(number: i32) -> String {
    let known = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        other => return format!("signal {other}"),
    };
    known.to_owned()
}
