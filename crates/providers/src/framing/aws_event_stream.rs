//! The AWS event stream: binary messages with headers, a payload and two checksums.
//!
//! A message is its whole length and the length of its headers (four bytes each, big-endian), a CRC-32 of these, the
//! headers, the payload, and a CRC-32 of all before it. Only headers of type text are given back; the others are
//! stepped over.

use super::MAX_FRAME_BYTES;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use tests::message;

/// The lengths and their checksum.
const PRELUDE: usize = 12;
/// A message without headers and payload: the prelude and the last checksum.
const LEAST: usize = 16;

/// The most bytes of headers that the protocol allows.
const MAX_HEADERS: usize = 128 * 1024;

/// One message, borrowed from the buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwsMessage<'a> {
    /// Its headers with text.
    pub headers: Vec<(&'a str, &'a str)>,
    /// Its payload.
    pub payload: &'a [u8],
}

impl<'a> AwsMessage<'a> {
    /// The text of a header.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }
}

/// Why bytes are no event stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AwsFramingError {
    /// A message was larger than we take.
    TooLarge,
    /// A length or a header made no sense.
    Misshapen,
    /// A checksum did not fit.
    Corrupt,
}

/// Collects bytes and gives back whole messages.
#[derive(Debug, Default)]
pub struct AwsEventStreamSplitter {
    rest: Vec<u8>,
}

impl AwsEventStreamSplitter {
    /// Takes more bytes; every whole message is handed to `each`.
    ///
    /// # Errors
    /// When the bytes are no event stream; the splitter is of no use after that.
    pub fn push(
        &mut self,
        bytes: &[u8],
        mut each: impl FnMut(AwsMessage<'_>),
    ) -> Result<(), AwsFramingError> {
        self.rest.extend_from_slice(bytes);
        let mut start = 0;
        while let Some(length) = whole_length(&self.rest[start..])? {
            let Some(message) = self.rest.get(start..start + length) else { break };
            each(read(message)?);
            start += length;
        }
        self.rest.drain(..start);
        Ok(())
    }
}

/// The length of the message that begins here, once its prelude is there and makes sense.
fn whole_length(bytes: &[u8]) -> Result<Option<usize>, AwsFramingError> {
    let (Some(total), Some(headers), Some(check)) = (number(bytes, 0), number(bytes, 4), number(bytes, 8))
    else {
        return Ok(None);
    };
    if crc32(&bytes[..8]) != check {
        return Err(AwsFramingError::Corrupt);
    }
    let (total, headers) = (size(total), size(headers));
    if total > MAX_FRAME_BYTES {
        return Err(AwsFramingError::TooLarge);
    }
    let fits = total >= LEAST && headers <= total - LEAST && headers <= MAX_HEADERS;
    if fits { Ok(Some(total)) } else { Err(AwsFramingError::Misshapen) }
}

fn read(message: &[u8]) -> Result<AwsMessage<'_>, AwsFramingError> {
    let end = message.len() - 4;
    if number(message, end) != Some(crc32(&message[..end])) {
        return Err(AwsFramingError::Corrupt);
    }
    let headers = size(number(message, 4).unwrap_or(0));
    let (headers, payload) = message[PRELUDE..end].split_at(headers);
    Ok(AwsMessage { headers: read_headers(headers).ok_or(AwsFramingError::Misshapen)?, payload })
}

fn read_headers(mut bytes: &[u8]) -> Option<Vec<(&str, &str)>> {
    let mut headers = Vec::new();
    while let Some((length, rest)) = bytes.split_first() {
        let (name, rest) = rest.split_at_checked(usize::from(*length))?;
        let (kind, rest) = rest.split_first()?;
        let (value, rest) = match kind {
            0 | 1 => rest.split_at(0),
            2 => rest.split_at_checked(1)?,
            3 => rest.split_at_checked(2)?,
            4 => rest.split_at_checked(4)?,
            5 | 8 => rest.split_at_checked(8)?,
            6 | 7 => {
                let (length, rest) = rest.split_first_chunk::<2>()?;
                rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?
            }
            9 => rest.split_at_checked(16)?,
            _ => return None,
        };
        let name = std::str::from_utf8(name).ok()?;
        if *kind == 7 {
            headers.push((name, std::str::from_utf8(value).ok()?));
        }
        bytes = rest;
    }
    Some(headers)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk::<4>().map(|four| u32::from_be_bytes(*four))
}

fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// CRC-32 as in Ethernet and zip.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8);
    !bytes.iter().fold(u32::MAX, step)
}

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0_u32; 256];
    let mut at = 0_usize;
    while at < 256 {
        let mut crc = at as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[at] = crc;
        at += 1;
    }
    table
}
