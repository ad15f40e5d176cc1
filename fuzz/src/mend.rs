//! Makes the checksums and lengths of an AWS event stream right.
//!
//! Hardly any change to a message keeps its checksum, so a search that only changes bytes would never get past it.

/// The same bytes as messages that any reader must take for whole; what is too short for one is left as it is.
pub(crate) fn mended(data: &[u8]) -> Vec<u8> {
    let mut bytes = data.to_vec();
    let mut start = 0;
    while bytes.len() - start >= 16 {
        let rest = bytes.len() - start;
        let message = &mut bytes[start..];
        let total = length_at(message, 0).clamp(16, rest);
        let headers = length_at(message, 4).min(total - 16);
        put(message, 0, total);
        put(message, 4, headers);
        seal(message, 8);
        seal(message, total - 4);
        start += total;
    }
    bytes
}

fn length_at(bytes: &[u8], at: usize) -> usize {
    let four = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    usize::try_from(u32::from_be_bytes(four)).unwrap_or(usize::MAX)
}

fn put(bytes: &mut [u8], at: usize, length: usize) {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    bytes[at..at + 4].copy_from_slice(&length.to_be_bytes());
}

/// Writes the checksum of all before `at` there.
fn seal(bytes: &mut [u8], at: usize) {
    let check = crc32(&bytes[..at]);
    bytes[at..at + 4].copy_from_slice(&check.to_be_bytes());
}

/// CRC-32, bit by bit: another way than the reader's, on purpose.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}
