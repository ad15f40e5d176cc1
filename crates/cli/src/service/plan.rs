//! Decides what the service runs and with which variables. Pure.
//!
//! Names and variables are those of the original, so that either program finds, shows and removes the other's service.

use std::path::{Path, PathBuf};

use openclaw_config::{Environment, Locations};
use openclaw_types::Secret;

/// Variables that a service needs to reach the world as its user does.
const PROXY_VARIABLES: [&str; 8] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
];

/// What the service is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServicePlan {
    /// `openclaw-gateway`, with the profile behind it.
    pub(crate) unit_name: String,
    /// `ai.openclaw.gateway`, or with the profile's name.
    pub(crate) label: String,
    /// One line for lists of services.
    pub(crate) description: String,
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
    /// Variables, in the order they are written.
    pub(crate) variables: Vec<(String, Secrecy)>,
    /// Where its own output goes when the system keeps no journal.
    pub(crate) log_folder: PathBuf,
}

/// A variable's value, marked when it must not be shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Secrecy {
    /// Anybody may see it.
    Open(String),
    /// It goes into the service's file and nowhere else.
    Sealed(Secret<String>),
}

impl Secrecy {
    /// The value, for the file.
    pub(crate) fn value(&self) -> &str {
        match self {
            Self::Open(value) => value,
            Self::Sealed(secret) => secret.reveal(),
        }
    }
}

impl std::fmt::Debug for Secrecy {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Open(value) => write!(out, "{value:?}"),
            Self::Sealed(_) => out.write_str("[secret]"),
        }
    }
}

/// What the plan is made from.
pub(crate) struct PlanInput<'a> {
    /// The environment the service is installed from.
    pub(crate) environment: &'a Environment,
    /// Where the installation is.
    pub(crate) locations: &'a Locations,
    /// The program.
    pub(crate) program: &'a Path,
    /// The port the gateway listens on.
    pub(crate) port: u16,
    /// A token given for the service.
    pub(crate) token: Option<Secret<String>>,
    /// The version of the program.
    pub(crate) version: &'a str,
}

impl ServicePlan {
    /// Decides.
    pub(crate) fn of(input: &PlanInput<'_>) -> Self {
        let profile = input.locations.profile.as_deref();
        let unit_name = unit_name(profile);
        let detail = match profile {
            Some(profile) => format!("profile: {profile}, v{}", input.version),
            None => format!("v{}", input.version),
        };
        Self {
            label: label(profile),
            description: format!("OpenClaw Gateway ({detail})"),
            command: vec![
                input.program.display().to_string(),
                "gateway".to_owned(),
                "--port".to_owned(),
                input.port.to_string(),
            ],
            variables: variables(input, &unit_name),
            log_folder: input.locations.state_dir.join("logs"),
            unit_name,
        }
    }
}

/// The name of the systemd unit, without `.service`.
pub(crate) fn unit_name(profile: Option<&str>) -> String {
    match profile {
        Some(profile) => format!("openclaw-gateway-{profile}"),
        None => "openclaw-gateway".to_owned(),
    }
}

/// The label of the launch agent.
pub(crate) fn label(profile: Option<&str>) -> String {
    format!("ai.openclaw.{}", profile.unwrap_or("gateway"))
}

fn variables(input: &PlanInput<'_>, unit_name: &str) -> Vec<(String, Secrecy)> {
    let environment = input.environment;
    let open = |name: &str, value: Option<String>| Some((name.to_owned(), Secrecy::Open(value?)));
    let inherited = |name: &str| open(name, environment.get_trimmed(name).map(str::to_owned));
    let temporary = environment.get_trimmed("TMPDIR").unwrap_or("/tmp");
    let mut found = vec![
        open("HOME", Some(environment.home().display().to_string())),
        open("TMPDIR", Some(temporary.to_owned())),
        open("PATH", Some(search_path(environment.home()))),
    ];
    found.extend(PROXY_VARIABLES.map(inherited));
    found.extend([
        open("OPENCLAW_PROFILE", input.locations.profile.clone()),
        inherited("OPENCLAW_STATE_DIR"),
        inherited("OPENCLAW_CONFIG_PATH"),
        open("OPENCLAW_GATEWAY_PORT", Some(input.port.to_string())),
        input.token.clone().map(|token| ("OPENCLAW_GATEWAY_TOKEN".to_owned(), Secrecy::Sealed(token))),
        open(
            "OPENCLAW_LAUNCHD_LABEL",
            cfg!(target_os = "macos").then(|| label(input.locations.profile.as_deref())),
        ),
        open("OPENCLAW_SYSTEMD_UNIT", Some(format!("{unit_name}.service"))),
        open("OPENCLAW_SERVICE_MARKER", Some("openclaw".to_owned())),
        open("OPENCLAW_SERVICE_KIND", Some("gateway".to_owned())),
        open("OPENCLAW_SERVICE_VERSION", Some(input.version.to_owned())),
    ]);
    found.into_iter().flatten().collect()
}

/// Where tools are looked for: the user's own folders, then the system's.
fn search_path(home: &Path) -> String {
    let system: &[&str] = if cfg!(target_os = "macos") {
        &["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "/bin"]
    } else {
        &["/usr/local/bin", "/usr/bin", "/bin"]
    };
    let own = [".local/bin", ".cargo/bin", ".npm-global/bin", "bin"]
        .map(|folder| home.join(folder).display().to_string());
    own.into_iter().chain(system.iter().map(|folder| (*folder).to_owned())).collect::<Vec<_>>().join(":")
}
