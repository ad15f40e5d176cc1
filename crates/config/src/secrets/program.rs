//! Runs a program that prints secrets: by its path and arguments, without a shell, in an empty environment.
//!
//! The program and all it started are killed when it is silent for too long, runs for too long, prints too much, or
//! nobody waits for it any more. What it prints on its error output is read, counted and thrown away.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use openclaw_ports::{Clock, Deadline, TimedOut};
use openclaw_types::Secret;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use zeroize::Zeroizing;

use super::answer::{self, Speech};
use super::file::distrusted;
use super::trust::{self, Distrust, Facts};
use crate::Environment;
use crate::error::SecretError;
use crate::sections::ExecSecrets;

const DEFAULT_TIMEOUT_MS: u64 = 5_000;
const DEFAULT_NO_OUTPUT_TIMEOUT_MS: u64 = 2_000;
const DEFAULT_MAX_OUTPUT_BYTES: u64 = 1024 * 1024;

/// Asks a program for ids.
pub(super) async fn look_up(
    clock: &dyn Clock,
    environment: &Environment,
    (provider, settings): (&str, &ExecSecrets),
    (ids, most_asked): (&[String], u64),
) -> Result<BTreeMap<String, Secret<String>>, SecretError> {
    let program = trusted(environment, settings)?;
    let request = answer::request(provider, ids);
    if request.len() as u64 > most_asked {
        let what = format!("the request to the secret provider {provider}");
        return Err(SecretError::TooLarge { what, limit: most_asked, setting: "resolution.maxBatchBytes" });
    }
    let mut child = Running(start(provider, &program, settings, environment)?);
    let limits = Limits::of(provider, settings);
    let deadline = Deadline::after(clock, limits.total);
    let output = match deadline.bound(clock, converse(clock, &mut child.0, &request, &limits)).await {
        Ok(output) => output?,
        Err(TimedOut) => return Err(limits.timed_out(limits.total, "timeoutMs")),
    };
    let speech = if settings.json_only.unwrap_or(true) { Speech::JsonOnly } else { Speech::TextToo };
    answer::read(provider, ids, &output, speech)
}

/// A child that does not outlive our interest in it, nor do the processes it started.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Once the child was waited for it has no id any more, and its group is gone or not ours to judge.
        let group =
            self.0.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        if let Some(group) = group
            && let Err(error) = rustix::process::kill_process_group(group, rustix::process::Signal::KILL)
        {
            tracing::debug!(%error, "the group of a secret program could not be killed");
        }
    }
}

struct Limits<'a> {
    provider: &'a str,
    total: Duration,
    silence: Duration,
    output: u64,
}

impl<'a> Limits<'a> {
    fn of(provider: &'a str, settings: &ExecSecrets) -> Self {
        let total = settings.timeout_ms.map_or(DEFAULT_TIMEOUT_MS, |limit| limit.get());
        let silence = settings.no_output_timeout_ms.map_or(DEFAULT_NO_OUTPUT_TIMEOUT_MS, |limit| limit.get());
        Self {
            provider,
            total: Duration::from_millis(total),
            silence: Duration::from_millis(silence),
            output: settings.max_output_bytes.map_or(DEFAULT_MAX_OUTPUT_BYTES, |limit| limit.get()),
        }
    }

    fn timed_out(&self, limit: Duration, setting: &'static str) -> SecretError {
        SecretError::TimedOut { provider: self.provider.to_owned(), limit, setting }
    }

    fn failed(&self, problem: String) -> SecretError {
        SecretError::Unusable {
            provider: self.provider.to_owned(),
            problem: format!("its program {problem}"),
        }
    }
}

/// The program to run, once it is known to be safe.
fn trusted(environment: &Environment, settings: &ExecSecrets) -> Result<PathBuf, SecretError> {
    let written = settings.command.trim();
    if !written.starts_with('/') && !written.starts_with("~/") {
        return Err(SecretError::Unsafe {
            path: PathBuf::from(written),
            problem: "is not a full path",
            fix: "write the program with its full path, such as /usr/local/bin/op".to_owned(),
        });
    }
    let path = environment.user_path(written);
    if look(&path)?.is_symlink() && settings.allow_symlink_command != Some(true) {
        let distrust = Distrust {
            problem: "is a symbolic link",
            fix: "name the program it leads to, or set allowSymlinkCommand together with trustedDirs"
                .to_owned(),
        };
        return Err(distrusted(&path, distrust));
    }
    // What is judged is what is run: no link is left in this path.
    let path = canonical(&path)?;
    within(environment, settings, &path)?;
    let facts = Facts::of(&look(&path)?);
    if settings.allow_insecure_path == Some(true) {
        // Others may change it, a person said so; it must still be a program.
        let judged = trust::judge_program(&path, Facts { owner: 0, mode: 0o755, ..facts }, 0);
        judged.map_err(|distrust| distrusted(&path, distrust))?;
        return Ok(path);
    }
    let us = rustix::process::geteuid().as_raw();
    let judged = trust::judge_program(&path, facts, us);
    judged.map_err(|distrust| distrusted(&path, distrust))?;
    for directory in path.ancestors().skip(1) {
        let judged = trust::judge_directory(directory, Facts::of(&look(directory)?), us);
        judged.map_err(|distrust| distrusted(&path, distrust))?;
    }
    Ok(path)
}

fn look(path: &Path) -> Result<std::fs::Metadata, SecretError> {
    std::fs::symlink_metadata(path)
        .map_err(|source| SecretError::Unreadable { path: path.to_owned(), source })
}

/// A path without links.
fn canonical(path: &Path) -> Result<PathBuf, SecretError> {
    std::fs::canonicalize(path).map_err(|source| SecretError::Unreadable { path: path.to_owned(), source })
}

/// A program must be in one of the directories that are trusted, where any are. Those may be written with links.
fn within(environment: &Environment, settings: &ExecSecrets, path: &Path) -> Result<(), SecretError> {
    let trusted = settings.trusted_dirs.as_deref().unwrap_or_default();
    let holds = |directory: &String| {
        // A directory that is not there holds nothing.
        canonical(&environment.user_path(directory)).is_ok_and(|directory| path.starts_with(directory))
    };
    if trusted.is_empty() || trusted.iter().any(holds) {
        return Ok(());
    }
    Err(SecretError::Unsafe {
        path: path.to_owned(),
        problem: "is outside trustedDirs",
        fix: "add its directory to trustedDirs, or move the program".to_owned(),
    })
}

fn start(
    provider: &str,
    program: &Path,
    settings: &ExecSecrets,
    environment: &Environment,
) -> Result<Child, SecretError> {
    let passed =
        settings.pass_env.iter().flatten().filter_map(|name| Some((name.as_str(), environment.get(name)?)));
    let given = settings.env.iter().map(|(name, value)| (name.as_str(), value.reveal()));
    Command::new(program)
        .args(settings.args.as_deref().unwrap_or_default())
        .current_dir(program.parent().unwrap_or(Path::new("/")))
        .env_clear()
        .envs(passed.chain(given))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|source| SecretError::NotStarted {
            provider: provider.to_owned(),
            path: program.to_owned(),
            source,
        })
}

/// Gives the child its request, takes what it prints, and waits for its end.
async fn converse(
    clock: &dyn Clock,
    child: &mut Child,
    request: &str,
    limits: &Limits<'_>,
) -> Result<Zeroizing<Vec<u8>>, SecretError> {
    let (Some(mut input), Some(output), Some(errors)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(limits.failed("could not be connected to".to_owned()));
    };
    let feed = async move {
        // A program that does not care what it is asked may close its input early.
        if let Err(error) = input.write_all(request.as_bytes()).await {
            tracing::debug!(%error, "a secret program did not read its request");
        }
    };
    let (printed, ()) = tokio::join!(collect(clock, output, errors, limits), feed);
    let printed = printed?;
    match child.wait().await {
        Ok(status) if status.success() => Ok(printed),
        Ok(status) => Err(limits.failed(match status.code() {
            Some(code) => format!("ended with code {code}"),
            None => "was killed".to_owned(),
        })),
        Err(error) => Err(limits.failed(format!("could not be waited for: {error}"))),
    }
}

async fn collect(
    clock: &dyn Clock,
    mut output: impl AsyncRead + Unpin,
    mut errors: impl AsyncRead + Unpin,
    limits: &Limits<'_>,
) -> Result<Zeroizing<Vec<u8>>, SecretError> {
    let mut printed = Zeroizing::new(Vec::new());
    let (mut from_output, mut from_errors) = (Zeroizing::new([0; 4096]), Zeroizing::new([0; 4096]));
    let (mut output_open, mut errors_open) = (true, true);
    let mut total = 0u64;
    while output_open || errors_open {
        // Reading loses nothing when another branch wins: a read that is dropped has taken nothing.
        let count = tokio::select! {
            read = output.read(from_output.as_mut_slice()), if output_open => {
                let count = read.map_err(|error| limits.failed(format!("could not be read: {error}")))?;
                output_open = count > 0;
                grow(&mut printed, &from_output[..count]);
                count
            }
            read = errors.read(from_errors.as_mut_slice()), if errors_open => {
                let count = read.map_err(|error| limits.failed(format!("could not be read: {error}")))?;
                errors_open = count > 0;
                count
            }
            () = clock.sleep(limits.silence) => {
                return Err(limits.timed_out(limits.silence, "noOutputTimeoutMs"));
            }
        };
        total = total.saturating_add(count as u64);
        if total > limits.output {
            let what = format!("what the program of the secret provider {} printed", limits.provider);
            return Err(SecretError::TooLarge { what, limit: limits.output, setting: "maxOutputBytes" });
        }
    }
    Ok(printed)
}

/// Adds bytes without leaving copies behind where the buffer was before it grew.
fn grow(buffer: &mut Zeroizing<Vec<u8>>, bytes: &[u8]) {
    if buffer.capacity() - buffer.len() < bytes.len() {
        let mut larger =
            Zeroizing::new(Vec::with_capacity((buffer.capacity() * 2).max(buffer.len() + bytes.len())));
        larger.extend_from_slice(buffer);
        *buffer = larger;
    }
    buffer.extend_from_slice(bytes);
}
