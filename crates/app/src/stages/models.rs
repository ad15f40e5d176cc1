//! Stage: puts the line to models together, and looks after it while the gateway runs.
//!
//! Nothing is asked over the network before the sockets listen. Afterwards the sign-ins of an earlier installation are
//! taken over, and servers on this machine are looked for now and then.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use openclaw_config::{LiveConfig, Locations};
use openclaw_ports::{Clock, TaskScope};
use openclaw_providers::Demonstration;
use openclaw_stores::sqlite::StateDatabase;

use crate::models::{Imported, ModelRuntime, ModelRuntimeParts};

/// How often servers on this machine are looked for: soon enough for a person who just started one.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// What earlier stages made.
pub(crate) struct ModelStageParts<'a> {
    pub(crate) config: &'a LiveConfig,
    pub(crate) locations: &'a Locations,
    pub(crate) store: &'a Arc<StateDatabase>,
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) tasks: &'a TaskScope,
    pub(crate) demonstration: Demonstration,
}

/// Puts the runtime together. Calls nobody.
///
/// # Errors
/// The store cannot be read.
pub(crate) async fn open(parts: ModelStageParts<'_>) -> anyhow::Result<Arc<ModelRuntime>> {
    let config = parts.config.clone();
    let runtime = ModelRuntime::open(ModelRuntimeParts {
        settings: Arc::new(move || config.running()),
        locations: parts.locations.clone(),
        store: Arc::clone(parts.store),
        clock: Arc::clone(parts.clock),
        tasks: parts.tasks.child("models"),
        demonstration: parts.demonstration,
    })
    .await
    .context("what was learned about models and credentials cannot be read; `openclaw doctor` says more")?;
    Ok(Arc::new(runtime))
}

/// Takes over old sign-ins and keeps looking for servers on this machine, until the scope ends.
pub(crate) fn look_after(runtime: &Arc<ModelRuntime>, clock: &Arc<dyn Clock>, tasks: &TaskScope) {
    let (runtime, clock) = (Arc::clone(runtime), Arc::clone(clock));
    tasks.child("model upkeep").start_cancellable("model upkeep", async move {
        match runtime.import_sign_ins().await {
            Ok(reports) => reports.iter().for_each(tell),
            Err(error) => {
                tracing::warn!(subsystem = "models", %error, "the sign-ins of an earlier installation could not be taken over");
            }
        }
        loop {
            runtime.find_local_servers().await;
            runtime.choose_stand_in().await;
            clock.sleep(LOOK_AGAIN).await;
        }
    });
}

fn tell(report: &Imported) {
    let file = report.file.display();
    if let Some(fault) = &report.fault {
        tracing::warn!(subsystem = "models", %file, "sign-ins of an earlier installation are left out: {fault}");
        return;
    }
    for problem in &report.problems {
        tracing::warn!(subsystem = "models", %file, entry = problem.entry, "a sign-in is left out: {}", problem.problem);
    }
    if report.taken > 0 {
        tracing::info!(
            subsystem = "models",
            %file,
            agent = %report.agent,
            "took over {} sign-ins of an earlier installation; they are sealed here, and still in plain text in that file",
            report.taken
        );
    }
}
