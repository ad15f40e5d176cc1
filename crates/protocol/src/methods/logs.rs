//! `logs.tail`: the end of the log file, then what was added since.
//!
//! Only the shapes and the defaults. Lines are passed on as they stand in the file, because original clients parse
//! them; the handler reads the file.

use crate::method::methods;
use crate::shape::{Int, Natural, object};

methods! {
    /// Reads the log from a cursor on.
    LogsTail = "logs.tail": LogsTailParams => LogsTailResult;
}

/// Lines sent when the caller does not say how many.
pub const DEFAULT_LOG_LINES: u64 = 500;
/// Bytes read when the caller does not say how many.
pub const DEFAULT_LOG_BYTES: u64 = 250_000;

object! {
    /// Params of `logs.tail`.
    #[derive(Eq, Default)]
    closed LogsTailParams {
        /// Byte offset from the previous answer.
        cursor?: Natural,
        limit?: Int<1, 5000>,
        max_bytes?: Int<1, 1_000_000>,
    }
    /// Result of `logs.tail`.
    #[derive(Eq)]
    open LogsTailResult {
        file: String,
        /// Byte offset to send next time.
        cursor: u64,
        size: u64,
        /// Raw JSON log lines.
        lines: Vec<String>,
        truncated?: bool,
        /// The file shrank or too much was skipped; what was shown before does not connect to this.
        reset?: bool,
    }
}
