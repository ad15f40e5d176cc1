//! What becomes of a piece that a platform did not take: again, in another form, elsewhere, or not at all.
//!
//! Pure: the number of attempts, the age and a random number are given. `flow` maps the errors of channels to `Failure` and
//! applies the verdict to the outbox.

use std::time::Duration;

/// How a piece is tried again: a few times quickly, then with long pauses, as long as it is of use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryRules {
    /// How often a piece is tried quickly (`retry.attempts`).
    pub attempts: u32,
    /// The first pause (`retry.minDelayMs`).
    pub least: Duration,
    /// The longest pause between quick attempts (`retry.maxDelayMs`), unless the platform asks for a longer one.
    pub most: Duration,
    /// The part of a pause that chance may add or take (`retry.jitter`).
    pub jitter: f64,
    /// How often it is tried after that, for a platform that is down: after 5 seconds, 25, and so on up to 10 minutes.
    pub rounds: u32,
    /// A piece that is older is given up, however few its attempts.
    pub oldest: Duration,
}

impl Default for RetryRules {
    fn default() -> Self {
        Self {
            attempts: 3,
            least: Duration::from_millis(400),
            most: Duration::from_secs(30),
            jitter: 0.1,
            rounds: 24,
            oldest: Duration::from_secs(24 * 60 * 60),
        }
    }
}

/// Why a piece was not taken, by what can be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Too much at once.
    RateLimited {
        /// How long the platform asks us to wait.
        after: Option<Duration>,
    },
    /// The line or the platform is down.
    Unreachable,
    /// Another program uses the account.
    Conflict,
    /// The credentials do not work. The piece waits for a person.
    Unauthorized,
    /// The platform could not read the markup.
    Markup,
    /// The conversation has moved.
    Moved {
        /// Where to.
        to: String,
    },
    /// The platform refuses for good.
    Refused,
    /// What was asked makes no sense there.
    Wrong,
}

/// What is known about a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendAttempts {
    /// How often it was tried, this time included.
    pub attempts: u32,
    /// How long ago it was written.
    pub age: Duration,
    /// Which form it has.
    pub form: PieceForm,
    /// How often its conversation moved already.
    pub moves: u32,
    /// Whether it is shown as an answer to a message.
    pub answers: bool,
}

/// Which form a piece has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PieceForm {
    /// With markup.
    Rich,
    /// Plain words.
    Plain,
}

/// What becomes of a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryVerdict {
    /// It is tried again after this pause.
    Again {
        /// The pause.
        after: Duration,
    },
    /// It is tried again at once, as plain words.
    Plain,
    /// It is tried again at once, there.
    Elsewhere {
        /// Where.
        to: String,
    },
    /// It is sent at once without being shown as an answer: the message it names may be none.
    Alone,
    /// It is given up.
    GiveUp(GivenUp),
}

/// Why a piece was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GivenUp {
    /// It was tried too often.
    TooOften,
    /// It is too old to be of use.
    TooOld,
    /// The platform refuses it.
    Refused,
    /// It makes no sense on the platform.
    Wrong,
    /// Its conversation moved round and round.
    MovedTooOften,
}

/// The first long pause, and the longest.
const SLOW: Duration = Duration::from_secs(5);
const SLOWEST: Duration = Duration::from_secs(600);
/// How often a conversation may move for one piece.
const MOVES: u32 = 3;
/// The pause while credentials do not work: a person has to act first.
const UNAUTHORIZED: Duration = Duration::from_secs(300);

/// Decides about a piece that was not taken. `random` is between 0 and 1.
#[must_use]
pub fn after_failure(
    failure: &Failure,
    tried: SendAttempts,
    rules: &RetryRules,
    random: f64,
) -> RetryVerdict {
    if tried.age >= rules.oldest {
        return RetryVerdict::GiveUp(GivenUp::TooOld);
    }
    match failure {
        // A platform that says when to come back takes the piece then; only its age ends the waiting.
        Failure::RateLimited { after: Some(after) } => {
            RetryVerdict::Again { after: longer(*after, rules.jitter, random) }
        }
        Failure::RateLimited { after: None } | Failure::Unreachable | Failure::Conflict => {
            pause(tried.attempts, rules, random)
                .map_or(RetryVerdict::GiveUp(GivenUp::TooOften), |after| RetryVerdict::Again { after })
        }
        Failure::Unauthorized => RetryVerdict::Again { after: longer(UNAUTHORIZED, rules.jitter, random) },
        Failure::Markup if tried.form == PieceForm::Rich => RetryVerdict::Plain,
        Failure::Moved { .. } if tried.moves >= MOVES => RetryVerdict::GiveUp(GivenUp::MovedTooOften),
        Failure::Moved { to } => RetryVerdict::Elsewhere { to: to.clone() },
        Failure::Markup | Failure::Refused | Failure::Wrong if tried.answers => RetryVerdict::Alone,
        Failure::Markup | Failure::Refused => RetryVerdict::GiveUp(GivenUp::Refused),
        Failure::Wrong => RetryVerdict::GiveUp(GivenUp::Wrong),
    }
}

/// The pause after so many attempts, give or take what chance adds; nothing when there were enough.
fn pause(attempts: u32, rules: &RetryRules, random: f64) -> Option<Duration> {
    let quick = rules.attempts.max(1);
    let pause = if attempts < quick {
        grown(rules.least, 2, attempts).min(rules.most.max(rules.least))
    } else if attempts - quick < rules.rounds {
        grown(SLOW, 5, attempts - quick + 1).min(SLOWEST)
    } else {
        return None;
    };
    let share = 1.0 + fraction(rules.jitter) * (2.0 * fraction(random) - 1.0);
    Some(pause.mul_f64(share))
}

/// A pause that grows with every attempt after the first.
fn grown(first: Duration, factor: u32, attempts: u32) -> Duration {
    first.saturating_mul(factor.saturating_pow(attempts.saturating_sub(1).min(12)))
}

/// What a platform asks for, and a little more, so that not all come back at once.
fn longer(pause: Duration, jitter: f64, random: f64) -> Duration {
    pause.saturating_add(pause.min(Duration::from_secs(3600)).mul_f64(fraction(jitter) * fraction(random)))
}

fn fraction(number: f64) -> f64 {
    if number.is_finite() { number.clamp(0.0, 1.0) } else { 0.0 }
}
