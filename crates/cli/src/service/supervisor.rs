//! Talks to the system's service manager: `systemctl --user`, or `launchctl` on macOS.
//!
//! Every call has a deadline. When there is no service manager, as in a container, the error says what to do instead.

use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use openclaw_config::{Environment, Locations};
use openclaw_ports::{Clock, Deadline};
use serde::Serialize;

use super::plan::{ServicePlan, label, unit_name};
use super::systemd::LineBreak;
use super::{launchd, systemd};

/// How long the service manager may take.
const LIMIT: Duration = Duration::from_secs(90);

/// Why the service could not be handled.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServiceError {
    /// There is nobody to ask.
    #[error(
        "{tool} is not available here ({detail}); run `openclaw gateway` in the foreground, or under your own supervisor"
    )]
    NoManager {
        /// The program that was tried.
        tool: &'static str,
        /// What it said.
        detail: String,
    },
    /// The manager refused.
    #[error("`{command}` failed: {detail}")]
    Refused {
        /// What was asked.
        command: String,
        /// What it said.
        detail: String,
    },
    /// The manager took too long.
    #[error("`{command}` did not end within {LIMIT:?}")]
    Stuck {
        /// What was asked.
        command: String,
    },
    /// The service's file cannot be written.
    #[error("{} cannot be changed", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A value does not fit into the file.
    #[error(transparent)]
    LineBreak(#[from] LineBreak),
}

/// The service manager of this system, for one installation's service.
#[derive(Clone)]
pub(crate) struct Manager<'a> {
    kind: Kind,
    /// The unit's or agent's name.
    name: String,
    /// Its file.
    file: PathBuf,
    clock: &'a dyn Clock,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Systemd,
    Launchd,
}

/// What is known about the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    /// `systemd` or `LaunchAgent`.
    pub(crate) label: &'static str,
    /// The unit's or agent's name.
    pub(crate) name: String,
    /// Its file.
    pub(crate) file: PathBuf,
    /// Whether the file is there.
    pub(crate) installed: bool,
    /// Whether it starts by itself.
    pub(crate) enabled: bool,
    /// The process.
    pub(crate) runtime: Runtime,
}

/// The process of the service.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Runtime {
    /// `running`, `stopped` or `unknown`.
    pub(crate) status: &'static str,
    /// The manager's own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<String>,
    /// The manager's finer word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sub_state: Option<String>,
    /// The process id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pid: Option<u32>,
    /// How it ended last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_exit_status: Option<i32>,
    /// Why nothing more is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
}

impl<'a> Manager<'a> {
    /// The manager for this installation's service.
    pub(crate) fn new(environment: &Environment, locations: &Locations, clock: &'a dyn Clock) -> Self {
        let profile = locations.profile.as_deref();
        let home = environment.home();
        if cfg!(target_os = "macos") {
            let name = label(profile);
            let file = home.join("Library/LaunchAgents").join(format!("{name}.plist"));
            return Self { kind: Kind::Launchd, name, file, clock };
        }
        let name = match environment.get_trimmed("OPENCLAW_SYSTEMD_UNIT") {
            Some(name) => name.trim_end_matches(".service").to_owned(),
            None => unit_name(profile),
        };
        let file = home.join(".config/systemd/user").join(format!("{name}.service"));
        Self { kind: Kind::Systemd, name: format!("{name}.service"), file, clock }
    }

    /// The service's file.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Whether the service's file is there.
    pub(crate) fn is_installed(&self) -> bool {
        self.file.exists()
    }

    /// Writes the service down, keeping an earlier file as `.bak`, and starts it.
    pub(crate) async fn install(&self, plan: &ServicePlan) -> Result<(), ServiceError> {
        let text = match self.kind {
            Kind::Systemd => systemd::render(plan)?,
            Kind::Launchd => launchd::render(plan),
        };
        // Asked before anything is written, so that a system without a manager is left as it was.
        self.ask_whether_there().await?;
        self.write(&text).map_err(|source| ServiceError::File { path: self.file.clone(), source })?;
        match self.kind {
            Kind::Systemd => {
                self.systemctl(&["daemon-reload"]).await?;
                self.systemctl(&["enable", &self.name]).await?;
                self.systemctl(&["restart", &self.name]).await.map(drop)
            }
            Kind::Launchd => {
                self.make_folder(&plan.log_folder)?;
                // An agent that is not loaded yet cannot be unloaded; that is no trouble.
                if let Err(error) = self.launchctl(&["bootout", &self.domain_target()]).await {
                    tracing::debug!(%error, "no earlier launch agent was loaded");
                }
                self.launchctl(&["bootstrap", &domain(), &self.file.display().to_string()]).await.map(drop)
            }
        }
    }

    /// Stops the service and removes its file; says whether there was one.
    pub(crate) async fn uninstall(&self) -> Result<bool, ServiceError> {
        if !self.is_installed() {
            return Ok(false);
        }
        match self.kind {
            Kind::Systemd => drop(self.systemctl(&["disable", "--now", &self.name]).await?),
            Kind::Launchd => drop(self.launchctl(&["bootout", &self.domain_target()]).await?),
        }
        fs::remove_file(&self.file)
            .map_err(|source| ServiceError::File { path: self.file.clone(), source })?;
        if self.kind == Kind::Systemd {
            self.systemctl(&["daemon-reload"]).await?;
        }
        Ok(true)
    }

    /// Starts the service.
    pub(crate) async fn start(&self) -> Result<(), ServiceError> {
        match self.kind {
            Kind::Systemd => self.systemctl(&["start", &self.name]).await.map(drop),
            Kind::Launchd => {
                self.launchctl(&["bootstrap", &domain(), &self.file.display().to_string()]).await.map(drop)
            }
        }
    }

    /// Stops the service.
    pub(crate) async fn stop(&self) -> Result<(), ServiceError> {
        match self.kind {
            Kind::Systemd => self.systemctl(&["stop", &self.name]).await.map(drop),
            Kind::Launchd => self.launchctl(&["bootout", &self.domain_target()]).await.map(drop),
        }
    }

    /// Restarts the service.
    pub(crate) async fn restart(&self) -> Result<(), ServiceError> {
        match self.kind {
            Kind::Systemd => self.systemctl(&["restart", &self.name]).await.map(drop),
            Kind::Launchd => self.launchctl(&["kickstart", "-k", &self.domain_target()]).await.map(drop),
        }
    }

    /// Everything there is to know; never fails, what is unknown is said to be.
    pub(crate) async fn report(&self) -> Report {
        let installed = self.is_installed();
        let label = match self.kind {
            Kind::Systemd => "systemd",
            Kind::Launchd => "LaunchAgent",
        };
        let (enabled, runtime) = match (self.kind, installed) {
            (_, false) => (
                false,
                Runtime { status: "stopped", detail: Some("not installed".to_owned()), ..Runtime::default() },
            ),
            (Kind::Systemd, true) => self.systemd_runtime().await,
            (Kind::Launchd, true) => self.launchd_runtime().await,
        };
        Report { label, name: self.name.clone(), file: self.file.clone(), installed, enabled, runtime }
    }

    async fn systemd_runtime(&self) -> (bool, Runtime) {
        let properties = "ActiveState,SubState,MainPID,ExecMainStatus,UnitFileState";
        match self.systemctl(&["show", &self.name, "--no-pager", "--property", properties]).await {
            Ok(text) => parse_show(&text),
            Err(error) => (false, unknown(&error)),
        }
    }

    async fn launchd_runtime(&self) -> (bool, Runtime) {
        match self.launchctl(&["print", &self.domain_target()]).await {
            Ok(text) => (true, parse_print(&text)),
            Err(ServiceError::Refused { .. }) => (false, Runtime { status: "stopped", ..Runtime::default() }),
            Err(error) => (false, unknown(&error)),
        }
    }

    async fn ask_whether_there(&self) -> Result<(), ServiceError> {
        match self.kind {
            Kind::Systemd => match self.systemctl(&["show-environment"]).await {
                Ok(_) => Ok(()),
                Err(ServiceError::Refused { detail, .. }) => {
                    Err(ServiceError::NoManager { tool: "systemctl --user", detail })
                }
                Err(error) => Err(error),
            },
            Kind::Launchd => self.launchctl(&["version"]).await.map(drop),
        }
    }

    async fn systemctl(&self, arguments: &[&str]) -> Result<String, ServiceError> {
        let all: Vec<&str> = ["--user"].iter().chain(arguments).copied().collect();
        self.run("systemctl", &all).await
    }

    async fn launchctl(&self, arguments: &[&str]) -> Result<String, ServiceError> {
        self.run("launchctl", arguments).await
    }

    async fn run(&self, tool: &'static str, arguments: &[&str]) -> Result<String, ServiceError> {
        let command = format!("{tool} {}", arguments.join(" "));
        let mut process = tokio::process::Command::new(tool);
        process.args(arguments).stdin(std::process::Stdio::null()).kill_on_drop(true);
        let output = match Deadline::after(self.clock, LIMIT).bound(self.clock, process.output()).await {
            Err(_) => return Err(ServiceError::Stuck { command }),
            Ok(Err(error)) => return Err(ServiceError::NoManager { tool, detail: error.to_string() }),
            Ok(Ok(output)) => output,
        };
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said =
            [output.stderr, output.stdout].map(|text| String::from_utf8_lossy(&text).trim().to_owned());
        let detail =
            said.into_iter().find(|text| !text.is_empty()).unwrap_or_else(|| output.status.to_string());
        if detail.contains("Failed to connect to") || detail.contains("not been booted") {
            return Err(ServiceError::NoManager { tool: "systemctl --user", detail });
        }
        Err(ServiceError::Refused { command, detail })
    }

    /// The file may hold a token, so only its owner may read it.
    fn write(&self, text: &str) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        match fs::rename(&self.file, self.file.with_extension("bak")) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let mut file =
            fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&self.file)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }

    fn make_folder(&self, folder: &Path) -> Result<(), ServiceError> {
        fs::create_dir_all(folder).map_err(|source| ServiceError::File { path: folder.to_owned(), source })
    }

    fn domain_target(&self) -> String {
        format!("{}/{}", domain(), self.name)
    }
}

fn domain() -> String {
    format!("gui/{}", rustix::process::getuid().as_raw())
}

fn unknown(error: &ServiceError) -> Runtime {
    Runtime { status: "unknown", detail: Some(error.to_string()), ..Runtime::default() }
}

/// Reads `systemctl show`.
pub(super) fn parse_show(text: &str) -> (bool, Runtime) {
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?;
        (!line.is_empty()).then(|| line.to_owned())
    };
    let state = value("ActiveState");
    let status = match state.as_deref() {
        Some("active") => "running",
        Some(_) => "stopped",
        None => "unknown",
    };
    let runtime = Runtime {
        status,
        sub_state: value("SubState"),
        pid: value("MainPID").and_then(|pid| pid.parse().ok()).filter(|pid| *pid > 0),
        last_exit_status: value("ExecMainStatus").and_then(|status| status.parse().ok()),
        state,
        detail: None,
    };
    (value("UnitFileState").as_deref() == Some("enabled"), runtime)
}

/// Reads `launchctl print`.
pub(super) fn parse_print(text: &str) -> Runtime {
    let value = |name: &str| {
        text.lines().find_map(|line| line.trim().strip_prefix(name)?.trim().strip_prefix('=').map(str::trim))
    };
    let state = value("state").map(str::to_owned);
    Runtime {
        status: if state.as_deref() == Some("running") { "running" } else { "stopped" },
        pid: value("pid").and_then(|pid| pid.parse().ok()),
        last_exit_status: value("last exit code").and_then(|code| code.parse().ok()),
        state,
        sub_state: None,
        detail: None,
    }
}
