//! Messages of the AWS event stream: lengths and headers, a payload, two checksums.
//! Document: <https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html>.

use serde_json::Value;

/// The type of a header that holds text.
const TEXT: u8 = 7;

/// One message with headers of text and a JSON payload.
pub(super) fn message(headers: &[(&str, &str)], payload: &Value) -> Vec<u8> {
    let payload = payload.to_string().into_bytes();
    let mut head = Vec::new();
    for (name, value) in headers {
        head.push(u8::try_from(name.len()).expect("names of headers are short"));
        head.extend_from_slice(name.as_bytes());
        head.push(TEXT);
        head.extend_from_slice(&u16::try_from(value.len()).expect("headers are short").to_be_bytes());
        head.extend_from_slice(value.as_bytes());
    }
    let total = 16 + head.len() + payload.len();
    let mut bytes = Vec::with_capacity(total);
    bytes.extend_from_slice(&length(total));
    bytes.extend_from_slice(&length(head.len()));
    bytes.extend_from_slice(&crc32(&bytes).to_be_bytes());
    bytes.extend(head);
    bytes.extend(payload);
    bytes.extend_from_slice(&crc32(&bytes).to_be_bytes());
    bytes
}

fn length(bytes: usize) -> [u8; 4] {
    u32::try_from(bytes).expect("messages are small").to_be_bytes()
}

/// The checksum of Ethernet, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            let odd = crc & 1;
            crc >>= 1;
            if odd == 1 {
                crc ^= 0xedb8_8320;
            }
        }
    }
    !crc
}
