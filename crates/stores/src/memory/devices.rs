//! Devices in memory: the twin of `sqlite::devices`.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use openclaw_ports::stores::{
    DeviceChange, DeviceRecords, DeviceStore, PairedDevice, PendingDevice, StoreError,
};
use openclaw_types::{DeviceId, PairingRequestId};

use super::lock;

/// Keeps devices as long as the process lives.
#[derive(Debug, Default)]
pub struct MemoryDeviceStore {
    tables: Mutex<Tables>,
}

#[derive(Debug, Default)]
struct Tables {
    pending: BTreeMap<PairingRequestId, PendingDevice>,
    paired: BTreeMap<DeviceId, PairedDevice>,
}

impl MemoryDeviceStore {
    /// A store that already knows `records`.
    #[must_use]
    pub fn with(records: DeviceRecords) -> Self {
        let pending = records.pending.into_iter().map(|one| (one.request_id.clone(), one)).collect();
        let paired = records.paired.into_iter().map(|one| (one.device_id.clone(), one)).collect();
        Self { tables: Mutex::new(Tables { pending, paired }) }
    }
}

#[async_trait]
impl DeviceStore for MemoryDeviceStore {
    async fn load(&self) -> Result<DeviceRecords, StoreError> {
        let tables = lock(&self.tables);
        Ok(DeviceRecords {
            pending: tables.pending.values().cloned().collect(),
            paired: tables.paired.values().cloned().collect(),
        })
    }

    async fn apply(&self, changes: Vec<DeviceChange>) -> Result<(), StoreError> {
        let mut tables = lock(&self.tables);
        for change in changes {
            match change {
                DeviceChange::PutPending(pending) => {
                    tables.pending.insert(pending.request_id.clone(), pending);
                }
                DeviceChange::DropPending(request) => {
                    tables.pending.remove(&request);
                }
                DeviceChange::PutPaired(device) => {
                    tables.paired.insert(device.device_id.clone(), device);
                }
                DeviceChange::DropPaired(device) => {
                    tables.paired.remove(&device);
                }
            }
        }
        Ok(())
    }
}
