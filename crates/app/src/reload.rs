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
    /// Held by whoever reads a changed file, so that an older state never follows a newer one.
    pub(crate) reading: tokio::sync::Mutex<()>,
}

impl Reload {
    /// Follows the file until the scope ends.
    pub(crate) fn follow_file(self: &Arc<Self>, clock: &Arc<dyn Clock>, tasks: &TaskScope) {
        let scope = tasks.child("reload");
        let file = self.config.file().clone();
        let mut changes = watch_config(file, &self.config.last_seen(), Arc::clone(clock), &scope);
        let reload = Arc::clone(self);
        scope.start_cancellable("reload", async move {
            // The file may have changed again since, and a request may have taken that over: it is read anew.
            while changes.recv().await.is_some() {
                let _one = reload.reading.lock().await;
                let reading = Arc::clone(&reload);
                if let Err(error) = tokio::task::spawn_blocking(move || reading.read_again()).await {
                    tracing::error!(subsystem = "config", %error, "the changed configuration could not be read");
                }
            }
        });
    }

    /// Reads the file now. Blocks.
    pub(crate) fn read_again(&self) -> Offered {
        self.take(self.config.file().read())
    }

    /// Reads the file when it changed since it was last looked at. One that is not good, empty or gone may be half written:
    /// the watcher looks at it when things are quiet.
    pub(crate) async fn reload_if_changed(self: &Arc<Self>) {
        let _one = self.reading.lock().await;
        let reload = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || {
            if !reload.config.file_changed() {
                return;
            }
            let snapshot = reload.config.file().read();
            let is_empty = snapshot.text.as_deref().is_none_or(|text| text.trim().is_empty());
            if snapshot.valid && !is_empty {
                reload.take(snapshot);
            } else {
                reload.config.pass_over(&snapshot);
            }
        });
        if let Err(error) = done.await {
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
