//! Cuts the bytes of an answer into frames: server-sent events, lines of JSON, AWS event streams.
//!
//! Bounded: a frame larger than the limit is an error, never a growing buffer. Public so that each framing can be
//! fuzzed and measured alone.

mod aws_event_stream;
mod lines;
mod sse;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use aws_event_stream::message as aws_message;
pub use aws_event_stream::{AwsEventStreamSplitter, AwsFramingError, AwsMessage};
pub use lines::LineSplitter;
pub use sse::{SseEvent, SseSplitter};

/// A frame was larger than we take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameTooLarge;

/// The largest frame we take. A picture in an answer is the largest thing that comes in one.
pub const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;
