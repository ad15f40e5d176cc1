//! The sign_ins with real stores, real sockets and real files.

mod listing;
mod opening;
mod renewing;
mod trading;
