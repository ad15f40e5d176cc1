//! Sessions: what is kept about a conversation, its transcript, and every rule about both.
//!
//! `rules` are pure decisions over the settings, `entry` what is kept beside a transcript, `transcript` writing and
//! what a model sees, `show` what people see, `service` joins them over a store, `legacy` reads and writes the files of
//! the original. Knows the contracts of `ports` and the settings of `config`; never a platform, a model or a socket.

mod entry;
mod error;
mod legacy;
mod rules;
mod service;
mod show;
mod transcript;

#[cfg(test)]
mod testing;

pub use entry::{
    AnewReason, FieldChange, GroupSighting, ModelPick, PatchBounds, Replies, RunCounts, SessionPatch,
    Sighting, count_run, dock, elevated_word, exec_ask_word, exec_host_word, exec_security_word,
    group_activation_word, reasoning_word, response_usage_word, send_policy_word, thinking_word,
    update_route, verbose_word,
};
pub use error::SessionError;
pub use legacy::{
    ExportOrder, ExportPlace, Exported, ExportedAgent, GatedStore, IMPORT_WAIT, ImportGate, ImportOrder,
    Imported, LegacyParts, LineProblem, Skipped, SkippedCause, export_sessions, import_sessions,
};
pub use rules::{
    Freshness, ResetTrigger, SendCase, StaleCause, Zone, freshness, reset_trigger, send_verdict, session_kind,
};
pub use service::{
    BranchTo, ConfigSource, Deleted, Forked, History, Injection, Leaving, ListQuery, Listed, ListedKind,
    Maintained, Opened, OpenedHow, Opening, Preview, PreviewStatus, Removal, RemovalCause, SessionParts,
    SessionSelector, Sessions,
};
pub use show::{PreviewItem, strip_directive_tags, strip_inbound_envelope};
pub use transcript::{Finish, Journal, Projected, Writing, Written, project};
