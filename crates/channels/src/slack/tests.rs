//! Rules, names, markup and events without a socket. The line itself is in `tests/slack_server.rs`.

pub(super) mod events;
mod markup;
mod settings;
