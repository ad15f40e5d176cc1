//! Chance that can be replayed: every generator prints its seed, and one variable brings it back.

use std::hash::{BuildHasher, RandomState};

/// The variable that sets the seed of every generator of a test run.
const SEED_VARIABLE: &str = "OPENCLAW_TEST_SEED";

/// A small generator (SplitMix64) for tests. Not for secrets.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator with a new seed, printed so that a failed run can be replayed with `OPENCLAW_TEST_SEED`.
    ///
    /// # Panics
    /// When the variable is set to something that is no number.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "a seed is for one test run, not configuration")]
    pub fn new() -> Self {
        let seed = match std::env::var(SEED_VARIABLE) {
            Ok(text) => text.parse().expect("the seed is a number"),
            Err(_) => RandomState::new().hash_one(std::process::id()),
        };
        eprintln!("replay with {SEED_VARIABLE}={seed}");
        Self::seeded(seed)
    }

    /// A generator with a known seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, or zero when `limit` is zero.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next_u64().checked_rem(limit).unwrap_or(0)
    }
}

impl Default for Random {
    fn default() -> Self {
        Self::new()
    }
}
