//! What a message becomes for the model, and the small decisions around it.
//!
//! `tell` puts an event into words: who, where, when, what it answers, what was said before. `history` keeps what was
//! not for us, `happening` puts into a line what nobody said, `merge` makes one event of several, `debounce` says when.
//! `room_briefing` says what a room with several people is. `ack`, `status` and `typing` decide about the signs people see. Pure;
//! `flow` calls all of it and does what it says.

mod ack;
mod bundle;
mod debounce;
mod envelope;
mod facts;
mod fence;
mod happening;
mod history;
mod label;
mod merge;
mod room_briefing;
mod status;
mod typing;
mod zone;

#[cfg(test)]
mod tests;

pub use ack::{Ack, AckFacts, ack};
pub use bundle::{Nature, nature};
pub use debounce::{Burst, BurstKey, BurstMessage, Debounce};
pub use envelope::{Telling, tell};
pub use fence::Cleaner;
pub use happening::happening;
pub use history::{HistoryPlace, OverheardMessage, history_limit, remember};
pub use label::sender_label;
pub use merge::merge;
pub use room_briefing::{RoomBriefing, RoomTrigger, company};
pub use status::{Over, Phase, StatusWatch, ToolFamily};
pub use typing::{TypingFacts, TypingSign, TypingWatch, typing_mode};
pub use zone::Zone;
