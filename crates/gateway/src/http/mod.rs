//! The HTTP side of the port: probes, metrics and the Control UI.
//!
//! `web` sorts requests, `answers` holds the shapes and headers of all answers, `bearer` checks the gateway's secret,
//! `control_ui` serves pages through `contained_file`, `meters` counts for the whole gateway.

mod answers;
mod avatar;
mod bearer;
mod contained_file;
mod control_ui;
mod meters;
mod web;

pub(crate) use answers::{not_found, text as plain_text};
pub(crate) use meters::{Ended, Meters};
pub(crate) use web::Web;
