//! How an account writes: sizes, streaming, answering, what it remembers of rooms. Defaults are filled in.
//!
//! An adapter's `config.rs` makes it from its section; `delivery` and `flow` go by it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ChatKind;

/// How an account writes.
#[derive(Debug, Clone, PartialEq)]
pub struct WritingRules {
    /// The most a message holds, in the measure of the channel's descriptor.
    pub text_limit: usize,
    /// Where long answers are cut.
    pub chunks: ChunkMode,
    /// The most lines a message holds.
    pub line_limit: Option<usize>,
    /// How tables are written.
    pub tables: TableMode,
    /// How an answer shows while it is made.
    pub draft: DraftMode,
    /// How much more of a draft shows at a time, where it grows by blocks.
    pub draft_chunk: DraftChunk,
    /// Whether an answer is sent in blocks while it is made; nothing said means as the agent's settings say.
    pub blocks: Option<bool>,
    /// How small blocks are put together.
    pub coalesce: Option<Coalesce>,
    /// Which messages of an answer are shown as answers to the message, by kind of conversation.
    pub reply_to: Vec<(ChatKind, ReplyToMode)>,
    /// Whether a message that the model wants shown as an answer is, though `reply_to` says that none are.
    pub tags_when_off: bool,
    /// What stands before every answer.
    pub response_prefix: Option<String>,
    /// The sign that shows a message was seen; nothing said means as `messages.ackReaction` says.
    pub ack_reaction: Option<String>,
    /// Where that sign is set; nothing said means as `messages.ackReactionScope` says.
    pub ack_scope: Option<AckScope>,
    /// The biggest file that is taken or sent.
    pub media_bytes: u64,
    /// Whether links show a preview. Not unless somebody says so: a platform fetches what it previews, and an address that
    /// an agent was talked into writing could carry words of the conversation out without anybody's click.
    pub link_preview: bool,
    /// How many messages of a conversation the agent is told that it has not seen.
    pub history: HistoryLimits,
    /// Which reactions the agent is told of.
    pub reactions: ReactionNotices,
    /// Whether the platform's own command menu is filled in.
    pub native_commands: Option<bool>,
    /// Whether people may change the configuration from there.
    pub config_writes: bool,
    /// Whether the session of a thread begins with the conversation that the thread hangs below.
    pub threads_inherit: bool,
}

impl WritingRules {
    /// The usual manner for messages of this size.
    #[must_use]
    pub fn with_limit(text_limit: usize) -> Self {
        Self {
            text_limit,
            chunks: ChunkMode::Length,
            line_limit: None,
            tables: TableMode::Code,
            draft: DraftMode::Off,
            draft_chunk: DraftChunk::default(),
            blocks: None,
            coalesce: None,
            reply_to: Vec::new(),
            tags_when_off: true,
            response_prefix: None,
            ack_reaction: None,
            ack_scope: None,
            media_bytes: 5 * 1024 * 1024,
            link_preview: false,
            history: HistoryLimits::default(),
            reactions: ReactionNotices::Own,
            native_commands: None,
            config_writes: true,
            threads_inherit: false,
        }
    }

    /// Which messages of an answer are shown as answers there.
    #[must_use]
    pub fn reply_mode(&self, kind: ChatKind) -> ReplyToMode {
        self.reply_to.iter().find(|(each, _)| *each == kind).map_or(ReplyToMode::Off, |(_, mode)| *mode)
    }
}

/// Where long answers are cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChunkMode {
    /// Where they are full.
    #[default]
    Length,
    /// At every paragraph.
    Newline,
}

/// How tables are written where the platform has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableMode {
    /// As they stand.
    Off,
    /// One list for each row.
    Bullets,
    /// In letters of one width.
    #[default]
    Code,
}

/// How an answer shows while it is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DraftMode {
    /// Not at all.
    #[default]
    Off,
    /// One message that grows.
    Partial,
    /// One message that grows by blocks.
    Block,
    /// One message that says what is being done.
    Progress,
}

/// How much more of a draft shows at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DraftChunk {
    /// The least.
    pub least: usize,
    /// The most.
    pub most: usize,
    /// Where it ends best.
    pub prefer: BreakPreference,
}

impl Default for DraftChunk {
    fn default() -> Self {
        Self { least: 200, most: 800, prefer: BreakPreference::Paragraph }
    }
}

/// Where a block of an answer ends best.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BreakPreference {
    /// At a blank line.
    #[default]
    Paragraph,
    /// At the end of a line.
    Newline,
    /// At the end of a sentence.
    Sentence,
}

impl BreakPreference {
    /// What joins two blocks that were cut there.
    #[must_use]
    pub fn joiner(self) -> &'static str {
        match self {
            Self::Paragraph => "\n\n",
            Self::Newline => "\n",
            Self::Sentence => " ",
        }
    }
}

/// How small blocks are put together before they are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Coalesce {
    /// The least a message holds.
    pub least: usize,
    /// The most.
    pub most: usize,
    /// How long to wait for more.
    pub idle: Duration,
}

/// Which messages of an answer are shown as answers to a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplyToMode {
    /// None.
    #[default]
    Off,
    /// The first.
    First,
    /// All.
    All,
}

/// Where the sign is set that a message was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AckScope {
    /// Everywhere.
    All,
    /// In direct chats.
    Direct,
    /// In rooms.
    GroupAll,
    /// In rooms, where we were named.
    #[default]
    GroupMentions,
    /// Nowhere.
    Off,
}

/// How much of a conversation the agent is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryLimits {
    /// How many messages in rooms that it has not seen; nothing said means as `messages.groupChat.historyLimit` says.
    pub group: Option<usize>,
    /// How many turns of a direct chat it looks back; nothing said means all.
    pub direct: Option<usize>,
    /// The same for single direct chats, by id.
    pub by_person: Vec<(String, usize)>,
}

impl HistoryLimits {
    /// How many turns with a person the agent looks back; nothing means all, and so does zero.
    #[must_use]
    pub fn turns_with(&self, person: &str) -> Option<usize> {
        let own = self.by_person.iter().find(|(id, _)| id.eq_ignore_ascii_case(person));
        own.map(|(_, limit)| *limit).or(self.direct).filter(|limit| *limit > 0)
    }
}

/// Which reactions the agent is told of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ReactionNotices {
    /// None.
    Off,
    /// Those to our messages.
    #[default]
    Own,
    /// All.
    All,
    /// Those of certain people, by id.
    From(Vec<String>),
}
