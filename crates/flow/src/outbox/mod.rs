//! What goes out: answers become pieces, pieces are kept, and leave one after the other.
//!
//! `post` makes the pieces of an answer and keeps them, `lanes` has one sender for each conversation, `attempt` makes one
//! attempt and says what becomes of the piece, `draft` has it take the place of what was shown before, `clerk` shows people what waits. A reply never leaves another way.

mod attempt;
mod chance;
mod clerk;
mod draft;
mod files;
mod lanes;
mod post;
mod posting;
mod rules;

pub use clerk::{Clerk, OutboxFault};
pub use posting::{Fate, Posted, Posting, Sent};

pub(crate) use chance::{chance, chance_bytes};
pub(crate) use draft::{forget_drafts, message_of};
pub(crate) use files::{head, sniffed};
pub(crate) use lanes::{SendLanes, keep, take_up};
pub(crate) use post::{
    Leaving, Order, Saying, Spoken, answer, leave, measure, order, place_line, prefix, replies, said, say,
    speak, spoken, target_of,
};
pub(crate) use posting::post;
