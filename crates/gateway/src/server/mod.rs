//! Starting, listening and stopping.
//!
//! `posture` refuses unsafe starts, `bind` opens the sockets, `tls` brings the certificate, `accept` takes connections
//! in. A `Gateway` is a running one; it is stopped by `shutdown`, or by cancelling the tasks it was given.

mod accept;
mod bind;
mod machine;
mod posture;
mod run;
mod tls;

pub(crate) use accept::{Arrived, HttpSurface};
pub use bind::{ListenPlan, TlsPlan};
pub use run::{Gateway, ShutdownKind, start};
