//! Options of `openclaw channels add` for platforms that are not here yet: they are known, and refused by name.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use crate::exit::misuse;

/// Each option with what it takes; nothing for switches.
const LATER: &[(&str, &str)] = &[
    ("signal-number", "e164"),
    ("cli-path", "path"),
    ("db-path", "path"),
    ("service", "service"),
    ("region", "region"),
    ("auth-dir", "path"),
    ("http-url", "url"),
    ("http-host", "host"),
    ("http-port", "port"),
    ("audience-type", "type"),
    ("audience", "value"),
    ("homeserver", "url"),
    ("user-id", "id"),
    ("access-token", "token"),
    ("device-name", "name"),
    ("initial-sync-limit", "n"),
    ("ship", "ship"),
    ("url", "url"),
    ("code", "code"),
    ("group-channels", "list"),
    ("dm-allowlist", "list"),
    ("auto-discover-channels", ""),
    ("no-auto-discover-channels", ""),
];

/// Which of them were given.
#[derive(Debug, Clone, Default)]
pub(super) struct LaterArgs(Vec<&'static str>);

impl LaterArgs {
    /// Says why an option cannot be honoured, where one was given.
    pub(super) fn refuse(&self, platform: &str) -> anyhow::Result<()> {
        match self.0.first() {
            Some(name) => Err(misuse(format!(
                "--{name} is for a platform that is not here yet, and {platform} has no such setting"
            ))),
            None => Ok(()),
        }
    }
}

impl Args for LaterArgs {
    fn augment_args(command: Command) -> Command {
        command.args(LATER.iter().map(|(name, value)| {
            let option = Arg::new(*name).long(*name).hide(true);
            match value.is_empty() {
                true => option.action(ArgAction::SetTrue),
                false => option.value_name(*value),
            }
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LaterArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given = LATER.iter().filter(|(name, value)| match value.is_empty() {
            true => matches.get_flag(name),
            false => matches.contains_id(name),
        });
        Ok(Self(given.map(|(name, _)| *name).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
