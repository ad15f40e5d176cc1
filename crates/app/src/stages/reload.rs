//! Stage: follows the configuration file while the gateway runs.
//!
//! A good change takes effect, by a restart where its plan says so; a broken one is told with its place, and the
//! running configuration stays.

use std::sync::Arc;

use openclaw_config::{Decision, FileSnapshot, LiveConfig, Offered, ReloadPlan, watch_config};
use openclaw_gateway::{Host, RestartRequest};
use openclaw_ports::{Clock, TaskScope};

use super::configuration::list;
use super::{logging, secrets};
use crate::host::ProcessHost;
use crate::observe::{KnownSecrets, Logs};

/// What following the file needs.
pub(crate) struct Parts {
    pub(crate) config: LiveConfig,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) logs: Logs,
    pub(crate) known: KnownSecrets,
    pub(crate) host: Arc<ProcessHost>,
}

/// Follows the file until the scope ends.
pub(crate) fn start(parts: Parts, tasks: &TaskScope) {
    let scope = tasks.child("reload");
    let file = parts.config.file().clone();
    let mut changes = watch_config(file, &parts.config.last_seen(), Arc::clone(&parts.clock), &scope);
    scope.start_cancellable("reload", async move {
        while let Some(snapshot) = changes.recv().await {
            parts.take(snapshot);
        }
    });
}

impl Parts {
    fn take(&self, snapshot: FileSnapshot) {
        let warnings = snapshot.warnings.clone();
        match self.config.offer(snapshot) {
            Offered::Unchanged => {}
            Offered::Off => {
                tracing::info!(subsystem = "config", "the configuration changed, and gateway.reload.mode is off: it takes effect at the next start");
            }
            Offered::Refused { issues } => {
                tracing::error!(
                    subsystem = "config",
                    "the changed configuration cannot be used; the running one stays:\n{}",
                    list(&issues)
                );
            }
            Offered::Taken(plan) => {
                for warning in warnings {
                    tracing::warn!(subsystem = "config", "{warning}");
                }
                self.follow(&plan);
            }
        }
    }

    fn follow(&self, plan: &ReloadPlan) {
        secrets::register(&self.config, &self.known);
        let settings = self.config.current().logging.clone();
        self.known.set_patterns(&settings.redact_patterns);
        let (file_level, console_level) = logging::levels(&settings);
        self.logs.set_levels(file_level, console_level);
        match plan.decision {
            Decision::Nothing => {}
            Decision::Apply => {
                tracing::info!(subsystem = "config", changed = %plan.changed.join(", "), "configuration changed");
            }
            Decision::ApplyWithoutRestart => {
                tracing::warn!(
                    subsystem = "config",
                    waiting = %plan.needs_restart.join(", "),
                    "configuration changed; these keys take effect at the next restart"
                );
            }
            Decision::Restart => {
                let reason = format!("configuration changed: {}", plan.needs_restart.join(", "));
                self.host.request_restart(RestartRequest { reason, delay: Some(std::time::Duration::ZERO) });
            }
        }
    }
}
