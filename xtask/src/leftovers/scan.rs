//! The search itself: which files hold a planted secret, and whether they may.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// What every planted secret holds, in any case.
const MARK: &str = "planted-";

/// Files in which a secret may stand, by name, with the reason.
const ALLOWED: &[(&str, &str)] = &[
    ("openclaw.json", "the person wrote the key into the configuration"),
    ("last-good-config.json5", "the copy of the configuration that is used when the person's is broken"),
    ("auth-profiles.json", "the original's plain form, which is imported"),
    ("oauth.json", "the original's plain form, which is imported"),
    ("auth.json", "the original's older plain form, which is imported"),
    (".env", "the person wrote the key there"),
    (".credentials.json", "the sign-in of another program, which is read in place"),
    ("oauth_creds.json", "the sign-in of another program, which is read in place"),
];

/// Copies of the configuration that are made before it is edited begin like this; a number may follow.
const CONFIG_COPIES: &str = "openclaw.json.bak";

/// A file that a test itself planted begins like this.
const PLANTED_FILE: &str = "planted";

/// What a search found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Where a secret stands and must not.
    pub(super) leaks: Vec<String>,
    /// How many files hold one and may.
    pub(super) allowed: usize,
}

/// Searches files and folders.
pub(super) fn scan(places: &[PathBuf]) -> anyhow::Result<Found> {
    let mut found = Found::default();
    let mut files = grep(&["-i", "-e", MARK], places)?;
    let wrapped: Vec<String> = encoded().into_iter().flat_map(|text| ["-e".to_owned(), text]).collect();
    files.extend(grep(&wrapped.iter().map(String::as_str).collect::<Vec<_>>(), places)?);
    files.sort();
    files.dedup();
    for file in files {
        match may_hold(&file) {
            true => found.allowed += 1,
            false => found.leaks.push(format!("{}: {}", file.display(), excerpt(&file)?)),
        }
    }
    Ok(found)
}

/// The mark inside Base64, for each of the three places at which it can begin.
fn encoded() -> Vec<String> {
    let mut all = Vec::new();
    for mark in [MARK.to_owned(), MARK.to_uppercase()] {
        for shift in 0..3 {
            let text = BASE64_STANDARD.encode([vec![0; shift], mark.clone().into_bytes()].concat());
            // Letters at both ends also depend on what stands beside the mark.
            let whole = (shift + mark.len()) * 8 / 6;
            all.push(text[(shift * 8).div_ceil(6)..whole].to_owned());
        }
    }
    all
}

fn may_hold(file: &Path) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // What was deleted is kept as `<process>-<number>-<name>`.
    let kept = file.parent().is_some_and(|folder| folder.ends_with("kept"));
    let name = if kept { name.splitn(3, '-').nth(2).unwrap_or_default() } else { &name };
    name.starts_with(PLANTED_FILE)
        || name.starts_with(CONFIG_COPIES)
        || ALLOWED.iter().any(|(allowed, _)| name == *allowed)
}

fn grep(patterns: &[&str], places: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut grep = Command::new("grep");
    // Not as text: a file with a hole of a terabyte would be one line of that length.
    grep.args(["-r", "-l", "-F", "-Z"]).args(patterns).arg("--").args(places).env("LC_ALL", "C");
    let output = grep.output().context("grep could not be started")?;
    // 1 says that nothing was found.
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!("{grep:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(list.split('\0').filter(|path| !path.is_empty()).map(PathBuf::from).collect())
}

/// What stands around the first secret of a file.
fn excerpt(file: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(file)?;
    let marks: Vec<String> = [vec![MARK.to_owned()], encoded()].concat();
    let text = bytes.to_ascii_lowercase();
    for mark in marks {
        let mark = mark.to_ascii_lowercase();
        if let Some(at) = text.windows(mark.len()).position(|window| window == mark.as_bytes()) {
            let around = &bytes[at.saturating_sub(60)..bytes.len().min(at + 60)];
            return Ok(String::from_utf8_lossy(around).escape_debug().to_string());
        }
    }
    Ok("(encoded)".to_owned())
}
