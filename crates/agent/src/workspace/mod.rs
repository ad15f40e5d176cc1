//! The workspace: the folder an agent works in, its files, and what of them goes into the prompt.
//!
//! Files here belong to people: they are never overwritten without being asked, and they are only reached through the
//! handle of their folder. The turn loop prepares and loads; the gateway and the command line list, read and write.

mod error;
mod files;
mod folder;
mod identity;
mod inject;
mod known;
mod marked;
mod memory;
mod names;
mod place;
mod prepare;
mod state;

#[cfg(test)]
pub(crate) mod tests;

pub use error::WorkspaceError;
pub use files::{WorkspaceFile, list_files, read_file, write_file};
pub use folder::FileFacts;
pub use identity::{CardIdentity, read_identity, write_identity};
pub use inject::{Extent, InjectedFile, Injection, Readers, load};
pub(crate) use known::KnownWorkspaces;
pub use marked::MarkedText;
pub use memory::daily_note;
pub use place::{expanded, workspace_dir};
pub use prepare::{Prepared, WorkspaceAge, prepare};
