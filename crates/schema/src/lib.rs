//! Checks JSON values against the schemas our own types produce, and says what is wrong in words for people.
//!
//! The protocol uses it to explain refused parameters, the configuration to find every problem of a file in one pass.
//! It knows the part of JSON Schema that `schemars` emits for our types (types, properties, required, closed objects,
//! enum, const, ranges, lengths, patterns, items, anyOf/oneOf/allOf, local references), not the whole standard; an
//! unknown keyword is ignored. Pure: no I/O, no network references.

mod check;
mod issue;
mod suggest;

#[cfg(test)]
mod tests;

pub use check::Checker;
pub use issue::{Issue, PathStep, SchemaProblem};
pub use suggest::closest;
