//! The table of clients without a device.

use openclaw_types::Role;
use serde_json::{Value, json};

use super::settings;
use crate::auth::{AuthFailure, AuthMethod, Locality};
use crate::handshake::applicant::ClientKind;
use crate::handshake::missing_device::{DeviceMissing, Deviceless, SecretSent, allow_without_device};

const OWNER: Deviceless<'static> = Deviceless {
    kind: ClientKind::Other,
    role: Role::Operator,
    locality: Locality::Remote,
    secret: SecretSent::Yes,
    shared: Ok(&AuthMethod::Token),
};

fn check(page: &Value, caller: Deviceless<'_>, expected: Result<(), DeviceMissing>) {
    let gateway = settings(&json!({"controlUi": page}));
    assert_eq!(allow_without_device(&gateway.control_ui, caller), expected, "{page} {caller:?}");
}

#[test]
fn the_owners_secret_stands_in_for_a_device_for_operators_only() {
    let plain = json!({});
    check(&plain, OWNER, Ok(()));
    check(&plain, Deviceless { shared: Ok(&AuthMethod::Password), ..OWNER }, Ok(()));
    check(&plain, Deviceless { kind: ClientKind::WebChat, ..OWNER }, Ok(()));
    check(&plain, Deviceless { role: Role::Node, ..OWNER }, Err(DeviceMissing::Required));
    let proxy = AuthMethod::TrustedProxy { user: "ana".to_owned() };
    check(&plain, Deviceless { shared: Ok(&proxy), secret: SecretSent::No, ..OWNER }, Ok(()));
}

#[test]
fn what_is_not_the_owners_secret_does_not() {
    let plain = json!({});
    let nothing = Deviceless { secret: SecretSent::No, ..OWNER };
    check(&plain, Deviceless { shared: Ok(&AuthMethod::None), ..nothing }, Err(DeviceMissing::Required));
    let tailnet = AuthMethod::Tailscale { login: "ana".to_owned() };
    check(&plain, Deviceless { shared: Ok(&tailnet), ..nothing }, Err(DeviceMissing::Required));
    check(
        &plain,
        Deviceless { shared: Err(&AuthFailure::TokenMissing), ..nothing },
        Err(DeviceMissing::Required),
    );
    check(
        &plain,
        Deviceless { shared: Err(&AuthFailure::TokenMismatch), ..OWNER },
        Err(DeviceMissing::Unauthorized(AuthFailure::TokenMismatch)),
    );
    check(
        &plain,
        Deviceless { role: Role::Node, shared: Err(&AuthFailure::TokenMismatch), ..OWNER },
        Err(DeviceMissing::Unauthorized(AuthFailure::TokenMismatch)),
    );
}

#[test]
fn the_control_ui_needs_a_device_unless_the_owner_said_otherwise() {
    let page = Deviceless { kind: ClientKind::ControlUi, ..OWNER };
    let local = Deviceless { locality: Locality::Local, ..page };
    let wrong = Deviceless { shared: Err(&AuthFailure::TokenMismatch), ..local };
    check(&json!({}), page, Err(DeviceMissing::ControlUi));
    check(&json!({}), local, Err(DeviceMissing::ControlUi));
    check(&json!({}), wrong, Err(DeviceMissing::ControlUi));
    let insecure = json!({"allowInsecureAuth": true});
    check(&insecure, page, Err(DeviceMissing::ControlUi));
    check(&insecure, local, Ok(()));
    check(&insecure, wrong, Err(DeviceMissing::Unauthorized(AuthFailure::TokenMismatch)));
    let disabled = json!({"dangerouslyDisableDeviceAuth": true});
    check(&disabled, page, Ok(()));
    check(&disabled, wrong, Err(DeviceMissing::Unauthorized(AuthFailure::TokenMismatch)));
    let proxy = AuthMethod::TrustedProxy { user: "ana".to_owned() };
    check(&json!({}), Deviceless { shared: Ok(&proxy), secret: SecretSent::No, ..page }, Ok(()));
    check(
        &json!({}),
        Deviceless { shared: Ok(&proxy), role: Role::Node, ..page },
        Err(DeviceMissing::ControlUi),
    );
}
