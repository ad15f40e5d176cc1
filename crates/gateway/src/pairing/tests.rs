//! Tables for pairing decisions, and the registry over a store in memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Clock as _;
use openclaw_ports::stores::{
    AuditLedger as _, AuditQuery, DeviceChange, DeviceRecords, DeviceStore, PairedDevice, PendingDevice,
    StoreError,
};
use openclaw_stores::memory::{MemoryAuditLedger, MemoryDeviceStore};
use openclaw_testkit::SimClock;
use openclaw_types::{DeviceId, PairingRequestId, Role, Scope, ScopeSet, UnixMillis};

use super::registry::DeviceListing;
use super::*;
use crate::auth::{AuthMethod, Locality, Principal};

fn scopes(scopes: &[Scope]) -> ScopeSet {
    scopes.iter().copied().collect()
}

fn device(name: &str) -> DeviceId {
    DeviceId::new(name).unwrap()
}

fn claim(name: &str, asked: &[Scope]) -> DeviceClaim {
    DeviceClaim {
        device_id: device(name),
        public_key: format!("key of {name}"),
        role: Role::Operator,
        scopes: scopes(asked),
        display_name: Some("Laptop".to_owned()),
        platform: Some("Linux".to_owned()),
        device_family: None,
        client_id: "cli".to_owned(),
        client_mode: "cli".to_owned(),
        remote_ip: Some("203.0.113.7".parse().unwrap()),
    }
}

fn terms(auto: AutoApproval) -> Terms<'static> {
    Terms { auto, unapproved: Unapproved::Waits, shown: TokenShown::No }
}

fn caller(owned: &[Scope]) -> Principal {
    Principal {
        role: Role::Operator,
        scopes: scopes(owned),
        device: Some(device("caller")),
        method: AuthMethod::Token,
        client_ip: None,
        locality: Locality::Local,
    }
}

struct World {
    clock: Arc<SimClock>,
    store: Arc<MemoryDeviceStore>,
    audit: Arc<MemoryAuditLedger>,
    registry: DeviceRegistry,
}

impl World {
    async fn new() -> Self {
        let (clock, audit) = (Arc::new(SimClock::new()), Arc::new(MemoryAuditLedger::default()));
        let store = Arc::new(MemoryDeviceStore::default());
        let registry = DeviceRegistry::load(store.clone(), audit.clone(), clock.clone()).await.unwrap();
        Self { clock, store, audit, registry }
    }

    /// Lets a device ask, and returns the request that waits.
    async fn ask(&self, claim: &DeviceClaim) -> PairingRequestId {
        match self.registry.admit(claim, terms(AutoApproval::Never)).await.unwrap() {
            PairingOutcome::Waiting { request_id, .. } => request_id,
            other => panic!("the device should wait: {other:?}"),
        }
    }

    /// Pairs a device and returns its token.
    async fn pair(&self, claim: &DeviceClaim) -> IssuedToken {
        match self.registry.admit(claim, terms(AutoApproval::Local)).await.unwrap() {
            PairingOutcome::Known { token } | PairingOutcome::Approved { token, .. } => token,
            other => panic!("the device should be in: {other:?}"),
        }
    }

    /// Lets a device connect again, and returns its token if it is admitted.
    async fn connect(&self, claim: &DeviceClaim, shown: TokenShown<'_>) -> Option<IssuedToken> {
        let terms = Terms { auto: AutoApproval::Never, unapproved: Unapproved::Passes, shown };
        match self.registry.admit(claim, terms).await.unwrap() {
            PairingOutcome::Known { token } => Some(token),
            PairingOutcome::Passed => None,
            other => panic!("the device should be in or pass: {other:?}"),
        }
    }

    /// Memory must always be what the store holds.
    async fn assert_stored(&self) {
        let stored = self.store.load().await.unwrap();
        let mut listed = self.registry.list().await;
        let by_id = |left: &PairedDevice, right: &PairedDevice| left.device_id.cmp(&right.device_id);
        listed.paired.sort_by(by_id);
        let mut paired = stored.paired;
        paired.sort_by(by_id);
        assert_eq!((stored.pending.len(), paired), (listed.pending.len(), listed.paired));
    }

    async fn audited(&self) -> Vec<(String, String)> {
        let records = self.audit.query(AuditQuery::default()).await.unwrap();
        records.into_iter().rev().map(|record| (record.entry.actor, record.entry.action)).collect()
    }
}

#[test]
fn a_device_is_known_only_for_what_was_approved() {
    let paired = PairedDevice {
        device_id: device("a"),
        public_key: "key of a".to_owned(),
        display_name: None,
        platform: Some(" LINUX ".to_owned()),
        device_family: None,
        client_id: None,
        client_mode: None,
        role: Role::Operator,
        roles: vec![Role::Operator],
        approved_scopes: scopes(&[Scope::Write, Scope::Pairing]),
        remote_ip: None,
        tokens: BTreeMap::new(),
        created_at: UnixMillis(0),
        approved_at: UnixMillis(0),
    };
    let check = |claim: DeviceClaim, expected: PairingNeed| {
        assert_eq!(decide(Some(&paired), &claim), expected, "{claim:?}")
    };
    use PairingReason::{MetadataUpgrade, NotPaired, RoleUpgrade, ScopeUpgrade};
    check(claim("a", &[]), PairingNeed::Known);
    check(claim("a", &[Scope::Read, Scope::Write, Scope::Pairing]), PairingNeed::Known);
    check(claim("a", &[Scope::Approvals]), PairingNeed::Needs(ScopeUpgrade));
    check(claim("a", &[Scope::Admin]), PairingNeed::Needs(ScopeUpgrade));
    check(DeviceClaim { public_key: "other".to_owned(), ..claim("a", &[]) }, PairingNeed::Needs(NotPaired));
    check(DeviceClaim { role: Role::Node, ..claim("a", &[]) }, PairingNeed::Needs(RoleUpgrade));
    check(
        DeviceClaim { platform: Some("darwin".to_owned()), ..claim("a", &[]) },
        PairingNeed::Needs(MetadataUpgrade),
    );
    check(DeviceClaim { platform: None, ..claim("a", &[]) }, PairingNeed::Needs(MetadataUpgrade));
    check(DeviceClaim { device_family: Some("Mac".to_owned()), ..claim("a", &[]) }, PairingNeed::Known);
    let both =
        DeviceClaim { platform: Some("darwin".to_owned()), role: Role::Node, ..claim("a", &[Scope::Admin]) };
    check(both, PairingNeed::Needs(MetadataUpgrade));
    assert_eq!(decide(None, &claim("a", &[])), PairingNeed::Needs(NotPaired));
}

#[test]
fn the_local_rule_approves_new_devices_and_scopes_but_no_other_role_or_platform() {
    for (reason, approved) in [
        (PairingReason::NotPaired, true),
        (PairingReason::ScopeUpgrade, true),
        (PairingReason::RoleUpgrade, false),
        (PairingReason::MetadataUpgrade, false),
    ] {
        assert_eq!(AutoApproval::Local.approves(reason), approved, "{reason:?}");
        assert!(!AutoApproval::Never.approves(reason));
    }
}

#[tokio::test]
async fn a_device_that_asks_again_for_the_same_keeps_its_request_and_its_name() {
    let world = World::new().await;
    let first = world.registry.admit(&claim("a", &[Scope::Write]), terms(AutoApproval::Never)).await.unwrap();
    let PairingOutcome::Waiting { request_id, reason: PairingReason::NotPaired, events } = first else {
        panic!("the device should wait");
    };
    let [PairingEvent::Requested(shown)] = events.as_slice() else { panic!("one request is told") };
    world.clock.advance(Duration::from_secs(200)).await;
    // Less than before, without a name, and from elsewhere: nothing a person would have to look at again.
    let modest = DeviceClaim { display_name: None, remote_ip: None, ..claim("a", &[Scope::Read]) };
    let second = world.registry.admit(&modest, terms(AutoApproval::Never)).await.unwrap();
    let expected =
        PairingOutcome::Waiting { request_id, reason: PairingReason::NotPaired, events: Vec::new() };
    assert_eq!(second, expected);
    let expected = PendingDevice { requested_at: world.clock.now(), ..(**shown).clone() };
    assert_eq!(world.registry.list().await.pending, [expected]);
    world.assert_stored().await;
}

#[tokio::test]
async fn a_request_that_shows_something_new_is_a_new_request_and_the_old_one_is_gone() {
    let wider = claim("a", &[Scope::Read, Scope::Admin]);
    let node = DeviceClaim { role: Role::Node, ..claim("a", &[]) };
    let renamed =
        DeviceClaim { display_name: Some("The owner's phone".to_owned()), ..claim("a", &[Scope::Read]) };
    let moved = DeviceClaim { platform: Some("iOS".to_owned()), ..claim("a", &[Scope::Read]) };
    let family = DeviceClaim { device_family: Some("iPhone".to_owned()), ..claim("a", &[Scope::Read]) };
    let program = DeviceClaim { client_id: "openclaw-ios".to_owned(), ..claim("a", &[Scope::Read]) };
    let mode = DeviceClaim { client_mode: "ui".to_owned(), ..claim("a", &[Scope::Read]) };
    for changed in [wider, node, renamed, moved, family, program, mode] {
        let world = World::new().await;
        let old = world.ask(&claim("a", &[Scope::Read])).await;
        let outcome = world.registry.admit(&changed, terms(AutoApproval::Never)).await.unwrap();
        let PairingOutcome::Waiting { request_id, events, .. } = outcome else { panic!("it waits") };
        let rejected = PairingEvent::Resolved {
            request_id: old.clone(),
            device_id: device("a"),
            decision: PairingDecision::Rejected,
            at: world.clock.now(),
        };
        let pending = world.registry.list().await.pending;
        let [request] = pending.as_slice() else { panic!("one request waits: {pending:?}") };
        assert_eq!(events, [rejected, PairingEvent::Requested(Box::new(request.clone()))], "{changed:?}");
        assert_eq!(request.request_id, request_id);
        assert_ne!(request_id, old, "{changed:?}");
        let late = world.registry.approve(&caller(&[Scope::Admin]), &old).await.unwrap_err();
        assert_eq!(late.to_string(), "unknown requestId");
        world.assert_stored().await;
    }
}

#[tokio::test]
async fn a_device_that_comes_in_two_roles_by_turns_settles_on_one_request() {
    let world = World::new().await;
    let operator = DeviceClaim { client_mode: "ui".to_owned(), ..claim("a", &[Scope::Write]) };
    let node = DeviceClaim { role: Role::Node, client_mode: "node".to_owned(), ..claim("a", &[]) };
    world.ask(&operator).await;
    let both = world.ask(&node).await;
    for _ in 0..3 {
        assert_eq!((world.ask(&operator).await, world.ask(&node).await), (both.clone(), both.clone()));
    }
    let [request] = &world.registry.list().await.pending[..] else { panic!("one request waits") };
    assert_eq!(
        (request.role, request.roles.clone(), request.scopes.clone(), request.client_mode.as_deref()),
        (Some(Role::Operator), vec![Role::Operator, Role::Node], scopes(&[Scope::Write]), Some("ui"))
    );
    world.registry.approve(&caller(&[Scope::Admin]), &both).await.unwrap();
    for claim in [operator, node] {
        let outcome = world.registry.admit(&claim, terms(AutoApproval::Never)).await.unwrap();
        assert!(matches!(outcome, PairingOutcome::Known { .. }), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_token_taken_back_while_its_device_connects_lets_nobody_in_and_is_not_replaced() {
    let world = World::new().await;
    let claim = claim("a", &[Scope::Write]);
    let token = world.pair(&claim).await.token.reveal().clone();
    let checked = world.registry.check_token(&device("a"), Role::Operator, &claim.scopes, &token).await;
    assert_eq!(checked, Ok(()), "the token is good when the connect looks at it first");
    let relying = Terms { shown: TokenShown::Yes(&token), ..terms(AutoApproval::Local) };

    world.registry.revoke(&caller(&[Scope::Pairing]), &device("a"), Role::Operator).await.unwrap();
    let revoked = world.registry.find(&device("a")).await;
    assert_eq!(world.registry.admit(&claim, relying).await.unwrap(), PairingOutcome::TokenGone);
    assert_eq!(world.registry.find(&device("a")).await, revoked);

    world.registry.remove(&caller(&[Scope::Pairing]), &device("a")).await.unwrap();
    assert_eq!(world.registry.admit(&claim, relying).await.unwrap(), PairingOutcome::TokenGone);
    assert_eq!(world.registry.list().await, DeviceListing { pending: vec![], paired: vec![] });
    world.assert_stored().await;
}

#[tokio::test]
async fn a_device_is_welcome_until_its_token_is_taken_back_or_it_is_removed() {
    let world = World::new().await;
    world.pair(&claim("a", &[Scope::Write])).await;
    world.pair(&claim("b", &[Scope::Write])).await;
    let welcome = async |name: &str, role| world.registry.still_welcomes(&device(name), role).await;
    assert!(welcome("a", Role::Operator).await && welcome("b", Role::Operator).await);
    assert!(!welcome("a", Role::Node).await && !welcome("c", Role::Operator).await);
    world.registry.revoke(&caller(&[Scope::Pairing]), &device("a"), Role::Operator).await.unwrap();
    world.registry.remove(&caller(&[Scope::Pairing]), &device("b")).await.unwrap();
    assert!(!welcome("a", Role::Operator).await && !welcome("b", Role::Operator).await);
}

#[tokio::test]
async fn a_request_expires_after_five_minutes() {
    let world = World::new().await;
    let id = world.ask(&claim("a", &[])).await;
    world.clock.advance(Duration::from_millis(300_000)).await;
    assert_eq!(world.registry.list().await.pending.len(), 1);
    world.clock.advance(Duration::from_millis(1)).await;
    assert_eq!(world.registry.list().await.pending, []);
    let refusal = world.registry.approve(&caller(&[Scope::Admin]), &id).await.unwrap_err();
    assert_eq!(refusal.to_string(), "unknown requestId");
    assert_ne!(world.ask(&claim("a", &[])).await, id);
    world.assert_stored().await;
}

#[tokio::test]
async fn the_oldest_request_makes_room_when_too_many_wait() {
    let world = World::new().await;
    let oldest = world.ask(&claim("0", &[])).await;
    for number in 1..100 {
        world.clock.advance(Duration::from_millis(1)).await;
        world.ask(&claim(&number.to_string(), &[])).await;
    }
    let outcome = world.registry.admit(&claim("late", &[]), terms(AutoApproval::Never)).await.unwrap();
    let PairingOutcome::Waiting { events, .. } = outcome else { panic!("the device should wait") };
    let rejected = PairingEvent::Resolved {
        request_id: oldest,
        device_id: device("0"),
        decision: PairingDecision::Rejected,
        at: world.clock.now(),
    };
    assert_eq!(events[0], rejected);
    assert_eq!((events.len(), world.registry.list().await.pending.len()), (2, 100));
    world.assert_stored().await;
}

#[tokio::test]
async fn approving_admits_the_device_with_a_token_for_what_it_asked() {
    let world = World::new().await;
    let claim = claim("a", &[Scope::Write]);
    let id = world.ask(&claim).await;
    let approved = world.registry.approve(&caller(&[Scope::Pairing, Scope::Write]), &id).await.unwrap();
    let now = world.clock.now();
    let decision = PairingDecision::Approved;
    assert_eq!(
        approved.event,
        PairingEvent::Resolved { request_id: id, device_id: device("a"), decision, at: now }
    );
    let token = approved.device.tokens.get(&Role::Operator).unwrap();
    assert_eq!(
        (token.scopes.clone(), token.created_at, token.rotated_at),
        (scopes(&[Scope::Write]), now, None)
    );
    let outcome = world.registry.admit(&claim, terms(AutoApproval::Never)).await.unwrap();
    let PairingOutcome::Known { token: issued } = outcome else { panic!("the device is known") };
    assert_eq!(issued.token, token.token);
    world.assert_stored().await;
    let gateway = |action: &str| ("gateway".to_owned(), action.to_owned());
    let person = ("device:caller".to_owned(), "device.pair.approve".to_owned());
    assert_eq!(world.audited().await, [gateway("device.pair.request"), person]);
}

#[tokio::test]
async fn nobody_approves_more_than_they_have() {
    let world = World::new().await;
    let id = world.ask(&claim("a", &[Scope::Admin])).await;
    for (owned, lacking) in [
        (&[Scope::Write, Scope::Approvals] as &[_], "missing scope: operator.pairing"),
        (&[Scope::Pairing, Scope::Write], "missing scope: operator.admin"),
    ] {
        let refusal = world.registry.approve(&caller(owned), &id).await.unwrap_err();
        assert_eq!(refusal.to_string(), lacking);
    }
    let node = Principal { role: Role::Node, ..caller(&[Scope::Admin]) };
    assert!(world.registry.approve(&node, &id).await.is_err());
    assert!(world.registry.approve(&caller(&[Scope::Admin]), &id).await.is_ok());
}

#[tokio::test]
async fn an_approval_keeps_a_token_that_still_does() {
    let world = World::new().await;
    let before = world.pair(&claim("a", &[Scope::Write])).await;
    let moved = DeviceClaim { platform: Some("darwin".to_owned()), ..claim("a", &[Scope::Read]) };
    let id = world.ask(&moved).await;
    world.registry.approve(&caller(&[Scope::Admin]), &id).await.unwrap();
    assert_eq!(world.connect(&moved, TokenShown::Yes(before.token.reveal())).await, Some(before.clone()));
}

#[tokio::test]
async fn rejecting_forgets_the_request_only() {
    let world = World::new().await;
    let id = world.ask(&claim("a", &[])).await;
    let rejected = world.registry.reject(&caller(&[Scope::Pairing]), &id).await.unwrap();
    assert_eq!(rejected.device_id, device("a"));
    assert!(world.registry.reject(&caller(&[Scope::Pairing]), &id).await.is_err());
    assert_eq!(world.registry.list().await, DeviceListing { pending: vec![], paired: vec![] });
    world.assert_stored().await;
}

#[tokio::test]
async fn a_silent_approval_settles_a_waiting_request_it_covers_and_leaves_one_that_wants_more() {
    let world = World::new().await;
    let modest = world.ask(&claim("a", &[Scope::Read])).await;
    let outcome =
        world.registry.admit(&claim("a", &[Scope::Write]), terms(AutoApproval::Local)).await.unwrap();
    let PairingOutcome::Approved { events, .. } = outcome else { panic!("approved silently") };
    assert!(matches!(&events[..], [PairingEvent::Resolved { request_id, .. }] if *request_id == modest));
    assert_eq!(world.registry.list().await.pending, []);

    let greedy = world.ask(&claim("b", &[Scope::Admin])).await;
    world.registry.admit(&claim("b", &[Scope::Read]), terms(AutoApproval::Local)).await.unwrap();
    let listing = world.registry.list().await;
    assert_eq!(listing.pending.iter().map(|one| one.request_id.clone()).collect::<Vec<_>>(), [greedy]);
    let b = world.registry.find(&device("b")).await.unwrap();
    assert_eq!(b.approved_scopes, scopes(&[Scope::Read]), "nothing of the waiting request was approved");
    world.assert_stored().await;
}

#[tokio::test]
async fn settling_keeps_a_token_that_covers_and_replaces_one_that_does_not() {
    let world = World::new().await;
    let first = world.pair(&claim("a", &[Scope::Write, Scope::Pairing])).await;
    let narrower = claim("a", &[Scope::Read]);
    assert_eq!(world.connect(&narrower, TokenShown::No).await, Some(first.clone()));
    world.clock.advance(Duration::from_secs(1)).await;
    let wider = claim("a", &[Scope::Write, Scope::Approvals]);
    assert_eq!(world.connect(&wider, TokenShown::No).await, None, "never approved for that");
    world.registry.admit(&wider, terms(AutoApproval::Local)).await.unwrap();
    let second = world.connect(&wider, TokenShown::No).await.unwrap();
    assert_ne!(second.token, first.token);
    assert_eq!(
        (second.scopes, second.issued_at),
        (scopes(&[Scope::Approvals, Scope::Write]), world.clock.now())
    );
    world.assert_stored().await;
}

#[tokio::test]
async fn the_last_use_of_a_token_is_noted_once_a_minute() {
    let world = World::new().await;
    let claim = claim("a", &[]);
    let token = world.pair(&claim).await;
    let last_use = async || {
        world.connect(&claim, TokenShown::Yes(token.token.reveal())).await.unwrap();
        world.registry.find(&device("a")).await.unwrap().tokens[&Role::Operator].last_used_at
    };
    let first = last_use().await;
    assert_eq!(first, Some(world.clock.now()));
    world.clock.advance(Duration::from_secs(59)).await;
    assert_eq!(last_use().await, first);
    world.clock.advance(Duration::from_secs(1)).await;
    assert_eq!(last_use().await, Some(world.clock.now()));
}

#[tokio::test]
async fn a_token_is_checked_for_device_role_revocation_text_and_scopes() {
    let world = World::new().await;
    let issued = world.pair(&claim("a", &[Scope::Write])).await;
    let token = issued.token.reveal().clone();
    let check = async |name: &str, role, asked: &[Scope], shown: &str| {
        world.registry.check_token(&device(name), role, &scopes(asked), shown).await
    };
    assert_eq!(check("a", Role::Operator, &[Scope::Read, Scope::Write], &token).await, Ok(()));
    assert_eq!(check("b", Role::Operator, &[], &token).await, Err(TokenRefusal::NotPaired));
    assert_eq!(check("a", Role::Node, &[], &token).await, Err(TokenRefusal::Missing));
    assert_eq!(check("a", Role::Operator, &[], "wrong").await, Err(TokenRefusal::Mismatch));
    assert_eq!(check("a", Role::Operator, &[Scope::Admin], &token).await, Err(TokenRefusal::TooWeak));
    let revoked =
        world.registry.revoke(&caller(&[Scope::Pairing]), &device("a"), Role::Operator).await.unwrap();
    assert_eq!(revoked.affected, Affected { device_id: device("a"), role: Some(Role::Operator) });
    assert_eq!(check("a", Role::Operator, &[], &token).await, Err(TokenRefusal::Revoked));
    world.assert_stored().await;
}

#[tokio::test]
async fn rotating_stays_within_the_approval_and_within_the_caller() {
    let world = World::new().await;
    let first = world.pair(&claim("a", &[Scope::Write, Scope::Pairing])).await;
    let rotate = async |owned: &[Scope], role, asked: Option<&[Scope]>| {
        let wanted = TokenRequest { device_id: device("a"), role, scopes: asked.map(scopes) };
        world.registry.rotate(&caller(owned), wanted).await.map(|rotated| rotated.issued)
    };
    let everything = &[Scope::Admin];
    let refused = async |owned: &[Scope], role, asked: Option<&[Scope]>| {
        rotate(owned, role, asked).await.unwrap_err().to_string()
    };
    let operator = Role::Operator;
    let beyond = Some(&[Scope::Admin] as &[_]);
    assert_eq!(
        refused(everything, operator, beyond).await,
        "scope not approved for this device: operator.admin"
    );
    assert_eq!(refused(&[Scope::Pairing], operator, None).await, "missing scope: operator.write");
    assert_eq!(refused(&[Scope::Write], operator, None).await, "missing scope: operator.pairing");
    assert_eq!(refused(everything, Role::Node, None).await, "unknown deviceId/role");
    let read = rotate(&[Scope::Pairing, Scope::Read], operator, Some(&[Scope::Read])).await.unwrap();
    assert_eq!(read.scopes, scopes(&[Scope::Read]));
    assert_ne!(read.token, first.token);
    let same = rotate(everything, operator, None).await.unwrap();
    assert_eq!(same.scopes, scopes(&[Scope::Read]), "without a wish it stays what it was");
    world.assert_stored().await;
}

#[tokio::test]
async fn removing_forgets_the_device_and_says_whose_sockets_end() {
    let world = World::new().await;
    world.pair(&claim("a", &[Scope::Admin])).await;
    let affected = world.registry.remove(&caller(&[Scope::Pairing]), &device("a")).await.unwrap();
    assert_eq!(affected, Affected { device_id: device("a"), role: None });
    assert_eq!(world.registry.find(&device("a")).await, None);
    let again = world.registry.remove(&caller(&[Scope::Pairing]), &device("a")).await.unwrap_err();
    assert_eq!(again.to_string(), "unknown deviceId");
    world.assert_stored().await;
}

#[tokio::test]
async fn devices_survive_a_restart() {
    let world = World::new().await;
    let issued = world.pair(&claim("a", &[Scope::Read])).await;
    let again =
        DeviceRegistry::load(world.store.clone(), world.audit.clone(), world.clock.clone()).await.unwrap();
    assert_eq!(again.list().await, world.registry.list().await);
    let outcome = again.admit(&claim("a", &[Scope::Read]), terms(AutoApproval::Never)).await.unwrap();
    assert_eq!(outcome, PairingOutcome::Known { token: issued });
}

/// A store whose disk is full.
struct FullDisk;

#[async_trait::async_trait]
impl DeviceStore for FullDisk {
    async fn load(&self) -> Result<DeviceRecords, StoreError> {
        Ok(DeviceRecords::default())
    }
    async fn apply(&self, _: Vec<DeviceChange>) -> Result<(), StoreError> {
        Err(StoreError::Busy)
    }
}

#[tokio::test]
async fn what_the_store_did_not_take_did_not_happen() {
    let (clock, audit) = (Arc::new(SimClock::new()), Arc::new(MemoryAuditLedger::default()));
    let registry = DeviceRegistry::load(Arc::new(FullDisk), audit.clone(), clock).await.unwrap();
    for auto in [AutoApproval::Local, AutoApproval::Never] {
        assert!(registry.admit(&claim("a", &[]), terms(auto)).await.is_err());
    }
    assert_eq!(registry.list().await, DeviceListing { pending: vec![], paired: vec![] });
    assert_eq!(audit.query(AuditQuery::default()).await.unwrap(), []);
}

/// A store that never answers the first change, as when its caller is cut off, and takes the others.
#[derive(Default)]
struct SlowStart {
    store: MemoryDeviceStore,
    asked: std::sync::atomic::AtomicBool,
}

#[async_trait::async_trait]
impl DeviceStore for SlowStart {
    async fn load(&self) -> Result<DeviceRecords, StoreError> {
        self.store.load().await
    }
    async fn apply(&self, changes: Vec<DeviceChange>) -> Result<(), StoreError> {
        if !self.asked.swap(true, std::sync::atomic::Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        self.store.apply(changes).await
    }
}

#[tokio::test]
async fn a_decision_whose_connect_was_cut_off_is_made_whole_by_the_next_one() {
    let (clock, audit) = (Arc::new(SimClock::new()), Arc::new(MemoryAuditLedger::default()));
    let store = Arc::new(SlowStart::default());
    let registry = DeviceRegistry::load(store.clone(), audit, clock).await.unwrap();
    let first = claim("a", &[]);
    {
        let admit = std::pin::pin!(registry.admit(&first, terms(AutoApproval::Local)));
        assert!(futures_util::FutureExt::now_or_never(admit).is_none(), "the store does not answer");
    }
    assert!(registry.find(&device("a")).await.is_some());
    registry.admit(&claim("b", &[]), terms(AutoApproval::Local)).await.unwrap();
    let stored = store.load().await.unwrap().paired;
    let mut names: Vec<_> = stored.iter().map(|device| device.device_id.as_str().to_owned()).collect();
    names.sort();
    assert_eq!(names, ["a", "b"]);
}
