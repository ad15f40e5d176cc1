//! GitHub Copilot: what is left of premium requests and of chat. GitHub is asked, with the token of the person and not
//! with the one of the service that it is traded for.

use openclaw_ports::model::{CallCredential, CredentialKind};
use openclaw_types::Secret;
use serde_json::Value;

use super::reading::{number, text, window};
use super::vendor::{Ask, QuotaVendor, Told, plain, status_alone};

pub(super) const VENDOR: QuotaVendor = QuotaVendor {
    provider: "github-copilot",
    name: "Copilot",
    address: "https://api.github.com/copilot_internal/user",
    zones: &["githubcopilot.com", "github.com"],
    kinds: &[CredentialKind::Oauth, CredentialKind::Token],
    ask,
    read,
    explain: status_alone,
};

fn ask(access: &CallCredential) -> Option<Ask> {
    let token = access.traded_for.as_ref().or(access.secret.as_ref())?;
    Some(Ask::get([
        ("authorization", Secret::new(format!("token {}", token.reveal()))),
        plain("editor-version", "vscode/1.96.2"),
        plain("user-agent", "GitHubCopilotChat/0.26.7"),
        plain("x-github-api-version", "2025-04-01"),
    ]))
}

fn read(answer: &Value) -> Result<Told, String> {
    let kinds = [("Premium", "premium_interactions"), ("Chat", "chat")];
    let windows = kinds.into_iter().filter_map(|(label, name)| {
        let left = answer["quota_snapshots"][name].as_object()?.get("percent_remaining");
        Some(window(label, 100.0 - left.and_then(number).unwrap_or_default(), None))
    });
    Ok(Told { windows: windows.collect(), plan: text(&answer["copilot_plan"]) })
}
