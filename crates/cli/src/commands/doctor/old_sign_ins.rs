//! Looks for files of an earlier installation whose sign-ins were taken over and still stand there in plain text.

use std::path::Path;
use std::sync::Arc;

use openclaw_app::files_taken_over;
use openclaw_stores::sqlite::{StateDatabase, StateHealth, StateLocation};

use super::{DoctorFinding, Severity};
use crate::call::block_on;
use crate::context::Context;

/// One finding for each such file. Silent where the store cannot tell; its own check says why.
pub(super) fn check(context: &Context) -> anyhow::Result<Vec<DoctorFinding>> {
    let location = StateLocation::within(&context.locations.state_dir);
    match StateDatabase::examine(&location) {
        Ok(StateHealth::Sound { schema, newest }) if schema == newest => {}
        Ok(StateHealth::Sound { .. } | StateHealth::Absent) | Err(_) => return Ok(Vec::new()),
    }
    block_on(async {
        let database = match StateDatabase::open(location, Arc::clone(&context.clock)).await {
            Ok(database) => database,
            Err(error) => return Ok(vec![unknown(&error)]),
        };
        let files = files_taken_over(&database).await;
        database.close().await?;
        Ok(match files {
            Ok(files) => files.iter().map(|file| finding(context, file)).collect(),
            Err(error) => vec![unknown(&error)],
        })
    })
}

fn finding(context: &Context, file: &Path) -> DoctorFinding {
    let text = format!(
        "{} is of an earlier installation and holds sign-ins in plain text; they were taken over and are sealed in the store. If you do not go back, check `openclaw models status` and then remove the file",
        context.short(file)
    );
    DoctorFinding::new("sign-ins", Severity::Warning, text)
}

fn unknown(error: &dyn std::error::Error) -> DoctorFinding {
    let text = format!("whether old files with sign-ins are left cannot be told ({error})");
    DoctorFinding::new("sign-ins", Severity::Note, text)
}
