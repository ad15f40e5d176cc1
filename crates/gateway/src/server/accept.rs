//! Accepts sockets, encrypts them when asked, and speaks HTTP/1 on each.
//!
//! One task for each listener and one for each socket. What a request means is decided by the `Surface` that is
//! passed in; this file knows only limits: how many sockets, how long a handshake or a request head may take.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use openclaw_ports::{Clock, Deadline, TaskScope};
use rustix::io::Errno;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_util::task::TaskTracker;

use crate::limits::{PlaceSource, Places};

/// How long a TLS handshake or the head of a request may take.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Largest request head.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// How long to wait when the system has no more file handles.
const EXHAUSTED_PAUSE: Duration = Duration::from_millis(100);

/// How a socket reached us.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrived {
    /// The other end of the socket.
    pub(crate) peer: SocketAddr,
    /// Whether the socket is encrypted.
    pub(crate) secure: bool,
}

/// Answers requests.
pub(crate) trait HttpSurface: Send + Sync + 'static {
    /// Answers one request.
    fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        arrived: Arrived,
    ) -> impl Future<Output = Response<Body>> + Send;
}

/// What every listener shares.
pub(crate) struct ListenerShared<S> {
    pub(crate) surface: Arc<S>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tasks: TaskScope,
    /// Counts sockets until they end.
    pub(crate) tracker: TaskTracker,
    pub(crate) tls: Option<TlsAcceptor>,
    /// How many sockets may be open, in all and for each machine.
    pub(crate) places: Places,
}

/// Accepts on one listener until the scope is cancelled.
pub(crate) async fn accept<S: HttpSurface>(door: Arc<ListenerShared<S>>, listener: TcpListener) {
    loop {
        // Both branches are safe to drop: an accepted socket is handed over before the next turn.
        let accepted = tokio::select! {
            () = door.tasks.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => admit(&door, stream, peer),
            Err(error) if is_exhausted(&error) => {
                tracing::warn!(%error, "cannot accept connections at the moment");
                door.clock.sleep(EXHAUSTED_PAUSE).await;
            }
            Err(error) => tracing::debug!(%error, "a connection ended before it was accepted"),
        }
    }
}

fn admit<S: HttpSurface>(door: &Arc<ListenerShared<S>>, stream: TcpStream, peer: SocketAddr) {
    let Some(place) = door.places.take(PlaceSource::of(peer.ip())) else {
        tracing::warn!(%peer, "too many connections; this one is turned away");
        return;
    };
    let serving = door.clone();
    let serving = door.tracker.track_future(async move {
        serve_socket(&serving, stream, peer).await;
        drop(place);
    });
    door.tasks.start("socket", serving);
}

async fn serve_socket<S: HttpSurface>(door: &Arc<ListenerShared<S>>, stream: TcpStream, peer: SocketAddr) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%peer, %error, "cannot switch off packet gathering");
    }
    // Finds out about peers that vanished without a word, such as laptops that were closed.
    if let Err(error) = rustix::net::sockopt::set_socket_keepalive(&stream, true) {
        tracing::debug!(%peer, %error, "cannot switch on keepalive");
    }
    let Some(acceptor) = &door.tls else {
        return serve_http(door, stream, Arrived { peer, secure: false }).await;
    };
    let deadline = Deadline::after(door.clock.as_ref(), HEAD_TIMEOUT);
    match deadline.bound(door.clock.as_ref(), acceptor.accept(stream)).await {
        Ok(Ok(stream)) => serve_http(door, stream, Arrived { peer, secure: true }).await,
        Ok(Err(error)) => tracing::debug!(%peer, %error, "TLS handshake failed"),
        Err(error) => tracing::debug!(%peer, %error, "TLS handshake took too long"),
    }
}

async fn serve_http<S, I>(door: &Arc<ListenerShared<S>>, stream: I, arrived: Arrived)
where
    S: HttpSurface,
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let surface = door.surface.clone();
    let service = hyper::service::service_fn(move |request| {
        let surface = surface.clone();
        async move { Ok::<_, std::convert::Infallible>(surface.answer(request, arrived).await) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_header_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    // When the scope ends, the answer under way is finished and no further request is read.
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = door.tasks.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(peer = %arrived.peer, %error, "an HTTP connection ended early");
    }
}

/// Whether accepting failed because the process or the system ran out of handles.
fn is_exhausted(error: &io::Error) -> bool {
    // Neither limit has an `ErrorKind` of its own.
    let limits = [Errno::MFILE, Errno::NFILE].map(|limit| Some(limit.raw_os_error()));
    limits.contains(&error.raw_os_error()) || error.kind() == io::ErrorKind::OutOfMemory
}
