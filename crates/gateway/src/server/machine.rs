//! What the gateway tells others about the machine it runs on.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

use crate::presence::GatewayFacts;

/// Looks at the machine.
pub(crate) fn facts(version: &str) -> GatewayFacts {
    let system = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let (family, platform) = match std::env::consts::OS {
        "macos" => ("Mac", "darwin"),
        "linux" => ("Linux", "linux"),
        other => (other, other),
    };
    GatewayFacts {
        host: text(system.nodename()),
        ip: local_address().map(|address| address.to_string()),
        version: version.to_owned(),
        platform: format!("{platform} {}", text(system.release())),
        device_family: family.to_owned(),
        model_identifier: Some(text(system.machine())),
    }
}

/// The address this machine would use towards the rest of the world. Connecting a UDP socket sends nothing.
fn local_address() -> Option<IpAddr> {
    let documentation_only = (Ipv4Addr::new(192, 0, 2, 1), 9);
    let local = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
        .and_then(|socket| socket.connect(documentation_only).map(|()| socket))
        .and_then(|socket| socket.local_addr());
    match local {
        Ok(address) if !address.ip().is_unspecified() && !address.ip().is_loopback() => Some(address.ip()),
        // A machine without a network has no such address.
        Ok(_) | Err(_) => None,
    }
}
