//! Follows the configuration while the gateway runs: when its file changes, and when somebody asks to read it again.
//!
//! A good change takes effect, by a restart where its plan says so; a broken one is told with its place, and the
//! running configuration stays.

use std::sync::Arc;

use openclaw_config::{Decision, FileSnapshot, LiveConfig, Offered, ReloadPlan, watch_config};
use openclaw_gateway::RestartRequest;
use openclaw_ports::{Clock, TaskScope};

use crate::observe::{KnownSecrets, Logs};
use crate::restart::RestartLine;
use crate::stages::configuration::list;
use crate::stages::{logging, secrets};

/// Takes changes of the configuration over into the running gateway.
pub(crate) struct Reload {
    pub(crate) config: LiveConfig,
    pub(crate) logs: Logs,
    pub(crate) known: KnownSecrets,
    pub(crate) restarts: Arc<RestartLine>,
    /// Held by whoever reads a changed file for requests that wait for it.
    pub(crate) catching_up: tokio::sync::Mutex<()>,
}

impl Reload {
    /// Follows the file until the scope ends.
    pub(crate) fn follow_file(self: &Arc<Self>, clock: &Arc<dyn Clock>, tasks: &TaskScope) {
        let scope = tasks.child("reload");
        let file = self.config.file().clone();
        let mut changes = watch_config(file, &self.config.last_seen(), Arc::clone(clock), &scope);
        let reload = Arc::clone(self);
        scope.start_cancellable("reload", async move {
            while let Some(snapshot) = changes.recv().await {
                reload.take(snapshot);
            }
        });
    }

    /// Reads the file now. Blocks.
    pub(crate) fn read_again(&self) -> Offered {
        self.take(self.config.file().read())
    }

    /// Reads the file when it changed since it was last read. One that is not good, or not there, may be half written: the
    /// watcher looks at it when things are quiet.
    pub(crate) async fn catch_up(self: &Arc<Self>) {
        let _one = self.catching_up.lock().await;
        let reload = Arc::clone(self);
        let caught_up = tokio::task::spawn_blocking(move || {
            if !reload.config.is_behind() {
                return;
            }
            let snapshot = reload.config.file().read();
            if snapshot.exists && snapshot.valid {
                reload.take(snapshot);
            }
        });
        if let Err(error) = caught_up.await {
            tracing::error!(subsystem = "config", %error, "the changed configuration could not be read");
        }
    }

    /// How many warnings about secrets the file gave when it was last read.
    pub(crate) fn secret_warnings(&self) -> u64 {
        self.config.last_seen().warnings.iter().filter(|warning| warning.is_about_secret()).count() as u64
    }

    fn take(&self, snapshot: FileSnapshot) -> Offered {
        let warnings = snapshot.warnings.clone();
        let offered = self.config.offer(snapshot);
        match &offered {
            Offered::Unchanged => {}
            Offered::Off => {
                tracing::info!(
                    subsystem = "config",
                    "the configuration changed; with gateway.reload.mode off it takes effect at the next start"
                );
            }
            Offered::Refused { issues } => {
                tracing::error!(
                    subsystem = "config",
                    "the changed configuration cannot be used; the running one stays:\n{}",
                    list(issues)
                );
            }
            Offered::Taken(plan) => {
                for warning in warnings {
                    tracing::warn!(subsystem = "config", "{warning}");
                }
                self.follow(plan);
            }
        }
        offered
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
                let reason = format!("configuration changed: {}", plan.changed.join(", "));
                self.restarts.request(RestartRequest { reason, delay: Some(std::time::Duration::ZERO) });
            }
        }
    }
}
