//! The channel half of the spine: the accounts on platforms, and what comes from them.
//!
//! `hall` knows the accounts, `supervise` keeps their lines up. `sink` takes events: `admit` asks the one door, `routing`
//! finds who answers and writes a letter, `burst` joins letters that come in quick succession, `attach` has their files, `pairing` answers strangers, `heard` keeps what was not for us. What goes out is
//! in `outbox`. Adapters are seen through `ports::channel` alone.

mod admit;
mod approvals;
mod attach;
mod burst;
mod hall;
mod heard;
mod line;
mod pairing;
mod rooms;
mod routing;
mod rules;
mod signs;
mod sink;
mod slots;
mod supervise;

pub use hall::{Hall, HallParts, NoSuchAccount, SectionFault};
pub use line::AccountStatus;
pub use pairing::PairingFault;

pub(crate) use attach::attach;
pub(crate) use burst::{Bursts, gather};
pub(crate) use hall::AccountView;
pub(crate) use heard::HeardBook;
pub(crate) use pairing::{PairingTries, approve};
pub(crate) use rooms::RoomBook;
pub(crate) use rules::{RuleBook, Rules};
pub(crate) use signs::Signs;
pub(crate) use sink::FlowSink;
pub(crate) use slots::Slots;
