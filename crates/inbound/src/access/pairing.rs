//! Codes for strangers: made, kept for an hour, found again. Pure: chance, time and what is kept come as facts.
//!
//! `flow` keeps requests and asks here what to do with a stranger; the command `pairing approve` finds by code here.

use std::time::Duration;

use openclaw_types::{AccountId, UnixMillis};

/// The letters of codes: none that people take for another (0 and O, 1 and I).
pub const CODE_LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// How many letters a code has.
const CODE_LENGTH: usize = 8;
/// How many requests of a channel are kept at once.
pub const MOST_PENDING: usize = 3;
/// How long a request is kept.
pub const KNOWN_FOR: Duration = Duration::from_secs(60 * 60);
/// How many wrong codes are taken within `TRY_WINDOW`.
const MOST_TRIES: usize = 10;
/// The time in which wrong codes are counted.
const TRY_WINDOW: Duration = Duration::from_secs(10 * 60);

/// A request that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending<'a> {
    /// Our login.
    pub account: &'a AccountId,
    /// Who, by id.
    pub sender: &'a str,
    /// The code they were given.
    pub code: &'a str,
    /// When they came.
    pub created_at: UnixMillis,
}

/// Somebody who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stranger<'a> {
    /// Our login.
    pub account: &'a AccountId,
    /// Who, by id.
    pub sender: &'a str,
}

/// What to do with a stranger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PairingStep {
    /// They are new: a request is kept, and they are told the code.
    Fresh {
        /// The code.
        code: String,
    },
    /// They came before: their request is marked as seen. They know their code and are not told again.
    Known {
        /// The code.
        code: String,
    },
    /// Too many wait already: nothing is kept, and nothing is said.
    Full,
}

/// Whether another code may be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// Yes.
    Allowed,
    /// Not before so long has passed.
    Wait(Duration),
}

/// What to do with a stranger, given the requests of the channel and eight bytes of chance.
#[must_use]
pub fn request(
    pending: &[Pending<'_>],
    stranger: Stranger<'_>,
    now: UnixMillis,
    chance: [u8; 8],
) -> PairingStep {
    let alive: Vec<&Pending<'_>> = pending.iter().filter(|request| is_alive(request, now)).collect();
    let known =
        alive.iter().find(|request| request.account == stranger.account && request.sender == stranger.sender);
    if let Some(known) = known {
        return PairingStep::Known { code: known.code.to_owned() };
    }
    if alive.len() >= MOST_PENDING {
        return PairingStep::Full;
    }
    let mut letters = chance;
    while alive.iter().any(|request| request.code == code(letters)) {
        letters[CODE_LENGTH - 1] = letters[CODE_LENGTH - 1].wrapping_add(1);
    }
    PairingStep::Fresh { code: code(letters) }
}

/// The moment before which requests are forgotten.
#[must_use]
pub fn expired_before(now: UnixMillis) -> UnixMillis {
    now.minus(KNOWN_FOR)
}

/// The request with a code, in any case. Takes the same time for every code of the right length, and looks at all.
#[must_use]
pub fn find(pending: &[Pending<'_>], code: &str, now: UnixMillis) -> Option<usize> {
    let wanted = code.trim().to_ascii_uppercase();
    let mut found = None;
    for (index, request) in pending.iter().enumerate() {
        let same = is_same(request.code.as_bytes(), wanted.as_bytes());
        if same & is_alive(request, now) {
            found = Some(index);
        }
    }
    found
}

/// Whether another code may be tried after wrong ones at these moments.
#[must_use]
pub fn may_try(wrong: &[UnixMillis], now: UnixMillis) -> Attempt {
    let since = now.minus(TRY_WINDOW);
    let mut recent: Vec<UnixMillis> = wrong.iter().copied().filter(|at| *at > since).collect();
    recent.sort_unstable();
    match recent.len().checked_sub(MOST_TRIES).and_then(|first| recent.get(first)) {
        Some(oldest) => Attempt::Wait(oldest.plus(TRY_WINDOW).since(now)),
        None => Attempt::Allowed,
    }
}

/// Five bits of each byte choose a letter, so that all are equally likely.
fn code(chance: [u8; CODE_LENGTH]) -> String {
    chance.iter().map(|byte| char::from(CODE_LETTERS[usize::from(byte % 32)])).collect()
}

fn is_alive(request: &Pending<'_>, now: UnixMillis) -> bool {
    request.created_at >= expired_before(now)
}

fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |sum, (one, other)| sum | (one ^ other)) == 0
}
