//! `openclaw completion`: prints the completion script of a shell, keeps all of them in the state directory, or wires
//! one into the shell's start-up file.
//!
//! The start-up file is changed by replacing our own two lines and nothing else.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use clap_complete::Shell;

use crate::arguments;
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print;

/// Stands above the line that loads the script, so that it is found again.
const MARK: &str = "# OpenClaw Completion";

/// `openclaw completion`
#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {
    /// The shell [default: that of SHELL, else zsh]
    #[arg(short, long, value_name = "shell")]
    shell: Option<ShellName>,
    /// Keep the script in the state directory and load it from the shell's start-up file
    #[arg(short, long)]
    install: bool,
    /// Only keep the scripts of all shells in the state directory
    #[arg(long)]
    write_state: bool,
    /// Do not ask; nothing is ever asked
    #[arg(short, long)]
    yes: bool,
}

/// The shells we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShellName {
    Zsh,
    Bash,
    Powershell,
    Fish,
}

impl ShellName {
    const ALL: [Self; 4] = [Self::Zsh, Self::Bash, Self::Powershell, Self::Fish];

    fn extension(self) -> &'static str {
        match self {
            Self::Zsh => "zsh",
            Self::Bash => "bash",
            Self::Powershell => "ps1",
            Self::Fish => "fish",
        }
    }

    fn script(self) -> String {
        let shell = match self {
            Self::Zsh => Shell::Zsh,
            Self::Bash => Shell::Bash,
            Self::Powershell => Shell::PowerShell,
            Self::Fish => Shell::Fish,
        };
        let mut bytes = Vec::new();
        clap_complete::generate(shell, &mut arguments::command(), "openclaw", &mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The shell's start-up file.
    fn start_up_file(self, home: &Path) -> PathBuf {
        match self {
            Self::Zsh => home.join(".zshrc"),
            Self::Bash => home.join(".bashrc"),
            Self::Fish => home.join(".config/fish/config.fish"),
            Self::Powershell => home.join(".config/powershell/Microsoft.PowerShell_profile.ps1"),
        }
    }

    /// The line that loads a script, doing nothing when the script is gone.
    fn load_line(self, script: &Path) -> String {
        let script = script.display();
        match self {
            Self::Zsh | Self::Bash => format!("[ -f \"{script}\" ] && source \"{script}\""),
            Self::Fish => format!("test -f \"{script}\"; and source \"{script}\""),
            Self::Powershell => format!("if (Test-Path \"{script}\") {{ . \"{script}\" }}"),
        }
    }
}

/// Prints, keeps or installs.
pub(crate) fn run(context: &Context, arguments: &CompletionArgs) -> anyhow::Result<Exit> {
    let shell = arguments.shell.unwrap_or_else(|| of_environment(context.environment.get_trimmed("SHELL")));
    if arguments.write_state || arguments.install {
        for shell in ShellName::ALL {
            let path = script_path(context, shell);
            write(&path, &shell.script(), FolderMode::Private)?;
        }
    }
    if arguments.install {
        install(context, shell)?;
    }
    if !arguments.write_state && !arguments.install {
        print::text(&shell.script())?;
    }
    Ok(Exit::Done)
}

fn of_environment(shell: Option<&str>) -> ShellName {
    match shell.and_then(|path| path.rsplit('/').next()) {
        Some("bash") => ShellName::Bash,
        Some("fish") => ShellName::Fish,
        Some("pwsh" | "powershell") => ShellName::Powershell,
        _ => ShellName::Zsh,
    }
}

fn script_path(context: &Context, shell: ShellName) -> PathBuf {
    context.locations.state_dir.join("completions").join(format!("openclaw.{}", shell.extension()))
}

fn install(context: &Context, shell: ShellName) -> anyhow::Result<()> {
    let profile = shell.start_up_file(context.environment.home());
    let script = script_path(context, shell);
    if script.to_string_lossy().contains(['"', '$', '`', '\n']) {
        return Err(misuse(format!("{} cannot be named in a shell's start-up file", script.display())));
    }
    let before = match fs::read_to_string(&profile) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", profile.display())),
    };
    let after = with_line(&before, &shell.load_line(&script));
    if after != before {
        write(&profile, &after, FolderMode::Usual)?;
    }
    print::line(&format!(
        "Completion is loaded from {}; open a new shell to use it.",
        context.short(&profile)
    ))?;
    Ok(())
}

/// The start-up file with our line in it exactly once.
fn with_line(before: &str, line: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut lines = before.lines();
    while let Some(text) = lines.next() {
        if text.trim() == MARK {
            lines.next();
        } else {
            kept.push(text);
        }
    }
    while kept.last().is_some_and(|text| text.trim().is_empty()) {
        kept.pop();
    }
    let start = if kept.is_empty() { String::new() } else { format!("{}\n\n", kept.join("\n")) };
    format!("{start}{MARK}\n{line}\n")
}

/// How folders are made that are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FolderMode {
    /// Only for their owner: the state directory holds secrets.
    Private,
    /// As the system makes them.
    Usual,
}

fn write(path: &Path, text: &str, mode: FolderMode) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        let bits = if mode == FolderMode::Private { 0o700 } else { 0o777 };
        let made = fs::DirBuilder::new().recursive(true).mode(bits).create(folder);
        made.with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installing_twice_leaves_one_line_and_everything_else_as_it_was() {
        let once = with_line("alias ll='ls -l'\nexport X=1\n", "source \"/a\"");
        assert_eq!(once, "alias ll='ls -l'\nexport X=1\n\n# OpenClaw Completion\nsource \"/a\"\n");
        let moved = with_line(&once, "source \"/b\"");
        assert_eq!(moved, "alias ll='ls -l'\nexport X=1\n\n# OpenClaw Completion\nsource \"/b\"\n");
        assert_eq!(with_line("", "x"), "# OpenClaw Completion\nx\n");
    }

    #[test]
    fn every_shell_gets_a_script_that_knows_the_commands() {
        for shell in ShellName::ALL {
            let script = shell.script();
            for word in ["gateway", "devices", "no-probe"] {
                assert!(script.contains(word), "{shell:?} lacks {word}");
            }
        }
    }
}
