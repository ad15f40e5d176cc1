//! Secrets that are looked for after the tests ran: whoever finds one in a log or a store has found a leak.

/// A credential for a test. Every one holds the word that `cargo xtask test` searches for in all that the tests print
/// and write. A file in which a test itself must write one is named `planted…`, or as a person would name it.
#[must_use]
pub fn planted_secret(name: &str) -> String {
    format!("planted-{name}-5f1dc2aa90b7")
}
