//! The sections about conversations: sessions, messages, commands, who answers where, voice.
//!
//! What a single platform needs is raw below `channels`. One file for each section; the file is named like
//! the section, and speech has one of its own.

mod approvals;
mod audio;
mod bindings;
mod broadcast;
mod channels;
mod commands;
mod media;
mod messages;
mod session;
mod talk;
mod tts;

pub use approvals::{ApprovalMode, ApprovalTarget, ApprovalsSection, ExecApprovals};
pub use audio::{AudioSection, AudioTranscription};
pub use bindings::{Binding, BindingMatch, BindingPeer};
pub use broadcast::{BroadcastSection, BroadcastStrategy};
pub use channels::{ChannelDefaults, ChannelsSection, GroupPolicyWord, HeartbeatVisibility};
pub use commands::{CommandsSection, OwnerDisplay};
pub use media::MediaSection;
pub use messages::{
    AckReactionScope, InboundDebounce, MessagesSection, QueueDrop, QueueMode, QueueOptions, StatusEmojis,
    StatusReactions, StatusTiming,
};
pub use session::{
    DmScope, MaintenanceMode, ResetMode, SessionAgentToAgent, SessionMaintenance, SessionReset,
    SessionResetByType, SessionScope, SessionSection, SessionThreadBindings,
};
pub use talk::{TalkProvider, TalkSection, TalkVoice};
pub use tts::{
    Tts, TtsAuto, TtsEdge, TtsElevenlabs, TtsMode, TtsOpenai, TtsOverrides, TtsProvider, TtsVoiceSettings,
};
