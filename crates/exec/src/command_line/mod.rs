//! Reads a shell command line the way the shell will, or says that it cannot.
//!
//! Only a small part of the language is understood: simple commands of literal words, joined by `&&`, `||`, `;`, `|`
//! and newlines, with output thrown away or merged. Everything else is `Opaque`, and what is opaque never matches an
//! allow-list. `read` is pure; `resolve` looks executables up where the child would find them; `carriers` knows the
//! programs that run what they are given. The policy and the command host call this.

mod carriers;
mod git;
mod lex;
mod place;
mod read;
mod render;
mod resolve;
mod tar;

#[cfg(test)]
mod tests;

pub use carriers::Carrier;
pub use read::Opaque;

pub(crate) use carriers::Kin;
pub(crate) use git::{NEUTRAL as NEUTRAL_GIT, is_git};
pub(crate) use lex::is_unclear;
pub(crate) use read::read;
pub(crate) use render::render;
pub(crate) use resolve::{
    Executable, LineInput, Located, LocatedStep, SearchPlace, SteeringVariables, locate,
};
