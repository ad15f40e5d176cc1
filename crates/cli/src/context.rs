//! What every command starts from: the environment, where things are, and time.
//!
//! Nothing is read from disk here; the configuration is read by the commands that need it.

use std::sync::Arc;

use openclaw_config::{ConfigFile, Environment, FileSnapshot, Locations, ProfileChoice};
use openclaw_ports::{Clock, SystemClock};

/// The version this build tells people, gateways and clients.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The surroundings of one command.
#[derive(Clone)]
pub(crate) struct Context {
    /// The variables of the process.
    pub(crate) environment: Environment,
    /// Where the files are.
    pub(crate) locations: Locations,
    /// Time.
    pub(crate) clock: Arc<dyn Clock>,
}

impl Context {
    /// Looks at the process once.
    pub(crate) fn of_process(profile: &ProfileChoice) -> anyhow::Result<Self> {
        let environment = Environment::from_process();
        let locations = Locations::resolve(&environment, profile)?;
        Ok(Self { environment, locations, clock: Arc::new(SystemClock::new()) })
    }

    /// The configuration file.
    pub(crate) fn config_file(&self) -> ConfigFile {
        ConfigFile::new(self.locations.clone(), self.environment.clone())
            .with_channels(openclaw_app::platforms())
    }

    /// The configuration as it is now.
    pub(crate) fn read_config(&self) -> FileSnapshot {
        self.config_file().read()
    }

    /// A path as people write it: the home directory is `~`.
    pub(crate) fn short(&self, path: &std::path::Path) -> String {
        match path.strip_prefix(self.environment.home()) {
            Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }
}

#[cfg(test)]
impl Context {
    /// Fixed surroundings: nothing of this machine shows.
    pub(crate) fn fixed() -> Self {
        let environment = Environment::fake([("TMPDIR", "/tmp")], "/home/ana");
        let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
        Self { environment, locations, clock: Arc::new(openclaw_testkit::SimClock::new()) }
    }
}
