//! The stages of a start, one file each; `startup` names their order.

pub(crate) mod agents;
pub(crate) mod banner;
pub(crate) mod channels;
pub(crate) mod configuration;
pub(crate) mod legacy;
pub(crate) mod listening;
pub(crate) mod logging;
pub(crate) mod models;
pub(crate) mod places;
pub(crate) mod secrets;
pub(crate) mod sentinel;
pub(crate) mod storage;
