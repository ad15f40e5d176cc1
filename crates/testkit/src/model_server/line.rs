//! The server's end of a connection. One that is to be cut is closed with a reset, as by a server that died.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Whether a connection is to be reset when it closes. Clones are the same mark.
#[derive(Debug, Clone, Default)]
pub(super) struct CutMark(Arc<AtomicBool>);

impl CutMark {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// A connection.
pub(super) struct Line {
    stream: TcpStream,
    cut: CutMark,
}

impl Line {
    pub(super) fn new(stream: TcpStream, cut: CutMark) -> Self {
        Self { stream, cut }
    }

    fn is_cut(&self) -> bool {
        self.cut.0.load(Ordering::Acquire)
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.is_cut() {
            // Closing without lingering sends a reset instead of an end.
            self.stream.set_zero_linger().expect("an open socket takes options");
        }
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A polite end would come before the reset.
        if self.is_cut() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
