//! SQLite, the system of record.
//!
//! `open` and `migrate` bring a file up to date, `writer` commits in groups, `readers` look at snapshots, and
//! `database` joins them for any schema. `state_database` is the gateway-wide file; its aggregates are `devices`,
//! `state`, `audit`, `profiles`, `health` and `usage`. `columns` turns texts into values for all of them. No other crate sees a connection or a statement.

mod audit;
mod backup;
mod columns;
mod database;
mod devices;
mod health;
mod migrate;
mod open;
mod profiles;
mod readers;
mod state;
mod state_database;
mod usage;
mod writer;

pub use state_database::{StateDatabase, StateHealth, StateLocation};

#[cfg(test)]
mod tests;
