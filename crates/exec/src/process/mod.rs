//! Processes: started in a group of their own, watched, bounded in time and output, and never left behind.
//!
//! `environment` says what a child may see, `start` starts it on pipes or a terminal, `watch` follows it to its end,
//! `table` remembers those in the background, `leash` sees to it that none outlives the gateway. Whether a command may
//! run was decided before.

mod clean;
mod environment;
mod leash;
mod names;
mod output;
mod signal;
mod start;
mod table;
mod task;
mod watch;

#[cfg(test)]
mod tests;

pub use table::ExitNotice;

pub(crate) use environment::child_environment;
pub(crate) use output::LineRange;
pub(crate) use start::Launch;
pub(crate) use table::{ProcessOrder, ProcessTable};
pub(crate) use task::Process;
