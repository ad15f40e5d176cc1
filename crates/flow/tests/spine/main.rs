//! The whole spine in process: memory stores, a model that reads its orders, simulated time, small real tools.
//!
//! `heart` puts a flow together, `world` gives it stores that outlive it, `brain` is the model, `props` the tools, `reaper` ends a process at a given
//! step. The stories are about what a sender of messages sees.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod answers;
mod brain;
mod chance;
mod channels;
mod channels_crash;
mod crash;
mod desk;
mod file;
#[path = "../heart/mod.rs"]
mod heart;
mod ledger;
mod lines;
mod many;
mod platforms;
mod props;
mod queue;
mod reaper;
mod stop;
mod subagents;
mod subagents_crash;
mod twice;
mod world;
