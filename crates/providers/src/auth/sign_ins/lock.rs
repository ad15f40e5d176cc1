//! A lock that all processes with the same state directory respect, one file for each credential.
//!
//! The system lets go of it when its holder dies, so nothing stale is ever left behind.

use std::fs::File;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use openclaw_ports::{Clock, Deadline};
use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};

/// How often a lock that is held is tried again.
const RETRY: Duration = Duration::from_millis(25);
/// How long a lock is waited for. A renewal has deadlines of its own and ends sooner.
const PATIENCE: Duration = Duration::from_secs(60);

/// The lock, held as long as this lives.
#[derive(Debug)]
pub(super) struct Held {
    _file: File,
}

/// Why a lock was not had.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotHeld {
    /// Another process has it.
    #[error("another process is busy with this sign-in")]
    Busy,
    /// The file cannot be made or locked.
    #[error("the lock {} cannot be taken: {source}", path.display())]
    Failed {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

/// Takes the lock of a credential.
pub(super) async fn take(clock: &dyn Clock, directory: &Path, name: &str) -> Result<Held, NotHeld> {
    let path =
        directory.join(format!("sign-in-{}.lock", &hex::encode(Sha256::digest(name.as_bytes()))[..32]));
    let failed = |source: std::io::Error| NotHeld::Failed { path: path.clone(), source };
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
    let file =
        File::options().create(true).truncate(false).write(true).mode(0o600).open(&path).map_err(failed)?;
    let deadline = Deadline::after(clock, PATIENCE);
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Held { _file: file }),
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => {}
            Err(error) => return Err(failed(error.into())),
        }
        if deadline.left(clock).is_zero() {
            return Err(NotHeld::Busy);
        }
        clock.sleep(RETRY).await;
    }
}
