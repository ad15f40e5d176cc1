//! What the tables themselves hold against tampering: seals, triggers, all or nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use openclaw_ports::stores::{AuditLedger, DeviceChange, DeviceStore, StoreError};
use openclaw_testkit::conformance::audit::entry;
use openclaw_testkit::conformance::devices::{paired, pending};

use super::World;
use crate::error::{OpenError, SealError};

async fn with_devices(world: &World) {
    let database = world.open().await.unwrap();
    let changes = ["d1", "d2"].map(paired).map(DeviceChange::PutPaired);
    database.apply(changes.into()).await.unwrap();
    database.close().await.unwrap();
}

#[tokio::test]
async fn no_token_can_be_read_from_the_files() {
    let world = World::new();
    let database = world.open().await.unwrap();
    database.apply(vec![DeviceChange::PutPaired(paired("d1"))]).await.unwrap();
    for entry in fs::read_dir(world.file().parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let found = bytes.windows(12).any(|window| window == b"-token-of-d1");
        assert!(!found, "a token stands in {}", path.display());
    }
}

#[tokio::test]
async fn a_sealed_token_does_not_open_in_another_row() {
    let world = World::new();
    with_devices(&world).await;
    world
        .raw()
        .execute_batch(
            "UPDATE device_tokens SET sealed_token =
             (SELECT sealed_token FROM device_tokens WHERE device_id = 'd1' AND role = 'operator')
             WHERE device_id = 'd2' AND role = 'operator'",
        )
        .unwrap();
    let refused = world.open().await.unwrap().load().await.unwrap_err();
    let StoreError::Corrupt { detail } = refused else { panic!("{refused:?}") };
    assert_eq!(
        detail,
        "the operator token of device d2 cannot be opened: its seal does not fit the key or the row; \
         put the seal.key that belongs to this database back"
    );
}

#[tokio::test]
async fn tokens_do_not_open_with_another_key() {
    let world = World::new();
    with_devices(&world).await;
    fs::write(world.file().with_file_name("seal.key"), [7; 32]).unwrap();
    let refused = world.open().await.unwrap().load().await.unwrap_err();
    assert!(matches!(refused, StoreError::Corrupt { .. }), "{refused:?}");
}

#[tokio::test]
async fn a_lost_key_is_not_replaced_while_tokens_are_sealed_with_it() {
    let world = World::new();
    with_devices(&world).await;
    let key = world.file().with_file_name("seal.key");
    fs::remove_file(&key).unwrap();
    let refused = world.open().await.unwrap_err();
    assert!(matches!(&refused, OpenError::Seal(SealError::Missing { path }) if *path == key), "{refused:?}");
    assert!(!key.exists());
}

#[tokio::test]
async fn a_key_that_others_can_read_is_refused() {
    let world = World::new();
    with_devices(&world).await;
    let key = world.file().with_file_name("seal.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
    let refused = world.open().await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!("{0} can be read by others (mode 640). Run: chmod 600 {0}", key.display())
    );
}

#[tokio::test]
async fn all_changes_of_one_decision_are_taken_back_together() {
    let world = World::new();
    let database = world.open().await.unwrap();
    // A token cannot be stored for this device, whatever the reason.
    world
        .raw()
        .execute_batch(
            "CREATE TRIGGER refuse BEFORE INSERT ON device_tokens WHEN NEW.device_id = 'd2'
             BEGIN SELECT RAISE(ABORT, 'refused'); END",
        )
        .unwrap();
    let changes = vec![
        DeviceChange::PutPending(pending("r1", "d1")),
        DeviceChange::PutPaired(paired("d1")),
        DeviceChange::PutPaired(paired("d2")),
    ];
    let refused = database.apply(changes).await;
    assert!(matches!(refused, Err(StoreError::Failed { action: "save the devices", .. })), "{refused:?}");
    assert_eq!(database.load().await.unwrap(), Default::default());
}

#[tokio::test]
async fn a_row_that_cannot_be_understood_is_named_without_its_content() {
    let world = World::new();
    with_devices(&world).await;
    world.raw().execute_batch("UPDATE paired_devices SET role = 'king' WHERE device_id = 'd2'").unwrap();
    let refused = world.open().await.unwrap().load().await.unwrap_err();
    let StoreError::Corrupt { detail } = refused else { panic!("{refused:?}") };
    assert_eq!(detail, "the role of device d2: unknown role \"king\"; known roles are operator and node");
}

async fn with_records(world: &World) {
    let database = world.open().await.unwrap();
    for action in ["a", "b", "c", "d"] {
        database.append(entry(action)).await.unwrap();
    }
    database.close().await.unwrap();
}

#[tokio::test]
async fn audit_records_cannot_be_changed_removed_or_replaced() {
    let world = World::new();
    with_records(&world).await;
    let attempts = [
        ("UPDATE audit_records SET actor = 'nobody' WHERE id = 2", "audit records are never changed"),
        ("DELETE FROM audit_records WHERE id = 4", "audit records are never removed"),
        (
            "INSERT OR REPLACE INTO audit_records VALUES (2, 0, 'x', 'x', NULL, '{}', 'x')",
            "audit records are added at the end",
        ),
        (
            "INSERT INTO audit_records VALUES (9, 0, 'x', 'x', NULL, '{}', 'x')",
            "audit records are added at the end",
        ),
    ];
    for (attempt, expected) in attempts {
        let refused = world.raw().execute_batch(attempt).unwrap_err();
        assert!(refused.to_string().contains(expected), "{attempt}: {refused}");
    }
    assert_eq!(world.open().await.unwrap().verify().await.unwrap().broken_at, None);
}

#[tokio::test]
async fn a_record_changed_behind_the_triggers_shows_in_the_chain() {
    let tampering = [
        ("UPDATE audit_records SET actor = 'nobody' WHERE id = 2", 2),
        ("UPDATE audit_records SET detail = '{}' WHERE id = 3", 3),
        ("UPDATE audit_records SET hash = (SELECT hash FROM audit_records WHERE id = 1) WHERE id = 4", 4),
        ("DELETE FROM audit_records WHERE id = 2", 3),
        ("DELETE FROM audit_records WHERE id = 1", 2),
    ];
    for (attempt, broken_at) in tampering {
        let world = World::new();
        with_records(&world).await;
        let drop_triggers =
            "DROP TRIGGER audit_records_are_not_changed; DROP TRIGGER audit_records_are_not_removed;";
        world.raw().execute_batch(&format!("{drop_triggers}{attempt}")).unwrap();
        let report = world.open().await.unwrap().verify().await.unwrap();
        assert_eq!(report.broken_at, Some(broken_at), "{attempt}");
    }
}
