//! Before a restart: would the next start be able to listen?
//!
//! A gateway that runs must not be lost to an edit that only shows its fault when it starts again. What can be tried
//! beforehand is tried here; when it fails, the gateway goes on as it is and says why.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;

use openclaw_config::{Bind, ConfigFile, GatewaySettings};

/// Tries what the next start will do.
///
/// # Errors
/// What stands in the way, in words for people.
pub(crate) fn preflight(file: &ConfigFile, listening: &[SocketAddr]) -> Result<(), String> {
    let snapshot = file.read();
    if !snapshot.valid {
        // The next start runs on the last good configuration, as this one did.
        return Ok(());
    }
    let settings = &snapshot.config.gateway;
    can_listen(settings, listening)?;
    for path in [&settings.tls.cert_path, &settings.tls.key_path] {
        if settings.tls.enabled && !settings.tls.auto_generate {
            readable(path)?;
        }
    }
    Ok(())
}

fn can_listen(settings: &GatewaySettings, listening: &[SocketAddr]) -> Result<(), String> {
    let ip = match settings.bind {
        Bind::Loopback | Bind::Auto => IpAddr::V4(Ipv4Addr::LOCALHOST),
        Bind::Lan => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        Bind::Custom(ip) => ip,
        Bind::Tailnet => return Ok(()),
    };
    // Our own port is ours again after the restart.
    let ours = listening.iter().any(|address| address.port() == settings.port);
    if settings.port == 0 || ours {
        return Ok(());
    }
    let address = SocketAddr::new(ip, settings.port);
    TcpListener::bind(address).map(drop).map_err(|error| format!("{address} cannot be listened on: {error}"))
}

fn readable(path: &Path) -> Result<(), String> {
    std::fs::File::open(path).map(drop).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}

#[cfg(test)]
mod tests;
