//! The whole spine in process: memory stores, a model that reads its orders, simulated time, small real tools.
//!
//! `heart` puts a flow together, `world` gives it stores that outlive it, `scripted_model` is the model, `props` the tools, `crash_plan` ends a process at a given
//! step. The stories are about what a sender of messages sees.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod answers;
mod chance;
mod channels;
mod channels_crash;
mod crash;
mod crash_plan;
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
mod scripted_model;
mod stop;
mod subagents;
mod subagents_crash;
mod twice;
mod world;
