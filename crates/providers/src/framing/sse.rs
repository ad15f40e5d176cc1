//! Server-sent events, as the HTML standard describes them, for streams of UTF-8 JSON.
//!
//! Comments and fields other than `event` and `data` are passed over; an event without data is none. The buffers are
//! used again for each event: an answer is thousands of small ones.

use super::{FrameTooLarge, LineSplitter, MAX_FRAME_BYTES};

/// One event, borrowed from the buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// Its type, where one was given.
    pub name: Option<&'a str>,
    /// Its data, lines joined by line breaks.
    pub data: &'a str,
}

/// Collects bytes and gives back whole events.
#[derive(Debug, Default)]
pub struct SseSplitter {
    lines: LineSplitter,
    fields: Fields,
}

/// The fields of the event that arrives.
#[derive(Debug, Default)]
struct Fields {
    name: Field,
    data: Field,
}

/// A field, which may be there and empty.
#[derive(Debug, Default)]
struct Field {
    text: String,
    given: bool,
}

impl SseSplitter {
    /// Takes more bytes; every whole event is handed to `each`.
    ///
    /// # Errors
    /// When an event grows past the limit; the splitter is of no use after that.
    pub fn push(&mut self, bytes: &[u8], mut each: impl FnMut(SseEvent<'_>)) -> Result<(), FrameTooLarge> {
        let fields = &mut self.fields;
        let mut too_large = false;
        self.lines.push(bytes, |line| {
            if line.is_empty() {
                if let Some(event) = fields.event() {
                    each(event);
                }
                fields.clear();
                return;
            }
            fields.take(line);
            too_large |= fields.data.text.len() > MAX_FRAME_BYTES;
        })?;
        if too_large { Err(FrameTooLarge) } else { Ok(()) }
    }

    /// Gives back an event whose closing blank line never came: servers that just hang up leave one.
    pub fn finish(&mut self) -> Option<SseEvent<'_>> {
        if let Some(line) = self.lines.finish() {
            self.fields.take(&line);
        }
        self.fields.event()
    }
}

impl Fields {
    fn event(&self) -> Option<SseEvent<'_>> {
        self.data.given.then(|| SseEvent { name: self.name.get(), data: &self.data.text })
    }

    fn clear(&mut self) {
        self.name.clear();
        self.data.clear();
    }

    fn take(&mut self, line: &[u8]) {
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"event" => {
                self.name.clear();
                self.name.add(value);
            }
            b"data" => {
                if self.data.given {
                    self.data.text.push('\n');
                }
                self.data.add(value);
            }
            _ => {}
        }
    }
}

impl Field {
    fn get(&self) -> Option<&str> {
        self.given.then_some(self.text.as_str())
    }

    fn add(&mut self, bytes: &[u8]) {
        self.given = true;
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text.push_str(text),
            Err(_) => self.text.push_str(&String::from_utf8_lossy(bytes)),
        }
    }

    fn clear(&mut self) {
        self.given = false;
        self.text.clear();
    }
}
