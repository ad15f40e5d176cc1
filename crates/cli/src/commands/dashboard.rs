//! `openclaw dashboard`: shows, and opens, the address of the gateway's web page.
//!
//! The token stands behind `#`, which browsers never send to a server. The browser is started without it: the
//! arguments of a program can be read by every user of the machine.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use clap::Args;
use openclaw_ports::Deadline;
use tokio::process::Command;

use crate::call::block_on;
use crate::context::Context;
use crate::exit::Exit;
use crate::print;
use crate::target::{GatewayTarget, TargetArgs};

/// How long the program that opens a browser may take to say whether it could.
const OPENING: Duration = Duration::from_secs(5);

/// `openclaw dashboard`
#[derive(Debug, Args)]
pub(crate) struct DashboardArgs {
    /// Print the address without opening a browser
    #[arg(long)]
    no_open: bool,
}

/// Prints the address.
pub(crate) fn run(context: &Context, arguments: &DashboardArgs) -> anyhow::Result<Exit> {
    let snapshot = context.read_config();
    let target = GatewayTarget::resolve_with(context, &TargetArgs::default(), &snapshot)?;
    let base = snapshot.config.gateway.control_ui.base_path.trim_matches('/').to_owned();
    let page = target.address.web_page();
    let page = if base.is_empty() { page } else { format!("{page}{base}/") };
    let with_token = match &target.credentials.token {
        Some(token) => format!("{page}#token={}", encode_fragment(token.reveal())),
        None => page.clone(),
    };
    print::line(&format!("Dashboard URL: {with_token}"))?;
    if arguments.no_open {
        return Ok(Exit::Done);
    }
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let problem = match open(context, opener, &page)? {
        Ok(Some(status)) if status.success() => None,
        // Some openers stay as long as the browser does.
        Ok(None) => None,
        Ok(Some(status)) => Some(status.to_string()),
        Err(error) => Some(error.to_string()),
    };
    print::note(&match problem {
        None => "Opened in your browser; paste the token there if it asks for one.".to_owned(),
        Some(problem) => {
            format!("No browser could be started ({opener}: {problem}); open the address yourself.")
        }
    })?;
    Ok(Exit::Done)
}

/// Runs the opener and waits a moment for its verdict; `None` when it is still at work then.
fn open(context: &Context, opener: &str, page: &str) -> anyhow::Result<std::io::Result<Option<ExitStatus>>> {
    let clock = context.clock.as_ref();
    block_on(async {
        let started = Command::new(opener)
            .arg(page)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut child = match started {
            Ok(child) => child,
            Err(error) => return Ok(Err(error)),
        };
        Ok(match Deadline::after(clock, OPENING).bound(clock, child.wait()).await {
            Ok(status) => status.map(Some),
            Err(openclaw_ports::TimedOut) => Ok(None),
        })
    })
}

/// Keeps letters, digits and `-._~`; everything else as `%XX`.
fn encode_fragment(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            other => out.push_str(&format!("%{other:02X}")),
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::encode_fragment;

    #[test]
    fn a_token_with_odd_characters_survives_in_the_fragment() {
        assert_eq!(encode_fragment("aZ9-._~ +/=#ü"), "aZ9-._~%20%2B%2F%3D%23%C3%BC");
    }
}
