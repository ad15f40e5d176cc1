//! Says what a call needs beside the token, by vendor: headers that name the account, and where it is served. Pure.

use std::collections::BTreeMap;

use openclaw_ports::model::{CallCredential, normal_provider};
use openclaw_ports::stores::{OauthTokens, StoredProfile};
use openclaw_types::Secret;

use crate::auth::oauth::claim;

/// The claim of OpenAI's tokens that names the account.
const CHATGPT_ACCOUNT: [&str; 2] = ["https://api.openai.com/auth", "chatgpt_account_id"];

/// The field beside a profile's tokens that says where Qwen serves the account.
pub(in crate::auth) const RESOURCE_URL: &str = "resourceUrl";

/// The access of a sign-in.
pub(super) fn access(profile: &StoredProfile, tokens: &OauthTokens) -> CallCredential {
    let mut access = CallCredential { secret: Some(tokens.access.clone()), ..CallCredential::default() };
    match &*normal_provider(profile.provider.as_str()) {
        "openai-codex" => access.headers = codex_headers(tokens),
        "qwen-portal" => {
            let resource = profile.extra.get(RESOURCE_URL).and_then(|url| url.as_str());
            access.base_url = resource.and_then(qwen_base);
        }
        "google-gemini-cli" => {
            if let Some(project) = &tokens.project_id {
                access.headers.insert("x-goog-user-project".to_owned(), Secret::new(project.clone()));
            }
        }
        "github-copilot" => {
            access.base_url = copilot_base(tokens);
            access.traded_for.clone_from(&tokens.refresh);
        }
        _ => {}
    }
    access
}

/// The account a ChatGPT token belongs to.
pub(in crate::auth) fn chatgpt_account(token: &Secret<String>) -> Option<String> {
    claim(token, &CHATGPT_ACCOUNT)
}

fn codex_headers(tokens: &OauthTokens) -> BTreeMap<String, Secret<String>> {
    let account = tokens.account_id.clone().or_else(|| chatgpt_account(&tokens.access));
    let header = |name: &str, value: String| (name.to_owned(), Secret::new(value));
    account
        .map(|account| header("chatgpt-account-id", account))
        .into_iter()
        .chain([
            header("openai-beta", "responses=experimental".to_owned()),
            header("originator", "openclaw".to_owned()),
        ])
        .collect()
}

/// Qwen names a host, with or without scheme and version; calls go to version 1 over TLS.
fn qwen_base(resource: &str) -> Option<String> {
    let resource = resource.trim().trim_end_matches('/');
    let host = resource.strip_prefix("https://").unwrap_or(resource);
    if host.is_empty() || host.contains("://") || host.contains(['@', '?', '#', ' ', '\\']) {
        return None;
    }
    let versioned = host.ends_with("/v1");
    Some(format!("https://{host}{}", if versioned { "" } else { "/v1" }))
}

/// Companies with a server of their own are served beside it, unless the token says otherwise, which the codec reads.
fn copilot_base(tokens: &OauthTokens) -> Option<String> {
    let company = tokens.enterprise_url.as_deref()?.trim();
    let host = company.strip_prefix("https://").unwrap_or(company).trim_end_matches('/');
    let plain =
        host.contains('.') && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    let told = tokens.access.reveal().contains("proxy-ep=");
    (plain && !told).then(|| format!("https://copilot-api.{}", host.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_qwen_account_is_made_whole() {
        let rows = [
            ("portal.qwen.ai", Some("https://portal.qwen.ai/v1")),
            ("https://portal.qwen.ai/", Some("https://portal.qwen.ai/v1")),
            ("https://dashscope.example/compatible/v1", Some("https://dashscope.example/compatible/v1")),
            ("http://plain.example", None),
            ("user@evil.example", None),
            ("", None),
        ];
        for (resource, expected) in rows {
            assert_eq!(qwen_base(resource).as_deref(), expected, "{resource}");
        }
    }
}
