//! What is known of a caller before it has proved anything.
//!
//! Both facts come from `handshake::Arrival` and only ever take trust away.

/// Whether a caller sits on this machine and talks to us directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Locality {
    /// It does.
    Local,
    /// It does not, or that cannot be known.
    Remote,
}

/// What kind of program opened the socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Program {
    /// A browser: it sent an `Origin`.
    Browser,
    /// Anything else.
    Native,
}
