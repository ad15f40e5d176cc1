//! How a credential fared, as the original's `usageStats` writes it.

use openclaw_ports::stores::{HealthKey, HealthRecord};
use openclaw_types::UnixMillis;
use serde_json::{Map, Value};

use super::entry::moment;

/// Fields that have a place of their own in a record.
const KNOWN: [&str; 6] =
    ["lastUsed", "cooldownUntil", "disabledUntil", "disabledReason", "errorCount", "lastFailureAt"];
/// The reason that switches a credential off.
const BILLING: &str = "billing";

/// Reads the statistics of one profile, and gives back what has no place in a record.
pub(super) fn read(key: HealthKey, value: &Value) -> Option<(HealthRecord, Map<String, Value>)> {
    let fields = value.as_object()?;
    let at = |name: &str| fields.get(name).and_then(moment).filter(|at| at.0 > 0);
    let count = |value: Option<&Value>| {
        value.and_then(Value::as_u64).and_then(|count| u32::try_from(count).ok()).unwrap_or_default()
    };
    let counts = fields.get("failureCounts");
    let record = HealthRecord {
        last_used: at("lastUsed"),
        last_failure: at("lastFailureAt"),
        reason: fields.get("disabledReason").and_then(Value::as_str).map(str::to_owned),
        failures: count(fields.get("errorCount")),
        billing_failures: count(counts.and_then(|counts| counts.get(BILLING))),
        paused_until: at("cooldownUntil"),
        disabled_until: at("disabledUntil"),
        ..HealthRecord::new(key)
    };
    let rest = fields
        .iter()
        .filter(|(name, _)| !KNOWN.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    Some((record, rest))
}

/// Writes the statistics of one profile, with what was left over when they were read.
pub(super) fn write(record: &HealthRecord, rest: Option<&Map<String, Value>>) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            fields.insert(name.to_owned(), value);
        }
    };
    let at = |moment: Option<UnixMillis>| moment.map(|moment| Value::from(moment.0));
    put("lastUsed", at(record.last_used));
    put("cooldownUntil", at(record.paused_until));
    put("disabledUntil", at(record.disabled_until));
    put("disabledReason", record.disabled_until.and(record.reason.as_deref()).map(Value::from));
    put("errorCount", (record.failures > 0).then(|| record.failures.into()));
    put("lastFailureAt", at(record.last_failure));
    for (name, value) in rest.into_iter().flatten() {
        fields.entry(name.clone()).or_insert_with(|| value.clone());
    }
    if record.billing_failures > 0 {
        let counts = fields.entry("failureCounts").or_insert_with(|| Value::Object(Map::new()));
        if let Some(counts) = counts.as_object_mut() {
            counts.insert(BILLING.to_owned(), record.billing_failures.into());
        }
    }
    fields
}
