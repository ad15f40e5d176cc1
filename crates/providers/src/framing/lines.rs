//! Lines that end in LF or CRLF, cut from bytes that arrive in pieces.

use super::{FrameTooLarge, MAX_FRAME_BYTES};

/// Collects bytes and gives back whole lines without their ends.
#[derive(Debug, Default)]
pub struct LineSplitter {
    rest: Vec<u8>,
    /// How far `rest` is known to hold no line end, so that a long line is searched once.
    searched: usize,
}

impl LineSplitter {
    /// Takes more bytes. Every whole line is handed to `each`; what is left waits for more.
    ///
    /// # Errors
    /// When a line grows past the limit; the splitter is of no use after that.
    pub fn push(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8])) -> Result<(), FrameTooLarge> {
        self.rest.extend_from_slice(bytes);
        let mut start = 0;
        while let Some(end) = memchr::memchr(b'\n', &self.rest[self.searched..]) {
            let end = self.searched + end;
            each(without_return(&self.rest[start..end]));
            start = end + 1;
            self.searched = start;
        }
        self.rest.drain(..start);
        self.searched = self.rest.len();
        if self.rest.len() > MAX_FRAME_BYTES { Err(FrameTooLarge) } else { Ok(()) }
    }

    /// Gives back the last line when the bytes ended without a line end.
    pub fn finish(&mut self) -> Option<Vec<u8>> {
        let rest = std::mem::take(&mut self.rest);
        self.searched = 0;
        let line = without_return(&rest).to_vec();
        (!line.is_empty()).then_some(line)
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
