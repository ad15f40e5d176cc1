//! Params and results of every method, one file for each family.
//!
//! Params are closed or open as the reference says; results are open when read, so that our client understands a newer
//! gateway. A method is a unit type (`Health`, `ChatSend`) that ties its name to its two types. Who may call what is in
//! `table`, what a method does is in `gateway`.

pub mod agents;
pub mod approvals;
pub mod browser;
pub mod catalog;
pub mod channels;
pub mod chat;
pub mod config;
pub mod cron;
pub mod devices;
pub mod health;
pub mod logs;
pub mod messages;
pub mod nodes;
pub mod sessions;
pub mod speech;
pub mod status;
pub mod system;
pub mod usage;
pub mod wizard;

pub use channels::{accounts, outbox, strangers};

use crate::shape::{Yes, object};

object! {
    /// Params of a method that takes none.
    #[derive(Eq, Default)]
    closed NoParams {}
    /// Params of a method that reads none and ignores what it gets.
    #[derive(Eq, Default)]
    open AnyParams {}
    /// It is done.
    #[derive(Eq, Default)]
    open Done {
        ok: Yes,
    }
}
