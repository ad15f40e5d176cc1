//! Random operations on SQLite and on its in-memory twin, which is simple enough to be the model.
//!
//! The seed is printed; `OPENCLAW_TEST_SEED` replays it. Now and then the database is closed and opened again.
#![expect(clippy::unwrap_used, reason = "a test fails where something is wrong")]

use std::sync::Arc;

use openclaw_ports::SystemClock;
use openclaw_ports::stores::{
    AuditEntry, AuditLedger, AuditQuery, DeviceChange, DeviceStore, PairedDevice, PendingDevice, StateStore,
};
use openclaw_stores::memory::{MemoryAuditLedger, MemoryDeviceStore, MemoryStateStore};
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_testkit::conformance::devices::{device_id, paired, pending, request_id};
use openclaw_testkit::{Random, TempHome};
use openclaw_types::{Role, Scope, ScopeSet, Secret, UnixMillis};
use serde_json::{Value, json};

const STEPS: usize = 600;

#[derive(Default)]
struct Model {
    devices: MemoryDeviceStore,
    state: MemoryStateStore,
    audit: MemoryAuditLedger,
}

async fn open(home: &TempHome) -> StateDatabase {
    StateDatabase::open(StateLocation::within(home.state_dir()), Arc::new(SystemClock::new())).await.unwrap()
}

#[tokio::test]
async fn random_operations_leave_the_database_like_its_model() {
    let (home, mut random, model) = (TempHome::new(), Random::new(), Model::default());
    let mut database = open(&home).await;
    for step in 0..STEPS {
        match random.below(20) {
            0..=6 => change_state(&database, &model, &mut random).await,
            7..=13 => change_devices(&database, &model, &mut random).await,
            14..=17 => change_audit(&database, &model, &mut random).await,
            18 => compare(&database, &model, step).await,
            _ => {
                database.close().await.unwrap();
                database = open(&home).await;
            }
        }
    }
    compare(&database, &model, STEPS).await;
}

async fn change_state(database: &StateDatabase, model: &Model, random: &mut Random) {
    let (namespace, key) = (format!("space-{}", random.below(3)), format!("key-{}", random.below(6)));
    if random.below(4) == 0 {
        let removed = database.remove(&namespace, &key).await.unwrap();
        assert_eq!(removed, model.state.remove(&namespace, &key).await.unwrap());
    } else {
        let value = any_value(random);
        database.put(&namespace, &key, value.clone()).await.unwrap();
        model.state.put(&namespace, &key, value).await.unwrap();
    }
    let found = database.get(&namespace, &key).await.unwrap();
    assert_eq!(found, model.state.get(&namespace, &key).await.unwrap());
}

async fn change_devices(database: &StateDatabase, model: &Model, random: &mut Random) {
    let count = random.below(4);
    let changes: Vec<_> = (0..count).map(|_| any_change(random)).collect();
    database.apply(changes.clone()).await.unwrap();
    model.devices.apply(changes).await.unwrap();
}

async fn change_audit(database: &StateDatabase, model: &Model, random: &mut Random) {
    let entry = AuditEntry {
        at: UnixMillis(i64::try_from(random.below(1 << 40)).unwrap()),
        actor: format!("actor {}", random.below(3)),
        action: format!("area-{}.verb-{}", random.below(3), random.below(3)),
        subject: (random.below(2) == 0).then(|| format!("subject {}", random.below(9))),
        detail: any_value(random),
    };
    let record = database.append(entry.clone()).await.unwrap();
    assert_eq!(record, model.audit.append(entry).await.unwrap());
    let query = AuditQuery {
        action_prefix: (random.below(2) == 0).then(|| format!("area-{}.", random.below(3))),
        before_id: (random.below(2) == 0).then(|| i64::try_from(random.below(50)).unwrap()),
        limit: (random.below(2) == 0).then(|| usize::try_from(random.below(5)).unwrap()),
    };
    let found = database.query(query.clone()).await.unwrap();
    assert_eq!(found, model.audit.query(query).await.unwrap());
}

async fn compare(database: &StateDatabase, model: &Model, step: usize) {
    assert_eq!(database.load().await.unwrap(), model.devices.load().await.unwrap(), "devices at step {step}");
    for space in 0..3 {
        let namespace = format!("space-{space}");
        let found = database.list(&namespace).await.unwrap();
        assert_eq!(found, model.state.list(&namespace).await.unwrap(), "{namespace} at step {step}");
    }
    assert_eq!(
        database.verify().await.unwrap(),
        model.audit.verify().await.unwrap(),
        "ledger at step {step}"
    );
}

fn any_value(random: &mut Random) -> Value {
    match random.below(5) {
        0 => Value::Null,
        1 => json!(random.next_u64()),
        2 => json!("\u{1f980}\u{0}'\"\\".repeat(usize::try_from(random.below(50)).unwrap())),
        3 => json!([random.below(2) == 0, [], {}]),
        _ => json!({"z": random.below(9), "a": {"b": null}}),
    }
}

fn any_change(random: &mut Random) -> DeviceChange {
    let name = format!("n{}", random.below(5));
    match random.below(4) {
        0 => DeviceChange::PutPending(any_pending(random, &name)),
        1 => DeviceChange::DropPending(request_id(&name)),
        2 => DeviceChange::PutPaired(any_paired(random, &name)),
        _ => DeviceChange::DropPaired(device_id(&name)),
    }
}

fn any_pending(random: &mut Random, name: &str) -> PendingDevice {
    PendingDevice {
        role: (random.below(2) == 0).then_some(Role::Node),
        display_name: (random.below(2) == 0).then(|| format!("name {}", random.below(9))),
        scopes: any_scopes(random),
        silent: random.below(2) == 0,
        ..pending(name, &format!("d{}", random.below(3)))
    }
}

fn any_paired(random: &mut Random, name: &str) -> PairedDevice {
    let mut device = paired(name);
    device.tokens.retain(|_, _| random.below(2) == 0);
    for token in device.tokens.values_mut() {
        token.token = Secret::new(format!("{:x}", random.next_u64()));
        token.scopes = any_scopes(random);
        token.revoked_at = (random.below(2) == 0).then_some(UnixMillis(7));
    }
    device.approved_scopes = any_scopes(random);
    device
}

fn any_scopes(random: &mut Random) -> ScopeSet {
    Scope::ALL.iter().copied().filter(|_| random.below(3) == 0).collect()
}
