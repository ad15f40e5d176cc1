//! Lets letters of one session in one after the other. A fixed number of doors: sessions that share one wait for each
//! other for a moment, which does no harm.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use openclaw_types::SessionKey;
use tokio::sync::{Mutex, MutexGuard};

const DOORS: usize = 64;

/// The doors.
pub(crate) struct Doors([Mutex<()>; DOORS]);

impl Default for Doors {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(())))
    }
}

impl Doors {
    /// Waits for the turn of a letter; first come, first served.
    pub(crate) async fn turn(&self, key: &SessionKey) -> MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let place = usize::try_from(hasher.finish() % DOORS as u64).unwrap_or(0);
        self.0[place].lock().await
    }
}
