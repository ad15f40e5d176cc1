//! Turns the wish "listen on loopback" into bound sockets.
//!
//! Loopback means both families, because clients resolve `localhost` to either. With port 0 all addresses get the
//! same free port. Whether an address is safe to open is decided in `posture`, before anything is bound here.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::PathBuf;

use openclaw_config::{Bind, GatewaySettings, TlsSettings};
use tokio::net::TcpListener;

use crate::error::GatewayError;

/// How often a free port is drawn again because it was taken in the other address family.
const PORT_DRAWS: usize = 16;

/// Where and how the gateway listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenPlan {
    /// Which addresses.
    pub bind: Bind,
    /// Which port; 0 asks for any free one.
    pub port: u16,
    /// Whether connections are encrypted.
    pub tls: TlsPlan,
}

/// Whether and with which certificate connections are encrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TlsPlan {
    /// Plain HTTP and WebSocket.
    Off,
    /// With a certificate a person provided, as PEM.
    Files {
        /// The certificate chain.
        certificate: PathBuf,
        /// Its private key.
        key: PathBuf,
    },
    /// With our own certificate, made when it does not exist yet.
    SelfSigned {
        /// The certificate.
        certificate: PathBuf,
        /// Its private key.
        key: PathBuf,
    },
}

impl ListenPlan {
    /// What the configuration asks for.
    #[must_use]
    pub fn of(settings: &GatewaySettings) -> Self {
        let TlsSettings { enabled, auto_generate, cert_path, key_path, .. } = &settings.tls;
        let (certificate, key) = (cert_path.clone(), key_path.clone());
        let tls = match (enabled, auto_generate) {
            (false, _) => TlsPlan::Off,
            (true, true) => TlsPlan::SelfSigned { certificate, key },
            (true, false) => TlsPlan::Files { certificate, key },
        };
        Self { bind: settings.bind, port: settings.port, tls }
    }
}

/// The addresses to open, the one that must succeed first.
fn addresses(bind: Bind) -> Vec<IpAddr> {
    let loopback = || vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    match bind {
        Bind::Loopback | Bind::Auto => loopback(),
        Bind::Lan => vec![IpAddr::V4(Ipv4Addr::UNSPECIFIED)],
        Bind::Custom(address) => vec![address],
        Bind::Tailnet => match tailnet_address() {
            Some(address) => vec![IpAddr::V4(address), IpAddr::V4(Ipv4Addr::LOCALHOST)],
            None => {
                tracing::warn!("no Tailscale address found on this machine; listening on loopback only");
                loopback()
            }
        },
    }
}

/// Opens every address of the plan on one port.
pub(crate) async fn listen(bind: Bind, port: u16) -> Result<Vec<TcpListener>, GatewayError> {
    let addresses = addresses(bind);
    let mut last = None;
    for _ in 0..PORT_DRAWS {
        match listen_once(&addresses, port).await {
            Err(GatewayError::PortInUse { address }) if port == 0 => last = Some(address),
            other => return other,
        }
    }
    let taken = last.unwrap_or_else(|| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    Err(GatewayError::PortInUse { address: taken })
}

async fn listen_once(addresses: &[IpAddr], port: u16) -> Result<Vec<TcpListener>, GatewayError> {
    let mut listeners = Vec::new();
    let mut port = port;
    for ip in addresses {
        let address = SocketAddr::new(*ip, port);
        match TcpListener::bind(address).await {
            Ok(listener) => {
                port = listener
                    .local_addr()
                    .map_err(|source| GatewayError::CannotListen { address, source })?
                    .port();
                listeners.push(listener);
            }
            Err(source) if source.kind() == io::ErrorKind::AddrInUse => {
                return Err(GatewayError::PortInUse { address });
            }
            // A machine without IPv6 still serves IPv4; only the first address has to work.
            Err(source) if !listeners.is_empty() => {
                tracing::debug!(%address, %source, "an additional address is not available");
            }
            Err(source) => return Err(GatewayError::CannotListen { address, source }),
        }
    }
    Ok(listeners)
}

/// The address this machine would use towards Tailscale's own resolver. Connecting a UDP socket sends nothing.
fn tailnet_address() -> Option<Ipv4Addr> {
    let local = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
        .and_then(|socket| socket.connect((Ipv4Addr::new(100, 100, 100, 100), 53)).map(|()| socket))
        .and_then(|socket| socket.local_addr());
    match local {
        Ok(SocketAddr::V4(address)) if is_carrier_grade(*address.ip()) => Some(*address.ip()),
        Ok(_) | Err(_) => None,
    }
}

/// Whether an address lies in 100.64.0.0/10, the range Tailscale hands out.
fn is_carrier_grade(address: Ipv4Addr) -> bool {
    let [first, second, _, _] = address.octets();
    first == 100 && (64..128).contains(&second)
}

#[cfg(test)]
mod tests;
