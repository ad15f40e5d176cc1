//! Reads and writes the files the original keeps sign-ins in. Pure: text in, plain data out, and back.
//!
//! `auth-profiles.json` has profiles, an order and how each fared; `auth.json` and `credentials/oauth.json` are older
//! and only read. `entry` is the form of one credential, `fared` that of its statistics. What a file says beyond what
//! we know goes along, so that writing gives it back; entries that cannot be understood are reported, not guessed at.

mod entry;
mod fared;
mod file;

#[cfg(test)]
mod tests;

pub use file::{
    AuthFile, FileRest, ImportError, ImportProblem, read_auth_map, read_auth_profiles, read_oauth_file,
    write_auth_profiles,
};
