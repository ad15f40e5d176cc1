//! Stage: opens the store, and takes over the original's paired devices on the first start.

use std::sync::Arc;

use openclaw_config::Locations;
use openclaw_ports::Clock;
use openclaw_stores::legacy::import_devices_once;
use openclaw_stores::sqlite::{StateDatabase, StateLocation};

/// Opens, checks and migrates the database.
///
/// # Errors
/// What is wrong with it, and which backup to restore.
pub(crate) async fn open(
    locations: &Locations,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<Arc<StateDatabase>> {
    let store = StateDatabase::open(StateLocation::within(&locations.state_dir), Arc::clone(clock)).await?;
    let devices = locations.state_dir.join("devices");
    // A failed import must not keep the gateway from starting: devices can be paired again.
    match import_devices_once(&devices, &store, &store).await {
        Ok(Some(report)) if report.paired + report.pending + report.findings.len() > 0 => {
            tracing::info!(
                subsystem = "gateway",
                paired = report.paired,
                pending = report.pending,
                left_out = report.findings.len(),
                "took over the paired devices of an earlier installation"
            );
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(subsystem = "gateway", %error, "paired devices could not be taken over"),
    }
    Ok(Arc::new(store))
}
