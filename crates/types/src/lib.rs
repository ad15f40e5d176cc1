//! The words of the system: identifiers, session keys, messages, transcripts, roles and scopes.
//!
//! Pure data with parsing and printing. No I/O, no async, no clock, no knowledge of any platform or vendor.
//! Every other crate speaks in these types; text from outside is parsed into them once, at the edge.

mod channel;
mod chat_kind;
mod error;
mod ids;
mod message;
mod model_ref;
mod money;
mod percent;
mod roles;
mod run;
mod secret;
mod session_entry;
mod session_key;
mod thinking;
mod time;
mod transcript;

#[cfg(test)]
mod tests;

pub use channel::{
    AckScope, AlbumItem, AllowList, ApprovalRules, AskAt, Attention, BreakPreference, Button, ButtonLook,
    ChatPlace, ChunkMode, Coalesce, DmPolicy, DoorRules, DraftChunk, DraftMode, FieldKind, FormField,
    Forwarded, GroupPolicy, HistoryLimits, Inbound, InboundKind, LinkSpan, MediaFile, MediaKind, MediaRef,
    Menu, MenuOf, MenuOption, NamedRoom, NativeCommand, Outgoing, Panel, PanelButton, PanelForm, PanelRow,
    Person, PiecePayload, Poll, Press, Pressed, Quoted, Reaction, ReactionNotices, Receipt, ReplyPlace,
    ReplyToMode, RichText, RoomMoved, RoomName, RoomRule, SendTarget, Style, StyleSpan, TableMode, ToolRule,
    WritingRules,
};
pub use chat_kind::ChatKind;
pub use error::{ModelRefError, SessionKeyError, TranscriptError};
pub use ids::{
    AccountId, AgentId, AuthProfileId, ChannelId, ConnectionId, DeviceId, EntryId, EventId, GroupId, IdError,
    InstanceId, JobId, MessageId, NodeId, PairingRequestId, PeerId, PluginId, ProviderId, RunId, SessionId,
    TaskId, ThreadId, ToolCallId,
};
pub use message::{
    AbortMark, AssistantMessage, AssistantSource, Content, Cost, CustomMessage, Image, ImageData, Message,
    OtherContent, OtherMessage, Provenance, ProvenanceKind, RedactedThinking, ShellMessage, StopReason, Text,
    Thinking, ToolCall, ToolOutcome, ToolResultMessage, Usage, UserMessage, Visibility,
};
pub use model_ref::ModelRef;
pub use money::Money;
pub use percent::percent_decoded;
pub use roles::{Role, Scope, ScopeSet, UnknownRole, UnknownScope};
pub use run::{
    AbortCause, AfterCompaction, ModelAttempt, ModelSwitch, RunEnd, RunEnding, RunEvent, Sender, SenderRank,
};
pub use secret::Secret;
pub use session_entry::{SessionEntry, SessionFacts};
pub use session_key::{
    ApiInterface, DirectWord, KeyContext, Lineage, SessionBreadth, SessionKey, SessionName, SessionScope,
    SessionThread, ThreadMarker,
};
pub use thinking::ThinkingLevel;
pub use time::UnixMillis;
pub use transcript::{
    BranchSummary, Compaction, CustomEntry, EntryBody, Label, LineEntry, LineRecord, MissingParts,
    OtherEntry, Residue, SessionHeader, SummaryAuthor, TranscriptEntry, TranscriptLine, read_message,
    write_message,
};
