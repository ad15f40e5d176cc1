//! One WebSocket as the gateway uses it: messages in, shared texts out, and an orderly close.
//!
//! Hides the WebSocket library from the rest of the crate. Text and binary messages are the same to us; pings are
//! answered by the library while we read. Deciding what a message means is left to `opening` and `serve`.

use bytes::Bytes;
use futures_util::{FutureExt as _, SinkExt as _, StreamExt as _};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use openclaw_protocol::Close;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::CapacityError;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode as WireCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use super::metered::{AllowanceUsed, Metered};

/// Largest message a client may send; announced as `policy.maxPayload`.
pub(crate) const MAX_MESSAGE_BYTES: usize = 25 * 1024 * 1024;
/// What a client may send in all before it is admitted.
pub(crate) const STRANGER_BYTES: usize = 64 * 1024;
/// The library's buffers for each socket, kept small because most sockets are idle.
const BUFFER_BYTES: usize = 8 * 1024;
/// How many messages are read, and thrown away, while waiting for the other end to confirm a close.
const FAREWELL_MESSAGES: usize = 256;

/// A socket to one client.
pub(crate) struct Socket {
    stream: WebSocketStream<Metered<TokioIo<Upgraded>>>,
}

/// What came in.
#[derive(Debug)]
pub(crate) enum Received {
    /// A message.
    Message(Bytes),
    /// The client sent more than it may.
    TooBig,
    /// The client left, or the connection broke.
    Gone,
}

/// The connection is broken; there is nobody to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken;

impl Socket {
    /// Speaks WebSocket on an upgraded connection.
    pub(crate) async fn new(upgraded: Upgraded) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(BUFFER_BYTES)
            .write_buffer_size(BUFFER_BYTES)
            .max_message_size(Some(MAX_MESSAGE_BYTES))
            .max_frame_size(Some(MAX_MESSAGE_BYTES));
        let metered = Metered::new(TokioIo::new(upgraded), STRANGER_BYTES);
        let stream = WebSocketStream::from_raw_socket(metered, Role::Server, Some(config)).await;
        Self { stream }
    }

    /// Lets the client send whole messages: it has been admitted.
    pub(crate) fn admit(&mut self) {
        self.stream.get_mut().lift();
    }

    /// Waits for the next message. Dropping the future loses nothing.
    pub(crate) async fn receive(&mut self) -> Received {
        loop {
            return match self.stream.next().await {
                Some(Ok(Message::Text(text))) => Received::Message(text.into()),
                Some(Ok(Message::Binary(bytes))) => Received::Message(bytes),
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
                Some(Err(error)) if is_too_big(&error) => Received::TooBig,
                Some(Ok(Message::Close(_))) => {
                    // The answer to a goodbye is queued by now and leaves with a flush. One try: a client that says
                    // goodbye and reads no more is not waited for.
                    if let Some(Err(error)) = self.stream.flush().now_or_never() {
                        tracing::trace!(%error, "a goodbye could not be answered");
                    }
                    Received::Gone
                }
                Some(Err(_)) | None => Received::Gone,
            };
        }
    }

    /// Writes texts in order and waits until the system has taken them. `texts` is left empty.
    pub(crate) async fn send(&mut self, texts: &mut Vec<Utf8Bytes>) -> Result<(), Broken> {
        for text in texts.drain(..) {
            self.stream.feed(Message::Text(text)).await.map_err(broken)?;
        }
        self.stream.flush().await.map_err(broken)
    }

    /// Says goodbye and waits for the other end to hang up, so that the goodbye is not lost. Callers bound the wait.
    pub(crate) async fn close(&mut self, close: &Close) {
        let frame = CloseFrame {
            code: WireCode::from(close.code().number()),
            reason: close.reason().to_owned().into(),
        };
        if self.stream.send(Message::Close(Some(frame))).await.is_err() {
            return;
        }
        for _ in 0..FAREWELL_MESSAGES {
            match self.stream.next().await {
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return,
            }
        }
    }
}

fn broken(error: Error) -> Broken {
    tracing::trace!(%error, "a socket broke");
    Broken
}

fn is_too_big(error: &Error) -> bool {
    match error {
        Error::Capacity(CapacityError::MessageTooLong { .. }) => true,
        Error::Io(error) => {
            // hyper wraps what the stream below it said, so the whole chain is searched.
            let mut cause = error.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static));
            while let Some(found) = cause {
                if found.is::<AllowanceUsed>() {
                    return true;
                }
                cause = found.source();
            }
            false
        }
        _ => false,
    }
}
