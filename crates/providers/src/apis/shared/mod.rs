//! What several protocols need alike: an answer that grows, faults from servers' words and statuses, how long to wait.
//!
//! Pure. Nothing here knows a vendor's wire shapes; those stay in each protocol's `wire.rs`.

mod answer;
mod conceal;
mod faults;
mod pictures;
mod retry_after;

#[cfg(test)]
mod tests;

pub(crate) use answer::{GrowingAnswer, Seed, WholeCall};
pub(crate) use conceal::Secrets;
pub(crate) use faults::{
    MAX_TEXT_BYTES, clean, clean_bytes, cut_off, empty, http_fault, is_half, malformed, reason_of_status,
    reason_of_words, too_large,
};
pub(crate) use pictures::media_type;
pub(crate) use retry_after::{LONGEST_WAIT, retry_after};
