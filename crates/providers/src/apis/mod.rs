//! One folder for each wire protocol.

mod shared;

#[cfg(test)]
mod conformance;
