//! The door to the web: what is refused, where redirects lead, and what rebinding names cannot do.
//!
//! Servers are real and on this machine, so what reaches them is what the guard let through.

mod door;
mod spellings;
