//! A server started for a while: it ends with its value, and is known by the address it prints.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail};

/// A server that ends with this value.
pub(crate) struct Running {
    server: Child,
    pub(crate) address: String,
}

/// Where a server says that it listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    Output,
    Errors,
}

impl Running {
    /// Starts a server and waits until it prints `listening on <address>`.
    pub(crate) fn start(command: &mut Command, says: Says) -> anyhow::Result<Self> {
        let piped = |wanted| if says == wanted { Stdio::piped() } else { Stdio::null() };
        let mut server = command
            .stdin(Stdio::null())
            .stdout(piped(Says::Output))
            .stderr(piped(Says::Errors))
            .spawn()
            .with_context(|| format!("{command:?} could not be started"))?;
        let heard = match (server.stdout.take(), server.stderr.take()) {
            (Some(output), _) => address(output),
            (None, Some(errors)) => address(errors),
            (None, None) => bail!("{command:?} has no output"),
        };
        match heard {
            Ok(address) => {
                eprintln!("   listening on {address}");
                Ok(Self { server, address })
            }
            Err(said) => {
                bail!("{command:?} ended before it listened, with {}:\n{}", server.wait()?, said.join("\n"))
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.server.kill().is_ok() {
            drop(self.server.wait());
        }
    }
}

/// Reads until an address is printed, then lets the server go on printing. Without one, gives what was printed.
fn address(output: impl Read + Send + 'static) -> Result<String, Vec<String>> {
    let mut lines = BufReader::new(output).lines();
    let mut seen = Vec::new();
    while let Some(Ok(line)) = lines.next() {
        let words = line.split_once("listening on ").and_then(|(_, rest)| rest.split_whitespace().next());
        if let Some(address) = words {
            let address = address.trim_end_matches([',', ';']).to_owned();
            std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
            return Ok(address);
        }
        seen.push(line);
    }
    Err(seen)
}

#[cfg(test)]
mod tests;
