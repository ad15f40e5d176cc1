//! Whether a command may run: at once, after asking a person, or not at all.
//!
//! `effective` finds the rules that hold for a call; `decide` applies them to a command line that was read. Both are
//! pure: what was looked up is handed in. The command host acts on the verdict.

mod allowlist;
mod decide;
mod effective;
mod grants;
mod safe_bins;
mod scope;
mod variables;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tricks;

pub use scope::{GrantFolder, GrantHolder, GrantScope, GrantWidth, GrantWords, UnknownScope};

pub(crate) use allowlist::AllowEntry;
pub(crate) use decide::{AskReason, Basis, Case, ExecVerdict, decide, unanswered};
pub(crate) use effective::{
    ExecPrincipal, ExecRefusal, ExecRules, FileRules, Sources, ask_text, ask_word, effective, security_text,
    security_word,
};
pub use effective::{elevated_obstacle, loosened};
pub(crate) use grants::{GrantFor, grants_for, latitude};
pub(crate) use safe_bins::SafeBins;
pub(crate) use variables::AddedVariables;
