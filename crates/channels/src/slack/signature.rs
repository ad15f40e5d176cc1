//! Whether a request comes from Slack: signed with the app's secret, and not long ago.

use hmac::{Hmac, KeyInit as _, Mac as _};
use openclaw_types::{Secret, UnixMillis};
use sha2::Sha256;

/// How old a request may be, in seconds.
const OLDEST: i64 = 300;

/// Whether a time, as the header says it, is near enough to ours.
pub(super) fn is_recent(timestamp: &str, now: UnixMillis) -> bool {
    let digits = !timestamp.is_empty() && timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let Some(seconds) = timestamp.parse::<i64>().ok().filter(|_| digits) else { return false };
    seconds.abs_diff(now.0.div_euclid(1000)) <= OLDEST.unsigned_abs()
}

/// Whether the signature fits. Compared in constant time.
pub(super) fn fits(secret: &Secret<String>, timestamp: &str, body: &[u8], signature: &str) -> bool {
    let Some(given) = signature.strip_prefix("v0=").and_then(|digits| hex::decode(digits).ok()) else {
        return false;
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.reveal().as_bytes()) else { return false };
    mac.update(b"v0:");
    mac.update(timestamp.as_bytes());
    mac.update(b":");
    mac.update(body);
    mac.verify_slice(&given).is_ok()
}
