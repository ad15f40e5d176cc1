//! Somebody speaking, as the platform shows it: how long, and how loud when. Read from the file without decoding it. Pure.

use base64::Engine as _;

/// How many bars the platform shows at most.
const BARS: usize = 256;
/// The rate at which the format counts time.
const RATE: f64 = 48_000.0;

/// How long a recording is, and how loud when.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wave {
    /// In seconds.
    pub(super) seconds: f64,
    /// One byte for each bar, in base64.
    pub(super) bars: String,
}

/// Reads a recording in Ogg with Opus; nothing for other files.
pub(super) fn wave(bytes: &[u8]) -> Option<Wave> {
    let mut rest = bytes;
    let mut sizes: Vec<usize> = Vec::new();
    let mut last = 0_u64;
    let mut is_opus = false;
    while let Some(page) = rest.strip_prefix(b"OggS".as_slice()) {
        let time = u64::from_le_bytes(page.get(2..10)?.try_into().ok()?);
        let count = usize::from(*page.get(22)?);
        let table = page.get(23..23 + count)?;
        let length: usize = table.iter().map(|size| usize::from(*size)).sum();
        let body = page.get(23 + count..23 + count + length)?;
        is_opus |= body.starts_with(b"OpusHead");
        if time != u64::MAX && !body.starts_with(b"Opus") {
            last = last.max(time);
        }
        if !body.starts_with(b"Opus") {
            packets(table, &mut sizes);
        }
        rest = page.get(23 + count + length..)?;
    }
    (is_opus && last > 0).then(|| Wave { seconds: last as f64 / RATE, bars: bars(&sizes) })
}

/// The sizes of the packets in a page.
fn packets(table: &[u8], sizes: &mut Vec<usize>) {
    let mut size = 0;
    for part in table {
        size += usize::from(*part);
        if *part < 255 {
            sizes.push(size);
            size = 0;
        }
    }
}

/// Loud moments take more bytes than silent ones: the sizes of packets stand for loudness.
fn bars(sizes: &[usize]) -> String {
    let count = sizes.len().clamp(1, BARS);
    let most = sizes.iter().copied().max().unwrap_or(1).max(1);
    let bar = |at: usize| {
        let part = sizes.get(at * sizes.len() / count..(at + 1) * sizes.len() / count).unwrap_or_default();
        let loudest = part.iter().copied().max().unwrap_or(0);
        u8::try_from(loudest * 255 / most).unwrap_or(u8::MAX)
    };
    let bars: Vec<u8> = (0..count).map(bar).collect();
    base64::engine::general_purpose::STANDARD.encode(bars)
}
