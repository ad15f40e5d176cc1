//! Who is connected: the entry shared by `system-presence`, `hello-ok` and the `presence` event.
//!
//! Keeping, merging and expiring entries is the business of `gateway`.

use openclaw_types::UnixMillis;

use crate::shape::object;

object! {
    /// One client, node or the gateway itself.
    open PresenceEntry {
        host?: String,
        ip?: String,
        version?: String,
        platform?: String,
        device_family?: String,
        model_identifier?: String,
        mode?: String,
        last_input_seconds?: u64,
        reason?: String,
        tags?: Vec<String>,
        text?: String,
        ts: UnixMillis,
        device_id?: String,
        roles?: Vec<String>,
        scopes?: Vec<String>,
        instance_id?: String,
    }
}

impl PresenceEntry {
    /// An entry with nothing but its time.
    #[must_use]
    pub fn at(ts: UnixMillis) -> Self {
        Self {
            host: None,
            ip: None,
            version: None,
            platform: None,
            device_family: None,
            model_identifier: None,
            mode: None,
            last_input_seconds: None,
            reason: None,
            tags: None,
            text: None,
            ts,
            device_id: None,
            roles: None,
            scopes: None,
            instance_id: None,
        }
    }
}
