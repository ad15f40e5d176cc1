//! Counts wrong credentials for each caller and locks out who guesses.
//!
//! Always on. Only a non-browser client on this machine may be exempt, and only while the configuration says so; a
//! browser on loopback is counted like anybody else, because any web page can open a socket to loopback.
//! The map is bounded: when it is full, the callers that failed longest ago are forgotten.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_config::RateLimit;

use crate::auth::{Locality, Program, network::is_loopback};

/// How many callers are remembered at once.
const MAX_CALLERS: usize = 10_000;

/// What was tried. Each kind is counted on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CredentialKind {
    /// The gateway's token or password.
    SharedSecret,
    /// A device's own token.
    DeviceToken,
    /// The proof by which a platform shows that a request comes from it.
    Webhook,
}

impl CredentialKind {
    /// The kind as it stands in logs and in the ledger.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::SharedSecret => "shared-secret",
            Self::DeviceToken => "device-token",
            Self::Webhook => "webhook",
        }
    }
}

/// Who tries, as far as limits are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Attempter {
    /// A non-browser client on this machine, talking to us directly.
    Local,
    /// A browser on this machine.
    LocalBrowser,
    /// Loopback, but through a proxy nobody vouched for or with a foreign host.
    Relayed,
    /// Another machine. IPv6 callers own a whole /64, so that is what is counted.
    Remote(IpAddr),
}

impl Attempter {
    /// Sorts a caller by its address, whether it is local, and whether a browser speaks.
    pub(crate) fn of(address: IpAddr, local: Locality, program: Program) -> Self {
        match address.to_canonical() {
            address if !is_loopback(address) => Self::Remote(network_of(address)),
            _ if program == Program::Browser => Self::LocalBrowser,
            _ if local == Locality::Local => Self::Local,
            _ => Self::Relayed,
        }
    }
}

/// The caller has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lockout {
    /// How long.
    pub(crate) retry_after: Duration,
}

/// What a counted failure led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Nothing yet.
    Noted,
    /// This failure was one too many.
    LockedOut,
}

/// Remembers wrong tries. Shared by all connections.
#[derive(Debug, Default)]
pub(crate) struct AuthLimits {
    callers: Mutex<HashMap<(Attempter, CredentialKind), Tries>>,
}

#[derive(Debug, Default)]
struct Tries {
    failed_at: Vec<Duration>,
    locked_until: Option<Duration>,
}

impl AuthLimits {
    /// Nobody has failed yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Whether the caller may try now.
    ///
    /// # Errors
    /// `Lockout` says how long it has to wait.
    pub(crate) fn check(
        &self,
        rules: &RateLimit,
        who: Attempter,
        kind: CredentialKind,
        now: Duration,
    ) -> Result<(), Lockout> {
        if is_exempt(rules, who) {
            return Ok(());
        }
        let callers = self.lock();
        match callers.get(&(who, kind)).and_then(|tries| tries.locked_until) {
            Some(until) if now < until => Err(Lockout { retry_after: until - now }),
            _ => Ok(()),
        }
    }

    /// Counts a wrong try.
    pub(crate) fn failed(
        &self,
        rules: &RateLimit,
        who: Attempter,
        kind: CredentialKind,
        now: Duration,
    ) -> Counted {
        if is_exempt(rules, who) {
            return Counted::Noted;
        }
        let mut callers = self.lock();
        if callers.len() >= MAX_CALLERS && !callers.contains_key(&(who, kind)) {
            make_room(&mut callers, rules, now);
        }
        let tries = callers.entry((who, kind)).or_default();
        match tries.locked_until {
            Some(until) if now < until => return Counted::Noted,
            Some(_) => *tries = Tries::default(),
            None => tries.failed_at.retain(|at| now.saturating_sub(*at) < rules.window),
        }
        tries.failed_at.push(now);
        if tries.failed_at.len() < most(rules) {
            return Counted::Noted;
        }
        tries.locked_until = Some(now.saturating_add(rules.lockout));
        Counted::LockedOut
    }

    /// Takes back one counted try that turned out to be no guess.
    pub(crate) fn forgive(&self, rules: &RateLimit, who: Attempter, kind: CredentialKind) {
        if let Some(tries) = self.lock().get_mut(&(who, kind)) {
            tries.failed_at.pop();
            if tries.failed_at.len() < most(rules) {
                tries.locked_until = None;
            }
        }
    }

    /// Forgets the caller's wrong tries: it has shown the right credential.
    pub(crate) fn succeeded(&self, who: Attempter, kind: CredentialKind) {
        self.lock().remove(&(who, kind));
    }

    /// How many callers are remembered.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(Attempter, CredentialKind), Tries>> {
        // Every change below the lock is complete before anything can panic, so a poisoned map is still sound.
        self.callers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn most(rules: &RateLimit) -> usize {
    usize::try_from(rules.max_attempts.max(1)).unwrap_or(usize::MAX)
}

fn is_exempt(rules: &RateLimit, who: Attempter) -> bool {
    who == Attempter::Local && rules.exempt_loopback
}

/// Forgets who no longer counts; when that is not enough, an eighth of all callers: those that failed longest ago,
/// who is locked out last. Many at once, so that a flood of addresses does not make every failure a long walk.
fn make_room(callers: &mut HashMap<(Attempter, CredentialKind), Tries>, rules: &RateLimit, now: Duration) {
    callers.retain(|_, tries| tries.still_counts(rules, now));
    if callers.len() < MAX_CALLERS {
        return;
    }
    let mut oldest: Vec<_> = callers
        .iter()
        .map(|(key, tries)| ((tries.locked_until.is_some(), tries.failed_at.last().copied()), *key))
        .collect();
    oldest.sort_by_key(|(rank, _)| *rank);
    for (_, key) in oldest.into_iter().take(MAX_CALLERS / 8) {
        callers.remove(&key);
    }
}

impl Tries {
    fn still_counts(&self, rules: &RateLimit, now: Duration) -> bool {
        match self.locked_until {
            Some(until) => now < until,
            None => self.failed_at.last().is_some_and(|at| now.saturating_sub(*at) < rules.window),
        }
    }
}

/// What is counted as one caller: an IPv4 address, or the /64 of an IPv6 one.
pub(super) fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
    }
}
