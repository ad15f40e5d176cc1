//! Looks at the installation: configuration, state directory, permissions, store, audit ledger, port, gateway, service.
//!
//! Each check is one function from the surroundings to findings and changes nothing.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use openclaw_app::{InstanceInfo, running_instance};
use openclaw_config::sections::{AuthMode, RunMode};
use openclaw_config::{FileSnapshot, LogFile};
use openclaw_ports::stores::AuditLedger as _;
use openclaw_stores::sqlite::{StateDatabase, StateHealth, StateLocation};
use serde_json::json;

use super::repair::Repair;
use super::restore::is_unusable;
use super::{DoctorFinding, Severity};
use crate::call::{GatewayQuestion, ask, block_on};
use crate::commands::config::issue_text;
use crate::commands::gateway::is_listening;
use crate::context::Context;
use crate::service::Manager;
use crate::target::{GatewayTarget, TargetArgs};

/// How far the looking goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Depth {
    /// Name other gateway services too.
    pub(super) other_services: bool,
    /// Offer to replace a service that is installed.
    pub(super) service_drift: bool,
    /// Whether workspaces are looked at.
    pub(super) workspaces: super::agents::Hints,
}

/// Everything, in the order it is printed.
pub(super) fn all(context: &Context, depth: Depth) -> anyhow::Result<Vec<DoctorFinding>> {
    let config = context.read_config();
    let mut findings = configuration(context, &config);
    let running = match running_instance(&context.locations) {
        Ok(running) => running,
        Err(error) => {
            let text = format!("the lock of the gateway cannot be read ({error}); check the state directory");
            findings.push(DoctorFinding::new("gateway", Severity::Failure, text));
            None
        }
    };
    findings.extend(state_directory(context));
    let usable = !is_unusable(&config);
    if usable {
        findings.extend(authentication(&config));
    }
    findings.extend(store(context, running.as_ref())?);
    findings.extend(super::old_sign_ins::check(context)?);
    if usable {
        findings.extend(super::agents::check(context, &config, depth.workspaces)?);
        findings.extend(gateway(context, &config, running.as_ref()));
    } else {
        findings.push(unasked(running.as_ref()));
    }
    findings.extend(service(context, depth)?);
    if usable {
        findings.extend(log(context, &config));
    }
    Ok(without_hopeless_repairs(context, findings))
}

fn configuration(context: &Context, config: &FileSnapshot) -> Vec<DoctorFinding> {
    let topic = "config";
    let path = context.short(&config.path);
    let mut findings = Vec::new();
    match (config.exists, config.valid) {
        (false, _) => findings.push(DoctorFinding::new(
            topic,
            Severity::Note,
            format!("{path} is not there; defaults apply"),
        )),
        (true, true) => findings.push(DoctorFinding::new(topic, Severity::Fine, format!("{path} is valid"))),
        (true, false) => {}
    }
    for issue in &config.issues {
        findings.push(DoctorFinding::new(topic, Severity::Failure, issue_text(issue)));
    }
    if is_unusable(config) {
        findings.push(super::restore::finding(context, config));
    }
    for warning in &config.warnings {
        findings.push(DoctorFinding::new(topic, Severity::Warning, issue_text(warning)));
    }
    if !config.legacy_issues.is_empty() {
        let names: Vec<&str> = config.legacy_issues.iter().map(|issue| issue.path.as_str()).collect();
        let text = format!("old keys should move: {}", names.join(", "));
        findings.push(DoctorFinding::new(topic, Severity::Warning, text).with(Repair::MigrateConfig));
    }
    if config.valid {
        let (_, faults) =
            openclaw_app::configured_accounts(&config.config, &config.environment, &context.clock);
        findings.extend(faults.into_iter().map(|wrong| {
            let text = format!("channels.{}.{}: {}", wrong.channel, wrong.fault.path, wrong.fault.message);
            DoctorFinding::new(topic, Severity::Warning, text)
        }));
    }
    if config.exists {
        findings.extend(privacy(context, &config.path, 0o600));
    }
    findings
}

fn state_directory(context: &Context) -> Vec<DoctorFinding> {
    let topic = "state directory";
    let root = &context.locations.state_dir;
    if !root.exists() {
        if let Err(error) = can_be_written(root) {
            let text = format!(
                "{} is not there and cannot be made ({error}); make the folder above it yours, or choose another place with OPENCLAW_STATE_DIR",
                context.short(root)
            );
            return vec![DoctorFinding::new(topic, Severity::Failure, text)];
        }
        let text = format!("{} is not there; the gateway makes it when it starts", context.short(root));
        return vec![DoctorFinding::new(topic, Severity::Note, text).with(Repair::MakeFolder(root.clone()))];
    }
    if let Err(error) = can_be_written(root) {
        let text = format!("{} cannot be written ({error}); make it yours with chown", context.short(root));
        return vec![DoctorFinding::new(topic, Severity::Failure, text)];
    }
    let mut findings =
        vec![DoctorFinding::new(topic, Severity::Fine, format!("{} is writable", context.short(root)))];
    findings.extend(privacy(context, root, 0o700));
    let identity = context.locations.identity_dir();
    let private = [
        (context.locations.internal_dir(), 0o700),
        (identity.clone(), 0o700),
        (context.locations.credentials_dir().to_path_buf(), 0o700),
        (context.locations.tls_dir(), 0o700),
        (identity.join("device.json"), 0o600),
        (identity.join("device-auth.json"), 0o600),
        (context.locations.state_database(), 0o600),
        (context.locations.internal_dir().join("seal.key"), 0o600),
    ];
    for (path, mode) in private {
        findings.extend(privacy(context, &path, mode));
    }
    findings
}

/// Whether a file can be made in the folder, or the folder itself when it is missing. Nothing is left behind.
pub(super) fn can_be_written(folder: &Path) -> std::io::Result<()> {
    let folder = folder.ancestors().find(|folder| folder.symlink_metadata().is_ok()).unwrap_or(folder);
    let probe: PathBuf = folder.join(format!(".doctor-{}", std::process::id()));
    fs::OpenOptions::new().write(true).create_new(true).open(&probe)?;
    fs::remove_file(&probe)
}

/// A finding when others may read what is private.
fn privacy(context: &Context, path: &Path, wanted: u32) -> Option<DoctorFinding> {
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        return None;
    }
    let text = format!(
        "{} can be read by others (mode {mode:o}); it should have mode {wanted:o}",
        context.short(path)
    );
    let repair = Repair::MakePrivate { path: path.to_owned(), mode: wanted };
    Some(DoctorFinding::new("permissions", Severity::Warning, text).with(repair))
}

/// Findings whose repair would write where nothing can be written keep their text, not the promise.
fn without_hopeless_repairs(context: &Context, mut findings: Vec<DoctorFinding>) -> Vec<DoctorFinding> {
    let (config, state) =
        (can_be_written(context.locations.config_dir()), can_be_written(&context.locations.state_dir));
    let read_only = [&config, &state]
        .iter()
        .any(|place| matches!(place, Err(error) if error.kind() == ErrorKind::ReadOnlyFilesystem));
    for finding in &mut findings {
        let hopeless = match &finding.repair {
            Some(Repair::MigrateConfig | Repair::MakeToken) => config.is_err(),
            Some(Repair::MakeFolder(_)) => state.is_err(),
            Some(Repair::MakePrivate { .. }) => read_only,
            Some(Repair::ReinstallService) | None => false,
        };
        if hopeless {
            finding.repair = None;
        }
    }
    findings
}

/// Port and token of an unusable file are unknown; those of the defaults would mislead.
fn unasked(running: Option<&InstanceInfo>) -> DoctorFinding {
    let text = match running {
        Some(instance) => {
            format!("runs with pid {}; not asked while the configuration cannot be used", instance.pid)
        }
        None => "not running; port and token are looked at once the configuration can be used".to_owned(),
    };
    DoctorFinding::new("gateway", Severity::Note, text)
}

fn authentication(config: &FileSnapshot) -> Vec<DoctorFinding> {
    let settings = &config.config.gateway;
    if settings.mode == Some(RunMode::Remote) {
        return Vec::new();
    }
    let token = settings.auth.token.as_ref();
    let finding = match (settings.auth.mode, token) {
        (AuthMode::None, _) => DoctorFinding::new(
            "authentication",
            Severity::Warning,
            "gateway.auth.mode is none: everybody who reaches the port may do everything",
        ),
        (AuthMode::Token, None) => DoctorFinding::new(
            "authentication",
            Severity::Note,
            "no token yet; the gateway makes one when it starts (or now: --generate-gateway-token)",
        )
        .with(Repair::MakeToken),
        (AuthMode::Token, Some(token)) if token.reveal().len() < 24 => DoctorFinding::new(
            "authentication",
            Severity::Warning,
            "the gateway token is short; replace it with `openclaw doctor --generate-gateway-token`",
        ),
        _ => DoctorFinding::new("authentication", Severity::Fine, "clients have to prove themselves"),
    };
    vec![finding]
}

fn store(context: &Context, running: Option<&InstanceInfo>) -> anyhow::Result<Vec<DoctorFinding>> {
    let topic = "store";
    let location = StateLocation::within(&context.locations.state_dir);
    match StateDatabase::examine(&location) {
        Err(error) => Ok(vec![DoctorFinding::new(topic, Severity::Failure, error.to_string())]),
        Ok(StateHealth::Absent) => Ok(vec![DoctorFinding::new(
            topic,
            Severity::Note,
            "no database yet; the gateway makes it when it starts",
        )]),
        Ok(StateHealth::Sound { schema, newest }) => {
            let text = format!("the database is whole (schema {schema} of {newest})");
            let mut findings = vec![DoctorFinding::new(topic, Severity::Fine, text)];
            findings.push(match running {
                Some(instance) => {
                    let text = format!("not walked while the gateway with pid {} uses it", instance.pid);
                    DoctorFinding::new("audit ledger", Severity::Note, text)
                }
                None if schema == newest => ledger(context, location)?,
                None => DoctorFinding::new(
                    "audit ledger",
                    Severity::Note,
                    "walked once the gateway has brought the database up to date",
                ),
            });
            Ok(findings)
        }
    }
}

fn ledger(context: &Context, location: StateLocation) -> anyhow::Result<DoctorFinding> {
    let topic = "audit ledger";
    block_on(async {
        let database = match StateDatabase::open(location, Arc::clone(&context.clock)).await {
            Ok(database) => database,
            Err(error) => return Ok(DoctorFinding::new(topic, Severity::Failure, error.to_string())),
        };
        let report = database.verify().await;
        database.close().await?;
        Ok(match report {
            Ok(report) => match report.broken_at {
                None => DoctorFinding::new(
                    topic,
                    Severity::Fine,
                    format!("{} record(s), the chain is whole", report.records),
                ),
                Some(record) => {
                    let text = format!(
                        "record {record} does not fit the one before: the ledger was changed from outside"
                    );
                    DoctorFinding::new(topic, Severity::Failure, text)
                }
            },
            Err(error) => DoctorFinding::new(topic, Severity::Failure, error.to_string()),
        })
    })
}

fn gateway(context: &Context, config: &FileSnapshot, running: Option<&InstanceInfo>) -> Vec<DoctorFinding> {
    let target = match GatewayTarget::resolve_with(context, &TargetArgs::default(), config) {
        Ok(target) => target,
        Err(error) => return vec![DoctorFinding::new("gateway", Severity::Failure, format!("{error:#}"))],
    };
    let port = target.address.port();
    if target.source.is_local() && running.is_none() && !is_listening(port) {
        return vec![
            DoctorFinding::new("port", Severity::Fine, format!("{port} is free")),
            DoctorFinding::new("gateway", Severity::Note, "not running; start it with `openclaw gateway`"),
        ];
    }
    let question = GatewayQuestion::new("health", json!({}), Duration::from_secs(5));
    let answered = ask(context, &target, &question).map(drop).map_err(|error| format!("{error:#}"));
    let owner = match running {
        Some(instance) => Owner::Ours(instance.pid),
        None if target.source.is_local() => Owner::Stranger,
        None => Owner::Remote,
    };
    vec![judge(&target, owner, answered)]
}

/// Who listens where the gateway should.
enum Owner {
    /// The gateway of this state directory.
    Ours(u32),
    /// Somebody who does not hold this state directory.
    Stranger,
    /// A gateway elsewhere.
    Remote,
}

fn judge(target: &GatewayTarget, owner: Owner, answered: Result<(), String>) -> DoctorFinding {
    let address = &target.address;
    match (owner, answered) {
        (Owner::Ours(pid), Ok(())) => {
            DoctorFinding::new("gateway", Severity::Fine, format!("{address} answers (pid {pid})"))
        }
        (Owner::Remote, Ok(())) => {
            DoctorFinding::new("gateway", Severity::Fine, format!("{address} answers"))
        }
        (Owner::Stranger, Ok(())) => {
            let text = format!("{address} answers, but that gateway does not hold this state directory");
            DoctorFinding::new("gateway", Severity::Warning, text)
        }
        (Owner::Stranger, Err(error)) => {
            let text = format!(
                "another program listens on {} ({error}); end it, or choose another port with `openclaw config set gateway.port <port>`",
                address.port()
            );
            DoctorFinding::new("port", Severity::Failure, text)
        }
        (Owner::Ours(_) | Owner::Remote, Err(error)) => {
            DoctorFinding::new("gateway", Severity::Failure, error)
        }
    }
}

fn service(context: &Context, depth: Depth) -> anyhow::Result<Vec<DoctorFinding>> {
    let manager = Manager::new(&context.environment, &context.locations, context.clock.as_ref());
    if !manager.is_installed() {
        let text = "not installed; `openclaw gateway install` lets the gateway start by itself";
        return Ok(vec![DoctorFinding::new("service", Severity::Note, text)]);
    }
    let report = block_on(async { Ok(manager.report().await) })?;
    let file = context.short(&report.file);
    let mut findings = vec![match report.runtime.status {
        "running" => DoctorFinding::new("service", Severity::Fine, format!("{file} is running")),
        "stopped" => DoctorFinding::new(
            "service",
            Severity::Warning,
            format!("{file} is installed but stopped; start it with `openclaw gateway start`"),
        ),
        _ => {
            let detail = report.runtime.detail.clone().unwrap_or_default();
            DoctorFinding::new(
                "service",
                Severity::Warning,
                format!("{file} is installed, but its state is unknown: {detail}"),
            )
        }
    }];
    findings.extend(privacy(context, manager.file(), 0o600));
    if depth.service_drift {
        let text = format!("{file} can be written anew for this program");
        findings.push(DoctorFinding::new("service", Severity::Note, text).with(Repair::ReinstallService));
    }
    if depth.other_services {
        for name in crate::commands::gateway::other_services(manager.file()) {
            let text =
                format!("{name} is another gateway service; two on one state directory refuse each other");
            findings.push(DoctorFinding::new("service", Severity::Note, text));
        }
    }
    Ok(findings)
}

fn log(context: &Context, config: &FileSnapshot) -> Vec<DoctorFinding> {
    let place = match &config.config.logging.file {
        LogFile::Daily(folder) => folder.clone(),
        LogFile::Fixed(path) => path.parent().map_or_else(|| path.clone(), Path::to_path_buf),
    };
    vec![DoctorFinding::new("log", Severity::Fine, format!("written to {}", context.short(&place)))]
}
