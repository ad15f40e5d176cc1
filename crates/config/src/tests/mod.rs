//! Tests of the crate as a whole: a real file in a home of its own.

mod defaults;
mod file;
mod live;
mod places;
mod platforms;
mod properties;
mod redaction;
mod reload;
mod unknown_keys;
mod watching;

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use openclaw_testkit::{SimClock, TempHome};
use serde_json::Value;

use crate::{ConfigFile, ConfigIssue, Environment, FileSnapshot, Locations, ProfileChoice};

/// A configuration file in an empty home, with a clock that shows the first moment of 2026.
pub(crate) struct World {
    pub(crate) home: TempHome,
    pub(crate) file: ConfigFile,
}

impl World {
    pub(crate) fn empty() -> Self {
        Self::with_variables([])
    }

    pub(crate) fn with_variables<const N: usize>(variables: [(&str, &str); N]) -> Self {
        let home = TempHome::new();
        let user = home.state_dir().parent().expect("the state directory is in a home");
        let environment = Environment::fake(variables, user);
        let locations =
            Locations::resolve(&environment, &ProfileChoice::FromEnvironment).expect("no profile");
        let file = ConfigFile::new(locations, environment).with_clock(Arc::new(SimClock::new()));
        Self { home, file }
    }

    pub(crate) fn with(text: &str) -> Self {
        let world = Self::empty();
        world.put("openclaw.json", text);
        world
    }

    pub(crate) fn put(&self, name: &str, text: &str) {
        std::fs::write(self.home.path(name), text).expect("the home is writable");
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.home.path(name)).expect("the file is there")
    }

    pub(crate) fn mode(&self, name: &str) -> u32 {
        std::fs::metadata(self.home.path(name)).expect("the file is there").permissions().mode() & 0o777
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.home.path("openclaw.json")
    }

    pub(crate) fn read(&self) -> FileSnapshot {
        self.file.read()
    }
}

/// `path @ line:column: message` for each issue, files left out.
pub(crate) fn brief(issues: &[ConfigIssue]) -> Vec<String> {
    issues
        .iter()
        .map(|issue| {
            let place = issue.place.as_ref().map(|place| format!("{}:{}", place.line, place.column));
            format!("{} @ {}: {}", issue.path, place.unwrap_or_default(), issue.message)
        })
        .collect()
}

/// A configuration without the stamp of the writer.
pub(crate) fn unstamped(config: &Value) -> Value {
    let mut config = config.clone();
    if let Value::Object(map) = &mut config {
        map.shift_remove("meta");
    }
    config
}
