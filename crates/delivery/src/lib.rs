//! What people are told: answers cut into messages, notices written from typed faults, silence kept silent.
//!
//! `clean` and `LiveAnswer` take from a model's words what is meant for the gateway. `read_markdown` makes words with
//! spans, `chunk` cuts them, `plan` makes the pieces of an answer, `with_albums` joins those that are one message, `BlockStream`, `Coalescer` and `DraftStream` do it while
//! the words come. `after_failure` says what becomes of a piece that was not taken. `Notice` says in plain words why there
//! is no better answer. Pure: no clock, no chance, no files. `agent` and `flow` call it.

mod album;
mod answer;
mod chunk;
mod duplicate;
mod heartbeat;
mod lines;
mod markdown;
mod media;
mod media_path;
mod notice;
mod plan;
mod prefix;
mod reply;
mod retry;
mod silent;
mod stream;
mod tags;

#[cfg(test)]
mod tests;

pub use album::{AlbumRules, with_albums};
pub use answer::{CleanAnswer, LiveAnswer, Marks, clean};
pub use chunk::{Room, chunk};
pub use duplicate::{SentText, repeats, without_repetition};
pub use heartbeat::without_heartbeat;
pub use markdown::{Formatted, read_markdown};
pub use media_path::{Contained, MediaRefusal, MediaRoots, MediaSource, contained, media_source};
pub use notice::NoticeText;
pub use plan::{Destination, Files, Planned, PlannedMedia, Sound, Videos, left_out, plan};
pub use prefix::{PrefixFacts, response_prefix, with_prefix};
pub use reply::{Position, Replies, TagsWhenOff};
pub use retry::{Failure, GivenUp, PieceForm, RetryRules, RetryVerdict, SendAttempts, after_failure};
pub use silent::{ANNOUNCE_SKIP, HEARTBEAT_OK, NO_REPLY, REPLY_SKIP, is_cut_silence, is_only, is_silent};
pub use stream::{
    Block, BlockSettings, BlockStream, Coalescer, DraftSettings, DraftStep, DraftStream, FlushAt, HumanDelay,
    coalesce_settings, rest_of,
};
pub use tags::{ReplyTo, Tags};
