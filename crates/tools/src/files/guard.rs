//! Decides what is refused whatever the reach is: the kernel's own files, devices, what the gateway keeps for itself, and
//! changes to files that say what other programs run.
//!
//! Looks at what was really opened: its kind, its file system, its real path and its identity. `reach` asks before it
//! hands anything out. What is inside the state directory is refused unless it is listed here.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use openclaw_config::{Config, Locations};
use rustix::fs::{FileType, Stat};

use super::charter::Charter;
use crate::stop::Stop;

/// The places of an installation that tools never show or change.
#[derive(Clone)]
pub struct ProtectedPlaces {
    /// Where the gateway keeps everything mutable.
    pub state_dir: PathBuf,
    /// The configuration.
    pub config_path: PathBuf,
    /// Sign-ins.
    pub credentials_dir: PathBuf,
    /// What the configuration has elsewhere.
    pub moved: Arc<dyn Fn() -> MovedPlaces + Send + Sync>,
}

/// What agents keep elsewhere than in the state directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MovedPlaces {
    /// Folders that agents were given for their own state.
    pub agent_dirs: BTreeSet<PathBuf>,
    /// Lists of sessions, with transcripts beside them.
    pub session_lists: BTreeSet<PathBuf>,
}

impl fmt::Debug for ProtectedPlaces {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ProtectedPlaces").field("state_dir", &self.state_dir).finish_non_exhaustive()
    }
}

impl ProtectedPlaces {
    /// Those of an installation in which the configuration moves nothing.
    #[must_use]
    pub fn of(locations: &Locations) -> Self {
        Self {
            state_dir: locations.state_dir.clone(),
            config_path: locations.config_path.clone(),
            credentials_dir: locations.credentials_dir().to_owned(),
            moved: Arc::new(MovedPlaces::default),
        }
    }

    /// The same with what the configuration has elsewhere, now and at any time since this was called: a database that was
    /// opened in a folder stays open when another folder is given.
    #[must_use]
    pub fn with_settings(mut self, settings: &Arc<dyn Fn() -> Arc<Config> + Send + Sync>) -> Self {
        let (settings, state_dir) = (Arc::clone(settings), self.state_dir.clone());
        let seen = Mutex::new(MovedPlaces::default());
        let moved = move || {
            let config = settings();
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.agent_dirs.extend(config.places.given().values().cloned());
            // Also those inside the state directory: not all of it is closed.
            let lists = config.places.session_lists(&state_dir, &config.agents);
            seen.session_lists.extend(lists.into_iter().map(|list| list.path));
            seen.clone()
        };
        // What is given at the start counts, even if no tool asks before it changes.
        moved();
        self.moved = Arc::new(moved);
        self
    }
}

/// What is to be done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAccess {
    /// It is read or listed.
    Read,
    /// It is made or changed.
    Write,
    /// It is deleted or moved away.
    Remove,
}

/// Folders of the state directory that agents may read, and those they may also write.
const READABLE: &[&str] = &["skills", "logs", "completions", "memory", "extensions", "hooks"];
const WRITABLE: &[&str] = &["media", "canvas", "sandboxes"];

/// What lies in the folder of an agent's state besides its database, and is never shown even where the agent works there.
const KEPT_FILES: [&str; 3] = ["auth-profiles.json", "auth.json", "models.json"];
/// How the names of an agent's database and of the files beside it begin.
const DATABASE: &str = "agent.sqlite";

/// What programs of a person run or load when they start, from the home folder. A listed command would follow it unasked, so
/// it is changed with commands, about which the rules for commands decide.
#[rustfmt::skip]
const START_UP: &[&str] = &[
    // Shells and sessions.
    ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".zshrc", ".zshenv", ".zprofile",
    ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".config/fish",
    ".config/zsh", ".oh-my-zsh", ".xprofile", ".xsession", ".xsessionrc", ".xinitrc", ".pam_environment",
    ".config/environment.d", ".config/autostart", ".config/systemd", ".local/share/systemd", "Library/LaunchAgents",
    // Programs.
    ".gitconfig", ".config/git", ".hgrc", ".ssh", ".gnupg", ".npmrc", ".yarnrc", ".yarnrc.yml", ".config/pnpm", ".bunfig.toml",
    ".curlrc", ".config/curlrc", ".wgetrc", ".cargo/config", ".cargo/config.toml", ".cargo/env", ".cargo/bin", ".local/bin",
    ".pip", ".config/pip", ".condarc", ".gemrc", ".irbrc", ".pryrc", ".Rprofile", ".psqlrc", ".sqliterc", ".my.cnf", ".docker",
    ".config/mise", ".gradle/init.d", ".gradle/init.gradle", ".m2/settings.xml", ".vimrc", ".gvimrc", ".exrc", ".vim",
    ".config/nvim", ".emacs", ".emacs.d", ".config/emacs", ".nanorc", ".config/nano", ".tmux.conf", ".config/tmux",
    ".screenrc", ".gdbinit", ".lldbinit", ".mailcap", ".forward", ".config/aria2", ".aria2", ".config/mpv",
];
/// The same for everybody on the machine.
#[rustfmt::skip]
const START_UP_OF_ALL: &[&str] = &[
    "/var/spool/cron", "/etc/crontab", "/etc/cron.d", "/etc/cron.hourly", "/etc/cron.daily", "/etc/cron.weekly",
    "/etc/cron.monthly", "/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/zsh", "/etc/environment", "/etc/gitconfig",
    "/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/systemd", "/etc/init.d", "/etc/sudoers",
    "/etc/sudoers.d", "/etc/ssh",
];

/// File systems that are windows into the kernel: proc, sys, cgroups, tracing, terminals and their like.
const KERNEL_FILE_SYSTEMS: &[u32] = &[
    0x9fa0,
    0x6265_6572,
    0x0027_e0eb,
    0x6367_7270,
    0x6462_6720,
    0x7472_6163,
    0x7363_6673,
    0x6265_6570,
    0xde5e_81e4,
    0x6165_676c,
    0x1980_0202,
    0x0000_1cd1,
    0xcafe_4a11,
    0xf97c_ff8c,
    0x6e73_6673,
];

/// How many files of the gateway are compared with a file that has several names. Where there are more, it counts as one of
/// them.
const COMPARED: usize = 2000;

/// The rules, with every place as it really is. Made anew for each call.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    state: PathBuf,
    config: PathBuf,
    credentials: PathBuf,
    /// Folders that agents were given for their own state.
    agent_dirs: Vec<PathBuf>,
    /// Lists of sessions, wherever they are.
    session_lists: Vec<PathBuf>,
    /// The person's home folder.
    home: PathBuf,
    /// The folder of long outputs, which are the record of what happened.
    keep: PathBuf,
    /// The agent's own folders, which are open even inside the state directory or what agents were given.
    own: Vec<PathBuf>,
    /// Whether the files that say who agents are may be changed.
    charter: Charter,
}

/// The folders of an agent, and what may be done with its own files.
pub(super) struct Own<'a> {
    /// Where it works.
    pub(super) workspace: &'a Path,
    /// Where long outputs are.
    pub(super) keep: &'a Path,
    /// Whether the files that say who it is may be changed.
    pub(super) charter: Charter,
}

impl Guard {
    /// The rules for an agent that works in these folders.
    pub(super) fn new(places: &ProtectedPlaces, home: &Path, own: Own<'_>) -> Self {
        let state = real(&places.state_dir);
        let keep = real(own.keep);
        let charter = own.charter;
        let own = [real(own.workspace), keep.clone()];
        let moved = (places.moved)();
        let agent_dirs: Vec<PathBuf> = moved.agent_dirs.iter().map(|folder| real(folder)).collect();
        let is_inside = |folder: &PathBuf| {
            (folder != &state && folder.starts_with(&state))
                || agent_dirs.iter().any(|given| folder.starts_with(given))
        };
        Self {
            charter,
            session_lists: moved.session_lists.iter().map(|list| real(list)).collect(),
            config: real(&places.config_path),
            credentials: real(&places.credentials_dir),
            home: real(home),
            // A workspace that holds the state directory opens nothing of it.
            own: own.into_iter().filter(is_inside).collect(),
            agent_dirs,
            keep,
            state,
        }
    }

    /// Checks a real path.
    pub(super) fn check_path(&self, path: &Path, access: FileAccess) -> Result<(), Stop> {
        for folder in ["/proc", "/sys", "/dev"] {
            if path.starts_with(folder) {
                return Err(Stop::refused(format!(
                    "Files below {folder} belong to the kernel and cannot be reached with file tools."
                )));
            }
        }
        if self.is_ours(path, access) {
            return Err(ours(access));
        }
        let changes = access != FileAccess::Read;
        if changes && path.starts_with(&self.keep) {
            return Err(Stop::refused(
                "This is kept output, which can be read but not changed. Write inside the workspace.",
            ));
        }
        if changes && self.is_start_up(path) {
            return Err(Stop::refused(
                "This file says what other programs run when they start, which file tools never change. Ask the person to \
                 change it, or change it with a command, for which an approval may be asked.",
            ));
        }
        match access {
            FileAccess::Write => self.charter.check_change(path),
            FileAccess::Remove => self.charter.check_removal(path),
            FileAccess::Read => Ok(()),
        }
    }

    /// Whether a path is, or a link of the home folder leads to, what programs follow when they start.
    fn is_start_up(&self, path: &Path) -> bool {
        let of_person = START_UP.iter().map(|name| self.home.join(name));
        let mut places = of_person.chain(START_UP_OF_ALL.iter().map(PathBuf::from));
        places.any(|place| path.starts_with(&place) || path.starts_with(real(&place)))
    }

    /// Checks something that was opened: the file system it is on, and whether it is one of ours by another name.
    pub(super) fn check_opened(&self, fd: impl AsFd, stat: &Stat) -> Result<(), Stop> {
        let file_system = rustix::fs::fstatfs(fd).map(|facts| facts.f_type);
        #[expect(
            clippy::cast_sign_loss,
            clippy::cast_possible_truncation,
            reason = "the number is a mark of 32 bits"
        )]
        if file_system.is_ok_and(|mark| KERNEL_FILE_SYSTEMS.contains(&(mark as u32))) {
            return Err(Stop::refused(
                "This file is a window into the kernel and cannot be reached with file tools.",
            ));
        }
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if is_file && stat.st_nlink > 1 && self.has_a_name_of_ours(stat) {
            return Err(ours(FileAccess::Read));
        }
        Ok(())
    }

    fn is_ours(&self, real: &Path, access: FileAccess) -> bool {
        if real == self.config || real.starts_with(&self.credentials) || self.is_in_agent_dir(real) {
            return true;
        }
        if access != FileAccess::Read && self.is_of_sessions(real) {
            return true;
        }
        let Ok(inside) = real.strip_prefix(&self.state) else { return false };
        if self.own.iter().any(|folder| real.starts_with(folder)) {
            return false;
        }
        let mut parts = inside.iter().map(OsStr::to_string_lossy);
        let Some(first) = parts.next() else { return access != FileAccess::Read };
        let (second, third) = (parts.next(), parts.next());
        let listed = |list: &[&str]| list.contains(&first.as_ref());
        match access {
            _ if first == "workspace" || first.starts_with("workspace-") || listed(WRITABLE) => false,
            FileAccess::Write | FileAccess::Remove => true,
            // Transcripts are an agent's memory; what lies beside them are its keys.
            FileAccess::Read if first == "agents" => {
                second.is_some() && third.is_some_and(|third| third != "sessions")
            }
            FileAccess::Read => !listed(READABLE),
        }
    }

    /// Whether a path is in a folder that an agent was given for its state. Where the agent works and what was kept for it
    /// is open, but for the files of the state itself.
    fn is_in_agent_dir(&self, real: &Path) -> bool {
        let is_kept = |inside: &Path| {
            let name = inside.to_str().unwrap_or_default();
            KEPT_FILES.contains(&name) || name.starts_with(DATABASE)
        };
        let mut inside = self.agent_dirs.iter().filter_map(|folder| real.strip_prefix(folder).ok());
        inside.any(|inside| is_kept(inside) || !self.own.iter().any(|own| real.starts_with(own)))
    }

    /// Whether a file is a list of sessions or a transcript beside one.
    fn is_of_sessions(&self, real: &Path) -> bool {
        let is_transcript = real.file_name().is_some_and(|name| name.to_string_lossy().contains(".jsonl"));
        self.session_lists
            .iter()
            .any(|list| real == list || (is_transcript && real.parent() == list.parent()))
    }

    /// Whether a file with several names has one among the gateway's own files.
    fn has_a_name_of_ours(&self, stat: &Stat) -> bool {
        let identity = |path: &Path| rustix::fs::lstat(path).ok().map(|found| (found.st_dev, found.st_ino));
        let wanted = Some((stat.st_dev, stat.st_ino));
        if identity(&self.config) == wanted {
            return true;
        }
        let agents = std::fs::read_dir(self.state.join("agents")).into_iter().flatten().flatten();
        let folders = [
            self.state.clone(),
            self.state.join("state"),
            self.state.join("identity"),
            self.state.join("devices"),
            self.credentials.clone(),
        ];
        let usual = agents.map(|agent| agent.path().join("agent"));
        let folders = folders.into_iter().chain(usual).chain(self.agent_dirs.iter().cloned());
        let mut files = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let found = files.by_ref().take(COMPARED).any(|file| identity(&file.path()) == wanted);
        // What is left could not be compared, and a key is worth more than a file with several names.
        found || files.next().is_some()
    }
}

/// The refusal of what the gateway keeps for itself.
fn ours(access: FileAccess) -> Stop {
    Stop::refused(match access {
        FileAccess::Read => {
            "This belongs to the gateway's own state (keys, sign-ins, databases, configuration), which file tools \
             never show. The configuration can be seen without secrets with the gateway tool, action config.get."
        }
        FileAccess::Write | FileAccess::Remove => {
            "This belongs to the gateway's own state, which only people change: the configuration with \
             `openclaw config` or the gateway tool, approvals with `openclaw approvals`. Write inside the workspace."
        }
    })
}

/// A path as it really is; as it is written when it does not exist.
pub(super) fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_absent| match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => {
            std::fs::canonicalize(parent).map_or_else(|_absent| path.to_owned(), |parent| parent.join(name))
        }
        _ => path.to_owned(),
    })
}
