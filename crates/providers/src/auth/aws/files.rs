//! Reads `~/.aws/credentials` and `~/.aws/config`, or the files that variables name instead.
//!
//! A profile's keys may be in either; those in `credentials` win. The files belong to AWS's tools: they are read with
//! each use and never written.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use openclaw_config::Environment;
use openclaw_ports::model::{AwsKeys, ModelFault};
use openclaw_types::Secret;
use zeroize::Zeroizing;

use super::region;
use crate::auth::fault;

/// Larger files are not read.
const MAX_BYTES: u64 = 1024 * 1024;

/// The settings of one profile, names in lower case.
#[derive(Default, PartialEq, Eq)]
pub(super) struct Profile {
    settings: BTreeMap<String, Secret<String>>,
    exists: bool,
}

impl Profile {
    /// Whether it holds keys.
    pub(super) fn has_keys(&self) -> bool {
        self.get("aws_access_key_id").is_some() && self.get("aws_secret_access_key").is_some()
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.settings.get(name).map(|value| value.reveal().as_str()).filter(|value| !value.is_empty())
    }
}

/// A profile as both files describe it.
pub(super) fn profile(environment: &Environment, name: &str) -> Profile {
    let mut profile = Profile::default();
    for (variable, usual, heading) in [
        (
            "AWS_CONFIG_FILE",
            "config",
            if name == "default" { "default".to_owned() } else { format!("profile {name}") },
        ),
        ("AWS_SHARED_CREDENTIALS_FILE", "credentials", name.to_owned()),
    ] {
        let path = environment
            .get_trimmed(variable)
            .map_or_else(|| environment.home().join(".aws").join(usual), |text| environment.user_path(text));
        if let Some(found) = text(&path).and_then(|text| section(&text, &heading)) {
            profile.exists = true;
            profile.settings.extend(found);
        }
    }
    profile
}

/// The keys of a profile.
pub(super) fn keys(environment: &Environment, name: &str) -> Result<AwsKeys, ModelFault> {
    let profile = profile(environment, name);
    if let (Some(id), Some(secret)) = (profile.get("aws_access_key_id"), profile.get("aws_secret_access_key"))
    {
        return Ok(AwsKeys {
            access_key_id: id.to_owned(),
            secret_access_key: Secret::new(secret.to_owned()),
            session_token: profile.get("aws_session_token").map(|token| Secret::new(token.to_owned())),
            region: region(environment, profile.get("region")),
        });
    }
    let elsewhere =
        ["sso_session", "sso_start_url", "role_arn", "credential_process", "web_identity_token_file"]
            .into_iter()
            .find(|setting| profile.get(setting).is_some());
    Err(match elsewhere {
        Some(setting) => fault::auth(format!(
            "the AWS profile {name} gets its keys through {setting}; start the gateway with them in its variables: \
             eval \"$(aws configure export-credentials --profile {name} --format env)\""
        )),
        None if profile.exists => {
            fault::auth(format!("the AWS profile {name} holds no keys; run: aws configure --profile {name}"))
        }
        None => fault::auth(format!("there is no AWS profile {name}; run: aws configure --profile {name}")),
    })
}

/// The settings below a heading; nothing when it is not there.
fn section(text: &str, heading: &str) -> Option<BTreeMap<String, Secret<String>>> {
    let mut found = None;
    let mut inside = false;
    for line in text.lines() {
        // An indented line belongs to the setting above it, and those we need have none.
        let nested = line.starts_with([' ', '\t']);
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            let title = rest.split(']').next().unwrap_or_default();
            inside = title.split_whitespace().eq(heading.split_whitespace());
            if inside {
                found.get_or_insert_with(BTreeMap::new);
            }
        } else if inside
            && !nested
            && let Some((name, value)) = line.split_once('=')
            && let Some(settings) = &mut found
        {
            settings.insert(name.trim().to_ascii_lowercase(), Secret::new(value.trim().to_owned()));
        }
    }
    found
}

fn text(path: &Path) -> Option<Zeroizing<String>> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) => {
            if error.kind() != std::io::ErrorKind::NotFound {
                tracing::warn!(path = %path.display(), %error, "an AWS file cannot be read");
            }
            return None;
        }
    };
    let mut text = Zeroizing::new(String::new());
    match file.take(MAX_BYTES).read_to_string(&mut text) {
        Ok(_) => Some(text),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "an AWS file cannot be read");
            None
        }
    }
}
