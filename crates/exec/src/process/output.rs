//! Output of a command: the beginning and the end in memory, all of it in a file once it is long.
//!
//! However much a command writes, memory holds at most `HEAD` and `TAIL` bytes. Bytes stay raw here; whoever shows
//! them cleans them. The watching task owns the file, so no lock is held while the disk works.

use std::collections::VecDeque;
use std::io::Read;
use std::path::{Path, PathBuf};

use tokio::io::AsyncWriteExt;

use super::clean::clean;

const HEAD: usize = 32 * 1024;
const TAIL: usize = 96 * 1024;
/// The most a poll gives back.
const FRESH: usize = 30_000;
/// The most a slice of the log gives back.
const SLICE: usize = 128 * 1024;
/// The most that is kept on disk.
const MOST_KEPT: u64 = 256 * 1024 * 1024;

/// What is kept of a command's output in memory.
#[derive(Debug, Default)]
pub(crate) struct Output {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    /// Up to where it was polled.
    seen: u64,
    /// Up to where it was forgotten.
    cleared: u64,
    /// Where all of it is.
    pub(super) file: Option<PathBuf>,
}

impl Output {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = HEAD - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        let rest = rest.get(rest.len().saturating_sub(TAIL)..).unwrap_or_default();
        let over = (self.tail.len() + rest.len()).saturating_sub(TAIL);
        self.tail.drain(..over.min(self.tail.len()));
        self.tail.extend(rest);
        self.total = self.total.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Everything, cut in the middle when it was long.
    pub(crate) fn shown(&self) -> String {
        let left_out = self.left_out();
        let (head, tail) = (clean(&self.head), self.tail_bytes());
        if left_out == 0 {
            return clean(&[self.head.as_slice(), &tail].concat());
        }
        format!("{head}\n[… {left_out} bytes left out …]\n{}", clean(&tail))
    }

    /// The bytes for the log where no file has them, as after a clear or with a full disk. What is missing is said.
    pub(super) fn log_bytes(&self) -> Vec<u8> {
        match self.left_out() {
            0 => self.raw(),
            left_out => {
                let gap = format!("\n[… {left_out} bytes left out …]\n");
                [self.head.as_slice(), gap.as_bytes(), &self.tail_bytes()].concat()
            }
        }
    }

    /// The end of it, for lists and progress.
    pub(crate) fn tail_shown(&self, most: usize) -> String {
        clean(&self.last(most))
    }

    /// What is new since the last call.
    pub(crate) fn fresh(&mut self) -> String {
        let new = usize::try_from(self.total - self.seen).unwrap_or(usize::MAX);
        self.seen = self.total;
        let bytes = self.last(new.min(FRESH));
        let missed = new - bytes.len();
        if missed == 0 {
            clean(&bytes)
        } else {
            format!("[… {missed} earlier bytes: see the log …]\n{}", clean(&bytes))
        }
    }

    pub(crate) fn has_news(&self) -> bool {
        self.total > self.seen
    }

    /// Forgets what is in memory; the count goes on.
    pub(crate) fn clear(&mut self) {
        let total = self.total;
        *self = Self { total, seen: total, cleared: total, ..Self::default() };
    }

    /// Whether memory still holds every byte after so many more.
    fn fits(&self, more: usize) -> bool {
        self.left_out() == 0 && self.head.len() + self.tail.len() + more <= HEAD + TAIL
    }

    pub(super) fn raw(&self) -> Vec<u8> {
        [self.head.as_slice(), &self.tail_bytes()].concat()
    }

    fn left_out(&self) -> u64 {
        let kept = u64::try_from(self.head.len() + self.tail.len()).unwrap_or(u64::MAX);
        (self.total - self.cleared).saturating_sub(kept)
    }

    fn tail_bytes(&self) -> Vec<u8> {
        self.tail.iter().copied().collect()
    }

    fn last(&self, most: usize) -> Vec<u8> {
        if most <= self.tail.len() {
            return self.tail.iter().skip(self.tail.len() - most).copied().collect();
        }
        if self.left_out() > 0 {
            return self.tail_bytes();
        }
        let all = self.raw();
        all.get(all.len().saturating_sub(most)..).unwrap_or_default().to_vec()
    }
}

/// Puts long output into a file.
pub(super) struct Spill {
    path: PathBuf,
    state: SpillState,
}

enum SpillState {
    /// Memory holds all there is.
    NotNeeded,
    Writing {
        file: tokio::fs::File,
        written: u64,
    },
    /// The disk refused, or the file is full.
    Over,
}

impl Spill {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, state: SpillState::NotNeeded }
    }

    /// Takes a piece before memory does. Gives the path when the file was begun just now.
    pub(super) async fn take(&mut self, output: &std::sync::Mutex<Output>, piece: &[u8]) -> Option<PathBuf> {
        let before = {
            let output = output.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match self.state {
                SpillState::NotNeeded if output.fits(piece.len()) => return None,
                SpillState::NotNeeded => Some(output.raw()),
                SpillState::Writing { .. } | SpillState::Over => None,
            }
        };
        let begun = before.is_some();
        let outcome = self.write(before, piece).await;
        if let Err(error) = outcome {
            tracing::warn!(%error, "long output of a command could not be kept on disk");
            self.state = SpillState::Over;
            return None;
        }
        begun.then(|| self.path.clone())
    }

    async fn write(&mut self, before: Option<Vec<u8>>, piece: &[u8]) -> std::io::Result<()> {
        if let Some(before) = before {
            let mut file = begin(&self.path).await?;
            file.write_all(&before).await?;
            self.state =
                SpillState::Writing { file, written: u64::try_from(before.len()).unwrap_or(u64::MAX) };
        }
        let SpillState::Writing { file, written } = &mut self.state else { return Ok(()) };
        file.write_all(piece).await?;
        *written = written.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
        if *written > MOST_KEPT {
            file.write_all(b"\n[the rest was not kept]\n").await?;
            file.flush().await?;
            self.state = SpillState::Over;
        }
        Ok(())
    }

    /// Makes everything readable by others.
    pub(super) async fn finish(&mut self) {
        if let SpillState::Writing { file, .. } = &mut self.state
            && let Err(error) = file.flush().await
        {
            tracing::warn!(%error, "long output of a command could not be kept on disk");
        }
    }
}

async fn begin(path: &Path) -> std::io::Result<tokio::fs::File> {
    if let Some(folder) = path.parent() {
        tokio::fs::create_dir_all(folder).await?;
    }
    tokio::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path).await
}

/// Which lines are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineRange {
    pub(crate) offset: Option<usize>,
    pub(crate) limit: Option<usize>,
}

/// Lines of output.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) text: String,
    pub(crate) from: usize,
    pub(crate) total: usize,
}

/// The wanted lines of a source that is read twice, never kept whole.
pub(super) fn slice<R: Read>(
    open: impl Fn() -> std::io::Result<R>,
    lines: LineRange,
) -> std::io::Result<Slice> {
    let total = count_lines(open()?)?;
    let limit = lines.limit.unwrap_or(if lines.offset.is_some() { usize::MAX } else { 200 });
    let from = lines.offset.unwrap_or_else(|| total.saturating_sub(limit)).min(total);
    let until = from.saturating_add(limit).min(total);
    let mut kept = Vec::new();
    let mut line = 0;
    each_piece(open()?, |piece| {
        for byte in piece {
            if (from..until).contains(&line) && kept.len() < SLICE {
                kept.push(*byte);
            }
            line += usize::from(*byte == b'\n');
        }
        line < until
    })?;
    let mut text = clean(&kept);
    if text.ends_with('\n') {
        text.pop();
    }
    if kept.len() >= SLICE {
        text.push_str("\n[… cut: ask for fewer lines …]");
    }
    Ok(Slice { text, from, total })
}

fn count_lines(source: impl Read) -> std::io::Result<usize> {
    let (mut lines, mut open_end) = (0, false);
    each_piece(source, |piece| {
        lines += piece.iter().filter(|byte| **byte == b'\n').count();
        open_end = piece.last() != Some(&b'\n');
        true
    })?;
    Ok(lines + usize::from(open_end))
}

/// Reads piece by piece until the end, or until nobody wants more.
fn each_piece(mut source: impl Read, mut take: impl FnMut(&[u8]) -> bool) -> std::io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                if !take(buffer.get(..count).unwrap_or_default()) {
                    return Ok(());
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
