//! Does what a patch says to files: everything is worked out and written beside first, then put in place; when a step
//! fails, the steps before it are taken back.

use std::collections::BTreeMap;

use super::super::content::{Staged, commit, delete, discard, stage, whole_text};
use super::super::place::NamedFile;
use super::super::reach::{FileScope, WriteTarget};
use super::hunks::change;
use super::parse::FileChange;
use crate::stop::Stop;

/// What became of which files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) added: Vec<String>,
    pub(super) modified: Vec<String>,
    pub(super) deleted: Vec<String>,
}

impl Summary {
    /// For the model.
    pub(super) fn told(&self) -> String {
        let marked = |mark: &'static str, names: &[String]| {
            names.iter().map(|name| format!("{mark} {name}")).collect::<Vec<_>>()
        };
        let lines =
            [marked("A", &self.added), marked("M", &self.modified), marked("D", &self.deleted)].concat();
        format!("Done. Changed files:\n{}", lines.join("\n"))
    }

    /// For people, in a few words.
    pub(super) fn meta(&self) -> String {
        match self.added.len() + self.modified.len() + self.deleted.len() {
            1 => self.added.iter().chain(&self.modified).chain(&self.deleted).cloned().collect(),
            count => format!("{count} files"),
        }
    }
}

/// A file of the patch: what it was and what it becomes. Nothing stands for a file that is not there.
struct Draft {
    place: NamedFile,
    before: Option<String>,
    after: Option<String>,
    /// The permissions of the file, or of the one that was moved here.
    mode: Option<u32>,
}

/// Applies the changes.
pub(super) fn apply(reach: &FileScope, changes: &[FileChange]) -> Result<Summary, Stop> {
    let mut drafts = Drafts { reach, files: BTreeMap::new() };
    let mut summary = Summary::default();
    for change in changes {
        drafts.take(change, &mut summary)?;
    }
    let changed = drafts.files.into_values().filter(|draft| draft.before != draft.after).collect::<Vec<_>>();
    let ready = prepare(reach, &changed)?;
    put_in_place(reach, &changed, &ready)?;
    Ok(summary)
}

struct Drafts<'a> {
    reach: &'a FileScope,
    files: BTreeMap<String, Draft>,
}

impl Drafts<'_> {
    fn take(&mut self, change: &FileChange, summary: &mut Summary) -> Result<(), Stop> {
        match change {
            FileChange::Add { path, content } => {
                let draft = self.draft(path)?;
                if draft.after.is_some() {
                    return Err(Stop::failed(format!(
                        "{} is there already, so it cannot be added. Use *** Update File, or delete it first.",
                        draft.place.shown
                    )));
                }
                draft.after = Some(content.clone());
                note(&mut summary.added, &draft.place.shown);
            }
            FileChange::Delete { path } => {
                let draft = self.draft(path)?;
                if draft.after.take().is_none() {
                    return Err(absent(&draft.place.shown));
                }
                note(&mut summary.deleted, &draft.place.shown);
            }
            FileChange::Update { path, moved_to, hunks } => {
                let draft = self.draft(path)?;
                let shown = draft.place.shown.clone();
                let Some(now) = draft.after.clone() else { return Err(absent(&shown)) };
                let changed = change_text(&now, hunks, &shown)?;
                match moved_to {
                    None => {
                        draft.after = Some(changed);
                        note(&mut summary.modified, &shown);
                    }
                    Some(other) => {
                        draft.after = None;
                        let mode = draft.mode;
                        let moved = self.draft(other)?;
                        if moved.after.is_some() && moved.place.shown != shown {
                            return Err(Stop::failed(format!(
                                "{shown} cannot be moved to {}, which is there already.",
                                moved.place.shown
                            )));
                        }
                        moved.after = Some(changed);
                        moved.mode = mode;
                        note(&mut summary.modified, &moved.place.shown);
                    }
                }
            }
        }
        Ok(())
    }

    /// The draft of a file, read when it is first met.
    fn draft(&mut self, path: &str) -> Result<&mut Draft, Stop> {
        let place = self.reach.place(path)?;
        let key = place.shown.clone();
        if !self.files.contains_key(&key) {
            let draft = match self.reach.exists(&place)? {
                true => {
                    let open = self.reach.file(&place)?;
                    let mode = Some(open.mode);
                    let text = whole_text(open, &place.shown)?;
                    Draft { place, before: Some(text.clone()), after: Some(text), mode }
                }
                false => Draft { place, before: None, after: None, mode: None },
            };
            self.files.insert(key.clone(), draft);
        }
        self.files.get_mut(&key).ok_or_else(|| absent(path))
    }
}

fn change_text(now: &str, hunks: &[super::parse::Hunk], shown: &str) -> Result<String, Stop> {
    if hunks.is_empty() {
        return Ok(now.to_owned());
    }
    change(now, hunks, shown).map_err(Stop::failed)
}

fn note(list: &mut Vec<String>, name: &str) {
    if !list.iter().any(|there| there == name) {
        list.push(name.to_owned());
    }
}

fn absent(shown: &str) -> Stop {
    Stop::failed(format!("{shown} does not exist, so it cannot be changed."))
}

/// A step that is ready to be done.
enum Step {
    Write(WriteTarget, Staged),
    Delete(WriteTarget),
}

/// Writes everything beside its place. When that fails, nothing is left behind.
fn prepare(reach: &FileScope, drafts: &[Draft]) -> Result<Vec<Step>, Stop> {
    let mut steps = Vec::new();
    for draft in drafts {
        let step = match &draft.after {
            Some(content) => reach.target(&draft.place).and_then(|target| {
                let staged = stage(&target, content.as_bytes(), draft.mode)?;
                Ok(Step::Write(target, staged))
            }),
            None => reach.removable(&draft.place).map(Step::Delete),
        };
        match step {
            Ok(step) => steps.push(step),
            Err(stop) => {
                clean(&steps);
                return Err(stop);
            }
        }
    }
    Ok(steps)
}

fn clean(steps: &[Step]) {
    for step in steps {
        if let Step::Write(target, staged) = step {
            discard(target, staged);
        }
    }
}

fn put_in_place(reach: &FileScope, drafts: &[Draft], steps: &[Step]) -> Result<(), Stop> {
    for (done, step) in steps.iter().enumerate() {
        let result = match step {
            Step::Write(target, staged) => commit(target, staged),
            Step::Delete(target) => delete(target),
        };
        if let Err(stop) = result {
            clean(&steps[done..]);
            take_back(reach, &drafts[..done]);
            return Err(stop);
        }
    }
    Ok(())
}

/// Brings files back to what they were.
fn take_back(reach: &FileScope, drafts: &[Draft]) {
    for draft in drafts {
        let undone = match &draft.before {
            Some(content) => reach.target(&draft.place).and_then(|target| {
                let staged = stage(&target, content.as_bytes(), draft.mode)?;
                commit(&target, &staged)
            }),
            None => reach.removable(&draft.place).and_then(|target| delete(&target)),
        };
        if let Err(stop) = undone {
            tracing::error!(file = draft.place.shown, %stop, "a patch could not be taken back");
        }
    }
}
