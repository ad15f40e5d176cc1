//! discord.js, the library that most Discord bots are written with, against our fake of Discord.
//!
//! Our own account lives through the fake's story too (`crates/channels/tests/discord_line.rs`); here a client that others
//! wrote does. What it does is in `xtask/peers/discord.mjs`.

use std::path::Path;
use std::process::Command;

use anyhow::ensure;

use crate::bench::target_folder;
use crate::running::{Running, Says};
use crate::shell::{cargo_command, command, exists, root, run, step};

const PACKAGES: &str = r#"{ "private": true, "dependencies": { "discord.js": "14.25.1" } }"#;

/// Installs discord.js, where it can be installed.
pub(super) fn install(folder: &Path, left_out: &mut Vec<String>) -> bool {
    step("a client that others wrote: discord.js");
    match try_install(&folder.join("discord-js")) {
        Ok(()) => true,
        Err(error) => {
            left_out.push(format!("discord.js: {error:#}"));
            false
        }
    }
}

/// Lets discord.js live through the story of the fake.
pub(super) fn test(folder: &Path) -> anyhow::Result<()> {
    step("discord.js against our fake");
    run(&mut cargo_command(&["build", "--locked", "-p", "openclaw-testkit", "--example", "discord_fake"]))?;
    let program = target_folder()?.join("debug/examples/discord_fake");
    let fake = Running::start(&mut Command::new(program), Says::Output)?;
    let mut bot = command("node");
    bot.arg(root().join("xtask/peers/discord.mjs"))
        .env("SDK_FOLDER", folder.join("discord-js"))
        .env("FAKE", &fake.address);
    run(&mut bot)
}

fn try_install(folder: &Path) -> anyhow::Result<()> {
    let packages = folder.join("package.json");
    let complete = folder.join("node_modules/discord.js/package.json").is_file();
    if complete && std::fs::read_to_string(&packages)? == PACKAGES {
        return Ok(());
    }
    ensure!(exists("node", "--version"), "Node is not installed");
    ensure!(exists("npm", "--version"), "npm is not installed");
    std::fs::create_dir_all(folder)?;
    std::fs::write(packages, PACKAGES)?;
    let mut install = command("npm");
    run(install.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(folder))
}
