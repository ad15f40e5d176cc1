//! What can go wrong in this crate, by what the caller should do about it.
//!
//! Reading never fails (problems are inside the snapshot); deciding places, parsing paths, writing and looking up
//! secrets can.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::ConfigIssue;

/// The places of the installation cannot be decided.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocationError {
    /// The profile's name would not be a safe directory name.
    #[error(
        "'{name}' cannot be a profile name; use up to 64 letters, digits, '_' or '-', starting with a letter or digit"
    )]
    ProfileName {
        /// What was asked for.
        name: String,
    },
    /// The port of the environment is none.
    #[error(
        "OPENCLAW_GATEWAY_PORT is '{text}', which is no port; set it to a number from 1 to 65535, or unset it"
    )]
    Port {
        /// What is set.
        text: String,
    },
}

/// A text is not a path into the configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{text}' is not a configuration path ({reason}); write it like agents.list[0].id or channels[\"my.id\"]"
)]
pub struct KeyPathError {
    /// What was given.
    pub text: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// The configuration was not written. The file on disk is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file exists and the caller did not say which version it saw. Read again, then retry with the hash.
    #[error("config base hash required; re-run config.get and retry")]
    HashRequired,
    /// Somebody else changed the file. Read again, redo the change, retry.
    #[error("config changed since last load; re-run config.get and retry")]
    ChangedSince,
    /// What would be written is not a valid configuration. Fix the issues.
    #[error("invalid config: {}", summary(issues))]
    Invalid {
        /// Everything that is wrong with it.
        issues: Vec<ConfigIssue>,
    },
    /// The text given as a patch or value cannot be used.
    #[error("{message}")]
    Unusable {
        /// Why, and what to do.
        message: String,
    },
    /// A redacted value has nothing stored behind it. Type the real value.
    #[error("the value at {path} is a redaction mark, but nothing is stored there; enter the real value")]
    NothingBehindRedaction {
        /// The dotted path.
        path: String,
    },
    /// The value comes from an included file. Edit that file.
    #[error(
        "{path} is set by an included file, so changing {file} would not have the wanted effect; edit the included file"
    )]
    InIncludedFile {
        /// The dotted path.
        path: String,
        /// The main configuration file.
        file: PathBuf,
    },
    /// There is no value at this path to remove.
    #[error("nothing is set at {path}; see what is there with: openclaw config get")]
    NothingThere {
        /// The dotted path.
        path: String,
    },
    /// The configuration would be larger than anything sensible.
    #[error("the configuration would have {size} bytes; at most {limit} are accepted")]
    TooLarge {
        /// Its size.
        size: usize,
        /// The limit.
        limit: usize,
    },
    /// Another process is writing at this moment. Retry.
    #[error("another openclaw process is writing the configuration; try again")]
    Busy,
    /// The system refused. The path says where.
    #[error("cannot write {}: {source}; check the permissions and free space there", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// A secret that is referred to was not found. Never holds one.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The reference names a source that is not set up. Add it.
    #[error("{reference} names a secret provider that is not set up; add secrets.providers.{provider}")]
    UnknownProvider {
        /// Source, provider and id.
        reference: String,
        /// The provider.
        provider: String,
    },
    /// The source is of another kind than the reference says. Change one of them.
    #[error("{reference} does not fit the kind of secrets.providers.{provider}; make both the same source")]
    WrongSource {
        /// Source, provider and id.
        reference: String,
        /// The provider.
        provider: String,
    },
    /// The variable may not be read. Allow it.
    #[error("the variable {variable} may not be read; add it to secrets.providers.{provider}.allowlist")]
    NotAllowed {
        /// The variable.
        variable: String,
        /// The provider.
        provider: String,
    },
    /// The variable has no value. Set it.
    #[error(
        "the variable {variable} is not set or blank; set it where the gateway starts, or in the env section"
    )]
    NotSet {
        /// The variable.
        variable: String,
    },
    /// The path is not safe from other people. The fix says how to make it so.
    #[error("{} {problem}; {fix}", path.display())]
    Unsafe {
        /// The file or program.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
        /// What to do.
        fix: String,
    },
    /// The system refused. Check that the path is right.
    #[error("cannot read {}: {source}; check the path and its permissions", path.display())]
    Unreadable {
        /// The file or program.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The program could not be started. Check that it can be run.
    #[error("cannot start {} for the secret provider {provider}: {source}; check that it can be run", path.display())]
    NotStarted {
        /// The provider.
        provider: String,
        /// The program.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// More than the configuration allows.
    #[error("{what} is over the limit of {limit}; raise {setting} if that is right")]
    TooLarge {
        /// What is too large.
        what: String,
        /// The limit.
        limit: u64,
        /// The setting that raises it.
        setting: &'static str,
    },
    /// The source did not answer in time.
    #[error(
        "the secret provider {provider} did not answer within {limit:?}; check it, or raise its {setting}"
    )]
    TimedOut {
        /// The provider.
        provider: String,
        /// How long it was waited for.
        limit: Duration,
        /// The setting that raises it.
        setting: &'static str,
    },
    /// The source answered something that cannot be used. Repair the source.
    #[error("the secret provider {provider} cannot be used: {problem}")]
    Unusable {
        /// The provider.
        provider: String,
        /// What it did, without what it said.
        problem: String,
    },
    /// The source answered with nothing. Put the secret there.
    #[error("{reference} leads to an empty value; store the secret there")]
    Empty {
        /// Source, provider and id.
        reference: String,
    },
}

fn summary(issues: &[ConfigIssue]) -> String {
    issues.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
