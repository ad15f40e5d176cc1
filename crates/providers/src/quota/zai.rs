//! z.ai's coding plans: tokens in a window of hours, and calls in a month.

use openclaw_ports::model::{CallCredential, CredentialKind};
use serde_json::Value;

use super::reading::{moment, number, text, window};
use super::vendor::{Ask, QuotaVendor, Told, bearer, status_alone};

/// What the vendor calls success.
const GOOD: i64 = 200;

pub(super) const VENDOR: QuotaVendor = QuotaVendor {
    provider: "zai",
    name: "z.ai",
    address: "https://api.z.ai/api/monitor/usage/quota/limit",
    zones: &["z.ai"],
    kinds: &[CredentialKind::ApiKey, CredentialKind::Token],
    ask,
    read,
    explain: status_alone,
};

fn ask(access: &CallCredential) -> Option<Ask> {
    Some(Ask::get([bearer(access)?]))
}

fn read(answer: &Value) -> Result<Told, String> {
    if answer["success"] != true || answer["code"] != GOOD {
        return Err(text(&answer["msg"]).unwrap_or_else(|| "API error".to_owned()));
    }
    let data = &answer["data"];
    let limits = data["limits"].as_array().map(Vec::as_slice).unwrap_or_default();
    let windows = limits.iter().filter_map(|limit| {
        let label = match limit["type"].as_str()? {
            "TOKENS_LIMIT" => format!("Tokens ({})", length(limit)),
            "TIME_LIMIT" => "Monthly".to_owned(),
            _ => return None,
        };
        Some(window(label, number(&limit["percentage"]).unwrap_or_default(), moment(&limit["nextResetTime"])))
    });
    let plan = text(&data["planName"]).or_else(|| text(&data["plan"]));
    Ok(Told { windows: windows.collect(), plan })
}

/// How long a window is; units are numbered.
fn length(limit: &Value) -> String {
    let letter = match limit["unit"].as_i64() {
        Some(1) => "d",
        Some(3) => "h",
        Some(5) => "m",
        _ => return "Limit".to_owned(),
    };
    match number(&limit["number"]) {
        Some(count) => format!("{count}{letter}"),
        None => "Limit".to_owned(),
    }
}
