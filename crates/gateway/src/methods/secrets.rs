//! `secrets.reload`: reads the secrets anew.
//!
//! Where secrets come from is the business of the process around the gateway.

use openclaw_protocol::methods::AnyParams;
use openclaw_protocol::methods::system::{SecretsReload, SecretsReloadResult};
use openclaw_protocol::{ErrorShape, Yes};
use serde_json::json;

use super::registry::{Call, Registry};

/// Adds the method of this family.
pub(super) fn bind(registry: &mut Registry) {
    registry.bind::<SecretsReload, _, _>(reload);
}

async fn reload(call: Call, _: AnyParams) -> Result<SecretsReloadResult, ErrorShape> {
    let warnings = call.context.host.reload_secrets().await.map_err(|fault| {
        tracing::error!(%fault, "secrets could not be reloaded");
        ErrorShape::unavailable(fault.to_string())
    })?;
    call.context.record(&call.client, "secrets.reload", json!({"warnings": warnings})).await;
    Ok(SecretsReloadResult { ok: Yes, warning_count: warnings })
}
