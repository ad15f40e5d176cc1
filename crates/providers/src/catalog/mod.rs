//! What is known about vendors and their models before one is called.
//!
//! `vendors` holds what the program knows by itself, `discover` finds servers on this machine and lists that vendors
//! publish, `registry_file` reads the list an older installation left behind. `assemble` joins them with the
//! configuration into one catalog. Nothing here signs in or calls a model.

mod assemble;
mod compat;
mod discover;
mod facts;
mod places;
mod registry_file;
mod unlisted;
mod vendor;
mod vendors;
mod written;

#[cfg(test)]
mod tests;

pub use assemble::{Catalog, CatalogInputs, Demonstration};
pub use discover::{
    BedrockQuestion, FoundModel, FoundServer, LocalServer, LocalServerKind, LocalServers, RouterModel,
    ask_bedrock, ask_openrouter, find_local, read_openrouter,
};
pub use registry_file::{NotARegistry, RegistryFile, read_registry_file};
pub use unlisted::resolve_unlisted;
pub use vendor::{Offers, Quirk, Vendor, VendorModel};
pub use vendors::vendor;
