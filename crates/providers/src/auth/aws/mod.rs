//! AWS credentials where AWS's own tools keep them: variables, the files in `~/.aws`, and the container's lender.
//!
//! `files` reads the two files, `container` asks a lender. Sign-ins through a browser, assumed roles and credential
//! programs are left to AWS's tools; the fault says how to use them.

mod container;
mod files;

#[cfg(test)]
mod tests;

use openclaw_config::Environment;
use openclaw_ports::model::{AwsKeys, CredentialKind, CredentialOrigin, ModelFault};
use openclaw_types::{AuthProfileId, Secret};

use super::fault;

pub(super) use container::Lender;

const BEARER: &str = "AWS_BEARER_TOKEN_BEDROCK";
const KEY_ID: &str = "AWS_ACCESS_KEY_ID";
const SECRET_KEY: &str = "AWS_SECRET_ACCESS_KEY";
const PROFILE_PREFIX: &str = "aws-profile:";
const CONTAINER: &str = "aws-container:role";
/// The region when nothing names one.
const DEFAULT_REGION: &str = "us-east-1";
/// Longer names are not names of profiles.
const MAX_NAME: usize = 256;

/// Where AWS credentials are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// A bearer token in a variable.
    Bearer,
    /// Keys in variables.
    Variables,
    /// A profile in the files.
    Profile(String),
    /// A lender that the container names.
    Container,
}

/// What a source holds.
pub(super) enum FoundCredentials {
    /// Keys.
    Keys(AwsKeys),
    /// Who lends keys.
    Lender(Lender),
}

/// The sources there are, best first.
pub(super) fn known(environment: &Environment) -> Vec<Source> {
    let set = |name: &str| environment.get_trimmed(name).is_some();
    let mut sources = Vec::new();
    if set(BEARER) {
        sources.push(Source::Bearer);
    }
    if set(KEY_ID) && set(SECRET_KEY) {
        sources.push(Source::Variables);
    }
    match environment.get_trimmed("AWS_PROFILE") {
        Some(name) if name.len() <= MAX_NAME => sources.push(Source::Profile(name.to_owned())),
        Some(_) => {}
        None if files::profile(environment, "default").has_keys() => {
            sources.push(Source::Profile("default".to_owned()));
        }
        None => {}
    }
    if Lender::of(environment).is_some() {
        sources.push(Source::Container);
    }
    sources
}

impl Source {
    /// The source as a credential: its name, how it signs in, and where it comes from.
    pub(super) fn described(&self) -> Option<(AuthProfileId, CredentialKind, CredentialOrigin)> {
        let (id, kind, origin) = match self {
            Self::Bearer => (
                format!("env:{BEARER}"),
                CredentialKind::Token,
                CredentialOrigin::Environment(BEARER.to_owned()),
            ),
            Self::Variables => (
                format!("env:{KEY_ID}"),
                CredentialKind::Aws,
                CredentialOrigin::Environment(KEY_ID.to_owned()),
            ),
            Self::Profile(name) => (
                format!("{PROFILE_PREFIX}{name}"),
                CredentialKind::Aws,
                CredentialOrigin::Vendor(format!("AWS profile {name}")),
            ),
            Self::Container => (
                CONTAINER.to_owned(),
                CredentialKind::Aws,
                CredentialOrigin::Vendor("AWS container role".to_owned()),
            ),
        };
        Some((AuthProfileId::new(id).ok()?, kind, origin))
    }

    /// The source of a credential's name.
    pub(super) fn named(id: &AuthProfileId) -> Result<Self, ModelFault> {
        let text = id.as_str();
        if let Some(name) = text.strip_prefix(PROFILE_PREFIX) {
            return Ok(Self::Profile(name.to_owned()));
        }
        match text.strip_prefix("env:") {
            Some(KEY_ID) => Ok(Self::Variables),
            Some(BEARER) => Ok(Self::Bearer),
            _ if text == CONTAINER => Ok(Self::Container),
            _ => Err(fault::gone(id)),
        }
    }
}

/// What a source holds.
///
/// # Errors
/// Reason `Auth` with what to do when it holds nothing that can be used.
pub(super) fn read(environment: &Environment, source: &Source) -> Result<FoundCredentials, ModelFault> {
    match source {
        Source::Bearer | Source::Variables => variables(environment).map(FoundCredentials::Keys),
        Source::Profile(name) => files::keys(environment, name).map(FoundCredentials::Keys),
        Source::Container => Lender::of(environment)
            .map(FoundCredentials::Lender)
            .ok_or_else(|| fault::auth("the container names no lender of AWS keys any more")),
    }
}

/// The region calls go to, where no profile says otherwise.
fn region(environment: &Environment, of_profile: Option<&str>) -> String {
    environment
        .get_trimmed("AWS_REGION")
        .or_else(|| environment.get_trimmed("AWS_DEFAULT_REGION"))
        .or(of_profile)
        .unwrap_or(DEFAULT_REGION)
        .to_owned()
}

fn variables(environment: &Environment) -> Result<AwsKeys, ModelFault> {
    let get = |name: &str| environment.get_trimmed(name).map(str::to_owned);
    match (get(KEY_ID), get(SECRET_KEY)) {
        (Some(access_key_id), Some(secret)) => Ok(AwsKeys {
            access_key_id,
            secret_access_key: Secret::new(secret),
            session_token: get("AWS_SESSION_TOKEN").map(Secret::new),
            region: region(environment, None),
        }),
        _ => Err(fault::auth(format!(
            "set {KEY_ID} and {SECRET_KEY} both, or choose a profile with AWS_PROFILE"
        ))),
    }
}
