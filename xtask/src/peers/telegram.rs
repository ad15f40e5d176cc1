//! grammY, the library that most Telegram bots are written with, against our fake Bot API.
//!
//! Our own account is tested against that fake (`crates/channels/tests/telegram_fake.rs`); here a client that others wrote
//! does the same things with it. What it does is in `xtask/peers/telegram-bot.mjs`.

use std::path::Path;
use std::process::Command;

use anyhow::ensure;

use crate::running::{Running, Says};
use crate::shell::{cargo_command, command, exists, root, run, step};

const PACKAGES: &str = r#"{ "private": true, "dependencies": { "grammy": "1.46.0" } }"#;

/// Installs grammY, where it can be installed.
pub(super) fn install(folder: &Path, left_out: &mut Vec<String>) -> bool {
    step("a client that others wrote: grammY for Telegram");
    match try_install(&folder.join("grammy")) {
        Ok(()) => true,
        Err(error) => {
            left_out.push(format!("grammY: {error:#}"));
            false
        }
    }
}

fn try_install(folder: &Path) -> anyhow::Result<()> {
    let packages = folder.join("package.json");
    let complete = folder.join("node_modules/grammy/package.json").is_file();
    if complete && std::fs::read_to_string(&packages)? == PACKAGES {
        return Ok(());
    }
    ensure!(exists("npm", "--version"), "npm is not installed");
    std::fs::create_dir_all(folder)?;
    std::fs::write(packages, PACKAGES)?;
    let mut install = command("npm");
    run(install.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(folder))
}

/// Lets grammY use the fake.
pub(super) fn test(folder: &Path) -> anyhow::Result<()> {
    step("grammY against our fake Bot API");
    run(&mut cargo_command(&["build", "--locked", "-p", "openclaw-testkit", "--example", "telegram_fake"]))?;
    let program = crate::bench::target_folder()?.join("debug/examples/telegram_fake");
    let fake = Running::start(&mut Command::new(program), Says::Output)?;
    let mut bot = command("node");
    bot.arg(root().join("xtask/peers/telegram-bot.mjs"))
        .env("PEER_FOLDER", folder.join("grammy"))
        .env("FAKE_ROOT", &fake.address);
    run(&mut bot)
}
