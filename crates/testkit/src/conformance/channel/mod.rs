//! One suite for every platform. A platform fills a `ChannelProof`; green means that the host can rely on it.
//!
//! `paper` proves what needs no line: descriptor, accounts, fingerprints, targets, recorded events, markup. `live` proves
//! what needs one: sending, typed errors, nothing acknowledged before it was kept, cancelling; `slots` and `deeds` what each filled
//! slot promises; `webhook` the same for what comes over HTTP. The other side is a `Peer` that the platform's test gives: a server that others wrote, or a
//! fake of ours. Use: `channel_conformance!(path::to::make)` with `async fn make() -> (Arc<impl ChannelProof>, Kept)`.

mod deeds;
mod live;
mod paper;
mod proof;
mod slots;
mod state;
mod webhook;
mod words;

pub use deeds::{
    a_file_is_fetched_as_far_as_the_limit, a_message_is_read_back_and_pinned,
    a_thread_is_made_and_can_be_written_into, actions_are_named_and_say_what_they_lack,
};
pub use live::{
    a_line_that_is_cancelled_ends_at_once, a_piece_gets_a_receipt_and_is_seen,
    declared_capabilities_are_the_filled_slots, trouble_becomes_typed_errors, what_was_not_kept_comes_again,
};
pub use paper::{
    a_broken_section_never_panics_and_says_what_is_wrong, recorded_events_have_ids_that_last,
    several_accounts_inherit_and_stay_apart, targets_are_read_as_places_write_them,
    the_descriptor_makes_sense, the_fingerprint_follows_the_line_alone, what_can_come_in_is_recorded,
    written_markup_is_accepted,
};
pub use proof::{Arranged, ChannelProof, Names, Peer, Trouble};
pub use slots::{
    a_message_is_changed_and_the_same_words_again_are_no_error,
    a_message_is_taken_back_and_one_that_is_gone_is_no_error, a_reaction_is_set_and_taken_back,
    an_account_knows_who_it_is_and_how_its_line_is, the_menu_is_what_was_published_last,
    what_is_sent_beside_words_is_taken, writing_is_shown_while_it_goes_on,
};
pub use webhook::requests_are_checked_and_answered_when_kept;

/// The names of all cases. A surface that is no `ChannelKind` says of each how it is held to it, or why not.
pub const CASES: &[&str] = crate::channel_cases!(case_names,);

/// Turns the suite into tests of the calling module. `$make` is an `async fn` that gives a proof, in an `Arc`, and
/// whatever must live as long as it does.
#[macro_export]
macro_rules! channel_conformance {
    ($make:path) => {
        $crate::channel_cases!(conformance_tests, channel, $make,);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! case_names {
    ([$($case:ident),* $(,)?]) => { &[$(stringify!($case)),*] };
}

/// Hands the list of cases, behind what else is given, to a macro of this crate.
#[doc(hidden)]
#[macro_export]
macro_rules! channel_cases {
    ($then:ident, $($given:tt)*) => {
        $crate::$then! { $($given)* [
            the_descriptor_makes_sense,
            a_broken_section_never_panics_and_says_what_is_wrong,
            several_accounts_inherit_and_stay_apart,
            the_fingerprint_follows_the_line_alone,
            targets_are_read_as_places_write_them,
            recorded_events_have_ids_that_last,
            what_can_come_in_is_recorded,
            written_markup_is_accepted,
            declared_capabilities_are_the_filled_slots,
            a_piece_gets_a_receipt_and_is_seen,
            trouble_becomes_typed_errors,
            what_was_not_kept_comes_again,
            a_line_that_is_cancelled_ends_at_once,
            a_message_is_changed_and_the_same_words_again_are_no_error,
            a_message_is_taken_back_and_one_that_is_gone_is_no_error,
            a_reaction_is_set_and_taken_back,
            what_is_sent_beside_words_is_taken,
            writing_is_shown_while_it_goes_on,
            an_account_knows_who_it_is_and_how_its_line_is,
            the_menu_is_what_was_published_last,
            a_thread_is_made_and_can_be_written_into,
            a_file_is_fetched_as_far_as_the_limit,
            actions_are_named_and_say_what_they_lack,
            a_message_is_read_back_and_pinned,
            requests_are_checked_and_answered_when_kept,
        ] }
    };
}
