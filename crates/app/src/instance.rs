//! One gateway for one state directory.
//!
//! The kernel's lock on `gateway.lock` decides, so a file left behind by a crash blocks nobody; the text inside only
//! tells who holds it. A gateway of the original program marks itself with a file of its own, and is honoured too:
//! two programs writing one state directory would destroy each other's work.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use openclaw_config::Locations;
use openclaw_types::UnixMillis;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What a gateway says about itself in its lock file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstanceInfo {
    /// Its process.
    pub pid: u32,
    /// When it started.
    pub started_at: UnixMillis,
    /// Where it listens, once it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Its configuration.
    pub config_path: PathBuf,
}

/// Why a gateway cannot have the state directory.
#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    /// Another gateway has it.
    #[error(
        "another gateway (pid {pid}{}) is using {}. Stop it with `openclaw gateway stop`, or start this one with --profile <name> or --force",
        .port.map(|port| format!(", port {port}")).unwrap_or_default(),
        .state_dir.display()
    )]
    Taken {
        /// Its process.
        pid: u32,
        /// Where it listens, when it said so.
        port: Option<u16>,
        /// The directory both want.
        state_dir: PathBuf,
    },
    /// The lock file cannot be used.
    #[error("{} cannot be locked; is the state directory writable?", .path.display())]
    Unusable {
        /// The lock file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// How often the lock of a gateway that is gone is tried, and how long between two tries.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

/// Held for as long as the gateway runs; dropping it frees the state directory.
#[derive(Debug)]
pub struct InstanceLock {
    file: File,
    info: InstanceInfo,
    path: PathBuf,
}

impl InstanceLock {
    /// Takes the state directory, creating it, private, when it is not there.
    ///
    /// # Errors
    /// `Taken` names the gateway that has it.
    pub fn acquire(locations: &Locations, now: UnixMillis) -> Result<Self, InstanceError> {
        if let Some(pid) = original_gateway(&locations.config_path) {
            return Err(InstanceError::Taken { pid, port: None, state_dir: locations.state_dir.clone() });
        }
        let path = locations.lock_file();
        let unusable = |source| InstanceError::Unusable { path: path.clone(), source };
        let file = open(&path).map_err(unusable)?;
        match lock_patiently(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = read(&file);
                return Err(InstanceError::Taken {
                    pid: holder.as_ref().map_or(0, |info| info.pid),
                    port: holder.and_then(|info| info.port),
                    state_dir: locations.state_dir.clone(),
                });
            }
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
        }
        let info = InstanceInfo {
            pid: std::process::id(),
            started_at: now,
            port: None,
            config_path: locations.config_path.clone(),
        };
        let mut lock = Self { file, info, path: path.clone() };
        lock.write().map_err(unusable)?;
        Ok(lock)
    }

    /// Tells where this gateway listens.
    ///
    /// # Errors
    /// When the lock file cannot be written.
    pub fn announce(&mut self, port: u16) -> Result<(), InstanceError> {
        self.info.port = Some(port);
        self.write().map_err(|source| InstanceError::Unusable { path: self.path.clone(), source })
    }

    fn write(&mut self) -> io::Result<()> {
        let text = serde_json::to_vec(&self.info)?;
        self.file.rewind()?;
        self.file.set_len(0)?;
        self.file.write_all(&text)?;
        self.file.sync_data()
    }
}

/// Takes the lock. One whose holder is gone is waited for: a gateway that was killed while it started a command leaves it
/// to that command for the moment until the command's program begins.
fn lock_patiently(file: &File) -> Result<(), TryLockError> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if read(file).is_some_and(|holder| !is_alive(holder.pid)) => {
                std::thread::sleep(LOCK_PAUSE);
            }
            other => return other,
        }
    }
    file.try_lock()
}

/// Whether a process of this number exists.
fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// The gateway that holds the state directory now, if one does.
///
/// # Errors
/// When the lock file cannot be opened for another reason than that it is not there.
pub fn running_instance(locations: &Locations) -> io::Result<Option<InstanceInfo>> {
    let file = match File::open(locations.lock_file()) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // A shared lock is refused exactly while a gateway holds its own; ours ends with the file handle.
    match file.try_lock_shared() {
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(read(&file)),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

/// Reads who holds the lock; nothing when the text is not (yet) whole.
fn read(mut file: &File) -> Option<InstanceInfo> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// The process of an original gateway that runs on this configuration.
fn original_gateway(config_path: &Path) -> Option<u32> {
    let name = hex::encode(Sha256::digest(config_path.to_string_lossy().as_bytes()));
    let user = rustix::process::getuid().as_raw();
    let path = PathBuf::from(format!("/tmp/openclaw-{user}")).join(format!("gateway.{}.lock", &name[..8]));
    // Anybody may write to /tmp: what is not our own says nothing about our gateways.
    if fs::symlink_metadata(path.parent()?).ok()?.uid() != user
        || fs::symlink_metadata(&path).ok()?.uid() != user
    {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    let mark: OriginalMark = serde_json::from_str(&text).ok()?;
    let stat = fs::read_to_string(format!("/proc/{}/stat", mark.pid)).ok()?;
    // The 22nd field is the start time: a number that another process has by now does not count.
    let started = stat.rsplit_once(") ")?.1.split(' ').nth(19)?.parse::<u64>().ok()?;
    (mark.start_time.is_none_or(|expected| expected == started)).then_some(mark.pid)
}

/// The original's own lock file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OriginalMark {
    pid: u32,
    start_time: Option<u64>,
}
