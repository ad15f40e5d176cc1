//! Money: what a call can cost, which limits hold, and what people are told when one stops a call.
//!
//! Pure. The ledger, handed in to `models`, does the counting; a call reserves before it is sent and settles after.
//! A model that costs nothing is counted and never stopped: there is nothing to set aside for it. One that costs money
//! but nobody knows how much is not called while a limit holds.

mod estimate;
mod limits;
mod refusal;
mod zone;

#[cfg(test)]
mod tests;

pub(crate) use estimate::{Estimate, Progress, estimate, prices_of};
pub(crate) use limits::is_limited;
pub use limits::limits_of;
pub use refusal::BudgetRefusal;
pub use zone::Zone;
