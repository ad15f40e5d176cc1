//! How often something may be tried, and how much of something one caller may hold: wrong secrets, control-plane
//! calls, calls in the wrong role, places for sockets.
//!
//! All maps are bounded and all time is passed in as monotonic time. Deciding what a refusal says to the client is
//! left to the callers, `handshake` and `connection`.

mod attempts;
mod budget;
mod places;
mod wrong_role;

pub(crate) use attempts::{Attempter, AuthLimits, Counted, CredentialKind, Lockout};
pub(crate) use budget::{BudgetKey, ControlPlaneBudget};
pub(crate) use places::{PlaceSource, Places, Shares, TakenPlace};
pub(crate) use wrong_role::{FloodVerdict, WrongRoleStreak};

#[cfg(test)]
mod tests;
