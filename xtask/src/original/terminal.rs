//! The original's terminal interface, typed into as a person would (`xtask/original/terminal.py`).

use super::{Step, World};
use crate::shell::{root, run};

pub(super) const STEPS: &[Step] =
    &[Step { name: "tui: a conversation with tools, a stop and other settings", run: converses }];

fn converses(world: &World) -> anyhow::Result<String> {
    let typist = root().join("xtask/original/terminal.py");
    run(&mut world.cli.typed_by(&typist, &["tui", "--session", "terminal"]))?;
    Ok("every step above went well".to_owned())
}
