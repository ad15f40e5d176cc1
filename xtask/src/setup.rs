//! What a fresh Debian machine with Rust lacks for the tests, installed once.
//!
//! Each step looks first and does nothing when the thing is there, so a second run is free.

use anyhow::bail;

use crate::shell::{cargo, command, exists, run, step};

/// Makes sure that the C compiler (for the embedded SQLite), IRC servers and the test runner are there.
pub(crate) fn for_tests() -> anyhow::Result<()> {
    if !exists("cc", "--version") {
        step("installing a C compiler");
        apt(&["build-essential"])?;
    }
    if !exists("ngircd", "--version") && !exists("/usr/sbin/ngircd", "--version") {
        step("installing an IRC server");
        apt(&["ngircd"])?;
    }
    // The other one knows accounts, and so do the services beside it.
    let has_accounts = exists("inspircd", "--version") || exists("/usr/sbin/inspircd", "--version");
    if !has_accounts || !exists("atheme-services", "-v") {
        step("installing an IRC server with accounts");
        apt(&["inspircd", "atheme-services"])?;
    }
    if !exists("cargo-nextest", "--version") {
        step("installing the test runner");
        cargo(&["install", "cargo-nextest", "--locked"])?;
    }
    Ok(())
}

/// Makes sure that a real browser is there.
pub(crate) fn browser() -> anyhow::Result<()> {
    if exists("chromium", "--version") {
        return Ok(());
    }
    step("installing a browser");
    apt(&["chromium"])
}

fn apt(packages: &[&str]) -> anyhow::Result<()> {
    if !exists("apt-get", "--version") {
        bail!(
            "please install {} with the package manager of this system, then run this again",
            packages.join(" ")
        );
    }
    run(command("apt-get").args(["update", "-qq"]))?;
    run(command("apt-get").args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages))
}
