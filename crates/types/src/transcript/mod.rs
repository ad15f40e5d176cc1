//! Transcripts: the append-only tree of everything that happened in a session, and its file format.
//!
//! `entry` is the domain that engines work with. `line` reads and writes one line of a transcript file, with
//! `read_*` and `write_*` for its parts; `residue` keeps whatever a line held beyond the domain, so that reading and
//! writing any line gives the same JSON value. Files themselves are opened by stores, importers and exporters.

mod entry;
mod fields;
mod line;
mod read_entry;
mod read_message;
mod residue;
mod stamp;
mod tape;
mod write_entry;
mod write_message;

#[cfg(test)]
mod tests;

pub use entry::{
    BranchSummary, Compaction, CustomEntry, EntryBody, Label, OtherEntry, SessionHeader, SummaryAuthor,
    TranscriptEntry,
};
pub use line::{LineEntry, LineRecord, MissingParts, TranscriptLine};
pub use read_message::read_message;
pub use residue::Residue;
pub use write_message::write_message;
