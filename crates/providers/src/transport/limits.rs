//! How long and how large calls may be. Plain numbers; the rest of the transport holds to them.

use std::time::Duration;

const MEGABYTE: usize = 1024 * 1024;

/// What a call may take. A deadline is a span, measured by the clock of the transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransportLimits {
    /// From the first packet to a usable connection, encryption included.
    pub connect: Duration,
    /// From the beginning of an attempt to the first byte of the answer's body.
    pub first_byte: Duration,
    /// From one piece of the body to the next, while somebody waits for it.
    pub idle: Duration,
    /// From the first attempt to the end of the answer.
    pub total: Duration,
    /// The largest body that is sent.
    pub request_bytes: usize,
    /// The largest answer of a model, unpacked.
    pub response_bytes: usize,
    /// The most that is read of the explanation of a failure.
    pub error_bytes: usize,
    /// The largest answer to a side call, unpacked.
    pub side_bytes: usize,
    /// How often an attempt that gave nothing is repeated.
    pub retries: u32,
}

impl Default for TransportLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(120),
            total: Duration::from_secs(30 * 60),
            request_bytes: 64 * MEGABYTE,
            response_bytes: 64 * MEGABYTE,
            error_bytes: 64 * 1024,
            side_bytes: 8 * MEGABYTE,
            retries: 2,
        }
    }
}
