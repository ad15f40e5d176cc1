//! Finds the executable behind each command: where the child's `PATH` leads, with symbolic links followed.
//!
//! The current folder is never searched by name. A leading `cd` is followed, so that relative programs and the folder
//! of a grant are those of the moment the command runs.

use std::path::{Component, Path, PathBuf};

use super::carriers::{self, Carrier, Kin};
use super::read::{CommandLine, Join, Opaque, Quiet, SimpleCommand};
use super::{git, tar};

/// Where executables are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchPlace {
    /// The `PATH` that the child gets.
    pub path: String,
    /// The folder in which it starts.
    pub directory: PathBuf,
    /// The folder that what it writes has to stay below: where it starts is chosen with the command.
    pub base: PathBuf,
    /// What its commands can read.
    pub input: LineInput,
    /// Where the person may have a configuration for `git`.
    pub git_configs: Vec<PathBuf>,
}

/// What the commands of a line can read, beside each other's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineInput {
    /// Nothing.
    Closed,
    /// What is written to it while it runs.
    Open,
    /// Keys: a terminal stays within reach of every command.
    Terminal,
}

/// What tells a program what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SteeringVariables {
    /// Its words alone.
    Words,
    /// What it reads as well, and that nobody has seen.
    Input,
}

/// A command line with the programs it would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    /// The folder it changes to first.
    pub enter: Option<PathBuf>,
    /// The folder its commands run in.
    pub directory: PathBuf,
    /// The commands.
    pub steps: Vec<LocatedStep>,
}

/// A command with its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocatedStep {
    /// The command.
    pub step: SimpleCommand,
    /// The program; nothing when there is none, as for what only the shell knows.
    pub executable: Option<Executable>,
    /// Why this program with these words may run something else entirely.
    pub carries: Option<Carrier>,
    /// What the program can do with other words.
    pub kin: Kin,
    /// Whether what it reads can tell it what to run.
    pub steering: SteeringVariables,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Executable {
    /// Where it was found, with the links of the folder followed.
    pub found: PathBuf,
    /// The file itself, with all links followed.
    pub real: PathBuf,
}

/// Looks up the programs of a command line.
///
/// # Errors
/// A `cd` that is not the first of a chain of `&&`.
pub(crate) fn locate(line: CommandLine, place: &SearchPlace) -> Result<Located, Opaque> {
    let (enter, steps) = split_change(line, &place.directory)?;
    let directory = enter.clone().unwrap_or_else(|| place.directory.clone());
    let located = |index: usize| {
        let step = steps.get(index)?.clone();
        let before = steps.get(..index).unwrap_or_default();
        let around = git::Surroundings {
            before,
            directory: &directory,
            start: &place.base,
            configs: &place.git_configs,
        };
        let executable = step.words.first().and_then(|name| find(name, &place.path, &directory));
        let carries = carries(&step, executable.as_ref(), &directory)
            .or_else(|| repository(&step, executable.as_ref(), &around))
            .or_else(|| archive(&step, executable.as_ref(), &around));
        let kin = names(&step, executable.as_ref()).map(carriers::kin).max().unwrap_or(Kin::Runner);
        let steering = steering(&step, executable.as_ref(), carries, place.input);
        Some(LocatedStep { step, executable, carries, kin, steering })
    };
    let located = (0..steps.len()).filter_map(located).collect();
    Ok(Located { enter, directory, steps: located })
}

fn split_change(line: CommandLine, from: &Path) -> Result<(Option<PathBuf>, Vec<SimpleCommand>), Opaque> {
    let is_change = |step: &SimpleCommand| step.words.first().is_some_and(|name| name == "cd");
    let mut steps = line.steps;
    if !steps.iter().any(is_change) {
        return Ok((None, steps));
    }
    let changes_once = steps.iter().skip(1).all(|step| !is_change(step));
    let chained = steps.iter().skip(1).all(|step| matches!(step.join, Join::And | Join::Pipe));
    let leads_on = steps.get(1).is_some_and(|step| step.join == Join::And);
    if !(changes_once && chained && leads_on) {
        return Err(Opaque::ChangeDirectory);
    }
    let first = steps.remove(0);
    let words: Vec<&str> = first.words.iter().skip(1).map(String::as_str).collect();
    let target = match words[..] {
        [target] | ["--", target] if !target.is_empty() && !target.starts_with('-') => target,
        _ => return Err(Opaque::ChangeDirectory),
    };
    Ok((Some(normal(&from.join(target))), steps))
}

/// The path as `cd` and the kernel would follow it; the text itself when it does not exist.
fn normal(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_missing| path.to_owned())
}

fn find(name: &str, path: &str, directory: &Path) -> Option<Executable> {
    if name.contains('/') {
        return executable(&directory.join(name));
    }
    let places = path.split(':').map(Path::new).filter(|place| place.is_absolute());
    places
        .filter(|place| !place.components().any(|part| part == Component::ParentDir))
        .find_map(|place| executable(&place.join(name)))
}

fn executable(path: &Path) -> Option<Executable> {
    let real = path.canonicalize().ok()?;
    if !is_executable(&real) {
        return None;
    }
    let folder = path.parent()?.canonicalize().ok()?;
    Some(Executable { found: folder.join(path.file_name()?), real })
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

fn carries(step: &SimpleCommand, executable: Option<&Executable>, directory: &Path) -> Option<Carrier> {
    let arguments = step.words.get(1..).unwrap_or_default();
    let is_script = |word: &str| is_regular_file(&directory.join(word));
    names(step, executable).find_map(|name| carriers::carrier(name, arguments, is_script))
}

/// A use of `git` that follows its repository, another one or an alias, or that puts files elsewhere.
fn repository(
    step: &SimpleCommand,
    executable: Option<&Executable>,
    around: &git::Surroundings<'_>,
) -> Option<Carrier> {
    if !names(step, executable).any(git::is_git) {
        return None;
    }
    if git::is_unsafe(step, around) {
        return Some(Carrier::Repository);
    }
    git::writes_elsewhere(step, around).then_some(Carrier::Option)
}

/// A use of `tar` that keeps its archive elsewhere than below the folder in which the line starts.
fn archive(
    step: &SimpleCommand,
    executable: Option<&Executable>,
    around: &git::Surroundings<'_>,
) -> Option<Carrier> {
    let arguments = step.words.get(1..).unwrap_or_default();
    let is_tar = names(step, executable).any(carriers::is_tar);
    (is_tar && tar::leaves_folder(arguments, around.directory, around.start)).then_some(Carrier::Option)
}

fn steering(
    step: &SimpleCommand,
    executable: Option<&Executable>,
    carries: Option<Carrier>,
    input: LineInput,
) -> SteeringVariables {
    let reads = match input {
        LineInput::Terminal => true,
        LineInput::Open => !step.quiet.contains(&Quiet::NoInput),
        LineInput::Closed => step.join == Join::Pipe && !step.quiet.contains(&Quiet::NoInput),
    };
    let follows = carries
        .is_some_and(|carrier| names(step, executable).any(|name| carriers::follows_input(name, carrier)));
    if reads && follows { SteeringVariables::Input } else { SteeringVariables::Words }
}

/// The names a program goes by: as it is written, and as its file is called.
fn names<'a>(step: &'a SimpleCommand, executable: Option<&'a Executable>) -> impl Iterator<Item = &'a str> {
    let written = step.words.first().map(|name| Path::new(name.as_str()));
    let paths = written.into_iter().chain(executable.map(|found| found.real.as_path()));
    paths.filter_map(|path| path.file_name()?.to_str())
}

/// How many links are followed, as the kernel does.
const MOST_LINKS: usize = 40;

/// Whether a path leads to a regular file without passing a place that means something else in another process.
///
/// `/dev/stdin` and `/proc/self` are ours while we look, and the child's when it runs: the way there is followed by hand.
fn is_regular_file(path: &Path) -> bool {
    let parts = |path: &Path| -> Vec<PathBuf> {
        path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect()
    };
    let (mut left, mut here, mut links) = (parts(path), PathBuf::from("/"), 0);
    while let Some(part) = left.pop() {
        if part == Path::new("..") {
            here.pop();
            continue;
        }
        let next = here.join(&part);
        if ["/dev", "/proc", "/sys"].iter().any(|place| next == Path::new(place)) {
            return false;
        }
        match std::fs::read_link(&next) {
            Ok(target) => {
                links += 1;
                left.extend(parts(&target));
            }
            Err(_no_link) => here = next,
        }
        if links > MOST_LINKS {
            return false;
        }
    }
    std::fs::symlink_metadata(&here).is_ok_and(|about| about.is_file())
}
