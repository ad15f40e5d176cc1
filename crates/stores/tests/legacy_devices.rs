//! Moves the original's device files into a store and back.
#![expect(clippy::unwrap_used, reason = "a test fails where something is wrong")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use openclaw_ports::stores::{DeviceChange, DeviceRecords, DeviceStore, PairedDevice};
use openclaw_stores::legacy::{
    ImportReport, export_devices, import_devices, import_devices_once, parse_devices,
};
use openclaw_stores::memory::{MemoryDeviceStore, MemoryStateStore};
use openclaw_testkit::TempHome;
use openclaw_testkit::conformance::devices::{device_id, paired, pending};
use serde_json::{Value, json};

/// A device as the original (2026.2.26) writes it, with a field of a later version.
fn original_paired() -> Value {
    json!({
        "d1": {
            "deviceId": "d1",
            "publicKey": "cHVibGlj",
            "platform": "linux",
            "clientId": "cli",
            "clientMode": "cli",
            "role": "operator",
            "roles": ["operator"],
            "scopes": ["operator.write", "operator.read", "operator.admin"],
            "approvedScopes": ["operator.write", "operator.read"],
            "tokens": {
                "operator": {
                    "token": "t0p-s3cret",
                    "role": "operator",
                    "scopes": ["operator.read"],
                    "createdAtMs": 5,
                    "lastUsedAtMs": 9
                }
            },
            "createdAtMs": 3,
            "approvedAtMs": 4,
            "futureField": {"kept": [1, 2]}
        }
    })
}

/// The same as the store sees it; what it is in detail is tested beside the parser.
fn original_device() -> PairedDevice {
    let mut parsed = parse_devices(original_paired().to_string().as_bytes(), b"{}");
    parsed.records.paired.remove(0)
}

/// A `devices` folder as the original leaves it.
fn original_folder() -> (TempHome, std::path::PathBuf) {
    let home = TempHome::new();
    let folder = home.path("devices");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("paired.json"), format!("{:#}", original_paired())).unwrap();
    (home, folder)
}

#[tokio::test]
async fn import_takes_devices_over_and_leaves_the_files_alone() {
    let (_home, folder) = original_folder();
    let before = fs::read(folder.join("paired.json")).unwrap();
    let store = MemoryDeviceStore::default();
    let report = import_devices(&folder, &store).await.unwrap();
    assert_eq!(report, ImportReport { paired: 1, pending: 0, findings: vec![] });
    assert_eq!(store.load().await.unwrap().paired, [original_device()]);
    assert_eq!(fs::read(folder.join("paired.json")).unwrap(), before);
}

#[tokio::test]
async fn import_without_files_finds_nothing() {
    let home = TempHome::new();
    let report = import_devices(&home.path("devices"), &MemoryDeviceStore::default()).await.unwrap();
    assert_eq!(report, ImportReport::default());
}

#[tokio::test]
async fn a_device_removed_after_the_import_does_not_come_back() {
    let (_home, folder) = original_folder();
    let (store, state) = (MemoryDeviceStore::default(), MemoryStateStore::default());
    assert_eq!(
        import_devices_once(&folder, &store, &state).await.unwrap().map(|report| report.paired),
        Some(1)
    );
    store.apply(vec![DeviceChange::DropPaired(device_id("d1"))]).await.unwrap();
    assert_eq!(import_devices_once(&folder, &store, &state).await.unwrap(), None);
    assert_eq!(store.load().await.unwrap(), DeviceRecords::default());
}

#[tokio::test]
async fn nothing_is_imported_over_known_devices() {
    let (_home, folder) = original_folder();
    let store = MemoryDeviceStore::with(DeviceRecords { pending: vec![], paired: vec![paired("d1")] });
    let state = MemoryStateStore::default();
    assert_eq!(import_devices_once(&folder, &store, &state).await.unwrap(), None);
    assert_eq!(store.load().await.unwrap().paired, [paired("d1")]);
}

#[tokio::test]
async fn there_and_back_leaves_every_byte_of_the_file_as_it_was() {
    let (_home, folder) = original_folder();
    let before = fs::read_to_string(folder.join("paired.json")).unwrap();
    let store = MemoryDeviceStore::default();
    import_devices(&folder, &store).await.unwrap();
    export_devices(&folder, &store).await.unwrap();
    assert_eq!(fs::read_to_string(folder.join("paired.json")).unwrap(), before);
    assert_eq!(fs::read_to_string(folder.join("pending.json")).unwrap(), "{}");
}

#[tokio::test]
async fn a_changed_device_keeps_the_fields_this_program_does_not_know() {
    let (_home, folder) = original_folder();
    let store = MemoryDeviceStore::default();
    let mut device = original_device();
    device.display_name = Some("kitchen".to_owned());
    store.apply(vec![DeviceChange::PutPaired(device.clone())]).await.unwrap();
    export_devices(&folder, &store).await.unwrap();
    let written: Value = serde_json::from_slice(&fs::read(folder.join("paired.json")).unwrap()).unwrap();
    assert_eq!(written["d1"]["futureField"], json!({"kept": [1, 2]}));
    assert_eq!(parse_devices(written.to_string().as_bytes(), b"{}").records.paired, [device]);
}

#[tokio::test]
async fn export_writes_private_files_and_names_what_it_dropped() {
    let (_home, folder) = original_folder();
    let records = DeviceRecords { pending: vec![pending("r1", "d2")], paired: vec![paired("d2")] };
    let store = MemoryDeviceStore::with(records.clone());
    let report = export_devices(&folder, &store).await.unwrap();
    assert_eq!((report.paired, report.pending, report.dropped), (1, 1, vec!["d1".to_owned()]));
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    assert_eq!(parse_devices(&read("paired.json"), &read("pending.json")).records, records);
    for name in ["paired.json", "pending.json"] {
        assert_eq!(fs::metadata(folder.join(name)).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
    }
}

#[tokio::test]
async fn export_does_not_replace_a_file_it_cannot_understand() {
    let (_home, folder) = original_folder();
    fs::write(folder.join("paired.json"), "{\"d1\": {\"token\": \"t0p-s3cret\",,").unwrap();
    let refused = export_devices(&folder, &MemoryDeviceStore::default()).await.unwrap_err();
    let source = std::error::Error::source(&refused).unwrap().to_string();
    assert!(!format!("{refused} {source} {refused:?}").contains("t0p-s3cret"));
    assert_eq!(
        fs::read_to_string(folder.join("paired.json")).unwrap(),
        "{\"d1\": {\"token\": \"t0p-s3cret\",,"
    );
}
