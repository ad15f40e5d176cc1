//! In which order the credentials of a vendor are tried.
//!
//! Pure: what is known of credentials and of their health goes in, a list comes out. `models` asks before each model
//! of a chain; `failover` keeps the health.

mod order;

#[cfg(test)]
mod tests;

pub(crate) use order::{CredentialOrder, OrderRules, Ordered, Rest, line_up};
