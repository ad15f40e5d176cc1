//! SQLite, the system of record.
//!
//! `open` and `migrate` bring a file up to date, `writer` commits in groups, `log_file` puts a commit into the log,
//! `readers` look at snapshots, and `database` joins them for any schema. `state_database` is the gateway-wide file; its
//! aggregates are `devices`, `state`, `audit`, `profiles`, `health`, `usage`, `inbox`, `outbox`, `senders`, `subagents` and
//! `grants`. `agents` has the files of agents. `columns` turns texts into values for all of them. No other crate sees a
//! connection or a statement.

mod agents;
mod audit;
mod backup;
mod columns;
mod database;
mod devices;
mod grants;
mod health;
mod inbox;
mod log_file;
mod migrate;
mod open;
mod outbox;
mod profiles;
mod readers;
mod senders;
mod state;
mod state_database;
mod subagents;
mod usage;
mod writer;

pub use agents::{AgentDatabases, GivenFolders};
pub use state_database::{StateDatabase, StateHealth, StateLocation};

#[cfg(test)]
mod tests;
