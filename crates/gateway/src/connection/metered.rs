//! A byte stream that reads only so much until it is told the other end may be trusted with more.
//!
//! The WebSocket library fixes its message limit when a socket opens, before anybody has proved anything. This stream
//! sits below it and holds strangers to a small number of bytes in all; `lift` ends that.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream with a reading allowance.
#[derive(Debug)]
pub(crate) struct Metered<S> {
    stream: S,
    /// Bytes that may still be read; `None` is without limit.
    allowance: Option<usize>,
}

/// The other end sent more than its allowance.
#[derive(Debug, thiserror::Error)]
#[error("more bytes than allowed before the connection was admitted")]
pub(crate) struct AllowanceUsed;

impl<S> Metered<S> {
    /// Wraps a stream that may read `allowance` bytes in all.
    pub(crate) fn new(stream: S, allowance: usize) -> Self {
        Self { stream, allowance: Some(allowance) }
    }

    /// Ends the allowance: from now on everything is read.
    pub(crate) fn lift(&mut self) {
        self.allowance = None;
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let Some(left) = this.allowance else {
            return Pin::new(&mut this.stream).poll_read(cx, buffer);
        };
        if left == 0 {
            return Poll::Ready(Err(io::Error::other(AllowanceUsed)));
        }
        let room = left.min(buffer.remaining());
        let mut part = ReadBuf::new(buffer.initialize_unfilled_to(room));
        let polled = Pin::new(&mut this.stream).poll_read(cx, &mut part);
        let read = part.filled().len();
        buffer.advance(read);
        this.allowance = Some(left - read);
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
