//! Chance for pauses and codes, from the system.

use uuid::Uuid;

/// A number between 0 and 1.
pub(crate) fn chance() -> f64 {
    let bytes = *Uuid::new_v4().as_bytes();
    let number = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    f64::from(number) / f64::from(u32::MAX)
}

/// Eight bytes, each of them free of the fixed bits that such an identifier has.
pub(crate) fn chance_bytes() -> [u8; 8] {
    let bytes = *Uuid::new_v4().as_bytes();
    [bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[10], bytes[11]]
}
