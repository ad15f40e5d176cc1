//! AWS Signature Version 4: proves with a secret key who sends a request, without sending the key.
//!
//! Pure: time and credentials come in as data, the headers to add come out. Where credentials are found is not known
//! here. The transport calls this for `bedrock-converse-stream` when the target has no bearer token.
//! Rules: <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html>.

use std::collections::BTreeMap;
use std::fmt::Write;

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_types::{Secret, UnixMillis, percent_decoded};
use sha2::{Digest, Sha256};

#[cfg(test)]
mod tests;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// Headers that proxies and HTTP clients add or change; signing them would break the proof.
const UNSIGNED: &[&str] = &[
    "authorization",
    "cache-control",
    "connection",
    "content-length",
    "expect",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "x-amzn-trace-id",
];

/// Who signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwsCredentials {
    /// The public name of the key.
    pub access_key: String,
    /// The key.
    pub secret_key: Secret<String>,
    /// Comes with keys that are lent for a while.
    pub session_token: Option<Secret<String>>,
}

/// What the signature is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AwsScope<'a> {
    /// The region of the server.
    pub region: &'a str,
    /// The service, `bedrock` for models.
    pub service: &'a str,
    /// Now. Servers refuse a signature that is five minutes old.
    pub at: UnixMillis,
}

/// What is signed.
#[derive(Debug, Clone, Copy)]
pub struct AwsRequest<'a> {
    /// The method, in capitals.
    pub method: &'a str,
    /// The whole address, as it is going to be sent.
    pub url: &'a str,
    /// The headers, names in lower case.
    pub headers: &'a BTreeMap<String, Secret<String>>,
    /// The body.
    pub body: &'a [u8],
}

/// Signs a request and gives the headers to set on it: `authorization`, `x-amz-date` and, for lent keys,
/// `x-amz-security-token`. Headers of the request that are going to be signed must be sent unchanged.
///
/// # Errors
/// A fault of reason `Format` when the address has no host or the moment is outside the calendar.
pub fn sign_aws(
    request: &AwsRequest<'_>,
    credentials: &AwsCredentials,
    scope: &AwsScope<'_>,
) -> Result<BTreeMap<String, Secret<String>>, ModelFault> {
    let moment = Timestamp::from_millisecond(scope.at.0).map_err(|error| fault(error.to_string()))?;
    let moment = moment.strftime("%Y%m%dT%H%M%SZ").to_string();
    let day = moment.get(..8).unwrap_or_default();
    let address = Address::of(request.url)?;
    let mut added = BTreeMap::from([("x-amz-date".to_owned(), Secret::new(moment.clone()))]);
    if let Some(token) = &credentials.session_token {
        added.insert("x-amz-security-token".to_owned(), token.clone());
    }
    let headers = signed_headers(request.headers, &added, address.host);
    let names: Vec<&str> = headers.keys().map(String::as_str).collect();
    let names = names.join(";");
    let canonical = canonical_request(request, &address, &headers, &names);
    let place = format!("{day}/{}/{}/aws4_request", scope.region, scope.service);
    let to_sign = format!("{ALGORITHM}\n{moment}\n{place}\n{}", digest(canonical.reveal().as_bytes()));
    let mut key = Secret::new(format!("AWS4{}", credentials.secret_key.reveal()).into_bytes());
    for part in [day, scope.region, scope.service, "aws4_request"] {
        key = Secret::new(keyed(key.reveal(), part)?);
    }
    let signature = hex::encode(keyed(key.reveal(), &to_sign)?);
    let proof = format!(
        "{ALGORITHM} Credential={}/{place}, SignedHeaders={names}, Signature={signature}",
        credentials.access_key
    );
    added.insert("authorization".to_owned(), Secret::new(proof));
    Ok(added)
}

/// The region that an AWS address names: `eu-west-1` in `https://bedrock-runtime.eu-west-1.amazonaws.com`.
#[must_use]
pub fn aws_region(url: &str) -> Option<&str> {
    let host = Address::of(url).ok()?.host;
    let name = host.strip_suffix(".amazonaws.com").or_else(|| host.strip_suffix(".amazonaws.com.cn"))?;
    let (_, region) = name.rsplit_once('.')?;
    (!region.is_empty()).then_some(region)
}

struct Address<'a> {
    host: &'a str,
    path: &'a str,
    query: &'a str,
}

impl<'a> Address<'a> {
    fn of(url: &'a str) -> Result<Self, ModelFault> {
        let (_, rest) = url.split_once("://").ok_or_else(|| fault("the address has no scheme".to_owned()))?;
        let rest = rest.split('#').next().unwrap_or_default();
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        if host.is_empty() {
            return Err(fault("the address has no host".to_owned()));
        }
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        Ok(Self { host, path, query })
    }
}

fn signed_headers(
    given: &BTreeMap<String, Secret<String>>,
    added: &BTreeMap<String, Secret<String>>,
    host: &str,
) -> BTreeMap<String, Secret<String>> {
    let mut headers = BTreeMap::from([("host".to_owned(), Secret::new(host.to_owned()))]);
    for (name, value) in given.iter().chain(added) {
        let name = name.to_ascii_lowercase();
        if !UNSIGNED.contains(&name.as_str()) {
            headers.insert(name, value.clone());
        }
    }
    headers
}

fn canonical_request(
    request: &AwsRequest<'_>,
    address: &Address<'_>,
    headers: &BTreeMap<String, Secret<String>>,
    names: &str,
) -> Secret<String> {
    let mut text = format!("{}\n{}\n{}\n", request.method, path(address.path), query(address.query));
    for (name, value) in headers {
        text.push_str(name);
        text.push(':');
        for (at, word) in value.reveal().split_ascii_whitespace().enumerate() {
            if at > 0 {
                text.push(' ');
            }
            text.push_str(word);
        }
        text.push('\n');
    }
    text.push('\n');
    text.push_str(names);
    text.push('\n');
    text.push_str(&digest(request.body));
    Secret::new(text)
}

/// The path without detours, escaped once more than it is sent: every service but S3 wants it so.
fn path(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            other => segments.push(other),
        }
    }
    let mut text = String::from("/");
    for (at, segment) in segments.iter().enumerate() {
        if at > 0 {
            text.push('/');
        }
        text.push_str(&escaped(segment.as_bytes()));
    }
    let ends_in_folder = path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..");
    if ends_in_folder && !segments.is_empty() {
        text.push('/');
    }
    text
}

fn query(query: &str) -> String {
    let mut pairs: Vec<(String, String)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (escaped(&percent_decoded(name)), escaped(&percent_decoded(value)))
        })
        .collect();
    pairs.sort();
    let pairs: Vec<String> = pairs.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("&")
}

/// Escapes all but letters, digits and `-._~`.
pub(crate) fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            text.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            write!(text, "%{byte:02X}").unwrap_or_default();
        }
    }
    text
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

fn keyed(key: &[u8], text: &str) -> Result<Vec<u8>, ModelFault> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|error| fault(error.to_string()))?;
    mac.update(text.as_bytes());
    Ok(mac.finalize().into_bytes().to_vec())
}

fn fault(why: String) -> ModelFault {
    ModelFault::new(FaultReason::Format, format!("the request cannot be signed: {why}"))
}
