//! One step of a run: what comes next, which calls go round in circles, what a result may be. Decisions alone.
//!
//! Everything here is pure; `run` carries it out.

pub(crate) mod arguments;
pub(crate) mod claims;
pub(crate) mod clean;
pub(crate) mod decide;
pub(crate) mod guard;
pub(crate) mod told;
pub(crate) mod trouble;
