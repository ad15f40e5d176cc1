//! Ends connections that keep calling methods of another role.
//!
//! One streak for each connection; any other answer ends the streak. The connection asks after every response.

/// Refusals in a row that are tolerated.
const TOLERATED: u32 = 10;

/// Counts refusals in a row for the wrong role.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WrongRoleStreak(u32);

/// What to do with the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloodVerdict {
    /// Go on.
    Keep,
    /// Close it.
    Close,
}

impl WrongRoleStreak {
    /// A call was refused because of the connection's role.
    pub(crate) fn refused(&mut self) -> FloodVerdict {
        self.0 = self.0.saturating_add(1);
        if self.0 > TOLERATED { FloodVerdict::Close } else { FloodVerdict::Keep }
    }

    /// A call was answered in any other way.
    pub(crate) fn answered(&mut self) {
        self.0 = 0;
    }
}
