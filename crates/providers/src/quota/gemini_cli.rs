//! Google's Code Assist, as used by Gemini's command line: what is left for its larger and its faster models.

use openclaw_ports::model::{CallCredential, CredentialKind};
use serde_json::Value;

use super::reading::{number, window};
use super::vendor::{Ask, QuotaVendor, Told, bearer, status_alone};

pub(super) const VENDOR: QuotaVendor = QuotaVendor {
    provider: "google-gemini-cli",
    name: "Gemini",
    address: "https://cloudcode-pa.googleapis.com/v1internal:retrieveUserQuota",
    zones: &["googleapis.com"],
    kinds: &[CredentialKind::Oauth, CredentialKind::Token],
    ask,
    read,
    explain: status_alone,
};

fn ask(access: &CallCredential) -> Option<Ask> {
    Some(Ask::post([bearer(access)?]))
}

/// Several buckets may be about one family; the emptiest counts.
fn read(answer: &Value) -> Result<Told, String> {
    let buckets = answer["buckets"].as_array().map(Vec::as_slice).unwrap_or_default();
    let left_of = |family: &str| {
        let ours = |bucket: &&Value| {
            bucket["modelId"].as_str().is_some_and(|model| model.to_lowercase().contains(family))
        };
        let left =
            buckets.iter().filter(ours).map(|bucket| number(&bucket["remainingFraction"]).unwrap_or(1.0));
        left.reduce(f64::min)
    };
    let windows = [("Pro", "pro"), ("Flash", "flash")].into_iter().filter_map(|(label, family)| {
        let left = left_of(family)?;
        Some(window(label, (1.0 - left) * 100.0, None))
    });
    Ok(Told { windows: windows.collect(), plan: None })
}
