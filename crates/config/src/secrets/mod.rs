//! Finds secrets that the configuration only refers to: in a variable, in a file, or printed by a program.
//!
//! `SecretResolver` is asked at the moment a secret is used. What it finds is kept in memory for a short while, wiped
//! when it goes, and never written anywhere. `reference` reads the forms a reference may have, `file` and `program`
//! do the looking, `trust` decides whether a path may be trusted, `answer` understands what a program printed.

mod answer;
mod file;
mod program;
mod reference;
mod resolver;
mod trust;

#[cfg(test)]
mod tests;

pub use reference::{read_secret_ref, secret_ref_value};
pub use resolver::{SecretResolver, SecretSources};
