//! Money: what a call can cost, which limits hold, and what people are told when one stops a call.
//!
//! Pure. The ledger, handed in to `models`, does the counting; a call reserves before it is sent and settles after.
//! A model without known prices, or one that costs nothing, is counted and never stopped: there is nothing to set
//! aside for it.

mod estimate;
mod limits;
mod refusal;
mod zone;

#[cfg(test)]
mod tests;

pub(crate) use estimate::{Estimate, Progress, estimate};
pub use limits::limits_of;
pub use refusal::BudgetRefusal;
pub use zone::Zone;
