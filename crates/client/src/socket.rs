//! Opens the WebSocket: TCP, TLS when asked for, upgrade. Bounds every message.
//!
//! Knows nothing of frames or handshakes; `handshake` and `session` speak over what this gives them.

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Error as SocketError;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use crate::address::{GatewayAddress, Security};
use crate::error::ConnectError;
use crate::options::{ConnectOptions, Plaintext};
use crate::tls::{self, Trust};

/// Largest message accepted from a gateway.
pub(crate) const MAX_MESSAGE_BYTES: usize = 25 * 1024 * 1024;

/// A byte stream with or without TLS below.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

pub(crate) type Socket = WebSocketStream<Box<dyn Wire>>;

/// Opens the socket. The caller bounds the time.
pub(crate) async fn open(options: &ConnectOptions) -> Result<Socket, ConnectError> {
    let address = &options.address;
    check(options)?;
    let tcp = TcpStream::connect((address.host(), address.port()))
        .await
        .map_err(|source| ConnectError::Unreachable { address: address.authority(), source })?;
    if let Err(error) = tcp.set_nodelay(true) {
        tracing::debug!(%error, "small messages may be delayed on this connection");
    }
    let stream: Box<dyn Wire> = match address.security() {
        Security::Plaintext => Box::new(tcp),
        Security::Tls => Box::new(encrypt(address, tcp, &options.trust).await?),
    };
    let config = WebSocketConfig::default()
        .read_buffer_size(16 * 1024)
        .write_buffer_size(0)
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    let (socket, _) =
        tokio_tungstenite::client_async_with_config(address.request_uri(), stream, Some(config))
            .await
            .map_err(|error| upgrade_failure(address, error))?;
    Ok(socket)
}

fn check(options: &ConnectOptions) -> Result<(), ConnectError> {
    let address = &options.address;
    match address.security() {
        Security::Tls => Ok(()),
        Security::Plaintext if matches!(options.trust, Trust::Pinned(_)) => {
            Err(ConnectError::FingerprintWithoutTls)
        }
        Security::Plaintext if address.is_loopback() || options.plaintext == Plaintext::Anywhere => Ok(()),
        Security::Plaintext => Err(ConnectError::PlaintextRefused { host: address.host().to_owned() }),
    }
}

async fn encrypt(
    address: &GatewayAddress,
    tcp: TcpStream,
    trust: &Trust,
) -> Result<tokio_rustls::client::TlsStream<TcpStream>, ConnectError> {
    let refused = |detail: String| ConnectError::Certificate { address: address.authority(), detail };
    let name = ServerName::try_from(address.host().to_owned()).map_err(|error| refused(error.to_string()))?;
    let connector = tokio_rustls::TlsConnector::from(tls::client_config(trust)?);
    connector.connect(name, tcp).await.map_err(|error| match (trust, tls_cause(&error)) {
        (Trust::Pinned(_), Some(rustls::Error::InvalidCertificate(_))) => refused(
            "it is not the pinned one; if the gateway's certificate was renewed, take its new fingerprint"
                .to_owned(),
        ),
        (_, Some(cause @ rustls::Error::InvalidCertificate(_))) => {
            refused(format!("{cause}; for a self-signed gateway pass --tls-fingerprint"))
        }
        _ => {
            ConnectError::NotAGateway { address: address.authority(), detail: format!("TLS failed: {error}") }
        }
    })
}

fn tls_cause(error: &std::io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref()
}

fn upgrade_failure(address: &GatewayAddress, error: SocketError) -> ConnectError {
    let address = address.authority();
    match error {
        SocketError::Io(source) => ConnectError::Unreachable { address, source },
        SocketError::Http(response) => ConnectError::NotAGateway {
            address,
            detail: format!("it answered the upgrade with HTTP status {}", response.status().as_u16()),
        },
        other => ConnectError::NotAGateway { address, detail: other.to_string() },
    }
}
