//! ChatGPT's subscriptions, as used by Codex: a short window and a long one, and credits that were bought.

use openclaw_ports::model::{CallCredential, CredentialKind};
use serde_json::Value;

use super::reading::{moment, number, text, window};
use super::vendor::{Ask, QuotaVendor, Told, bearer, plain};

/// The header that names the account; the credential brings it along.
const ACCOUNT: &str = "chatgpt-account-id";
const HOUR: f64 = 3600.0;

pub(super) const VENDOR: QuotaVendor = QuotaVendor {
    provider: "openai-codex",
    name: "Codex",
    address: "https://chatgpt.com/backend-api/wham/usage",
    zones: &["chatgpt.com", "openai.com"],
    kinds: &[CredentialKind::Oauth, CredentialKind::Token],
    ask,
    read,
    explain,
};

fn ask(access: &CallCredential) -> Option<Ask> {
    let account = access.headers.get(ACCOUNT).map(|account| (ACCOUNT, account.clone()));
    Some(Ask::get([bearer(access)?, plain("user-agent", "openclaw")].into_iter().chain(account)))
}

fn read(answer: &Value) -> Result<Told, String> {
    let limits = &answer["rate_limit"];
    let windows =
        [("primary_window", 3.0), ("secondary_window", 24.0)].into_iter().filter_map(|(name, usual)| {
            let limit = limits[name].as_object().map(|_| &limits[name])?;
            let hours = number(&limit["limit_window_seconds"]).filter(|seconds| *seconds > 0.0);
            let hours = hours.map_or(usual, |seconds| (seconds / HOUR).round());
            let used = number(&limit["used_percent"]).unwrap_or_default();
            Some(window(label(hours), used, moment(&limit["reset_at"])))
        });
    let plan = text(&answer["plan_type"]);
    let credits = number(&answer["credits"]["balance"]).map(|balance| format!("${balance:.2}"));
    Ok(Told {
        windows: windows.collect(),
        plan: match (plan, credits) {
            (Some(plan), Some(credits)) => Some(format!("{plan} ({credits})")),
            (plan, credits) => plan.or(credits),
        },
    })
}

fn label(hours: f64) -> String {
    match hours {
        168.0.. => "Week".to_owned(),
        24.0.. => "Day".to_owned(),
        _ => format!("{hours}h"),
    }
}

fn explain(status: u16, _: &Value) -> String {
    match status {
        401 | 403 => "Token expired".to_owned(),
        _ => format!("HTTP {status}"),
    }
}
