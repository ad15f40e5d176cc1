//! What every `DeviceStore` does.

use openclaw_ports::stores::{
    DeviceChange, DeviceRecords, DeviceStore, DeviceToken, PairedDevice, PendingDevice,
};
use openclaw_types::{DeviceId, PairingRequestId, Role, Scope, ScopeSet, Secret, UnixMillis};

/// Tests a `DeviceStore`; see the module for what `make` gives.
#[macro_export]
macro_rules! device_store_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            devices,
            $make,
            [
                a_new_store_knows_no_device,
                a_request_comes_back_whole,
                a_request_with_nothing_optional_comes_back_whole,
                a_device_comes_back_whole_with_its_tokens,
                a_device_without_tokens_comes_back_whole,
                putting_a_request_again_replaces_it,
                putting_a_device_again_replaces_it_and_its_tokens,
                approving_drops_the_request_and_adds_the_device_at_once,
                dropping_what_is_not_there_changes_nothing,
                dropping_a_device_forgets_its_tokens,
                later_changes_of_one_call_win,
                records_are_ordered_by_id,
                one_device_may_have_several_requests,
                ids_that_differ_in_case_are_different,
            ]
        );
    };
}

/// A request with every field set.
#[must_use]
pub fn pending(request: &str, device: &str) -> PendingDevice {
    PendingDevice {
        request_id: request_id(request),
        device_id: device_id(device),
        public_key: format!("key-of-{device}"),
        display_name: Some("Ana's phone \u{1f4f1}".to_owned()),
        platform: Some("ios".to_owned()),
        device_family: Some("iPhone".to_owned()),
        client_id: Some("openclaw-ios".to_owned()),
        client_mode: Some("node".to_owned()),
        role: Some(Role::Node),
        roles: vec![Role::Operator, Role::Node],
        scopes: ScopeSet::from_iter([Scope::Read, Scope::Write]),
        remote_ip: Some("192.0.2.7".to_owned()),
        silent: true,
        is_repair: true,
        requested_at: UnixMillis(1_767_225_600_123),
    }
}

/// A device with every field set and a token for each role.
#[must_use]
pub fn paired(device: &str) -> PairedDevice {
    let token = |name: &str| DeviceToken {
        token: Secret::new(format!("{name}-token-of-{device}")),
        scopes: ScopeSet::from_iter([Scope::Admin, Scope::Pairing]),
        created_at: UnixMillis(1),
        rotated_at: Some(UnixMillis(2)),
        revoked_at: Some(UnixMillis(3)),
        last_used_at: Some(UnixMillis(4)),
    };
    PairedDevice {
        device_id: device_id(device),
        public_key: format!("key-of-{device}"),
        display_name: Some("kitchen".to_owned()),
        platform: Some("linux".to_owned()),
        device_family: Some("server".to_owned()),
        client_id: Some("cli".to_owned()),
        client_mode: Some("cli".to_owned()),
        role: Role::Operator,
        roles: vec![Role::Node, Role::Operator],
        approved_scopes: ScopeSet::from_iter([Scope::Admin]),
        remote_ip: Some("2001:db8::1".to_owned()),
        tokens: [(Role::Operator, token("operator")), (Role::Node, token("node"))].into(),
        created_at: UnixMillis(1_767_225_600_000),
        approved_at: UnixMillis(1_767_225_700_000),
    }
}

/// Parses an id that the test wrote down.
#[must_use]
pub fn device_id(text: &str) -> DeviceId {
    DeviceId::new(text).expect("the test's device id is well formed")
}

/// Parses an id that the test wrote down.
#[must_use]
pub fn request_id(text: &str) -> PairingRequestId {
    PairingRequestId::new(text).expect("the test's request id is well formed")
}

async fn apply(store: &dyn DeviceStore, changes: impl IntoIterator<Item = DeviceChange>) {
    store.apply(changes.into_iter().collect()).await.expect("a store in order takes changes");
}

async fn expect(store: &dyn DeviceStore, pending: &[PendingDevice], paired: &[PairedDevice]) {
    let expected = DeviceRecords { pending: pending.to_vec(), paired: paired.to_vec() };
    assert_eq!(store.load().await.expect("a store in order can be read"), expected);
}

/// Nothing is there before anything was put.
pub async fn a_new_store_knows_no_device(store: &dyn DeviceStore) {
    expect(store, &[], &[]).await;
}

/// Every field of a request survives.
pub async fn a_request_comes_back_whole(store: &dyn DeviceStore) {
    apply(store, [DeviceChange::PutPending(pending("r1", "d1"))]).await;
    expect(store, &[pending("r1", "d1")], &[]).await;
}

/// Absence survives as absence.
pub async fn a_request_with_nothing_optional_comes_back_whole(store: &dyn DeviceStore) {
    let bare = PendingDevice {
        display_name: None,
        platform: None,
        device_family: None,
        client_id: None,
        client_mode: None,
        role: None,
        roles: Vec::new(),
        scopes: ScopeSet::none(),
        remote_ip: None,
        silent: false,
        is_repair: false,
        ..pending("r1", "d1")
    };
    apply(store, [DeviceChange::PutPending(bare.clone())]).await;
    expect(store, &[bare], &[]).await;
}

/// Every field of a device survives, the tokens too.
pub async fn a_device_comes_back_whole_with_its_tokens(store: &dyn DeviceStore) {
    apply(store, [DeviceChange::PutPaired(paired("d1"))]).await;
    expect(store, &[], &[paired("d1")]).await;
}

/// A device needs no token and no optional field.
pub async fn a_device_without_tokens_comes_back_whole(store: &dyn DeviceStore) {
    let bare = PairedDevice {
        display_name: None,
        platform: None,
        device_family: None,
        client_id: None,
        client_mode: None,
        roles: Vec::new(),
        approved_scopes: ScopeSet::none(),
        remote_ip: None,
        tokens: [].into(),
        ..paired("d1")
    };
    apply(store, [DeviceChange::PutPaired(bare.clone())]).await;
    expect(store, &[], &[bare]).await;
}

/// The request id names the request.
pub async fn putting_a_request_again_replaces_it(store: &dyn DeviceStore) {
    let renamed = PendingDevice { display_name: Some("other".to_owned()), ..pending("r1", "d1") };
    apply(store, [DeviceChange::PutPending(pending("r1", "d1"))]).await;
    apply(store, [DeviceChange::PutPending(renamed.clone())]).await;
    expect(store, &[renamed], &[]).await;
}

/// The device id names the device; tokens it no longer has are gone.
pub async fn putting_a_device_again_replaces_it_and_its_tokens(store: &dyn DeviceStore) {
    let mut fewer = paired("d1");
    fewer.tokens.remove(&Role::Node);
    apply(store, [DeviceChange::PutPaired(paired("d1"))]).await;
    apply(store, [DeviceChange::PutPaired(fewer.clone())]).await;
    expect(store, &[], &[fewer]).await;
}

/// One decision, one call.
pub async fn approving_drops_the_request_and_adds_the_device_at_once(store: &dyn DeviceStore) {
    apply(store, [DeviceChange::PutPending(pending("r1", "d1"))]).await;
    let approve = [DeviceChange::DropPending(request_id("r1")), DeviceChange::PutPaired(paired("d1"))];
    apply(store, approve).await;
    expect(store, &[], &[paired("d1")]).await;
}

/// Dropping is idempotent.
pub async fn dropping_what_is_not_there_changes_nothing(store: &dyn DeviceStore) {
    apply(store, [DeviceChange::PutPaired(paired("d1"))]).await;
    apply(store, [DeviceChange::DropPending(request_id("d1")), DeviceChange::DropPaired(device_id("d2"))])
        .await;
    expect(store, &[], &[paired("d1")]).await;
}

/// A device that comes back after it was dropped has only what it comes back with.
pub async fn dropping_a_device_forgets_its_tokens(store: &dyn DeviceStore) {
    let bare = PairedDevice { tokens: [].into(), ..paired("d1") };
    apply(store, [DeviceChange::PutPaired(paired("d1"))]).await;
    apply(store, [DeviceChange::DropPaired(device_id("d1"))]).await;
    expect(store, &[], &[]).await;
    apply(store, [DeviceChange::PutPaired(bare.clone())]).await;
    expect(store, &[], &[bare]).await;
}

/// Changes happen in the order they are given.
pub async fn later_changes_of_one_call_win(store: &dyn DeviceStore) {
    let changes = [
        DeviceChange::PutPaired(paired("d1")),
        DeviceChange::PutPaired(paired("d2")),
        DeviceChange::DropPaired(device_id("d1")),
        DeviceChange::DropPending(request_id("r1")),
        DeviceChange::PutPending(pending("r1", "d1")),
    ];
    apply(store, changes).await;
    expect(store, &[pending("r1", "d1")], &[paired("d2")]).await;
}

/// The order of records does not depend on the order of changes.
pub async fn records_are_ordered_by_id(store: &dyn DeviceStore) {
    for name in ["b", "c", "a"] {
        let changes = [DeviceChange::PutPaired(paired(name)), DeviceChange::PutPending(pending(name, name))];
        apply(store, changes).await;
    }
    let pending = ["a", "b", "c"].map(|name| pending(name, name));
    expect(store, &pending, &["a", "b", "c"].map(paired)).await;
}

/// The store does not decide how many requests a device may have.
pub async fn one_device_may_have_several_requests(store: &dyn DeviceStore) {
    let both = [pending("r1", "d1"), pending("r2", "d1")];
    apply(store, both.clone().map(DeviceChange::PutPending)).await;
    expect(store, &both, &[]).await;
}

/// Ids are compared letter by letter.
pub async fn ids_that_differ_in_case_are_different(store: &dyn DeviceStore) {
    apply(store, ["D1", "d1"].map(paired).map(DeviceChange::PutPaired)).await;
    expect(store, &[], &["D1", "d1"].map(paired)).await;
}
