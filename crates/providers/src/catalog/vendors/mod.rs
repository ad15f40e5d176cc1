//! The vendors that the program knows by itself: data, one file for each.
//!
//! Facts are as of February 2026 unless a file says otherwise. A new vendor is a new file and a line in its folder's
//! list. Read by `assemble` and by those who need a vendor's names before a catalog exists.

mod hosts;
mod labs;
mod local;
mod routers;

use openclaw_ports::model::normal_provider;

use super::vendor::Vendor;

/// Every vendor, makers first.
pub(super) fn all() -> impl Iterator<Item = &'static Vendor> {
    [labs::ALL, routers::ALL, hosts::ALL, local::ALL].into_iter().flatten().copied()
}

/// A vendor by its name in references, in any spelling that people use.
#[must_use]
pub fn vendor(id: &str) -> Option<&'static Vendor> {
    let id = normal_provider(id);
    all().find(|vendor| vendor.id == id)
}
