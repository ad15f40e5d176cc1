//! How the assistant presents itself in the web page: name and picture.
//!
//! `ui.assistant` wins over the identity of the default agent. What the agent wrote about itself in its workspace
//! comes after both and is added by whoever reads workspaces.

use openclaw_types::AgentId;

use super::agents::normal_id;
use crate::sections::{AgentIdentity, RawConfig};

const DEFAULT_NAME: &str = "Assistant";
const DEFAULT_AVATAR: &str = "A";
const MAX_NAME_CHARS: usize = 50;
const MAX_AVATAR_CHARS: usize = 200;
/// The longest text that is drawn as a letter or an emoji instead of a picture.
const MAX_GLYPH_UNITS: usize = 4;
const PICTURE_ENDINGS: [&str; 8] = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico", ".tiff"];

/// How the assistant presents itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssistantIdentity {
    /// The agent that is presented.
    pub agent: AgentId,
    /// Its name.
    pub name: String,
    /// An address, a path in the workspace, a letter or an emoji.
    pub avatar: String,
}

pub(super) fn resolve(raw: &RawConfig, agent: &AgentId) -> AssistantIdentity {
    let page = raw.ui.as_ref().and_then(|ui| ui.assistant.as_ref());
    let entries = raw.agents.as_ref().and_then(|agents| agents.list.as_deref()).unwrap_or_default();
    let identity: Option<&AgentIdentity> =
        entries.iter().find(|entry| normal_id(&entry.id) == *agent).and_then(|entry| entry.identity.as_ref());
    let names =
        [page.and_then(|page| page.name.as_deref()), identity.and_then(|identity| identity.name.as_deref())];
    let avatars = [
        page.and_then(|page| page.avatar.as_deref()),
        identity.and_then(|identity| identity.avatar.as_deref()),
        identity.and_then(|identity| identity.emoji.as_deref()),
    ];
    AssistantIdentity {
        agent: agent.clone(),
        name: names
            .into_iter()
            .flatten()
            .find_map(|name| shortened(name, MAX_NAME_CHARS))
            .unwrap_or(DEFAULT_NAME.to_owned()),
        avatar: avatars
            .into_iter()
            .flatten()
            .filter_map(|avatar| shortened(avatar, MAX_AVATAR_CHARS))
            .find(|avatar| can_be_shown(avatar))
            .unwrap_or(DEFAULT_AVATAR.to_owned()),
    }
}

fn shortened(text: &str, most: usize) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.chars().take(most).collect())
}

fn can_be_shown(avatar: &str) -> bool {
    let lower = avatar.to_lowercase();
    let address = ["http://", "https://", "data:image/"].iter().any(|start| lower.starts_with(start));
    let path = avatar.contains(['/', '\\']) || PICTURE_ENDINGS.iter().any(|ending| lower.ends_with(ending));
    let glyph = !avatar.contains(char::is_whitespace) && avatar.encode_utf16().count() <= MAX_GLYPH_UNITS;
    address || path || glyph
}
