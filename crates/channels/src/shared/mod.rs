//! What all platforms need: accounts from a section, rules in neutral words, calls over HTTP, sockets.

mod account_memory;
mod accounts;
pub(crate) mod form;
mod http;
mod rules;
mod socket;
mod upload;

#[cfg(test)]
mod tests;

pub(crate) use account_memory::AccountMemory;
pub(crate) use accounts::{AccountSection, Owners, account_sections};
pub(crate) use http::{
    AddressFamily, Body, Downloaded, Http, HttpFault, HttpRequest, HttpResponse, HttpSettings, Method,
};
pub(crate) use rules::{approvals, door, manner, room_common};
pub(crate) use socket::{
    SocketFault, SocketMessage, SocketReader, SocketSettings, SocketWriter, open_socket,
};
pub(crate) use upload::UploadField;
