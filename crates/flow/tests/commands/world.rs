//! A flow with everything that commands need, on memory stores: vendors `alpha` (models `one` and `two`) and `beta`
//! (model `one`), a key for `alpha` alone, simulated time.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_config::Environment;
use openclaw_exec::{
    ApprovalObserver, ApprovalQueue, ApprovalQueueParts, ApprovalsFile, ApproverReach, CommandParts,
    Commands, OpenApproval, SettledApproval,
};
use openclaw_flow::{Author, CommandHandles, Flow, FlowEvent, Observer, Rank, Submission};
use openclaw_ports::model::{ModelFacts, Prices};
use openclaw_ports::stores::{SessionStore, UsageLedger};
use openclaw_ports::tool::{ControlFault, ControlRequest, GatewayControl};
use openclaw_ports::{Clock, TaskScope};
use openclaw_providers::{Script, ScriptedLine, Scripts};
use openclaw_stores::memory::{
    MemoryAuditLedger, MemoryGrantStore, MemoryInbox, MemoryOutbox, MemorySenderStore, MemorySessionStore,
    MemorySubagentStore, MemoryUsageLedger,
};
use openclaw_testkit::SimClock;
use openclaw_types::{AgentId, RunId, SessionEntry, SessionFacts, SessionKey, ThinkingLevel};
use serde_json::{Value, json};

pub(crate) use crate::heart::MAIN;
use crate::heart::{
    self, HeartParts, OneKey, Settings, channel_accounts, heart, messages, session_key, settings, short,
    vendor,
};

const MOMENT: Duration = Duration::from_millis(20);

pub(crate) struct World {
    pub(crate) flow: Flow,
    pub(crate) clock: Arc<SimClock>,
    pub(crate) approvals: Arc<ApprovalQueue>,
    pub(crate) control: Arc<Control>,
    pub(crate) home: tempfile::TempDir,
    store: Arc<MemorySessionStore>,
    told: Arc<Told>,
    count: Mutex<u32>,
}

/// A place to ask from, with usual rights of the owner in the web chat.
pub(crate) fn owner() -> Author {
    Author { standing: Rank::Owner, may_approve: true, ..Author::default() }
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(json!({})).await
    }

    pub(crate) async fn with(file: Value) -> Self {
        Self::talking(file, Scripts::new().otherwise(Script::new().say("fine"))).await
    }

    pub(crate) async fn talking(mut file: Value, scripts: Scripts) -> Self {
        let home = tempfile::tempdir().unwrap();
        if file["agents"]["defaults"]["model"].is_null() {
            file["agents"]["defaults"]["model"] = json!("alpha/one");
        }
        file["agents"]["defaults"]["workspace"] = json!(home.path().join("workspace"));
        let settings = settings(file);
        let sim = Arc::new(SimClock::new());
        let clock: Arc<dyn Clock> = sim.clone();
        let tasks = TaskScope::root("world");
        let ledger: Arc<dyn UsageLedger> = Arc::new(MemoryUsageLedger::default());
        let store = Arc::new(MemorySessionStore::default());
        let approvals = desk(&clock, &tasks);
        let control = Arc::new(Control::default());
        let key = OneKey("alpha:work");
        let handles = CommandHandles {
            approvals: Some(approvals.clone()),
            shell: Some(Arc::new(shell(home.path(), &settings, &clock, &tasks, &approvals))),
            control: Some(control.clone()),
            ledger: Some(ledger.clone()),
            credentials: Some(Arc::new(key)),
            web: None,
            files: None,
        };
        let channels = channel_accounts(Vec::new(), &clock, &tasks, home.path());
        let flow = heart(HeartParts {
            settings: &settings,
            home: home.path(),
            clock: clock.clone(),
            tasks,
            store: store.clone(),
            inbox: Arc::new(MemoryInbox::new(clock.clone())),
            subagents: Arc::new(MemorySubagentStore::default()),
            ledger,
            vendors: vec![
                vendor("alpha", vec![model("one"), model("two")]),
                vendor("beta", vec![model("one")]),
            ],
            unlisted: |catalog, asked| catalog.provider(asked.provider()).map(|_| model(asked.model())),
            key,
            line: Arc::new(ScriptedLine::new(scripts, clock)),
            tools: Vec::new(),
            handles,
            channels,
            outbox: Arc::new(MemoryOutbox::default()),
            senders: Arc::new(MemorySenderStore::default()),
        })
        .await;
        let told = Arc::new(Told::default());
        flow.attach(told.clone());
        Self { flow, clock: sim, approvals, control, home, store, told, count: Mutex::default() }
    }

    pub(crate) fn submission(&self, text: &str, from: Author) -> Submission {
        let mut count = self.count.lock().unwrap();
        *count += 1;
        heart::submission((MAIN, &format!("run-{count}")), text, from, self.clock.now())
    }

    /// What the owner hears when they write this; nothing for silence.
    pub(crate) async fn say(&self, text: &str) -> Option<String> {
        self.say_as(text, owner()).await
    }

    pub(crate) async fn say_as(&self, text: &str, from: Author) -> Option<String> {
        let submission = self.submission(text, from);
        let run = submission.run.clone();
        self.flow.submit(submission).await.unwrap();
        self.over(&run).await;
        self.told.said(&run)
    }

    /// Takes a submission and does not wait.
    pub(crate) async fn begin(&self, text: &str) -> RunId {
        let submission = self.submission(text, owner());
        let run = submission.run.clone();
        self.flow.submit(submission).await.unwrap();
        run
    }

    /// Waits until a submission is dealt with. Files and programs live on other threads, so time must go on.
    pub(crate) async fn over(&self, run: &RunId) {
        let ended = self.flow.outcome(run);
        tokio::pin!(ended);
        loop {
            tokio::select! {
                _ = &mut ended => return,
                () = self.clock.advance(MOMENT) => {}
            }
        }
    }

    /// What the owner hears; panics when it is silence.
    pub(crate) async fn answer(&self, text: &str) -> String {
        self.say(text).await.unwrap_or_else(|| panic!("no answer to {text}"))
    }

    pub(crate) async fn entry(&self) -> SessionEntry {
        Arc::unwrap_or_clone(self.store.entry(&AgentId::main(), &key()).await.unwrap().unwrap())
    }

    pub(crate) async fn facts(&self) -> SessionFacts {
        self.entry().await.facts
    }

    /// The messages of the session, one short line for each.
    pub(crate) async fn transcript(&self) -> Vec<String> {
        messages(&heart::branch(&*self.store, MAIN).await).map(short).collect()
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        self.flow.notes(&key())
    }
}

pub(crate) fn key() -> SessionKey {
    session_key(MAIN)
}

/// What was answered without a run.
#[derive(Default)]
struct Told(Mutex<Vec<(RunId, Option<String>)>>);

impl Told {
    fn said(&self, run: &RunId) -> Option<String> {
        let told = self.0.lock().unwrap();
        told.iter().find(|(of, _)| of == run).and_then(|(_, text)| text.clone())
    }
}

impl Observer for Told {
    fn notice(&self, notice: &FlowEvent) {
        if let FlowEvent::Answered { run, text, .. } = notice {
            self.0.lock().unwrap().push((run.clone(), text.clone()));
        }
    }
}

/// A gateway that notes what it is asked and answers with a small configuration.
#[derive(Default)]
pub(crate) struct Control {
    asked: Mutex<Vec<ControlRequest>>,
}

impl Control {
    pub(crate) fn asked(&self) -> Vec<ControlRequest> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

#[async_trait]
impl GatewayControl for Control {
    async fn act(&self, request: ControlRequest) -> Result<Value, ControlFault> {
        let answer = match &request {
            ControlRequest::ConfigUnset { path } if path == "nothing.here" => {
                Err(ControlFault("nothing is set at nothing.here".to_owned()))
            }
            ControlRequest::OverridesGet => Ok(json!({ "messages.queue.cap": 3 })),
            _ => Ok(
                json!({ "ok": true, "config": { "gateway": { "port": 18789 }, "ui": { "seamColor": "red" } } }),
            ),
        };
        self.asked.lock().unwrap().push(request);
        answer
    }
}

struct Silent;

impl ApprovalObserver for Silent {
    fn requested(&self, _: &OpenApproval) {}
    fn resolved(&self, _: &SettledApproval) {}
    fn still_runs(&self, _: &SettledApproval, _: std::time::Duration) {}
}

fn desk(clock: &Arc<dyn Clock>, tasks: &TaskScope) -> Arc<ApprovalQueue> {
    ApprovalQueue::new(ApprovalQueueParts {
        clock: clock.clone(),
        tasks: tasks.child("approvals"),
        audit: Arc::new(MemoryAuditLedger::default()),
        reach: Arc::new(|_| ApproverReach::Somebody),
        observer: Arc::new(Silent),
    })
}

fn shell(
    home: &std::path::Path,
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    tasks: &TaskScope,
    desk: &Arc<ApprovalQueue>,
) -> Commands {
    Commands::new(CommandParts {
        clock: clock.clone(),
        tasks: tasks.child("commands"),
        config: settings.clone(),
        environment: Environment::fake([("PATH", "/usr/bin:/bin")], "/home/ana"),
        file: Arc::new(ApprovalsFile::new(home.join("exec-approvals.json"))),
        grants: Arc::new(MemoryGrantStore::default()),
        queue: desk.clone(),
        audit: Arc::new(MemoryAuditLedger::default()),
        notice: Arc::new(|_| {}),
    })
}

/// A model with a price; only `two` thinks as hard as can be.
fn model(id: &str) -> ModelFacts {
    let mut thinking = vec![ThinkingLevel::Low, ThinkingLevel::High];
    if id == "two" {
        thinking.push(ThinkingLevel::XHigh);
    }
    let prices = Some(Prices { input: 10.0, output: 10.0, cache_read: 0.0, cache_write: 0.0 });
    ModelFacts { thinking, prices, ..heart::model(id, 100_000) }
}
