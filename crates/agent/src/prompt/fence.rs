//! Fences: how text that came from outside is shown to a model as data.
//!
//! A short text is shown in one line, a long one between two marks. The brackets of the marks occur nowhere else: in
//! the text itself they are replaced, so nothing that somebody writes can close a fence or open one. The same text
//! gives the same bytes, so that vendors' caches hit. `stable/safety.rs` tells the model what the marks mean.

use sha2::{Digest, Sha256};

use super::clean::{clean_block, clean_line};

/// Opens a mark.
pub(super) const OPENS: char = '⟦';
/// Closes a mark.
pub(super) const CLOSES: char = '⟧';
const MARK_BYTES: usize = 8;
const LINE_CHARS: usize = 500;

/// What kind of text is fenced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FenceKind {
    /// The name of a channel or room.
    ChannelName,
    /// The subject of a group.
    GroupSubject,
    /// A directory.
    Directory,
    /// Any other short text, such as a name that a machine or a program gave.
    Label,
    /// What a tool gave back.
    ToolOutput,
    /// What somebody wrote who may not give orders.
    Message,
}

impl FenceKind {
    /// The kind as the model reads it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ChannelName => "channel-name",
            Self::GroupSubject => "group-subject",
            Self::Directory => "directory",
            Self::Label => "label",
            Self::ToolOutput => "tool-output",
            Self::Message => "message",
        }
    }

    fn is_line(self) -> bool {
        match self {
            Self::ChannelName | Self::GroupSubject | Self::Directory | Self::Label => true,
            Self::ToolOutput | Self::Message => false,
        }
    }
}

/// Shows a text from outside as data.
///
/// Short kinds become one line, `⟦label: Ana⟧`; what is longer than a name can be is cut. Long kinds stand
/// between `⟦begin tool-output <mark>⟧` and `⟦end tool-output <mark>⟧`, where the mark is made from the text.
#[must_use]
pub fn fence(kind: FenceKind, text: &str) -> String {
    let name = kind.as_str();
    if kind.is_line() {
        return format!("{OPENS}{name}: {}{CLOSES}", clean_line(text, LINE_CHARS));
    }
    let text = clean_block(text);
    let mark = mark(name, &text);
    format!("{OPENS}begin {name} {mark}{CLOSES}\n{text}\n{OPENS}end {name} {mark}{CLOSES}")
}

/// A mark that changes with the text, so that one fence's end is not another's.
fn mark(name: &str, text: &str) -> String {
    let mut digest = Sha256::new();
    digest.update(name.as_bytes());
    digest.update([0]);
    digest.update(text.as_bytes());
    digest.finalize().iter().take(MARK_BYTES).map(|byte| format!("{byte:02x}")).collect()
}
