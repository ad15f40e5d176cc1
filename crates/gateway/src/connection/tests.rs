//! Answers to requests: once, twice, and to clients that have to leave, be it before they are quite in.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use openclaw_config::{ConfigFile, Environment, LiveConfig, Locations, ProfileChoice};
use openclaw_ports::{Clock as _, TaskScope};
use openclaw_protocol::methods::config::RestartPlan;
use openclaw_protocol::{Close, CloseCode, Dialect, ErrorShape};
use openclaw_stores::memory::{MemoryAuditLedger, MemoryDeviceStore};
use openclaw_testkit::{SimClock, TempHome};
use openclaw_types::{ConnectionId, DeviceId, Role, Scope, ScopeSet};
use serde_json::{Value, json};

use super::client::{Client, MAX_IN_FLIGHT};
use super::outbound::{Leftovers, Outbound};
use super::reply::RequestReply;
use super::serve::enter;
use crate::auth::{AuthMethod, Locality, NetworkReach, Principal};
use crate::context::{GatewayContext, GatewayLimits, GatewayParts};
use crate::host::{Host, HostFault, RestartRequest};
use crate::methods::JsonPayload;
use crate::pairing::{AutoApproval, DeviceClaim, DeviceRegistry, Terms, TokenShown, Unapproved};
use crate::presence::{GatewayFacts, PresenceBoard};

/// A client with these scopes and a queue of this size, for tests of everything around it.
pub(crate) fn client(id: &str, scopes: &[Scope], limit: usize) -> Arc<Client> {
    Arc::new(Client {
        id: ConnectionId::new(id).unwrap(),
        principal: Principal {
            role: Role::Operator,
            scopes: scopes.iter().copied().collect::<ScopeSet>(),
            device: None,
            method: AuthMethod::Token,
            client_ip: None,
            locality: Locality::Local,
        },
        dialect: Dialect::V3,
        program: "test".to_owned(),
        mode: "test".to_owned(),
        caps: Vec::new(),
        outbound: Outbound::new(limit),
        in_flight: AtomicUsize::new(0),
        farewell: OnceLock::new(),
    })
}

/// Everything that waits for a client, as JSON.
pub(crate) fn waiting(client: &Client) -> Vec<Value> {
    let mut texts = Vec::new();
    client.outbound.take(&mut texts);
    texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect()
}

fn payload(value: &Value) -> JsonPayload {
    JsonPayload::of(value).unwrap()
}

#[test]
fn a_request_may_be_accepted_now_and_answered_later_under_the_same_id() {
    let client = client("c", &[], 1000);
    let reply = RequestReply::new(client.clone(), "r1".to_owned());
    reply.accept(&payload(&json!({"status": "accepted"})));
    reply.finish(&Ok(payload(&json!({"status": "ok"}))));
    assert_eq!(
        waiting(&client),
        [
            json!({"type": "res", "id": "r1", "ok": true, "payload": {"status": "accepted"}}),
            json!({"type": "res", "id": "r1", "ok": true, "payload": {"status": "ok"}}),
        ]
    );
}

#[test]
fn an_accepted_request_does_not_keep_its_client_from_asking() {
    let client = client("c", &[], 1000);
    let replies: Vec<_> =
        (0..MAX_IN_FLIGHT).map(|number| RequestReply::new(client.clone(), number.to_string())).collect();
    assert!(!client.has_room());
    replies[0].accept(&payload(&json!({})));
    assert!(client.has_room());
    replies[0].finish(&Err(ErrorShape::unavailable("late")));
    drop(replies);
    assert!(client.has_room());
    assert_eq!(client.in_flight.load(std::sync::atomic::Ordering::Relaxed), 0);
}

#[test]
fn a_client_that_has_to_leave_gets_its_answers_first() {
    let client = client("c", &[], 1000);
    let reply = RequestReply::new(client.clone(), "r1".to_owned());
    client.leave_when_answered(Close::SERVICE_RESTART);
    assert!(client.outbound.ending().is_none() && !client.has_room());
    reply.finish(&Ok(payload(&json!({}))));
    assert_eq!(waiting(&client).len(), 1);
    assert_eq!(client.outbound.ending().map(|ending| ending.close), Some(Close::SERVICE_RESTART));
}

/// A process that never restarts.
struct NoHost;

#[async_trait::async_trait]
impl Host for NoHost {
    fn request_restart(&self, _: RestartRequest) -> RestartPlan {
        unreachable!("nobody asks for a restart")
    }
    async fn reload_secrets(&self) -> Result<u64, HostFault> {
        Err(HostFault("there are none".to_owned()))
    }
}

/// A gateway that listens nowhere. Its home lives as long as it is held.
async fn context() -> (TempHome, Arc<GatewayContext>) {
    let home = TempHome::new();
    let state = home.state_dir().display().to_string();
    let environment = Environment::fake([("OPENCLAW_STATE_DIR", state)], home.state_dir());
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let clock = Arc::new(SimClock::new());
    let file = ConfigFile::new(locations, environment).with_clock(clock.clone());
    let audit = Arc::new(MemoryAuditLedger::default());
    let store = Arc::new(MemoryDeviceStore::default());
    let devices = DeviceRegistry::load(store.clone(), audit.clone(), clock.clone()).await.unwrap();
    let facts = GatewayFacts {
        host: "test".to_owned(),
        ip: None,
        version: "1".to_owned(),
        platform: "linux".to_owned(),
        device_family: String::new(),
        model_identifier: None,
    };
    let presence = PresenceBoard::new(facts, clock.now());
    let parts = GatewayParts {
        config: LiveConfig::open(&file).0,
        devices: store,
        audit,
        clock,
        tasks: TaskScope::root("test"),
        host: Arc::new(NoHost),
        version: "test".to_owned(),
        limits: GatewayLimits::default(),
        models: None,
        agents: None,
    };
    (home, GatewayContext::new(parts, devices, presence, NetworkReach::ThisMachine))
}

#[tokio::test]
async fn a_client_admitted_while_the_gateway_closes_is_sent_home_too() {
    let (_home, context) = context().await;
    let (early, late) = (client("early", &[], 1000), client("late", &[], 1000));
    enter(&context, &early, None).await;
    assert!(early.outbound.ending().is_none());
    context.closing.cancel();
    context.roster.end_all(&Close::SERVICE_RESTART);
    enter(&context, &late, None).await;
    for client in [early, late] {
        let ending = client.outbound.ending().map(|ending| (ending.close, ending.leftovers));
        assert_eq!(ending, Some((Close::SERVICE_RESTART, Leftovers::Write)), "{}", client.id);
    }
}

#[tokio::test]
async fn a_device_put_out_between_its_admission_and_its_first_request_has_to_leave() {
    let (_home, context) = context().await;
    let owner = client("owner", &[Scope::Admin], 1000);
    let claim = DeviceClaim {
        device_id: DeviceId::new("d").unwrap(),
        public_key: "key".to_owned(),
        role: Role::Operator,
        scopes: ScopeSet::none(),
        display_name: None,
        platform: None,
        device_family: None,
        client_id: "cli".to_owned(),
        client_mode: "cli".to_owned(),
        remote_ip: None,
    };
    let terms = Terms { auto: AutoApproval::Local, unapproved: Unapproved::Waits, shown: TokenShown::No };
    context.devices.admit(&claim, terms).await.unwrap();
    let (first, second) = (client("first", &[], 1000), client("second", &[], 1000));
    enter(&context, &first, Some(&claim.device_id)).await;
    assert!(first.outbound.ending().is_none());
    context.devices.revoke(&owner.principal, &claim.device_id, Role::Operator).await.unwrap();
    enter(&context, &second, Some(&claim.device_id)).await;
    let words = Close::because(CloseCode::Policy, "device token revoked");
    assert_eq!(second.outbound.ending().map(|ending| ending.close), Some(words));
}
