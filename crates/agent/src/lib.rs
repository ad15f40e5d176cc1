//! The agent: which model answers, what happens when it fails, and how much it may cost.
//!
//! Engines decide; adapters do. This crate sees contracts and configuration, no socket and no store.
