//! Everything that must hold for every commit, in the order of what fails fastest.

use crate::shell::{cargo, step};
use crate::{deny, schema, tidy};

pub(crate) fn run() -> anyhow::Result<()> {
    step("formatting");
    cargo(&["fmt", "--all", "--check"])?;
    step("tidy");
    tidy::run()?;
    step("licences, sources, banned crates");
    deny::run()?;
    step("generated schemas are in step");
    schema::run(&schema::Options::verifying())?;
    step("lints");
    cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])?;
    eprintln!("\nAll checks passed.");
    Ok(())
}
