//! What an agent says about itself in `IDENTITY.md`: lines such as `- **Name:** Ada`.
//!
//! Reading and writing back are pure; `read_identity` fetches the file. What the configuration says about an agent's
//! identity wins, and is decided by whoever asks.

use std::path::Path;

use super::error::WorkspaceError;
use super::folder::{Folder, off_thread};
use super::names;

/// What an agent says about itself. Each may be absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardIdentity {
    /// Its name.
    pub name: Option<String>,
    /// The emoji that stands for it.
    pub emoji: Option<String>,
    /// What kind of being it is.
    pub creature: Option<String>,
    /// How it comes across.
    pub vibe: Option<String>,
    /// Its character in a few words.
    pub theme: Option<String>,
    /// Its picture: an address, or a path in the workspace.
    pub avatar: Option<String>,
}

impl CardIdentity {
    /// Reads the lines of a card. Later lines win; empty values and prompts in italics and parentheses are no values.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut card = Self::default();
        for (label, value) in text.lines().filter_map(labelled) {
            if !value.is_empty()
                && !is_prompt(value)
                && let Some(slot) = card.slot(&label)
            {
                *slot = Some(value.trim_matches(['*', '_']).trim().to_owned());
            }
        }
        card
    }

    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Writes what is said here into the text of a card: on the line of the same label, else on a new line at the
    /// end. Everything else stays as it is.
    #[must_use]
    pub fn write_into(&self, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (label, value) in self.values() {
            let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
            let wanted = label.to_lowercase();
            let at = lines.iter().rposition(|line| labelled(line).is_some_and(|(found, _)| found == wanted));
            match at {
                Some(at) => put_on(&mut lines, at, label, &value),
                None => lines.push(format!("- **{label}:** {value}")),
            }
        }
        lines.join("\n") + "\n"
    }

    fn values(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("Name", &self.name),
            ("Creature", &self.creature),
            ("Vibe", &self.vibe),
            ("Emoji", &self.emoji),
            ("Theme", &self.theme),
            ("Avatar", &self.avatar),
        ]
        .into_iter()
        .filter_map(|(label, value)| value.as_deref().map(|value| (label, value)))
    }

    fn slot(&mut self, label: &str) -> Option<&mut Option<String>> {
        match label {
            "name" => Some(&mut self.name),
            "emoji" => Some(&mut self.emoji),
            "creature" => Some(&mut self.creature),
            "vibe" => Some(&mut self.vibe),
            "theme" => Some(&mut self.theme),
            "avatar" => Some(&mut self.avatar),
            _ => None,
        }
    }
}

/// What the agent of a workspace says about itself; nothing said when there is no file.
///
/// # Errors
/// Something other than a plain file is there, or the disk fails.
pub async fn read_identity(dir: &Path) -> Result<CardIdentity, WorkspaceError> {
    let path = dir.to_path_buf();
    off_thread(move || {
        let found = match Folder::open(&path)? {
            Some(folder) => folder.read(names::IDENTITY)?,
            None => None,
        };
        Ok(found.map(|found| CardIdentity::parse(&found.text)).unwrap_or_default())
    })
    .await
}

/// Writes what is given into the card of a workspace. The file is made where it is missing.
///
/// # Errors
/// Something other than a plain file is there, or the disk fails.
pub async fn write_identity(dir: &Path, card: CardIdentity) -> Result<(), WorkspaceError> {
    let path = dir.to_path_buf();
    off_thread(move || {
        let folder = Folder::make(&path)?;
        let found = folder.read(names::IDENTITY)?;
        let text = match &found {
            Some(found) => found.text.as_str(),
            None => names::first_text(names::IDENTITY).unwrap_or_default(),
        };
        folder.write(names::IDENTITY, &card.write_into(text))
    })
    .await
}

/// A line as label and value, when it has a colon.
fn labelled(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    let line = line.strip_prefix('-').unwrap_or(line).trim_start();
    let (label, value) = line.split_once(':')?;
    let label = label.replace(['*', '_'], "").trim().to_lowercase();
    // The asterisks that close a bold label may stand behind the colon.
    let value = value.trim_start_matches('*').trim();
    Some((label, value))
}

/// Whether a value only says what could be written there.
fn is_prompt(value: &str) -> bool {
    value.starts_with("_(") && value.ends_with(")_")
}

fn put_on(lines: &mut Vec<String>, at: usize, label: &str, value: &str) {
    if let Some(line) = lines.get_mut(at) {
        *line = format!("- **{label}:** {value}");
    }
    if lines.get(at + 1).is_some_and(|next| is_prompt(next.trim())) {
        lines.remove(at + 1);
    }
}
