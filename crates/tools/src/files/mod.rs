//! Tools for files: `read`, `write`, `edit`, `apply_patch`, `grep`, `find`, `ls`.
//!
//! Every access goes through `reach`: a path is decided (`place`), opened from a folder that is held open (`handle`),
//! and checked as opened (`guard`, with `charter` for the files that say who an agent is). The tools themselves know no paths of the machine.

mod charter;
mod content;
mod edit;
mod find;
mod grep;
mod guard;
mod handle;
mod listing;
mod ls;
mod off_thread;
mod patch;
mod place;
mod reach;
mod read;
mod walk;
mod write;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use openclaw_ports::tool::Tool;

pub(crate) use content::size;
pub use guard::{MovedPlaces, ProtectedPlaces};
pub(crate) use off_thread::off_thread;
pub(crate) use patch::PatchSettings;
pub use reach::GuardedFiles;
pub(crate) use reach::{FileHandles, FileScope};

/// The tools of this folder.
pub(crate) fn tools(handles: &FileHandles, settings: &PatchSettings) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(read::ReadTool::new(handles.clone())),
        Arc::new(write::WriteTool::new(handles.clone())),
        Arc::new(edit::EditTool::new(handles.clone())),
        Arc::new(patch::PatchTool::new(handles.clone(), settings.clone())),
        Arc::new(grep::GrepTool::new(handles.clone())),
        Arc::new(find::FindTool::new(handles.clone())),
        Arc::new(ls::LsTool::new(handles.clone())),
    ]
}
