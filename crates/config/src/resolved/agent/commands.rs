//! Which commands of chats are switched on.
//!
//! Who may use them is decided where messages are admitted; what they do, where they are carried out.

use std::time::Duration;

use crate::sections::RawConfig;

const BASH_FOREGROUND: Duration = Duration::from_secs(2);

/// Which commands are switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandSettings {
    /// Whether `!` and `/bash` run commands on the gateway's machine.
    pub bash: bool,
    /// When such a command moves to the background.
    pub bash_foreground: Duration,
    /// Whether `/config` reads and writes the file.
    pub config: bool,
    /// Whether `/debug` changes settings until the next start.
    pub debug: bool,
    /// Whether `/restart` restarts the gateway.
    pub restart: bool,
}

impl CommandSettings {
    /// The switches that a configuration sets.
    #[must_use]
    pub fn resolve(raw: &RawConfig) -> Self {
        let defaults = Self::default();
        let Some(section) = raw.commands.as_ref() else { return defaults };
        Self {
            bash: section.bash.unwrap_or(defaults.bash),
            bash_foreground: section
                .bash_foreground_ms
                .map_or(defaults.bash_foreground, |millis| Duration::from_millis(millis.get())),
            config: section.config.unwrap_or(defaults.config),
            debug: section.debug.unwrap_or(defaults.debug),
            restart: section.restart.unwrap_or(defaults.restart),
        }
    }
}

impl Default for CommandSettings {
    fn default() -> Self {
        Self { bash: false, bash_foreground: BASH_FOREGROUND, config: false, debug: false, restart: true }
    }
}

#[cfg(test)]
mod tests;
