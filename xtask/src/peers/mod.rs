//! Programs that others wrote, on both sides of ours: servers that our code calls, SDKs that call our
//! gateway, and clients of chat platforms that try our fakes.
//!
//! Everything is installed once below the target folder. A machine that cannot install one still runs the tests with
//! the others, and is told what was left out and why.

mod discord;
mod sdks;
mod servers;
mod slack;
mod telegram;

use anyhow::ensure;

use crate::bench::target_folder;

/// Whether a missing peer is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peers {
    /// Every peer must run.
    Required,
    /// What does not install is left out, with a word about it.
    Wanted,
}

pub(crate) fn run_peers(peers: Peers) -> anyhow::Result<()> {
    let folder = target_folder()?.join("peers");
    let mut left_out = Vec::new();
    let running = servers::start(&folder, &mut left_out);
    let installed = sdks::install(&folder, &mut left_out);
    let grammy = telegram::install(&folder, &mut left_out);
    let discord = discord::install(&folder, &mut left_out);
    let slack = slack::start(&folder, &mut left_out);
    ensure!(
        peers == Peers::Wanted || left_out.is_empty(),
        "not every peer runs:\n  {}",
        left_out.join("\n  ")
    );
    servers::test(&running)?;
    sdks::test(&folder, &installed)?;
    if grammy {
        telegram::test(&folder)?;
    }
    if discord {
        discord::test(&folder)?;
    }
    if let Some(slack) = &slack {
        slack::test(&folder, slack)?;
    }
    for reason in &left_out {
        eprintln!("\nNOT RUN: the tests with {reason}");
    }
    Ok(())
}
