//! The variables, home directory and working directory of the process, captured once.
//!
//! This is the one reader of environment variables in the workspace: everything else is handed an `Environment`, so
//! tests run beside each other without touching the process. `dotenv` and the `env` block of the configuration add
//! variables to a copy; nothing is ever written back to the process.

use std::collections::HashMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Captured variables with the directories that belong to them. Cloning is cheap.
#[derive(Clone)]
pub struct Environment {
    variables: Arc<HashMap<String, String>>,
    home: PathBuf,
    working_directory: PathBuf,
}

impl Environment {
    /// Captures the environment of this process.
    ///
    /// The home directory is `OPENCLAW_HOME`, else `HOME`, else `USERPROFILE`, else what the system says about the
    /// user, else the working directory. Variables that are not Unicode are left out.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the process's variables")]
    pub fn from_process() -> Self {
        let variables: HashMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let working_directory = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        Self::assemble(variables, std::env::home_dir(), working_directory)
    }

    /// An environment made of the given variables, for tests. The working directory is the home directory.
    #[must_use]
    pub fn fake<N: Into<String>, V: Into<String>>(
        variables: impl IntoIterator<Item = (N, V)>,
        home: impl Into<PathBuf>,
    ) -> Self {
        let home = home.into();
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables: Arc::new(variables), working_directory: home.clone(), home }
    }

    /// The value of a variable, exactly as it was set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// The value of a variable without surrounding space; a blank one counts as absent.
    #[must_use]
    pub fn get_trimmed(&self, name: &str) -> Option<&str> {
        self.get(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// The home directory of the person this runs for.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The directory the process was started in.
    #[must_use]
    pub fn working_directory(&self) -> &Path {
        &self.working_directory
    }

    /// All variables, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A copy with more variables. One that already has a value is kept; a blank one is filled.
    #[must_use]
    pub fn with_missing(&self, more: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut copy = self.clone();
        for (name, value) in more {
            if copy.get_trimmed(&name).is_none() {
                Arc::make_mut(&mut copy.variables).insert(name, value);
            }
        }
        copy
    }

    /// A copy with another working directory.
    #[must_use]
    pub fn with_working_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.working_directory = directory.into();
        self
    }

    /// Turns what a person wrote as a path into an absolute one: `~` is the home directory, a relative path starts at
    /// the working directory, `.` and `..` are resolved by name.
    #[must_use]
    pub fn user_path(&self, text: &str) -> PathBuf {
        self.path_from(&self.working_directory, text)
    }

    /// The same with relative paths that start at the home directory: for places that several processes must find,
    /// wherever each of them was started.
    #[must_use]
    pub fn home_path(&self, text: &str) -> PathBuf {
        self.path_from(&self.home, text)
    }

    fn path_from(&self, base: &Path, text: &str) -> PathBuf {
        let text = text.trim();
        let expanded = match text.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with(['/', '\\']) => {
                self.home.join(rest.trim_start_matches(['/', '\\']))
            }
            _ => PathBuf::from(text),
        };
        lexically_absolute(base, &expanded)
    }

    fn assemble(
        variables: HashMap<String, String>,
        system_home: Option<PathBuf>,
        working_directory: PathBuf,
    ) -> Self {
        let plain =
            |name: &str| variables.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
        let account_home = plain("HOME").or_else(|| plain("USERPROFILE")).map(PathBuf::from).or(system_home);
        let home = match (plain("OPENCLAW_HOME"), account_home) {
            (Some("~"), Some(account)) => account,
            (Some(text), Some(account)) if text.starts_with("~/") => account.join(&text[2..]),
            (Some(text), _) if !text.starts_with('~') => PathBuf::from(text),
            (_, Some(account)) => account,
            (_, None) => working_directory.clone(),
        };
        let home = lexically_absolute(&working_directory, &home);
        Self { variables: Arc::new(variables), home, working_directory }
    }
}

impl fmt::Debug for Environment {
    /// Names no variable and shows no value: either may be a secret.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Environment")
            .field("variables", &self.variables.len())
            .field("home", &self.home)
            .field("working_directory", &self.working_directory)
            .finish()
    }
}

/// Whether a variable may be set by a file. Names that change how programs load code, or where the person's home is,
/// are refused: a configuration file must not become a way to run something.
pub(crate) fn may_be_set_by_a_file(name: &str) -> bool {
    const REFUSED: [&str; 19] = [
        "NODE_OPTIONS",
        "NODE_PATH",
        "PYTHONHOME",
        "PYTHONPATH",
        "PERL5LIB",
        "PERL5OPT",
        "RUBYLIB",
        "RUBYOPT",
        "BASH_ENV",
        "ENV",
        "GIT_EXTERNAL_DIFF",
        "SHELL",
        "SHELLOPTS",
        "PS4",
        "GCONV_PATH",
        "IFS",
        "SSLKEYLOGFILE",
        "HOME",
        "ZDOTDIR",
    ];
    const REFUSED_PREFIXES: [&str; 3] = ["DYLD_", "LD_", "BASH_FUNC_"];
    let mut letters = name.chars();
    let portable = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let upper = name.to_ascii_uppercase();
    portable
        && !REFUSED.contains(&upper.as_str())
        && !REFUSED_PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
}

/// Whether a variable decides how the gateway itself works: who may connect, where its state is, whom it trusts.
pub(crate) fn steers_the_gateway(name: &str) -> bool {
    const NAMES: [&str; 7] =
        ["USERPROFILE", "TMPDIR", "TMP", "TEMP", "NOTIFY_SOCKET", "SSL_CERT_FILE", "SSL_CERT_DIR"];
    const PREFIXES: [&str; 4] = ["OPENCLAW_", "CLAWDBOT_", "MOLTBOT_", "XDG_"];
    let upper = name.to_ascii_uppercase();
    NAMES.contains(&upper.as_str()) || PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
}

/// Joins and resolves `.` and `..` by name only, without asking the file system.
pub(crate) fn lexically_absolute(base: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in base.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
