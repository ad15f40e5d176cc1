//! The files of the original: `sessions.json` and one `.jsonl` file for each transcript, in and out.
//!
//! `index` and `lines` are pure and lose nothing: what the store has no place for is kept beside and written back.
//! `import` never overwrites what is newer with us (`merge` decides, `usage` reads what calls took); `gate` makes everybody
//! wait meanwhile; `export` writes files that the original reads. Where they are is known to the caller.

mod export;
mod gate;
mod import;
mod index;
mod lines;
mod merge;
mod names;
mod usage;

#[cfg(test)]
mod tests;

pub use export::{ExportOrder, ExportPlace, Exported, ExportedAgent, export_sessions};
pub use gate::{GatedStore, IMPORT_WAIT, ImportGate};
pub use import::{ImportOrder, Imported, LegacyParts, Skipped, SkippedCause, import_sessions};
pub use lines::LineProblem;
