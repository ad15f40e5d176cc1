//! A WebSocket to a platform: connects (through a proxy where one is set), encrypts, reads and writes messages.
//!
//! Knows nothing of what is said over it. The address may hold a ticket, so no fault's text holds it. Opening has a
//! deadline; who reads decides how long silence may last. Pings of the platform are answered by reading on.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use openclaw_ports::channel::{ChannelError, Landed};
use openclaw_ports::{Clock, Deadline};
use openclaw_types::percent_decoded;
use reqwest::Url;
use rustls_platform_verifier::ConfigVerifierExt as _;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};

/// How long connecting, encrypting and the upgrade may take together.
const OPENING: Duration = Duration::from_secs(30);
/// The most bytes a proxy may say before its line is through.
const PROXY_BYTES: usize = 16 * 1024;
/// How long writing may take: a line nobody reads at the other end is down.
const WRITING: Duration = Duration::from_secs(30);

/// Where a socket leads.
pub(crate) struct SocketSettings {
    /// `ws://` or `wss://`; may hold a secret and is never shown.
    pub(crate) address: String,
    /// Headers of the upgrade.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// The address of an HTTP proxy from the account's own settings.
    pub(crate) proxy: Option<String>,
    /// The most bytes one message may have.
    pub(crate) most: usize,
}

/// What came over a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SocketMessage {
    /// Words.
    Text(String),
    /// Bytes.
    Binary(Vec<u8>),
    /// A ping or a pong: the other side lives.
    Alive,
    /// The other side ended it. 1005 stands for no code, 1006 for a line that ended without a word.
    Closed {
        /// The code.
        code: u16,
        /// What it said.
        reason: String,
    },
}

/// Why a socket could not be opened, read or written. Holds no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct SocketFault {
    /// What happened.
    pub(crate) reason: String,
    /// The status of the answer, when the platform refused the upgrade.
    pub(crate) status: Option<u16>,
    /// Whether what was written may have reached the platform.
    pub(crate) landed: Landed,
}

impl From<SocketFault> for ChannelError {
    fn from(fault: SocketFault) -> Self {
        Self::Unreachable { reason: fault.reason, landed: fault.landed }
    }
}

trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

type Stream = WebSocketStream<Box<dyn Wire>>;

/// Reads a socket.
pub(crate) struct SocketReader {
    half: SplitStream<Stream>,
}

/// Writes a socket.
pub(crate) struct SocketWriter {
    half: SplitSink<Stream, Message>,
    clock: Arc<dyn Clock>,
}

/// Opens a socket.
pub(crate) async fn open_socket(
    settings: &SocketSettings,
    clock: &Arc<dyn Clock>,
) -> Result<(SocketWriter, SocketReader), SocketFault> {
    let deadline = Deadline::after(clock.as_ref(), OPENING);
    let stream = deadline
        .bound(clock.as_ref(), open(settings))
        .await
        .unwrap_or_else(|_| Err(fault("no answer in time while the line was opened")))?;
    let (writer, reader) = stream.split();
    Ok((SocketWriter { half: writer, clock: Arc::clone(clock) }, SocketReader { half: reader }))
}

impl SocketReader {
    /// The next message. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Result<SocketMessage, SocketFault> {
        loop {
            return Ok(match self.half.next().await {
                None => SocketMessage::Closed { code: 1006, reason: String::new() },
                Some(Ok(Message::Text(text))) => SocketMessage::Text(text.as_str().to_owned()),
                Some(Ok(Message::Binary(bytes))) => SocketMessage::Binary(bytes.to_vec()),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => SocketMessage::Alive,
                Some(Ok(Message::Frame(_))) => continue,
                Some(Ok(Message::Close(frame))) => {
                    let (code, reason) = frame
                        .map_or((1005, String::new()), |frame| (frame.code.into(), frame.reason.to_string()));
                    SocketMessage::Closed { code, reason }
                }
                Some(Err(SocketError::ConnectionClosed | SocketError::AlreadyClosed)) => {
                    SocketMessage::Closed { code: 1006, reason: String::new() }
                }
                Some(Err(error)) => return Err(lost(&error)),
            });
        }
    }
}

impl SocketWriter {
    /// Writes words.
    pub(crate) async fn text(&mut self, text: String) -> Result<(), SocketFault> {
        self.write(Message::text(text)).await
    }

    /// Asks whether the other side lives.
    pub(crate) async fn ping(&mut self) -> Result<(), SocketFault> {
        self.write(Message::Ping(Vec::new().into())).await
    }

    /// Says goodbye. A connection that is already down is not an error.
    pub(crate) async fn close(&mut self, code: u16) {
        let frame = CloseFrame { code: CloseCode::from(code), reason: "".into() };
        if let Err(fault) = self.write(Message::Close(Some(frame))).await {
            tracing::debug!(subsystem = "channels", reason = %fault, "the line was down already");
        }
    }

    /// Writes a message. What could not be written in time may have gone in part: the line is of no more use.
    async fn write(&mut self, message: Message) -> Result<(), SocketFault> {
        let clock = self.clock.as_ref();
        let written = Deadline::after(clock, WRITING).bound(clock, self.half.send(message)).await;
        let fault = match written {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => lost(&error),
            Err(_late) => fault("the other end takes nothing any more"),
        };
        Err(SocketFault { landed: Landed::Maybe, ..fault })
    }
}

async fn open(settings: &SocketSettings) -> Result<Stream, SocketFault> {
    let address =
        Url::parse(&settings.address).map_err(|_detail| fault("the address of the socket makes no sense"))?;
    let encrypted = match address.scheme() {
        "wss" | "https" => true,
        "ws" | "http" => false,
        _ => return Err(fault("the address of the socket begins neither with ws:// nor with wss://")),
    };
    let host = address.host_str().ok_or_else(|| fault("the address of the socket names no host"))?;
    let port = address.port().unwrap_or(if encrypted { 443 } else { 80 });
    let plain = match &settings.proxy {
        None => connect(host.trim_matches(['[', ']']), port).await?,
        Some(proxy) => through(proxy, host, port).await?,
    };
    let wire: Box<dyn Wire> = match encrypted {
        false => Box::new(plain),
        true => Box::new(encrypt(host, plain).await?),
    };
    upgrade(settings, wire).await
}

async fn upgrade(settings: &SocketSettings, wire: Box<dyn Wire>) -> Result<Stream, SocketFault> {
    let mut request = settings
        .address
        .as_str()
        .into_client_request()
        .map_err(|_detail| fault("the address of the socket makes no sense"))?;
    for (name, value) in &settings.headers {
        let value = HeaderValue::from_str(value)
            .map_err(|_detail| fault(&format!("the header {name} holds characters that cannot be sent")))?;
        request.headers_mut().insert(HeaderName::from_static(name), value);
    }
    let config = WebSocketConfig::default()
        .read_buffer_size(16 * 1024)
        .write_buffer_size(0)
        .max_message_size(Some(settings.most))
        .max_frame_size(Some(settings.most));
    match tokio_tungstenite::client_async_with_config(request, wire, Some(config)).await {
        Ok((stream, _)) => Ok(stream),
        Err(SocketError::Http(answer)) => {
            let status = answer.status().as_u16();
            let reason = format!("the platform answered the upgrade with status {status}");
            Err(SocketFault { reason, status: Some(status), landed: Landed::No })
        }
        Err(error) => Err(lost(&error)),
    }
}

async fn connect(host: &str, port: u16) -> Result<TcpStream, SocketFault> {
    let plain = TcpStream::connect((host, port)).await.map_err(|error| fault(&error.to_string()))?;
    plain.set_nodelay(true).map_err(|error| fault(&error.to_string()))?;
    Ok(plain)
}

/// A line through a proxy that understands CONNECT.
async fn through(proxy: &str, host: &str, port: u16) -> Result<TcpStream, SocketFault> {
    let proxy = Url::parse(proxy).map_err(|_detail| fault("the proxy's address makes no sense"))?;
    if proxy.scheme() != "http" {
        return Err(fault("sockets go only through proxies whose address begins with http://"));
    }
    let at = proxy.host_str().ok_or_else(|| fault("the proxy's address names no host"))?;
    let mut line = connect(at.trim_matches(['[', ']']), proxy.port().unwrap_or(80)).await?;
    let login = match (proxy.username(), proxy.password()) {
        ("", None) => String::new(),
        (name, word) => {
            let pair = [percent_decoded(name), percent_decoded(word.unwrap_or_default())].join(&b':');
            let pair = base64::engine::general_purpose::STANDARD.encode(pair);
            format!("Proxy-Authorization: Basic {pair}\r\n")
        }
    };
    let request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n{login}\r\n");
    line.write_all(request.as_bytes()).await.map_err(|error| fault(&error.to_string()))?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        // Byte by byte: what follows the answer belongs to the platform.
        let byte = line.read_u8().await.map_err(|_detail| fault("the proxy closed the line"))?;
        answer.push(byte);
        if answer.len() > PROXY_BYTES {
            return Err(fault("the proxy's answer has no end"));
        }
    }
    let status = String::from_utf8_lossy(&answer).split(' ').nth(1).map(str::to_owned).unwrap_or_default();
    if status.starts_with('2') {
        Ok(line)
    } else {
        Err(fault(&format!("the proxy answered with status {status}")))
    }
}

async fn encrypt(
    host: &str,
    plain: TcpStream,
) -> Result<tokio_rustls::client::TlsStream<TcpStream>, SocketFault> {
    if rustls::crypto::CryptoProvider::get_default().is_none()
        && rustls::crypto::ring::default_provider().install_default().is_err()
    {
        tracing::debug!("another part of the process chose how to encrypt");
    }
    let config = ClientConfig::with_platform_verifier()
        .map_err(|error| fault(&format!("the machine's certificates cannot be used: {error}")))?;
    let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())
        .map_err(|_detail| fault("the address of the socket names no host"))?;
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect(name, plain).await.map_err(|error| fault(&error.to_string()))
}

fn fault(reason: &str) -> SocketFault {
    SocketFault { reason: reason.to_owned(), status: None, landed: Landed::No }
}

fn lost(error: &SocketError) -> SocketFault {
    let reason = match error {
        SocketError::Io(error) => error.to_string(),
        SocketError::Capacity(_) => "the platform sent more at once than is read".to_owned(),
        SocketError::Protocol(error) => format!("the line broke: {error}"),
        SocketError::Url(_) => "the address of the socket makes no sense".to_owned(),
        _ => "the line broke".to_owned(),
    };
    fault(&reason)
}
