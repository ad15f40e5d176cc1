//! An answer while it is made: in blocks that are messages of their own, or as one draft that grows.
//!
//! Everything here is a state machine without clock and without chance: moments and random numbers are given. `flow` feeds
//! it with the words that `LiveAnswer` lets through and sends what comes out.

mod blocks;
mod coalesce;
mod draft;
mod fences;
mod pace;

#[cfg(test)]
mod tests;

pub use blocks::{BlockSettings, BlockStream, FlushAt, rest_of};
pub use coalesce::{Block, Coalescer, coalesce_settings};
pub use draft::{DraftSettings, DraftStep, DraftStream};
pub use pace::HumanDelay;
