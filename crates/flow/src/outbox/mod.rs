//! What goes out: answers become pieces, pieces are kept, and leave one after the other.
//!
//! `post` makes the pieces of an answer and keeps them with their `files`, `lanes` has one sender for each conversation,
//! `attempt` makes one attempt and says what becomes of the piece, `draft` has it take the place of what was shown before,
//! `withdraw` takes back what was sent, `kept` looks up what was kept of a run, `admin` shows people what waits. A reply
//! never leaves another way.

mod admin;
mod again;
mod attempt;
mod chance;
mod draft;
mod files;
mod kept;
mod lanes;
mod moved;
mod post;
mod posting;
mod prefix;
mod rules;
mod sniff;
mod sweep;
mod withdraw;

pub use admin::{OutboxAdmin, OutboxFault};
pub use posting::{Fate, Posted, PostedMessage, Posting};

pub(crate) use again::{Twice, again};
pub(crate) use chance::{chance, chance_bytes};
pub(crate) use draft::{DraftPlace, forget_drafts, standing};
pub(crate) use files::{file_of, lay_down};
pub(crate) use kept::{is_final, kept_of, said_in, tool_stem};
pub(crate) use lanes::{SendLanes, keep, take_up};
pub(crate) use moved::redirect;
pub(crate) use post::{
    Answering, EarlyPiece, OrderFault, OwnWords, RunWords, SendOrder, answer, leave, measure, order,
    origin_of, place_line, replies, said, say, speak, spoken, target_of, unanswered,
};
pub(crate) use posting::post;
pub(crate) use prefix::Prefix;
pub(crate) use sniff::{head, or_told, sniffed};
use sweep::sweep;
pub(crate) use withdraw::{taken_back, withdraw};
