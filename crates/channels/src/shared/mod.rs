//! What all platforms need: accounts from a section, rules in neutral words.

mod accounts;
mod rules;

#[cfg(test)]
mod tests;

pub(crate) use accounts::{AccountSection, account_sections};
pub(crate) use rules::{door, manner, room_common};
