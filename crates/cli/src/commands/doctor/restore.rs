//! Puts a working copy in the place of a configuration file that cannot be used.
//!
//! The copy is the last configuration a gateway ran on, else the newest backup that is valid. The broken file is never
//! lost: it stays beside the new one under another name. Called by `doctor` before it looks at the rest.

use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use openclaw_config::FileSnapshot;

use super::checks::can_be_written;
use super::{DoctorFinding, Severity};
use crate::context::Context;
use crate::print;

/// How many backups the configuration keeps: `.bak`, then `.bak.1` and so on.
const BACKUPS: usize = 5;

/// Whether a person agrees to the replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consent {
    /// Said on the command line.
    Given,
    /// To be asked on the terminal.
    Ask,
    /// Nobody can be asked.
    Missing,
}

/// A configuration that works.
#[derive(Debug, Clone, PartialEq, Eq)]
struct WorkingCopy {
    /// Where it is.
    path: PathBuf,
    /// What the file will hold.
    text: String,
}

/// Whether the file is there and nothing of it can be used.
pub(super) fn is_unusable(config: &FileSnapshot) -> bool {
    config.exists && !config.valid
}

/// Replaces an unusable file when there is a working copy and a person agrees; says what it did.
pub(super) fn offer(context: &Context, consent: Consent) -> anyhow::Result<()> {
    let config = context.read_config();
    if !is_unusable(&config) || can_be_written(context.locations.config_dir()).is_err() {
        return Ok(());
    }
    let Some(copy) = newest_copy(context) else { return Ok(()) };
    let agreed = match consent {
        Consent::Given => true,
        Consent::Missing => false,
        Consent::Ask => {
            for issue in &config.issues {
                print::note(&crate::commands::config::issue_text(issue))?;
            }
            let (file, copy) = (context.short(&config.path), context.short(&copy.path));
            print::confirm(&format!(
                "{file} cannot be used. Put {copy} in its place? The broken file is kept beside it."
            ))?
        }
    };
    if agreed {
        let aside = put_in_place(&config.path, &copy.text, context.clock.now().0)?;
        print::line(&format!(
            "{} config: {} is back from {}; the broken file is kept as {}",
            print::good("fixed"),
            context.short(&config.path),
            context.short(&copy.path),
            context.short(&aside)
        ))?;
    }
    Ok(())
}

/// What can be done about an unusable file.
pub(super) fn finding(context: &Context, config: &FileSnapshot) -> DoctorFinding {
    let folder = context.locations.config_dir();
    let file = context.short(&config.path);
    let text = match (can_be_written(folder), newest_copy(context)) {
        (Err(error), _) => {
            format!("{file} cannot be repaired here: {} cannot be written ({error})", context.short(folder))
        }
        (Ok(()), Some(copy)) => format!(
            "a copy that works is there; `openclaw doctor --fix --yes` puts {} in the place of {file} and keeps the broken file beside it",
            context.short(&copy.path)
        ),
        (Ok(()), None) => format!(
            "no copy that works was found; correct {file} by hand, or move it away to start with defaults"
        ),
    };
    DoctorFinding::new("config", Severity::Failure, text)
}

/// The last good configuration, else the newest backup that is valid.
fn newest_copy(context: &Context) -> Option<WorkingCopy> {
    let file = context.config_file();
    if let Some(good) = file.last_good()
        && let Some(text) = &good.text
    {
        return Some(WorkingCopy { text: without_header(text), path: good.path });
    }
    let backups = (0..BACKUPS).map(|number| match number {
        0 => with_suffix(&context.locations.config_path, ".bak"),
        _ => with_suffix(&context.locations.config_path, &format!(".bak.{number}")),
    });
    backups.into_iter().find_map(|path| {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                tracing::debug!(path = %path.display(), %error, "a backup is passed over");
                return None;
            }
        };
        file.preview(&text).valid.then_some(WorkingCopy { path, text })
    })
}

/// The kept copy begins with a comment that says what it is; that is wrong in its new place.
fn without_header(text: &str) -> String {
    let lines: Vec<&str> = text.lines().skip_while(|line| line.trim_start().starts_with("//")).collect();
    format!("{}\n", lines.join("\n"))
}

/// Moves the broken file aside and writes the text in its place; gives where the broken file is now. When a step fails
/// the ones before are taken back.
fn put_in_place(path: &Path, text: &str, now: i64) -> anyhow::Result<PathBuf> {
    let aside = with_suffix(path, &format!(".broken-{}", print::file_stamp(now)));
    let fresh = with_suffix(path, &format!(".restoring-{}", std::process::id()));
    write_private(&fresh, text).with_context(|| format!("{} cannot be written", fresh.display()))?;
    if let Err(error) = fs::rename(path, &aside) {
        fs::remove_file(&fresh).with_context(|| format!("{} was left behind", fresh.display()))?;
        return Err(error).with_context(|| format!("{} cannot be moved aside", path.display()));
    }
    if let Err(error) = fs::rename(&fresh, path) {
        fs::rename(&aside, path)
            .with_context(|| format!("the broken file could not be put back from {}", aside.display()))?;
        return Err(error).with_context(|| format!("{} cannot be replaced", path.display()));
    }
    Ok(aside)
}

fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
