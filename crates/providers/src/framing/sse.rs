//! Server-sent events, as the HTML standard describes them, for streams of UTF-8 JSON.
//!
//! Comments and fields other than `event` and `data` are passed over; an event without data is none.

use super::{FrameTooLarge, LineSplitter, MAX_FRAME_BYTES};

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// Its type, where one was given.
    pub(crate) name: Option<String>,
    /// Its data, lines joined by line breaks.
    pub(crate) data: String,
}

/// Collects bytes and gives back whole events.
#[derive(Debug, Default)]
pub(crate) struct SseSplitter {
    lines: LineSplitter,
    name: Option<String>,
    data: Option<String>,
}

impl SseSplitter {
    /// Takes more bytes; every whole event is handed to `each`.
    ///
    /// # Errors
    /// When an event grows past the limit; the splitter is of no use after that.
    pub(crate) fn push(&mut self, bytes: &[u8], mut each: impl FnMut(SseEvent)) -> Result<(), FrameTooLarge> {
        let (name, data) = (&mut self.name, &mut self.data);
        let mut too_large = false;
        self.lines.push(bytes, |line| {
            if line.is_empty() {
                let name = name.take();
                if let Some(data) = data.take() {
                    each(SseEvent { name, data });
                }
                return;
            }
            take_field(line, name, data);
            too_large |= data.as_ref().is_some_and(|data| data.len() > MAX_FRAME_BYTES);
        })?;
        if too_large { Err(FrameTooLarge) } else { Ok(()) }
    }

    /// Gives back an event whose closing blank line never came: servers that just hang up leave one.
    pub(crate) fn finish(&mut self) -> Option<SseEvent> {
        if let Some(line) = self.lines.finish() {
            take_field(&line, &mut self.name, &mut self.data);
        }
        let name = self.name.take();
        self.data.take().map(|data| SseEvent { name, data })
    }
}

fn take_field(line: &[u8], name: &mut Option<String>, data: &mut Option<String>) {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let (field, value) = match line.iter().position(|byte| *byte == b':') {
        Some(colon) => (&line[..colon], &line[colon + 1..]),
        None => (line, &[][..]),
    };
    let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
    match field {
        b"event" => *name = Some(value.into_owned()),
        b"data" => match data {
            Some(data) => {
                data.push('\n');
                data.push_str(&value);
            }
            None => *data = Some(value.into_owned()),
        },
        _ => {}
    }
}
