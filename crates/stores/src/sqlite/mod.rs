//! SQLite, the system of record.
//!
//! `open` and `migrate` bring a file up to date, `writer` commits in groups, `readers` look at snapshots, and
//! `database` joins them for any schema. `state_database` is the gateway-wide file; its aggregates are `devices`,
//! `state` and `audit`. No other crate sees a connection or a statement.

mod audit;
mod backup;
mod database;
mod devices;
mod migrate;
mod open;
mod readers;
mod state;
mod state_database;
mod writer;

pub use state_database::{StateDatabase, StateHealth, StateLocation};

#[cfg(test)]
mod tests;
