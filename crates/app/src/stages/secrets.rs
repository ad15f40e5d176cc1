//! Stage: makes sure that there is a token to connect with, and that no secret reaches the log.

use anyhow::Context;
use openclaw_config::sections::AuthMode;
use openclaw_config::{Config, KeyPath, LiveConfig, is_sensitive_path};
use openclaw_types::Secret;
use serde_json::Value;

use crate::observe::KnownSecrets;

/// Random bytes of a made token.
const TOKEN_BYTES: usize = 24;

/// Makes a token and saves it in the configuration file when the mode needs one and there is none.
///
/// A file that cannot be used is left alone: the last good configuration, which has a token, runs instead.
///
/// # Errors
/// When the file cannot be written: without a saved token nobody could connect.
pub(crate) fn ensure_token(config: LiveConfig) -> anyhow::Result<LiveConfig> {
    let auth = config.current().gateway.auth.clone();
    if !config.last_seen().valid || auth.mode != AuthMode::Token || auth.token.is_some() {
        return Ok(config);
    }
    let file = config.file();
    let mut bytes = [0_u8; TOKEN_BYTES];
    getrandom::fill(&mut bytes).context("the system gave no random numbers")?;
    let path: KeyPath = "gateway.auth.token".parse()?;
    file.set_value(&path, Value::from(hex::encode(bytes))).with_context(|| {
        format!(
            "no token is set and one could not be saved in {}; set OPENCLAW_GATEWAY_TOKEN or make the file writable",
            file.locations().config_path.display()
        )
    })?;
    tracing::info!(
        subsystem = "gateway",
        file = %file.locations().config_path.display(),
        "no token was set: a new one was made and saved, readable by you alone"
    );
    // Opened anew rather than offered: with reloading off, an offer would wait for the next start.
    Ok(LiveConfig::open(file).0)
}

/// Tells the log which values must never appear in it.
pub(crate) fn register(config: &LiveConfig, known: &KnownSecrets) {
    let mut secrets = of_settings(&config.current());
    collect(&config.running().resolved, &mut Vec::new(), &mut secrets);
    known.replace(secrets);
}

/// Secrets that may come from the environment or the command line instead of the file.
fn of_settings(config: &Config) -> Vec<Secret<String>> {
    let auth = &config.gateway.auth;
    let remote = &config.gateway.remote;
    [&auth.token, &auth.password, &remote.token, &remote.password].into_iter().flatten().cloned().collect()
}

fn collect(value: &Value, path: &mut Vec<String>, secrets: &mut Vec<Secret<String>>) {
    match value {
        Value::Object(entries) => {
            for (key, inner) in entries {
                path.push(key.clone());
                collect(inner, path, secrets);
                path.pop();
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, path, secrets)),
        Value::String(text) => {
            let steps: Vec<&str> = path.iter().map(String::as_str).collect();
            if is_sensitive_path(&steps) {
                secrets.push(Secret::new(text.clone()));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
