//! Looks for planted secrets in everything a run of the tests produced.
//!
//! Tests give credentials that hold the word `planted-` (`testkit::planted_secret`). While they run, their temporary
//! files go into one folder and what they delete is kept (`xtask/leftovers/keep.c`); what they print is in the runner's
//! report. Afterwards `scan` searches all of it. A place where a secret may stand is listed there, with its reason.

mod scan;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure};

use crate::shell::{command, root, run, step};

/// One run of the tests under watch.
pub(crate) struct Leftovers {
    folder: PathBuf,
    library: PathBuf,
}

impl Leftovers {
    /// Prepares a watch, and proves that it sees a leak. Nothing on systems where it cannot work.
    pub(crate) fn watch(target_folder: &Path) -> anyhow::Result<Option<Self>> {
        if !cfg!(target_os = "linux") {
            eprintln!("\nNOT RUN: the search for planted secrets needs Linux");
            return Ok(None);
        }
        step("watching for planted secrets");
        let library = target_folder.join("keep.so");
        let source = root().join("xtask/leftovers/keep.c");
        run(command("cc").args(["-shared", "-fPIC", "-O1", "-Wall", "-o"]).arg(&library).arg(source))?;
        // Not below the target folder: the names of sockets in it must stay short.
        let folder = std::env::temp_dir().join(format!("openclaw-tests-{}", std::process::id()));
        let watch = Self { folder, library };
        watch.prove()?;
        watch.empty()?;
        Ok(Some(watch))
    }

    /// Puts a command under watch.
    pub(crate) fn apply(&self, command: &mut Command) {
        command
            .env("TMPDIR", self.folder.join("tmp"))
            .env("OPENCLAW_LEFTOVERS", &self.folder)
            .env("LD_PRELOAD", &self.library);
    }

    /// Fails when a planted secret stands where it must not. `reports` are files that hold what the tests printed.
    pub(crate) fn check(&self, reports: &[PathBuf]) -> anyhow::Result<()> {
        step("searching everything the tests produced for planted secrets");
        let found = self.scan(reports)?;
        if found.leaks.is_empty() {
            eprintln!("   none leaked; {} files hold one where it may stand", found.allowed);
            ensure!(found.allowed > 0, "no test planted a secret: the search proves nothing");
            std::fs::remove_dir_all(&self.folder)?;
            return Ok(());
        }
        bail!(
            "{} planted secret(s) leaked, see {}:\n  {}",
            found.leaks.len(),
            self.folder.display(),
            found.leaks.join("\n  ")
        )
    }

    fn scan(&self, reports: &[PathBuf]) -> anyhow::Result<scan::Found> {
        let mut places = vec![self.folder.join("tmp"), self.folder.join("kept")];
        places.extend(reports.iter().cloned());
        scan::scan(&places)
    }

    fn empty(&self) -> anyhow::Result<()> {
        if self.folder.exists() {
            std::fs::remove_dir_all(&self.folder)?;
        }
        std::fs::create_dir_all(self.folder.join("tmp"))?;
        std::fs::create_dir_all(self.folder.join("kept"))?;
        Ok(())
    }

    /// A program that writes a secret into a file and deletes it, and one that replaces such a file, must be caught.
    fn prove(&self) -> anyhow::Result<()> {
        for leak in [
            "echo planted-proof > $TMPDIR/a.log && rm $TMPDIR/a.log",
            "echo planted-proof > $TMPDIR/a.log && echo clean > $TMPDIR/b && mv -f $TMPDIR/b $TMPDIR/a.log",
            "echo planted-proof > $TMPDIR/stays.log",
        ] {
            self.empty()?;
            let mut program = command("sh");
            self.apply(program.args(["-c", leak]));
            ensure!(program.status()?.success(), "{program:?} failed");
            ensure!(self.scan(&[])?.leaks.len() == 1, "the watch does not see this leak: {leak}");
        }
        Ok(())
    }
}
