//! Stores: what must survive the process, behind the contracts of `ports::stores`.
//!
//! `sqlite` is the system of record, `memory` its twin for tests and for gateways that keep nothing, `legacy` reads
//! and writes the original's JSON files. `seal` keeps secrets unreadable at rest. Only `app` names these types;
//! everybody else sees the traits.

mod chain;
mod error;
mod files;
pub mod legacy;
pub mod memory;
mod seal;
mod spending;
pub mod sqlite;
mod transcripts;

pub use error::{LegacyError, OpenError, SealError};
pub use seal::KeySource;
