//! Remembers tokens that are good for a while, and what vendors refused. In memory alone; secrets are wiped.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use openclaw_ports::model::CallCredential;
use openclaw_types::{AgentId, AuthProfileId, Secret, UnixMillis};
use sha2::{Digest, Sha256};

/// Tells two secrets apart without holding either.
pub(super) type Fingerprint = [u8; 32];

/// The fingerprint of a secret.
pub(super) fn fingerprint(secret: &Secret<String>) -> Fingerprint {
    Sha256::digest(secret.reveal().as_bytes()).into()
}

/// Names a credential of an agent.
pub(super) fn key(agent: &AgentId, profile: &AuthProfileId) -> String {
    format!("{agent}\n{profile}")
}

/// Tokens that were traded for a credential.
#[derive(Default)]
pub(super) struct Lent(Mutex<HashMap<String, Loan>>);

struct Loan {
    /// What it was traded for.
    pledge: Fingerprint,
    access: CallCredential,
    until: UnixMillis,
}

impl Lent {
    /// What was lent for a credential, as long as it is good and the credential is the same.
    pub(super) fn get(&self, key: &str, pledge: &Fingerprint, now: UnixMillis) -> Option<CallCredential> {
        let mut loans = self.lock();
        loans.retain(|_, loan| now < loan.until);
        loans.get(key).filter(|loan| loan.pledge == *pledge).map(|loan| loan.access.clone())
    }

    /// Remembers a token until shortly before it runs out.
    pub(super) fn put(&self, key: &str, pledge: Fingerprint, access: CallCredential, until: UnixMillis) {
        self.lock().insert(key.to_owned(), Loan { pledge, access, until });
    }

    /// Forgets what was lent if it is this: many callers may come back with what was refused, and what the first of
    /// them was lent since is good.
    pub(super) fn refused(&self, key: &str, access: &CallCredential) {
        let mut loans = self.lock();
        if loans.get(key).is_some_and(|loan| signs_alike(&loan.access, access)) {
            loans.remove(key);
        }
    }

    /// Forgets one.
    pub(super) fn forget(&self, key: &str) {
        self.lock().remove(key);
    }

    /// Forgets all.
    pub(super) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Loan>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether two accesses sign in with the same. Beside that they may differ: what a vendor needs is added to a loan.
fn signs_alike(one: &CallCredential, other: &CallCredential) -> bool {
    let header = |access: &CallCredential| access.headers.get("authorization").cloned();
    one.secret == other.secret && one.aws == other.aws && header(one) == header(other)
}

/// The secrets that vendors refused.
#[derive(Default)]
pub(super) struct Refusals(Mutex<HashSet<Fingerprint>>);

/// So many refusals are remembered; more are not worth the memory.
const MAX_REFUSED: usize = 1024;

impl Refusals {
    /// Notes that the vendor refused this access.
    pub(super) fn refused(&self, access: &CallCredential) {
        if let Some(secret) = &access.secret {
            let mut refused = self.lock();
            if refused.len() >= MAX_REFUSED {
                refused.clear();
            }
            refused.insert(fingerprint(secret));
        }
    }

    /// Whether a vendor refused this secret.
    pub(super) fn was_refused(&self, secret: &Secret<String>) -> bool {
        self.lock().contains(&fingerprint(secret))
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<Fingerprint>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
