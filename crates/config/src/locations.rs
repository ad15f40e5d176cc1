//! Where the state directory, the configuration file and everything beside them are.
//!
//! Pure decision over the environment and what exists; nothing is created or moved here (`legacy_dirs` moves). Every
//! path of the state directory that more than one crate needs is named here and nowhere else, but for those of agents,
//! which the configuration can move (`resolved::places`).

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::Environment;
use crate::error::LocationError;

/// The directory of the state below home, without a profile.
const STATE_DIRECTORY: &str = ".openclaw";
/// The configuration's file name.
const CONFIG_FILE: &str = "openclaw.json";
/// State directories of earlier names of the product, in the order they are looked for.
pub(crate) const LEGACY_STATE_DIRECTORIES: [&str; 3] = [".clawdbot", ".moldbot", ".moltbot"];
/// Configuration file names of earlier names of the product.
const LEGACY_CONFIG_FILES: [&str; 3] = ["clawdbot.json", "moldbot.json", "moltbot.json"];
/// The port of the `dev` profile, so that it runs beside the default one.
const DEV_PORT: u16 = 19001;

/// Which profile the command line asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ProfileChoice {
    /// None: `OPENCLAW_PROFILE` decides.
    #[default]
    FromEnvironment,
    /// `--profile <name>`.
    Named(String),
    /// `--dev`: the profile `dev` with its own port.
    Dev,
}

/// The places of one installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locations {
    /// Everything mutable lives here.
    pub state_dir: PathBuf,
    /// The configuration file, which need not exist.
    pub config_path: PathBuf,
    /// The profile, when one is chosen. `default` counts as none.
    pub profile: Option<String>,
    credentials_dir: PathBuf,
    temporary_dir: PathBuf,
    port: Option<u16>,
}

impl Locations {
    /// Decides the places.
    ///
    /// Variables win over the profile: `OPENCLAW_STATE_DIR` and `OPENCLAW_CONFIG_PATH`, or the same with `CLAWDBOT_`.
    /// Without them the state directory is `~/.openclaw`, or `~/.openclaw-<profile>`; when that of no profile does not
    /// exist but one of an earlier product name does, that one is used in place. Inside it the configuration may still
    /// carry an earlier file name.
    ///
    /// # Errors
    /// A profile name with other characters than letters, digits, `_` and `-`, or a port that is none.
    pub fn resolve(environment: &Environment, choice: &ProfileChoice) -> Result<Self, LocationError> {
        let profile = profile(environment, choice)?;
        let explicit_state = variable(environment, "STATE_DIR").map(|text| environment.user_path(text));
        let state_dir = match (&explicit_state, &profile) {
            (Some(path), _) => path.clone(),
            (None, Some(name)) => environment.home().join(format!("{STATE_DIRECTORY}-{name}")),
            (None, None) => default_state_dir(environment.home()),
        };
        let config_path = match variable(environment, "CONFIG_PATH") {
            Some(text) => environment.user_path(text),
            None => existing_config(&state_dir).unwrap_or_else(|| state_dir.join(CONFIG_FILE)),
        };
        let credentials_dir = environment
            .get_trimmed("OPENCLAW_OAUTH_DIR")
            .map_or_else(|| state_dir.join("credentials"), |text| environment.user_path(text));
        let temporary_dir = environment
            .get_trimmed("TMPDIR")
            .map_or_else(|| PathBuf::from("/tmp"), |text| environment.user_path(text));
        let port = match variable(environment, "GATEWAY_PORT") {
            Some(text) => Some(port(text)?),
            None => (profile.as_deref() == Some("dev")).then_some(DEV_PORT),
        };
        Ok(Self { state_dir, config_path, profile, credentials_dir, temporary_dir, port })
    }

    /// The port that wins over the configuration's: `OPENCLAW_GATEWAY_PORT`, or that of the `dev` profile.
    #[must_use]
    pub fn port_override(&self) -> Option<u16> {
        self.port
    }

    /// The directory the configuration file is in; included files must be inside it.
    #[must_use]
    pub fn config_dir(&self) -> &Path {
        self.config_path.parent().unwrap_or(&self.state_dir)
    }

    /// The directory of the daily log files unless `logging.file` says otherwise: `openclaw` in the temporary
    /// directory, or one with the user's number when that name belongs to somebody else.
    #[must_use]
    pub fn log_dir(&self) -> PathBuf {
        let shared = self.temporary_dir.join("openclaw");
        if is_ours_or_free(&shared) {
            return shared;
        }
        self.temporary_dir.join(format!("openclaw-{}", rustix::process::getuid().as_raw()))
    }

    /// The gateway-wide database.
    #[must_use]
    pub fn state_database(&self) -> PathBuf {
        self.internal_dir().join("gateway.sqlite")
    }

    /// The directory of what the gateway keeps for itself.
    #[must_use]
    pub fn internal_dir(&self) -> PathBuf {
        self.state_dir.join("state")
    }

    /// The file that only one gateway per state directory can hold.
    #[must_use]
    pub fn lock_file(&self) -> PathBuf {
        self.internal_dir().join("gateway.lock")
    }

    /// The directory of this machine's own key pair and device tokens.
    #[must_use]
    pub fn identity_dir(&self) -> PathBuf {
        self.state_dir.join("identity")
    }

    /// The directory of the gateway's own certificate.
    #[must_use]
    pub fn tls_dir(&self) -> PathBuf {
        self.state_dir.join("gateway").join("tls")
    }

    /// The directory of sign-in credentials; `OPENCLAW_OAUTH_DIR` moves it.
    #[must_use]
    pub fn credentials_dir(&self) -> &Path {
        &self.credentials_dir
    }

    /// The copy of the last configuration that was good.
    #[must_use]
    pub fn last_good_config(&self) -> PathBuf {
        self.internal_dir().join("last-good-config.json5")
    }
}

/// Whether a directory in a place where everybody may write can be trusted: absent, or a real directory of ours that
/// nobody else may write to.
fn is_ours_or_free(path: &Path) -> bool {
    match std::fs::symlink_metadata(path) {
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        Ok(metadata) => {
            metadata.is_dir()
                && metadata.uid() == rustix::process::getuid().as_raw()
                && metadata.mode() & 0o022 == 0
        }
    }
}

/// A variable under its present or its earlier prefix.
fn variable<'a>(environment: &'a Environment, name: &str) -> Option<&'a str> {
    environment
        .get_trimmed(&format!("OPENCLAW_{name}"))
        .or_else(|| environment.get_trimmed(&format!("CLAWDBOT_{name}")))
}

fn port(text: &str) -> Result<u16, LocationError> {
    let read = text.parse().ok().filter(|port| *port > 0);
    read.ok_or_else(|| LocationError::Port { text: text.to_owned() })
}

fn profile(environment: &Environment, choice: &ProfileChoice) -> Result<Option<String>, LocationError> {
    let name = match choice {
        ProfileChoice::Dev => "dev",
        ProfileChoice::Named(name) => name.trim(),
        ProfileChoice::FromEnvironment => match variable(environment, "PROFILE") {
            Some(name) => name,
            None => return Ok(None),
        },
    };
    if name.eq_ignore_ascii_case("default") {
        return Ok(None);
    }
    let mut letters = name.chars();
    let valid = letters.next().is_some_and(|first| first.is_ascii_alphanumeric())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-')
        && name.len() <= 64;
    if valid { Ok(Some(name.to_owned())) } else { Err(LocationError::ProfileName { name: name.to_owned() }) }
}

fn default_state_dir(home: &Path) -> PathBuf {
    let present = home.join(STATE_DIRECTORY);
    if present.exists() {
        return present;
    }
    LEGACY_STATE_DIRECTORIES.iter().map(|name| home.join(name)).find(|path| path.exists()).unwrap_or(present)
}

fn existing_config(state_dir: &Path) -> Option<PathBuf> {
    std::iter::once(CONFIG_FILE)
        .chain(LEGACY_CONFIG_FILES)
        .map(|name| state_dir.join(name))
        .find(|path| path.exists())
}
