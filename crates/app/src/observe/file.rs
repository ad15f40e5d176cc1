//! The log file: which one it is today, when it makes way for a new one, and which old ones go.
//!
//! Writing happens on a thread of its own behind a bounded queue, so that a slow disk never slows the gateway. When
//! the queue is full, lines are dropped and counted, and the count is written as soon as there is room again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use openclaw_types::UnixMillis;

use super::line::local_day;

/// Lines that may wait for the disk. When full, new lines are dropped and counted.
const QUEUE_LINES: usize = 4096;
/// Day files older than this are removed.
const KEEP: Duration = Duration::from_secs(24 * 60 * 60);
/// How long `flush` waits for the thread.
const FLUSH_WAIT: Duration = Duration::from_secs(2);

/// Which file the log goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogTarget {
    /// One file for each local day, in this folder.
    Daily(PathBuf),
    /// Always this file.
    Fixed(PathBuf),
}

impl LogTarget {
    /// The file that a line of this moment goes to.
    #[must_use]
    pub fn path_at(&self, at: UnixMillis) -> PathBuf {
        match self {
            Self::Daily(folder) => folder.join(format!("openclaw-{}.log", local_day(at))),
            Self::Fixed(path) => path.clone(),
        }
    }
}

/// The end that the rest of the process holds.
#[derive(Debug, Clone)]
pub(super) struct FileSink {
    queue: SyncSender<Message>,
    dropped: Arc<AtomicU64>,
}

#[derive(Debug)]
enum Message {
    Line { at: UnixMillis, text: String },
    Flush(SyncSender<()>),
}

impl FileSink {
    /// Starts the writing thread.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub(super) fn start(target: LogTarget, max_bytes: u64) -> io::Result<Self> {
        let (queue, inbox) = sync_channel(QUEUE_LINES);
        let dropped = Arc::new(AtomicU64::new(0));
        let writer = Writer { target, max_bytes, dropped: Arc::clone(&dropped), open: None };
        std::thread::Builder::new().name("log-writer".to_owned()).spawn(move || writer.run(&inbox))?;
        Ok(Self { queue, dropped })
    }

    /// Hands a line over; never waits.
    pub(super) fn write(&self, at: UnixMillis, text: String) {
        if let Err(TrySendError::Full(_)) = self.queue.try_send(Message::Line { at, text }) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until everything handed over so far is written, for a short while at most.
    pub(super) fn flush(&self) {
        let (done, wait) = sync_channel(1);
        if self.queue.send(Message::Flush(done)).is_ok() && wait.recv_timeout(FLUSH_WAIT).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

struct Writer {
    target: LogTarget,
    max_bytes: u64,
    dropped: Arc<AtomicU64>,
    open: Option<OpenLog>,
}

struct OpenLog {
    path: PathBuf,
    file: File,
    size: u64,
}

impl Writer {
    fn run(mut self, inbox: &Receiver<Message>) {
        while let Ok(message) = inbox.recv() {
            match message {
                Message::Line { at, text } => {
                    if self.line(at, &text).is_err() {
                        // There is nowhere left to say it: the log is what failed. The line counts as dropped.
                        self.open = None;
                        self.dropped.fetch_add(1, Ordering::Relaxed);
                    }
                }
                Message::Flush(done) => {
                    if let Some(log) = &mut self.open
                        && log.file.flush().is_err()
                    {
                        self.open = None;
                    }
                    // Nobody waits any more when this fails; that is theirs to know.
                    if done.send(()).is_err() {}
                }
            }
        }
    }

    fn line(&mut self, at: UnixMillis, text: &str) -> io::Result<()> {
        let path = self.target.path_at(at);
        if self.open.as_ref().is_none_or(|log| log.path != path) {
            self.open = Some(open(&path)?);
            if let LogTarget::Daily(folder) = &self.target {
                prune(folder, &path, at)?;
            }
        }
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            self.put(&format!("{{\"0\":\"{dropped} log line(s) were dropped\"}}"))?;
        }
        self.put(text)
    }

    /// Writes a line; a file that would grow past its limit makes way first, so that the newest lines are always there.
    fn put(&mut self, text: &str) -> io::Result<()> {
        let length = text.len() as u64 + 1;
        if let Some(full) = self.open.take_if(|log| log.size > 0 && log.size + length > self.max_bytes) {
            fs::rename(&full.path, older(&full.path))?;
            self.open = Some(open(&full.path)?);
        }
        let Some(log) = &mut self.open else { return Ok(()) };
        let mut line = String::with_capacity(text.len() + 1);
        line.push_str(text);
        line.push('\n');
        log.file.write_all(line.as_bytes())?;
        log.size += length;
        Ok(())
    }
}

/// Where a full file goes; the one that was there before is replaced.
fn older(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    PathBuf::from(name)
}

/// Opens for appending. The folder is made private; a link or somebody else's file in its place is refused.
fn open(path: &Path) -> io::Result<OpenLog> {
    if let Some(folder) = path.parent() {
        make_private_folder(folder)?;
    }
    let no_follow = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0);
    let file = OpenOptions::new().create(true).append(true).mode(0o600).custom_flags(no_follow).open(path)?;
    let about = file.metadata()?;
    if !about.is_file() || about.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the log file belongs to somebody else"));
    }
    Ok(OpenLog { path: path.to_owned(), file, size: about.len() })
}

fn make_private_folder(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

fn prune(folder: &Path, current: &Path, now: UnixMillis) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if entry.path() == current
            || !name.starts_with("openclaw-")
            || !(name.ends_with(".log") || name.ends_with(".log.1"))
        {
            continue;
        }
        let about = entry.metadata()?;
        let written = UnixMillis(about.mtime().saturating_mul(1000));
        if about.uid() == rustix::process::geteuid().as_raw() && now.since(written) > KEEP {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
