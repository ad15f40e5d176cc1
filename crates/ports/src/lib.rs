//! Contracts between the engines and what they stand on: time, tasks, stores, models, tools and channels.
//!
//! One file for each plug point. A trait here is small and says what the host promises; adapters implement it and
//! see nothing else of the system. No implementation lives here, the real clock apart.

pub mod channel;
mod clock;
pub mod model;
pub mod stores;
mod tasks;
pub mod tool;

pub use clock::{Clock, Deadline, SystemClock, TimedOut};
pub use tasks::{TaskScope, TasksLeft};
