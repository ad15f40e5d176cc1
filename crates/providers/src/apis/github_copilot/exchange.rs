//! The pure parts of trading a GitHub token for a token of the service: the call, its answer, its failures.
//!
//! Sending the call, keeping the token and renewing it in time is done by the credentials' owner. The token also says
//! where the account's interface is: `proxy-ep` names the proxy, and the interface stands beside it.

use std::collections::BTreeMap;
use std::fmt;

use openclaw_ports::model::{FaultReason, ModelFault, ModelTarget};
use openclaw_types::{Secret, UnixMillis};
use serde_json::Value;

use super::headers::PRODUCT;
use super::wire::ExchangeAnswer;
use crate::apis::openai_dialect as dialect;
use crate::apis::shared::{Secrets, malformed};

/// Where the interface is when the token does not say.
const DEFAULT_BASE_URL: &str = "https://api.individual.githubcopilot.com";

/// Where GitHub is, for accounts that are not on a server of their own.
const DEFAULT_DOMAIN: &str = "github.com";

/// A GET that trades a GitHub token for a token of the service.
#[derive(Clone, PartialEq)]
pub struct CopilotExchange {
    /// The whole address.
    pub url: String,
    /// The headers, names in lower case. Values hold the GitHub token.
    pub headers: BTreeMap<String, Secret<String>>,
}

impl fmt::Debug for CopilotExchange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.headers.keys().collect();
        out.debug_struct("CopilotExchange").field("url", &self.url).field("headers", &names).finish()
    }
}

/// What the exchange gives.
#[derive(Debug, Clone, PartialEq)]
pub struct CopilotToken {
    /// The token of the service.
    pub token: Secret<String>,
    /// When it ends. Renew it some minutes before.
    pub expires_at: UnixMillis,
    /// Where this account's interface is.
    pub base_url: String,
}

impl CopilotExchange {
    /// The call for an account on the public GitHub.
    #[must_use]
    pub fn on_github(github_token: &Secret<String>) -> Self {
        Self::at(DEFAULT_DOMAIN, github_token)
    }

    /// The call for an account on a GitHub server of its own, such as `company.ghe.com`.
    ///
    /// # Errors
    /// A fault of reason `Format` when the domain is no host name.
    pub fn on_server(domain: &str, github_token: &Secret<String>) -> Result<Self, ModelFault> {
        match host_name(domain) {
            Some(domain) => Ok(Self::at(&domain, github_token)),
            None => Err(ModelFault::new(
                FaultReason::Format,
                "the GitHub domain is not a host name; write it like company.ghe.com",
            )),
        }
    }

    /// Explains an exchange that was refused, without the token that was sent.
    #[must_use]
    pub fn fault(&self, status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> ModelFault {
        let mut fault = dialect::classify(status, headers, body);
        // There is no model in this call: what is not found here is the account's access.
        if fault.reason == FaultReason::ModelNotFound {
            fault.reason = FaultReason::Auth;
        }
        let token = self.headers.get("authorization");
        Secrets::new(token.into_iter().flat_map(Secrets::of_header)).out_of(fault)
    }

    fn at(domain: &str, github_token: &Secret<String>) -> Self {
        let header = |name: &str, value: String| (name.to_owned(), Secret::new(value));
        Self {
            url: format!("https://api.{domain}/copilot_internal/v2/token"),
            headers: BTreeMap::from([
                header("accept", "application/json".to_owned()),
                header("authorization", format!("Bearer {}", github_token.reveal().trim())),
                header("editor-version", PRODUCT.to_owned()),
                header("editor-plugin-version", PRODUCT.to_owned()),
                header("user-agent", PRODUCT.to_owned()),
            ]),
        }
    }
}

impl CopilotToken {
    /// Reads the answer to the exchange.
    ///
    /// # Errors
    /// A fault of reason `Malformed` when it holds no token or no end of it.
    pub fn read(body: &[u8]) -> Result<Self, ModelFault> {
        // The error of the parser may quote the body, and the body holds the token.
        let answer: ExchangeAnswer =
            serde_json::from_slice(body).map_err(|_error| malformed("the answer to the token exchange"))?;
        let token = answer.token.filter(|token| !token.reveal().trim().is_empty());
        let Some(token) = token else { return Err(malformed("a token exchange without a token")) };
        let Some(expires_at) = answer.expires_at.as_ref().and_then(moment) else {
            return Err(malformed("a token exchange that does not say when the token ends"));
        };
        let base_url = base_url_of(&token)
            .or_else(|| answer.endpoints.and_then(|endpoints| endpoints.api).as_deref().and_then(https_base))
            .unwrap_or_else(|| DEFAULT_BASE_URL.to_owned());
        Ok(Self { token, expires_at, base_url })
    }
}

/// Where the interface of a token's account is, as the token says.
fn base_url_of(token: &Secret<String>) -> Option<String> {
    let proxy = token.reveal().split(';').find_map(|field| {
        let (name, value) = field.split_once('=')?;
        name.trim().eq_ignore_ascii_case("proxy-ep").then(|| value.trim())
    })?;
    let host = host_name(proxy)?;
    let host = host.strip_prefix("proxy.").map_or(host.clone(), |rest| format!("api.{rest}"));
    Some(format!("https://{host}"))
}

/// The base address of a call: the target's own, unless it is only the general one and the token knows better.
pub(super) fn base_url_for(target: &ModelTarget) -> String {
    let given = target.base_url.trim().trim_end_matches('/');
    if !given.is_empty() && given != DEFAULT_BASE_URL {
        return given.to_owned();
    }
    target.credential.as_ref().and_then(base_url_of).unwrap_or_else(|| DEFAULT_BASE_URL.to_owned())
}

/// The end of a token: seconds since 1970, or milliseconds, as a number or a text.
fn moment(value: &Value) -> Option<UnixMillis> {
    let number = match value {
        Value::Number(number) => {
            number.as_i64().or_else(|| format!("{:.0}", number.as_f64()?).parse().ok())?
        }
        Value::String(text) => text.trim().parse::<i64>().ok()?,
        _ => return None,
    };
    let millis = if number > 10_000_000_000 { number } else { number.checked_mul(1000)? };
    (millis > 0).then_some(UnixMillis(millis))
}

fn https_base(url: &str) -> Option<String> {
    let rest = url.trim().strip_prefix("https://")?.trim_end_matches('/');
    host_name(rest).map(|host| format!("https://{host}"))
}

/// A host name with or without a scheme before it, in lower case; nothing when there is more, or something else.
fn host_name(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or(&text);
    let host = host.strip_suffix('/').unwrap_or(host);
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    (host.len() <= 253 && host.contains('.') && host.split('.').all(label)).then(|| host.to_owned())
}
