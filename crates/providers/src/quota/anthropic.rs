//! Anthropic's subscriptions: windows of five hours and of a week, and one for the larger models.

use openclaw_ports::model::{CallCredential, CredentialKind};
use serde_json::Value;

use super::reading::{moment, number, text, window};
use super::vendor::{Ask, QuotaVendor, Told, bearer, plain};

pub(super) const VENDOR: QuotaVendor = QuotaVendor {
    provider: "anthropic",
    name: "Claude",
    address: "https://api.anthropic.com/api/oauth/usage",
    zones: &["anthropic.com"],
    kinds: &[CredentialKind::Oauth, CredentialKind::Token],
    ask,
    read,
    explain,
};

fn ask(access: &CallCredential) -> Option<Ask> {
    Some(Ask::get([
        bearer(access)?,
        plain("user-agent", "openclaw"),
        plain("anthropic-version", "2023-06-01"),
        plain("anthropic-beta", "oauth-2025-04-20"),
    ]))
}

fn read(answer: &Value) -> Result<Told, String> {
    let used = |name: &str| number(&answer[name]["utilization"]);
    let timed = [("5h", "five_hour"), ("Week", "seven_day")]
        .into_iter()
        .filter_map(|(label, name)| Some(window(label, used(name)?, moment(&answer[name]["resets_at"]))));
    // The week's end holds for these too, so it is not repeated.
    let models = [("Sonnet", "seven_day_sonnet"), ("Opus", "seven_day_opus")]
        .into_iter()
        .find_map(|(label, name)| Some(window(label, used(name)?, None)));
    Ok(Told { windows: timed.chain(models).collect(), plan: None })
}

fn explain(status: u16, answer: &Value) -> String {
    match text(&answer["error"]["message"]) {
        Some(message) => format!("HTTP {status}: {message}"),
        None => format!("HTTP {status}"),
    }
}
