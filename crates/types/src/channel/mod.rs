//! What goes between the spine and a platform: messages in, pieces out, and the rules of an account.
//!
//! Neutral words only. An adapter's `normalize.rs` makes an `Inbound`, its `config.rs` makes the rules; `inbound`
//! decides by them, `delivery` cuts answers into pieces, and an adapter sends those.

mod door;
mod inbound;
mod outgoing;
mod panel;
mod rich_text;
mod writing_rules;

#[cfg(test)]
mod tests;

pub use door::{
    AllowList, ApprovalRules, AskAt, DmPolicy, DoorRules, GroupPolicy, NamedRoom, RoomName, RoomRule,
    ToolRule,
};
pub use inbound::{
    Attention, ChatPlace, Forwarded, Inbound, InboundKind, MediaKind, MediaRef, NativeCommand, Person, Press,
    Quoted, Reaction, RoomMoved,
};
pub use outgoing::{
    AlbumItem, Button, MediaFile, Outgoing, PiecePayload, Poll, Receipt, ReplyPlace, SendTarget,
};
pub use panel::{
    ButtonLook, FieldKind, FormField, Menu, MenuOf, MenuOption, Panel, PanelButton, PanelForm, PanelRow,
    Pressed,
};
pub use rich_text::{LinkSpan, RichText, Style, StyleSpan};
pub use writing_rules::{
    AckScope, BreakPreference, ChunkMode, Coalesce, DraftChunk, DraftMode, HistoryLimits, ReactionNotices,
    ReplyToMode, TableMode, WritingRules,
};
