//! The channel half of the spine: the accounts on platforms, and what comes from them.
//!
//! `accounts` knows the accounts, `supervise` keeps their lines up. `sink` takes events: `admit` checks access, `routing`
//! finds who answers and writes a submission, `burst` joins submissions that come in quick succession, `attach` has their files, `pairing` answers strangers, `heard` keeps what was not for us.
//! `menu` fills menus of commands, `webhook` takes requests, `lookup` and `why` answer questions. What goes out is in
//! `outbox`. Adapters are seen through `ports::channel` alone.

mod accounts;
mod admit;
mod approvals;
mod attach;
mod burst;
mod heard;
mod line;
mod lookup;
mod menu;
mod pairing;
mod rooms;
mod routing;
mod rules;
mod signs;
mod sink;
mod slots;
mod supervise;
mod webhook;
mod why;

pub use accounts::{Accounts, AccountsParts, NoSuchAccount, SectionFault};
pub use line::AccountStatus;
pub use lookup::{Look, LookupFault};
pub use pairing::PairingFault;
pub use webhook::{Called, Hook};
pub use why::{RouteFault, RouteQuestion};

pub(crate) use accounts::AccountView;
pub(crate) use attach::{LineWaits, attach};
pub(crate) use burst::{Bursts, gather, go, release, ring};
pub(crate) use heard::UnansweredHistory;
pub(crate) use menu::{docks, keep_menus};
pub(crate) use pairing::{PairingBook, approve, dismiss};
pub(crate) use rooms::{Talk, chosen_model, kept_of_room, rule_of_room, selection, usual_model};
pub(crate) use rules::{RuleBook, Rules, own_part};
pub(crate) use signs::{RunReactions, Seen};
pub(crate) use sink::{AccountName, FlowSink, follow_room};
pub(crate) use slots::AccountSlots;
pub(crate) use why::explain;
