//! Asks the lender that a container names for keys, as tasks of ECS and pods of EKS do.

use openclaw_config::Environment;
use openclaw_ports::model::{AwsKeys, FaultReason, ModelFault, ServerReach};
use openclaw_types::{Secret, UnixMillis};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::region;
use crate::auth::{fault, web};
use crate::transport::{Transport, is_lender};

/// Where the lender of ECS is; a relative address starts here.
const ECS: &str = "http://169.254.170.2";
/// Addresses that may be asked without encryption: this machine, and the lenders of ECS and EKS.
const PLAIN_HOSTS: [&str; 6] =
    ["localhost", "127.0.0.1", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"];

/// Who lends keys.
#[derive(Debug, Clone)]
pub(in crate::auth) struct Lender {
    url: String,
    token: Option<Secret<String>>,
    region: String,
}

/// Keys for a while.
#[derive(Debug)]
pub(in crate::auth) struct Loan {
    pub(in crate::auth) keys: AwsKeys,
    pub(in crate::auth) until: UnixMillis,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Wire {
    access_key_id: String,
    secret_access_key: Secret<String>,
    token: Option<Secret<String>>,
    expiration: String,
}

impl Lender {
    /// The lender that the variables name.
    pub(in crate::auth) fn of(environment: &Environment) -> Option<Self> {
        let url = match environment.get_trimmed("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
            Some(path) if path.starts_with('/') => format!("{ECS}{path}"),
            Some(_) => return None,
            None => environment.get_trimmed("AWS_CONTAINER_CREDENTIALS_FULL_URI")?.to_owned(),
        };
        let token = environment
            .get_trimmed("AWS_CONTAINER_AUTHORIZATION_TOKEN")
            .map(|token| Secret::new(token.to_owned()))
            .or_else(|| token_file(environment));
        may_be_asked(&url).then(|| Self { url, token, region: region(environment, None) })
    }

    /// Tells lenders apart.
    pub(in crate::auth) fn fingerprint(&self) -> [u8; 32] {
        Sha256::digest(format!("{}\n{}", self.url, self.region)).into()
    }

    /// Asks for keys.
    pub(in crate::auth) async fn ask(&self, transport: &Transport) -> Result<Loan, ModelFault> {
        let mut call = web::get(&self.url, ServerReach::Anywhere);
        if let Some(token) = &self.token {
            call.headers.insert("authorization".to_owned(), token.clone());
        }
        let answer =
            if is_lender(&self.url) { transport.lender(call).await? } else { transport.json(call).await? };
        if !answer.is_success() {
            let mut fault = fault::auth("the container lends no AWS keys; check its role");
            if answer.status >= 500 {
                fault.reason = FaultReason::Overloaded;
            }
            fault.status = Some(answer.status);
            return Err(fault);
        }
        let malformed =
            || ModelFault::new(FaultReason::Malformed, "the container's lender answered without AWS keys");
        let wire: Wire = serde_json::from_slice(&answer.body).map_err(|_quotes| malformed())?;
        let until: jiff::Timestamp = wire.expiration.parse().map_err(|_error| malformed())?;
        let keys = AwsKeys {
            access_key_id: wire.access_key_id,
            secret_access_key: wire.secret_access_key,
            session_token: wire.token,
            region: self.region.clone(),
        };
        Ok(Loan { keys, until: UnixMillis(until.as_millisecond()) })
    }
}

fn token_file(environment: &Environment) -> Option<Secret<String>> {
    let path = environment.user_path(environment.get_trimmed("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")?);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(Secret::new(text.trim().to_owned())),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "the token for AWS's lender cannot be read");
            None
        }
    }
}

/// Keys travel in the clear only where nobody else listens.
fn may_be_asked(url: &str) -> bool {
    if url.starts_with("https://") {
        return true;
    }
    let Some(rest) = url.strip_prefix("http://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.rfind(':') {
        Some(colon) if !authority.ends_with(']') => &authority[..colon],
        _ => authority,
    };
    PLAIN_HOSTS.contains(&host)
}
