//! What can keep the gateway from starting, by what a person can do about it.
//!
//! Trouble with one connection is never an error here: it becomes a close code or an error response. `app` shows
//! these texts as they are, so each one says what to do next.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use openclaw_ports::stores::StoreError;

/// Why the gateway did not start.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// Another program, often another gateway, listens there already.
    #[error(
        "port {port} on {ip} is already in use; stop the other program (`openclaw gateway status` tells whether it is a gateway) or choose another port with `--port` or `gateway.port`",
        port = address.port(),
        ip = address.ip()
    )]
    PortInUse {
        /// The address that was asked for.
        address: SocketAddr,
    },
    /// The address could not be listened on for another reason.
    #[error("cannot listen on {address}; check `gateway.bind` and `gateway.port`")]
    CannotListen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Starting like this would let strangers in.
    #[error("refusing to start: {reason}")]
    Unsafe {
        /// What is wrong and what to change.
        reason: String,
    },
    /// The certificate or its key cannot be used.
    #[error("cannot use the TLS file {path}: {problem}", path = path.display())]
    Tls {
        /// The file in question.
        path: PathBuf,
        /// What is wrong with it and what to do.
        problem: String,
    },
    /// A certificate could not be made or stored.
    #[error("cannot make a TLS certificate in {path}", path = path.display())]
    TlsFile {
        /// The file or folder in question.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The device records could not be read.
    #[error("the stored devices cannot be read; run `openclaw doctor`")]
    Store(#[from] StoreError),
}
