//! The commands that run, and those in the background that ended a while ago.
//!
//! Bounded: so many run at once, so many ended ones are remembered, the oldest forgotten first. Each belongs to one
//! session of one agent and is invisible to every other.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_config::ExitNotices;
use openclaw_ports::tool::{
    CommandEnd, NoSuchProcess, OutputSlice, ProcessFacts, ProcessInput, ProcessPoll, ProcessScope,
    RunningCommand,
};
use openclaw_ports::{Clock, Deadline, TaskScope};

use super::leash::Leash;
use super::names;
use super::output::{LineRange, Spill};
use super::signal::Family;
use super::start::{Launch, Setting, Wiring, start};
use super::task::{EndedIn, Process, ProcessParts};
use super::watch::{Watch, Watched};

const MOST_RUNNING: usize = 200;
const MOST_REMEMBERED: usize = 100;

/// A background command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitNotice {
    /// Whose it was.
    pub scope: ProcessScope,
    /// Its name.
    pub id: String,
    /// The command line.
    pub command: String,
    /// How it ended.
    pub end: CommandEnd,
    /// The end of its output.
    pub tail: String,
}

/// A command to start.
pub(crate) struct ProcessOrder {
    pub(crate) scope: ProcessScope,
    pub(crate) command: String,
    pub(crate) launch: Launch,
    pub(crate) workdir: PathBuf,
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) terminal: bool,
    pub(crate) open_input: bool,
    pub(crate) timeout: Option<Duration>,
    /// The folder for long output.
    pub(crate) keep: PathBuf,
    pub(crate) remember: Duration,
    pub(crate) notices: ExitNotices,
    pub(crate) progress: Arc<dyn Fn(RunningCommand) + Send + Sync>,
}

/// The commands of a gateway.
pub(crate) struct ProcessTable {
    clock: Arc<dyn Clock>,
    tasks: TaskScope,
    notice: Arc<dyn Fn(ExitNotice) + Send + Sync>,
    leash: Arc<Leash>,
    processes: Mutex<HashMap<String, Kept>>,
    /// Groups whose command ended while children of it live on.
    strays: Mutex<Vec<Family>>,
}

struct Kept {
    process: Arc<Process>,
    remember: Duration,
}

impl ProcessTable {
    pub(crate) fn new(
        clock: Arc<dyn Clock>,
        tasks: TaskScope,
        notice: Arc<dyn Fn(ExitNotice) + Send + Sync>,
    ) -> Arc<Self> {
        let table = Arc::new(Self {
            clock,
            tasks,
            notice,
            leash: Arc::default(),
            processes: Mutex::default(),
            strays: Mutex::default(),
        });
        let sweeping = Arc::clone(&table);
        table.tasks.start("strays", async move {
            sweeping.tasks.cancelled().await;
            let strays = std::mem::take(&mut *sweeping.strays());
            for family in strays.iter().filter(|family| family.is_alive()) {
                family.kill().await;
            }
        });
        table
    }

    /// Starts a command in the foreground. The text of the error says what to do.
    pub(crate) async fn start(self: &Arc<Self>, order: ProcessOrder) -> Result<Arc<Process>, String> {
        self.tidy();
        if self.tasks.is_cancelled() {
            return Err("the gateway is stopping; no new commands are started".to_owned());
        }
        if self.running() >= MOST_RUNNING {
            return Err(format!(
                "{MOST_RUNNING} commands are running already; end some with the process tool first"
            ));
        }
        let wiring = match (order.terminal, order.open_input) {
            (true, _) => Wiring::Terminal,
            (false, true) => Wiring::OpenInput,
            (false, false) => Wiring::NoInput,
        };
        let setting =
            Setting { launch: &order.launch, workdir: &order.workdir, variables: &order.variables, wiring };
        let mut started = start(&setting)?;
        let id = names::fresh(|name| self.processes().contains_key(name));
        let process = Arc::new(Process::new(ProcessParts {
            id: id.clone(),
            scope: order.scope,
            command: order.command,
            workdir: order.workdir,
            pid: started.child.id(),
            started_at: self.clock.now(),
            terminal: order.terminal,
            input: started.input.take(),
        }));
        let watch = Watch {
            process: Arc::clone(&process),
            clock: Arc::clone(&self.clock),
            tasks: self.tasks.clone(),
            timeout: order.timeout,
            spill: Spill::new(order.keep.join(format!("exec-{id}-{}.log", self.clock.now().0))),
            progress: order.progress,
        };
        self.processes().insert(id, Kept { process: Arc::clone(&process), remember: order.remember });
        let (table, notices, following) = (Arc::clone(self), order.notices, Arc::clone(&process));
        self.tasks.start("command", async move {
            let group = started.family.group();
            table.leash.hold(group).await;
            let watched = watch.run(started).await;
            table.ended(&following, watched, notices).await;
        });
        Ok(process)
    }

    async fn ended(&self, process: &Arc<Process>, watched: Watched, notices: ExitNotices) {
        let Watched { end, family, reader } = watched;
        if family.is_alive() {
            self.strays().push(family);
            if let Some(mut reader) = reader {
                // Children that live on would be ended by writing to a pipe that nobody reads.
                self.tasks.start_cancellable("drain", async move {
                    if let Err(error) = tokio::io::copy(&mut reader, &mut tokio::io::sink()).await {
                        tracing::debug!(%error, "output of children that live on ended");
                    }
                });
            }
        } else {
            self.leash.release(family.group()).await;
        }
        *process.input.lock().await = None;
        let tail = process.tail();
        let ended_in = process.finish(end.clone(), self.clock.now());
        let failed = end.exit_code != Some(0);
        let told = match notices {
            ExitNotices::Never => false,
            ExitNotices::WhenTelling => failed || !tail.trim().is_empty(),
            ExitNotices::Always => true,
        };
        if ended_in == EndedIn::Background && told && !self.tasks.is_cancelled() {
            let (scope, id, command) = (process.scope.clone(), process.id.clone(), process.command.clone());
            (self.notice)(ExitNotice { scope, id, command, end, tail });
        }
    }

    /// The background commands of a session, newest first.
    pub(crate) fn list(&self, scope: &ProcessScope) -> Vec<ProcessFacts> {
        self.tidy();
        let mut found: Vec<Arc<Process>> = self
            .processes()
            .values()
            .map(|kept| &kept.process)
            .filter(|process| process.scope == *scope && !process.is_in_front())
            .cloned()
            .collect();
        found.sort_by(|a, b| (b.started_at, &b.id).cmp(&(a.started_at, &a.id)));
        found.iter().map(|process| process.facts()).collect()
    }

    pub(crate) async fn poll(
        &self,
        scope: &ProcessScope,
        id: &str,
        wait: Duration,
    ) -> Result<ProcessPoll, NoSuchProcess> {
        let process = self.find(scope, id)?;
        if !wait.is_zero() {
            let deadline = Deadline::after(&*self.clock, wait);
            // Time that runs out without news is an answer too.
            if deadline.bound(&*self.clock, process.something_new()).await.is_err() {
                tracing::trace!(id, "no news of a command");
            }
        }
        let state = process.state();
        let fresh = process.output().fresh();
        Ok(ProcessPoll { fresh, state })
    }

    pub(crate) async fn log(
        &self,
        scope: &ProcessScope,
        id: &str,
        lines: LineRange,
    ) -> Result<OutputSlice, NoSuchProcess> {
        self.find(scope, id)?.lines(lines).await
    }

    pub(crate) async fn write(
        &self,
        scope: &ProcessScope,
        id: &str,
        input: ProcessInput,
    ) -> Result<(), NoSuchProcess> {
        self.find(scope, id)?.write(&*self.clock, input).await
    }

    pub(crate) async fn kill(&self, scope: &ProcessScope, id: &str) -> Result<(), NoSuchProcess> {
        let process = self.find(scope, id)?;
        process.stop();
        process.ended().await;
        Ok(())
    }

    pub(crate) async fn remove(&self, scope: &ProcessScope, id: &str) -> Result<(), NoSuchProcess> {
        let process = self.find(scope, id)?;
        process.forget();
        process.stop();
        process.ended().await;
        self.forget(id);
        Ok(())
    }

    pub(crate) fn clear(&self, scope: &ProcessScope, id: &str) -> Result<(), NoSuchProcess> {
        let process = self.find(scope, id)?;
        if process.has_ended() {
            self.forget(id);
        } else {
            process.output().clear();
        }
        Ok(())
    }

    /// Forgets a command that was only in the foreground.
    pub(crate) fn forget(&self, id: &str) {
        self.processes().remove(id);
    }

    fn find(&self, scope: &ProcessScope, id: &str) -> Result<Arc<Process>, NoSuchProcess> {
        self.tidy();
        let processes = self.processes();
        let found = processes.get(id.trim()).map(|kept| &kept.process);
        let found = found.filter(|process| process.scope == *scope && !process.is_in_front());
        found.cloned().ok_or_else(|| {
            NoSuchProcess(format!(
                "there is no background command '{id}' in this session; list shows those there are"
            ))
        })
    }

    fn running(&self) -> usize {
        self.processes().values().filter(|kept| !kept.process.has_ended()).count()
    }

    /// Forgets what ended long ago, and the oldest of too many.
    fn tidy(&self) {
        let now = self.clock.now();
        let mut processes = self.processes();
        processes.retain(|_, kept| kept.process.ended_at().is_none_or(|at| now.since(at) < kept.remember));
        let mut ended: Vec<_> =
            processes.iter().filter_map(|(id, kept)| Some((kept.process.ended_at()?, id.clone()))).collect();
        ended.sort();
        let over = ended.len().saturating_sub(MOST_REMEMBERED);
        for (_, id) in ended.into_iter().take(over) {
            processes.remove(&id);
        }
        let (alive, gone): (Vec<_>, Vec<_>) =
            std::mem::take(&mut *self.strays()).into_iter().partition(Family::is_alive);
        self.strays().extend(alive);
        for family in gone {
            let leash = Arc::clone(&self.leash);
            self.tasks.start_cancellable("release", async move { leash.release(family.group()).await });
        }
    }

    fn processes(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn strays(&self) -> MutexGuard<'_, Vec<Family>> {
        self.strays.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
