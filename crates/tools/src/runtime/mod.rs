//! Commands: `exec` starts them, `process` looks after those in the background.
//!
//! Both speak to `ports::tool::CommandHost`, which knows policies, approvals and processes; here arguments are read and
//! results are worded. `keys` turns the names of keys into the bytes a terminal sends, `title` puts a command into words.
//! The registry builds both tools.

mod exec;
mod keys;
mod process;
mod title;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use openclaw_ports::Clock;
use openclaw_ports::tool::{CommandHost, Tool};

/// The tools of this family.
pub(crate) fn tools(host: &Arc<dyn CommandHost>, clock: &Arc<dyn Clock>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(exec::ExecTool::new(Arc::clone(host))),
        Arc::new(process::ProcessTool::new(Arc::clone(host), Arc::clone(clock))),
    ]
}

/// A command line short enough for a list.
fn shortened(command: &str, most: usize) -> String {
    let line = command.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = line.chars().count();
    if count <= most {
        return line;
    }
    let half = most.saturating_sub(1) / 2;
    let head: String = line.chars().take(half).collect();
    let tail: String = line.chars().skip(count - half).collect();
    format!("{head}…{tail}")
}
