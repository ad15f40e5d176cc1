//! Stage: says that the gateway is ready, to people and to the supervisor.

use std::net::SocketAddr;
use std::os::unix::net::UnixDatagram;

use openclaw_config::{Environment, LiveConfig};
use openclaw_gateway::Gateway;
use openclaw_providers::Demonstration;

use crate::observe::Logs;

/// Says where the gateway listens and what belongs to it.
pub(crate) fn show(config: &LiveConfig, gateway: &Gateway, logs: &Logs, demonstration: Demonstration) {
    let current = config.current();
    let secure = gateway.tls_fingerprint().is_some();
    let (socket, page) = if secure { ("wss", "https") } else { ("ws", "http") };
    let places: Vec<String> =
        gateway.addresses().iter().map(|address| format!("{socket}://{address}")).collect();
    tracing::info!(subsystem = "gateway", "listening on {} (pid {})", places.join(", "), std::process::id());
    if let (true, Some(first)) = (current.gateway.control_ui.enabled, gateway.addresses().first()) {
        let base = &current.gateway.control_ui.base_path;
        tracing::info!(subsystem = "gateway", "dashboard: {page}://{}{base}/", reachable(*first));
    }
    if let Some(fingerprint) = gateway.tls_fingerprint() {
        tracing::info!(subsystem = "gateway", "certificate fingerprint (SHA-256): {fingerprint}");
    }
    tracing::info!(subsystem = "gateway", "config: {}", config.file().locations().config_path.display());
    tracing::info!(subsystem = "gateway", "log file: {}", logs.current_file().display());
    match demonstration {
        Demonstration::Present => tracing::info!(
            subsystem = "gateway",
            "demonstration: every answer comes from the built-in demonstration model, which is not an AI; start without --demo to use a real model"
        ),
        Demonstration::Absent => {}
    }
}

/// An address that a browser on this machine can open.
fn reachable(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() { SocketAddr::from(([127, 0, 0, 1], address.port())) } else { address }
}

/// Tells systemd that the service is up, when it asked to be told.
pub(crate) fn tell_supervisor(environment: &Environment) {
    let Some(name) = environment.get("NOTIFY_SOCKET") else { return };
    let sent = send(name, b"READY=1");
    if let Err(error) = sent {
        tracing::warn!(subsystem = "gateway", %error, "the supervisor could not be told that the gateway is ready");
    }
}

fn send(name: &str, text: &[u8]) -> std::io::Result<usize> {
    let socket = UnixDatagram::unbound()?;
    #[cfg(target_os = "linux")]
    if let Some(hidden) = name.strip_prefix('@') {
        let address =
            <std::os::unix::net::SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(
                hidden,
            )?;
        return socket.send_to_addr(text, &address);
    }
    socket.send_to(text, name)
}
