//! Stage: finds the configuration and decides what to run on.
//!
//! A broken file never stops a gateway that ran before: the last good configuration takes over, and the log says so.

use std::sync::Arc;

use anyhow::bail;
use openclaw_config::sections::RunMode;
use openclaw_config::{ConfigFile, ConfigIssue, LiveConfig, StartedFrom};
use openclaw_ports::Clock;

use crate::options::{RemoteMode, RunOptions};

/// The file, with what the command line says over it.
pub(crate) fn file(options: &RunOptions, clock: &Arc<dyn Clock>) -> ConfigFile {
    ConfigFile::new(options.locations.clone(), options.environment.clone())
        .with_clock(Arc::clone(clock))
        .with_overrides(options.overrides.clone())
        .with_channels((options.platforms)())
}

/// Opens the configuration and says what is odd about it.
///
/// # Errors
/// A broken file when no good configuration is known: running on what is left of it could open doors that its owner
/// meant to close.
pub(crate) fn open(file: &ConfigFile) -> anyhow::Result<LiveConfig> {
    let (config, from) = LiveConfig::open(file);
    for warning in &config.last_seen().warnings {
        tracing::warn!(subsystem = "config", "{warning}");
    }
    for migrated in &config.last_seen().legacy_issues {
        tracing::warn!(subsystem = "config", "{migrated}");
    }
    if let StartedFrom::Remains { issues } = from {
        bail!(
            "the configuration cannot be used, and no earlier good one is known:\n{}\nFix the file, or run `openclaw doctor --fix`.",
            list(&issues)
        );
    }
    Ok(config)
}

/// Refuses to run a gateway where the owner said that another one is used.
///
/// # Errors
/// Names the other gateway and what to change.
pub(crate) fn check_mode(config: &LiveConfig, remote_mode: RemoteMode) -> anyhow::Result<()> {
    let gateway = &config.current().gateway;
    if gateway.mode == Some(RunMode::Remote) && remote_mode == RemoteMode::Refuse {
        let place = gateway.remote.url.as_deref().unwrap_or("another machine");
        bail!(
            "gateway.mode is \"remote\": this installation uses the gateway at {place}. To run one here, `openclaw config set gateway.mode local`, or pass --allow-unconfigured for this run"
        );
    }
    Ok(())
}

/// One line for each issue.
pub(crate) fn list(issues: &[ConfigIssue]) -> String {
    issues.iter().map(|issue| format!("  {issue}")).collect::<Vec<_>>().join("\n")
}
