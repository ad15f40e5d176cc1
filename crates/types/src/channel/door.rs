//! The rules of an account about who may talk to it, in neutral words.
//!
//! An adapter's `config.rs` makes them from its section; `inbound::access` is the only place that decides by them.

use serde::{Deserialize, Serialize};

/// Who may talk to an account, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DoorRules {
    /// Who may write to us alone.
    pub dm: DmPolicy,
    /// Who always may, by id; the list that pairing adds to.
    pub allow_from: AllowList,
    /// In which rooms we answer.
    pub group: GroupPolicy,
    /// Who may talk to us in rooms; nothing said means `allow_from`.
    pub group_allow_from: Option<AllowList>,
    /// Rooms with rules of their own. A more exact name wins over `*`, a child over its parent.
    pub rooms: Vec<RoomRule>,
    /// Whether programs are heard too. Our own messages never are.
    pub allow_bots: bool,
    /// Whether a room needs a mention where no rule of a room says so.
    pub require_mention: bool,
    /// Whether direct chats with several people are heard at all (`None`: as rooms).
    pub group_dms: Option<bool>,
    /// In which direct chats with several people we answer; none named means all.
    pub group_dm_rooms: Vec<RoomName>,
    /// Whether whatever room bears a name is meant by it (`dangerouslyAllowNameMatching`). Else a name means the rooms
    /// that bore it when the line came up.
    pub names_count: bool,
    /// Who is asked about commands of the agent, and where. Nothing said means that owners answer where they are asked.
    pub approvals: Option<ApprovalRules>,
}

/// Who is asked about commands of the agent on an account, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalRules {
    /// Those who are asked, and who alone may answer there, by id.
    pub approvers: Vec<String>,
    /// Only about commands of these agents; none named means all.
    pub agents: Vec<String>,
    /// Only about commands of sessions that one of these fits; none named means all.
    pub sessions: Vec<String>,
    /// Where they are asked.
    pub ask: AskAt,
    /// Whether a question is taken back once it is answered.
    pub tidy: bool,
}

/// Where somebody is asked about a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AskAt {
    /// Each of those who may answer, alone.
    #[default]
    #[serde(rename = "dm")]
    Approvers,
    /// In the conversation the command was asked for in.
    #[serde(rename = "channel")]
    Conversation,
    /// Both.
    #[serde(rename = "both")]
    Both,
}

/// The room that bore a name when a line came up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRoom {
    /// How the rule above names the space it is in; nothing for what stands at the top.
    pub within: Option<RoomName>,
    /// The name, as the rule has it.
    pub name: String,
    /// Its id.
    pub id: String,
}

impl DoorRules {
    /// The same rules by ids alone, unless names count. A name that no room bore means none.
    #[must_use]
    pub fn pinned(&self, rooms: &[NamedRoom]) -> Self {
        if self.names_count {
            return self.clone();
        }
        Self {
            rooms: pinned_rules(&self.rooms, None, rooms),
            group_dm_rooms: self.group_dm_rooms.iter().flat_map(|name| pinned(name, None, rooms)).collect(),
            ..self.clone()
        }
    }
}

fn pinned_rules(rules: &[RoomRule], within: Option<&RoomName>, rooms: &[NamedRoom]) -> Vec<RoomRule> {
    let mut all = Vec::with_capacity(rules.len());
    for rule in rules {
        let children = pinned_rules(&rule.children, Some(&rule.room), rooms);
        let named = pinned(&rule.room, within, rooms).into_iter();
        all.extend(named.map(|room| RoomRule { room, children: children.clone(), ..rule.clone() }));
    }
    all
}

fn pinned(name: &RoomName, within: Option<&RoomName>, rooms: &[NamedRoom]) -> Vec<RoomName> {
    let RoomName::Name(called) = name else { return vec![name.clone()] };
    let known = rooms.iter().filter(|room| room.within.as_ref() == within && room.name == *called);
    let ids: Vec<RoomName> = known.map(|room| RoomName::Id(room.id.clone())).collect();
    // An id that no room has keeps its place: a list that lost its last entry would mean something else.
    if ids.is_empty() { vec![RoomName::Id(String::new())] } else { ids }
}

/// Who may write to an account alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DmPolicy {
    /// Strangers get a code that the owner approves.
    #[default]
    Pairing,
    /// Only those on the list.
    Allowlist,
    /// Everybody, when the list says `*`.
    Open,
    /// Nobody.
    Disabled,
}

/// In which rooms an account answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupPolicy {
    /// Everywhere.
    Open,
    /// Only for people, and in rooms, that are listed.
    #[default]
    Allowlist,
    /// Nowhere.
    Disabled,
}

/// Ids of people; `*` stands for everybody. Names of people and handles are not ids and match nobody, unless the account
/// says that it accepts the danger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList {
    /// The entries, in the form the adapter gives ids, without the platform's prefix.
    pub ids: Vec<String>,
    /// Names and handles that count as well, where `dangerouslyAllowNameMatching` says so; lower case.
    pub names: Vec<String>,
}

/// The rules of one room, and of those below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoomRule {
    /// Which room.
    pub room: RoomName,
    /// Whether we are there at all.
    pub enabled: Option<bool>,
    /// Whether we answer only when named.
    pub require_mention: Option<bool>,
    /// Who may talk there.
    pub policy: Option<GroupPolicy>,
    /// Who may talk there, by id.
    pub allow_from: Option<AllowList>,
    /// Roles whose members may talk there.
    pub roles: Vec<String>,
    /// Whether programs are heard there.
    pub allow_bots: Option<bool>,
    /// Which tools may be used there.
    pub tools: Option<ToolRule>,
    /// Which tools a person may use there, by id, `*` or `id:`, `username:`, `name:` forms as configured.
    pub tools_by_sender: Vec<(String, ToolRule)>,
    /// Which skills are loaded there; nothing said means all.
    pub skills: Option<Vec<String>>,
    /// More for the system prompt there.
    pub system_prompt: Option<String>,
    /// Rules of topics or channels below.
    pub children: Vec<RoomRule>,
}

/// How a rule names a room.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub enum RoomName {
    /// Every room.
    #[default]
    Any,
    /// By the id that never changes.
    Id(String),
    /// By a name that people can change. Lower case. Weaker than an id.
    Name(String),
}

/// Which tools may be used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolRule {
    /// Only these.
    pub allow: Option<Vec<String>>,
    /// These as well.
    pub also_allow: Vec<String>,
    /// Not these.
    pub deny: Vec<String>,
}
