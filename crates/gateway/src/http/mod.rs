//! The HTTP side of the port: probes, metrics, interfaces that other programs know, and the Control UI.
//!
//! `web` sorts requests, `answers` holds the shapes and headers of all answers, `bearer` checks the gateway's secret,
//! `api` answers other programs, `webhook` takes what platforms bring, `control_ui` serves pages through
//! `contained_file`, `meters` counts for the whole gateway.

mod answers;
mod api;
mod avatar;
mod bearer;
mod contained_file;
mod control_ui;
mod meters;
mod web;
mod webhook;

pub(crate) use answers::{not_found, text as plain_text};
pub(crate) use avatar::{names_picture, shown as shown_avatar};
pub(crate) use meters::{Meters, RequestEnd};
pub(crate) use web::Web;
