//! Whatever strangers write into headers and proofs: an answer, never a panic, never a way in.

use proptest::prelude::*;
use serde_json::json;

use super::{TestDevice, World, arrival, connect, lay_over, settings};
use crate::handshake::applicant::ClientKind;
use crate::handshake::origin::check_origin;

proptest! {
    #[test]
    fn headers_of_any_text_are_read_without_a_panic(
        host in "[ -~]{0,40}", origin in "[ -~]{0,40}", forwarded in "[ -~]{0,40}", real in "[ -~]{0,40}"
    ) {
        let gateway = settings(&json!({"trustedProxies": ["203.0.113.0/24"], "allowRealIpFallback": true}));
        let headers =
            [("host", &*host), ("origin", &*origin), ("x-forwarded-for", &*forwarded), ("x-real-ip", &*real)];
        let arrival = arrival("203.0.113.7:9", &headers);
        if let Some(address) = arrival.client_ip(&gateway) {
            prop_assert!(!arrival.is_local(&gateway) || address.is_loopback());
        }
        prop_assert!(check_origin(&gateway.control_ui, &arrival, ClientKind::ControlUi).is_err()
            || origin.to_ascii_lowercase().contains("://"));
    }

    #[test]
    fn proofs_of_any_text_never_get_anybody_in(
        id in ".{1,80}", key in ".{1,80}", signature in ".{1,90}", at in 0_i64..i64::MAX, nonce in ".{1,40}"
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let world = World::new().await;
            let mut params = world.signed(&TestDevice::numbered(1), &connect(&json!({"auth": {"token": "right"}})));
            for (field, value) in [
                ("id", json!(id)), ("publicKey", json!(key)), ("signature", json!(signature)),
                ("signedAt", json!(at)), ("nonce", json!(nonce)),
            ] {
                let mut spoiled = params.clone();
                lay_over(&mut spoiled, &json!({"device": {field: value}}));
                assert!(world.admit(&super::local(), &spoiled).await.is_err(), "{spoiled}");
            }
            params["device"] =
                json!({"id": id, "publicKey": key, "signature": signature, "signedAt": at, "nonce": nonce});
            assert!(world.admit(&super::local(), &params).await.is_err(), "{params}");
        });
    }
}
