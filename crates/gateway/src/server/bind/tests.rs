//! Which sockets a bind wish opens.

use super::*;

#[tokio::test]
async fn loopback_opens_both_families_on_the_same_free_port() {
    let listeners = listen(Bind::Loopback, 0).await.unwrap();
    let bound: Vec<_> = listeners.iter().map(|listener| listener.local_addr().unwrap()).collect();
    assert!(bound.iter().all(|address| address.ip().is_loopback() && address.port() == bound[0].port()));
    assert_eq!(bound[0].ip(), IpAddr::V4(Ipv4Addr::LOCALHOST));
}

#[tokio::test]
async fn a_taken_port_is_named_in_the_error() {
    let first = listen(Bind::Custom(IpAddr::V4(Ipv4Addr::LOCALHOST)), 0).await.unwrap();
    let address = first[0].local_addr().unwrap();
    let error = listen(Bind::Loopback, address.port()).await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, GatewayError::PortInUse { address: taken } if taken == address), "{text}");
    assert!(text.contains(&address.port().to_string()) && text.contains("--port"), "{text}");
}
