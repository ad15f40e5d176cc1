//! Commands that really run: in front, behind, on a terminal, ended, refused and approved.

use std::path::Path;
use std::sync::Mutex;

use openclaw_config::{Context, Locations, Overrides, ProfileChoice};
use openclaw_ports::stores::{AuditQuery, AuditRecord};
use openclaw_ports::tool::{CommandEnd, ExecChoices, FileReach, ProcessState, RunningCommand, ToolProgress};
use openclaw_ports::{Deadline, SystemClock};
use openclaw_stores::memory::{MemoryAuditLedger, MemoryGrantStore};
use openclaw_types::{
    AgentId, ChatKind, Content, RunId, Sender, SenderRank, SessionId, SessionKey, SessionScope, ToolCallId,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::approvals::{
    ApprovalDecision, ApprovalObserver, ApprovalQueueParts, ApproverReach, OpenApproval, ScopeError,
    SettledApproval,
};
use crate::policy::{GrantHolder, GrantScope, GrantWidth, GrantWords};

struct Asked(mpsc::UnboundedSender<OpenApproval>);

impl ApprovalObserver for Asked {
    fn requested(&self, question: &OpenApproval) {
        self.0.send(question.clone()).unwrap();
    }

    fn resolved(&self, _settled: &SettledApproval) {}

    fn still_runs(&self, settled: &SettledApproval, _after: Duration) {
        self.0.send(settled.question.clone()).unwrap();
    }
}

struct World {
    home: tempfile::TempDir,
    commands: Arc<Commands>,
    queue: Arc<ApprovalQueue>,
    asked: tokio::sync::Mutex<mpsc::UnboundedReceiver<OpenApproval>>,
    notices: tokio::sync::Mutex<mpsc::UnboundedReceiver<ExitNotice>>,
    grants: Arc<MemoryGrantStore>,
    audit: Arc<MemoryAuditLedger>,
    tasks: TaskScope,
    clock: Arc<SystemClock>,
    shown: Arc<Mutex<Vec<ToolProgress>>>,
}

impl World {
    fn new(config: Value) -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("work")).unwrap();
        let variables =
            [("HOME", home.path().to_str().unwrap()), ("PATH", "/usr/bin:/bin"), ("SECRET_TOKEN", "planted")];
        let environment = Environment::fake(variables, home.path());
        let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
        let context =
            Context { environment: &environment, locations: &locations, overrides: &Overrides::default() };
        let config = Arc::new(Config::resolve(serde_json::from_value(config).unwrap(), &context).0);
        let (clock, tasks) = (Arc::new(SystemClock::new()), TaskScope::root("test"));
        let (audit, grants) = (Arc::new(MemoryAuditLedger::default()), Arc::new(MemoryGrantStore::default()));
        let (ask, asked) = mpsc::unbounded_channel();
        let (notice, notices) = mpsc::unbounded_channel();
        let queue = ApprovalQueue::new(ApprovalQueueParts {
            clock: Arc::<SystemClock>::clone(&clock),
            tasks: tasks.clone(),
            audit: Arc::<MemoryAuditLedger>::clone(&audit),
            reach: Arc::new(|_| ApproverReach::Somebody),
            observer: Arc::new(Asked(ask)),
        });
        let commands = Arc::new(Commands::new(CommandParts {
            clock: Arc::<SystemClock>::clone(&clock),
            tasks: tasks.clone(),
            config: Arc::new(move || Arc::clone(&config)),
            environment,
            file: Arc::new(ApprovalsFile::new(home.path().join("exec-approvals.json"))),
            grants: Arc::<MemoryGrantStore>::clone(&grants),
            queue: Arc::clone(&queue),
            audit: Arc::<MemoryAuditLedger>::clone(&audit),
            notice: Arc::new(move |told| notice.send(told).unwrap()),
        }));
        let (asked, notices) = (tokio::sync::Mutex::new(asked), tokio::sync::Mutex::new(notices));
        Self { home, commands, queue, asked, notices, grants, audit, tasks, clock, shown: Arc::default() }
    }

    fn context(&self) -> ToolContext {
        let agent = AgentId::main();
        let shown = Arc::clone(&self.shown);
        ToolContext {
            run: RunId::new("run").unwrap(),
            call: ToolCallId::new("call").unwrap(),
            session: SessionKey::new(&agent, SessionScope::Main),
            session_id: SessionId::new("session").unwrap(),
            agent,
            workspace: self.work(),
            files: FileReach::Machine,
            keep: self.home.path().join("keep"),
            model: None,
            sees_images: false,
            sender: Sender {
                standing: SenderRank::Owner,
                channel: None,
                account: None,
                peer: None,
                name: None,
                chat: ChatKind::Direct,
                to: None,
                thread: None,
            },
            exec: ExecChoices::default(),
            progress: Arc::new(move |progress| shown.lock().unwrap().push(progress)),
            cancel: CancellationToken::new(),
        }
    }

    fn work(&self) -> PathBuf {
        self.home.path().join("work").canonicalize().unwrap()
    }

    fn scope(&self) -> ProcessScope {
        let context = self.context();
        ProcessScope { agent: context.agent, session: context.session }
    }

    async fn run(&self, request: CommandRequest) -> CommandOutcome {
        self.commands.run(&self.context(), request).await
    }

    async fn end(&self, command: &str) -> CommandEnd {
        match self.run(request(command)).await {
            CommandOutcome::Ended(end) => end,
            other => panic!("{command}: {other:?}"),
        }
    }

    async fn behind(&self, request: CommandRequest) -> String {
        let request = CommandRequest { yield_after: Some(Duration::ZERO), ..request };
        match self.run(request).await {
            CommandOutcome::Running(running) => running.id,
            other => panic!("{other:?}"),
        }
    }

    /// Polls until the output holds a text, or the command ended.
    async fn until(&self, id: &str, text: &str) -> String {
        let mut all = String::new();
        loop {
            let polled = self.commands.poll(&self.scope(), id, Duration::from_secs(20)).await.unwrap();
            all.push_str(&polled.fresh);
            if all.contains(text) || polled.state != ProcessState::Running {
                return all;
            }
        }
    }

    async fn audited(&self) -> Vec<AuditRecord> {
        self.audit.query(AuditQuery::default()).await.unwrap()
    }

    async fn stop(&self) {
        self.tasks.cancel();
        let deadline = Deadline::after(&*self.clock, Duration::from_secs(20));
        self.tasks.join(&*self.clock, deadline).await.unwrap();
    }
}

fn request(command: &str) -> CommandRequest {
    CommandRequest {
        command: command.to_owned(),
        workdir: None,
        env: BTreeMap::new(),
        yield_after: None,
        timeout: None,
        terminal: false,
        choices: ExecChoices::default(),
    }
}

/// Whether a process lives; one that ended and was not yet collected does not.
fn is_alive(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).is_ok_and(|stat| !stat.contains(") Z "))
}

async fn until_gone(pid: &str) {
    while is_alive(pid) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_fresh_installation_runs_a_command_and_gives_both_outputs_in_order() {
    let world = World::new(json!({}));
    let end = world.end("echo one; echo two >&2; pwd; exit 3").await;
    let expected = CommandEnd {
        exit_code: Some(3),
        signal: None,
        timed_out: false,
        output: format!("one\ntwo\n{}\n", world.work().display()),
        output_bytes: end.output_bytes,
        full_output: None,
        took: end.took,
        workdir: world.work(),
    };
    assert_eq!(end, expected);
    assert_eq!(
        world.end("echo $SECRET_TOKEN; cat; echo -done").await.output,
        "\n-done\n",
        "no secret, no input"
    );
}

#[tokio::test]
async fn a_command_that_takes_long_goes_behind_and_tells_its_end() {
    let world = World::new(json!({}));
    let slow = CommandRequest {
        yield_after: Some(Duration::from_millis(50)),
        ..request("echo begun; read x <go; echo over")
    };
    std::process::Command::new("mkfifo").arg(world.work().join("go")).status().unwrap();
    let CommandOutcome::Running(RunningCommand { id, pid, .. }) = world.run(slow).await else {
        panic!("it should run")
    };
    assert!(pid.is_some());
    assert_eq!(world.until(&id, "begun").await, "begun\n");
    let facts = world.commands.list(&world.scope()).await;
    assert_eq!(
        (facts.len(), facts[0].id.as_str(), &facts[0].state),
        (1, id.as_str(), &ProcessState::Running)
    );
    let stranger = ProcessScope { session: SessionKey::global(), ..world.scope() };
    assert!(world.commands.poll(&stranger, &id, Duration::ZERO).await.is_err());
    assert_eq!(world.commands.list(&stranger).await, vec![]);
    tokio::fs::write(world.work().join("go"), "x\n").await.unwrap();
    let notice = world.notices.lock().await.recv().await.unwrap();
    assert_eq!(
        (notice.id, notice.end.exit_code, notice.tail.as_str()),
        (id.clone(), Some(0), "begun\nover\n")
    );
    let log = world.commands.log(&world.scope(), &id, Some(1), Some(1)).await.unwrap();
    assert_eq!((log.text.as_str(), log.from, log.total), ("over", 1, 2));
    world.commands.clear(&world.scope(), &id).await.unwrap();
    assert_eq!(world.commands.list(&world.scope()).await, vec![]);
}

#[tokio::test]
async fn the_log_says_what_it_lacks_after_a_clear() {
    let world = World::new(json!({}));
    std::process::Command::new("mkfifo").arg(world.work().join("go")).status().unwrap();
    let long = "seq 1 40000; echo half; read x <go; seq 1 40000; echo whole; sleep 60";
    let id = world.behind(request(long)).await;
    world.until(&id, "half").await;
    let scope = world.scope();
    world.commands.clear(&scope, &id).await.unwrap();
    tokio::fs::write(world.work().join("go"), "x\n").await.unwrap();
    world.until(&id, "whole").await;
    let log = world.commands.log(&scope, &id, Some(0), None).await.unwrap();
    assert!(log.text.starts_with("1\n2\n") && !log.text.contains("half"), "{:?}", log.text.get(..40));
    assert!(log.text.contains("bytes left out"), "the middle is gone, and that is said");
    let end = world.commands.log(&scope, &id, None, Some(1)).await.unwrap();
    assert_eq!(end.text, "whole");
    world.stop().await;
}

#[tokio::test]
async fn input_is_written_and_closed() {
    let world = World::new(json!({}));
    let id = world.behind(request("read a; echo got $a; cat; echo closed")).await;
    let scope = world.scope();
    world.commands.write(&scope, &id, ProcessInput::Bytes(b"hello\n".to_vec())).await.unwrap();
    assert!(world.until(&id, "got hello").await.contains("got hello"));
    world.commands.write(&scope, &id, ProcessInput::End).await.unwrap();
    assert!(world.until(&id, "closed").await.contains("closed"));
    world.notices.lock().await.recv().await.unwrap();
    assert!(world.commands.write(&scope, &id, ProcessInput::Bytes(b"x".to_vec())).await.is_err());
}

#[tokio::test]
async fn a_terminal_has_a_size_and_takes_keys() {
    let world = World::new(json!({}));
    if pty_process::open().is_err() {
        return;
    }
    let id = world
        .behind(CommandRequest {
            terminal: true,
            ..request("test -t 0 && stty size; read a; echo \"<$a>\"; cat")
        })
        .await;
    let scope = world.scope();
    assert!(world.until(&id, "40 120").await.contains("40 120"));
    world.commands.write(&scope, &id, ProcessInput::Bytes(b"hi\r".to_vec())).await.unwrap();
    assert!(world.until(&id, "<hi>").await.contains("<hi>"));
    // Once by the terminal and once by the program, which therefore runs: now the key reaches it.
    world.commands.write(&scope, &id, ProcessInput::Bytes(b"again\r".to_vec())).await.unwrap();
    assert!(world.until(&id, "again\nagain").await.contains("again\nagain"));
    world.commands.write(&scope, &id, ProcessInput::Bytes(vec![3])).await.unwrap();
    let notice = world.notices.lock().await.recv().await.unwrap();
    assert_ne!(notice.end.exit_code, Some(0));
}

#[tokio::test]
async fn killing_ends_children_of_children_even_those_that_ignore_it_or_hide() {
    let world = World::new(json!({}));
    let hidden = "(trap '' TERM; sh -c 'echo $$ > a; exec sleep 600') & setsid sh -c 'echo $$ > b; exec sleep 600' >/dev/null 2>&1 </dev/null & while ! test -s a || ! test -s b; do :; done; echo ready; wait";
    let id = world.behind(request(hidden)).await;
    assert!(world.until(&id, "ready").await.contains("ready"));
    let pid = |name: &str| std::fs::read_to_string(world.work().join(name)).unwrap();
    let (stubborn, hiding) = (pid("a"), pid("b"));
    assert!(is_alive(&stubborn) && is_alive(&hiding));
    world.commands.kill(&world.scope(), &id).await.unwrap();
    until_gone(&stubborn).await;
    until_gone(&hiding).await;
    let facts = world.commands.list(&world.scope()).await;
    assert!(
        matches!(&facts[0].state, ProcessState::Ended(end) if end.signal.as_deref() == Some("SIGTERM")),
        "{facts:?}"
    );
}

#[tokio::test]
async fn stopping_the_run_or_dropping_the_call_ends_a_command_in_front() {
    let world = World::new(json!({}));
    let context = world.context();
    let running = world.commands.run(&context, request("echo $$ > pid; echo up; exec sleep 600"));
    let stop = async {
        while !world.work().join("pid").exists() || world.shown.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        context.cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(running, stop);
    let shown = world.shown.lock().unwrap()[0].clone();
    assert_eq!(shown.content, [Content::text("up\n")]);
    let details = shown.details.unwrap();
    assert_eq!(
        (&details["status"], &details["tail"], &details["cwd"]),
        (&json!("running"), &json!("up\n"), &json!(world.work()))
    );
    assert!(
        matches!(outcome, CommandOutcome::Ended(end) if end.signal.as_deref() == Some("SIGTERM") && end.output == "up\n")
    );
    let file = world.work().join("second");
    let dropped = world.run(request("echo $$ > second; exec sleep 600"));
    let appeared = async {
        while std::fs::read_to_string(&file).unwrap_or_default().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = dropped => panic!("it should not end"),
        () = appeared => {}
    }
    until_gone(&std::fs::read_to_string(&file).unwrap()).await;
}

#[tokio::test]
async fn a_command_whose_time_is_over_is_killed() {
    let world = World::new(json!({}));
    let outcome = world
        .run(CommandRequest { timeout: Some(Duration::from_millis(100)), ..request("echo a; sleep 600") })
        .await;
    assert!(matches!(outcome, CommandOutcome::Ended(end) if end.timed_out && end.output == "a\n"));
}

#[tokio::test]
async fn fifty_megabytes_of_output_stay_on_disk() {
    let world = World::new(json!({}));
    let end = world.end("head -c 52428800 /dev/zero | tr '\\0' x; echo; echo last").await;
    assert_eq!(end.output_bytes, 52_428_806);
    assert!(end.output.len() < 140_000 && end.output.ends_with("last\n"));
    assert_eq!(std::fs::metadata(end.full_output.unwrap()).unwrap().len(), 52_428_806);
}

#[tokio::test]
async fn endless_output_is_bounded_and_can_be_ended() {
    let world = World::new(json!({}));
    let id = world.behind(request("yes")).await;
    assert!(world.until(&id, "y").await.contains('y'));
    world.commands.remove(&world.scope(), &id).await.unwrap();
    assert_eq!(world.commands.list(&world.scope()).await, vec![]);
}

#[tokio::test]
async fn children_left_behind_live_until_the_gateway_stops() {
    let world = World::new(json!({}));
    let end = world.end("sleep 600 & echo $! > pid; echo started").await;
    assert_eq!((end.exit_code, end.output.as_str()), (Some(0), "started\n"));
    let pid = std::fs::read_to_string(world.work().join("pid")).unwrap();
    assert!(is_alive(&pid));
    let id = world.behind(request("echo $$ > behind; sleep 600")).await;
    assert!(world.commands.poll(&world.scope(), &id, Duration::ZERO).await.is_ok());
    world.stop().await;
    until_gone(&pid).await;
    assert!(matches!(world.run(request("true")).await, CommandOutcome::Failed(_)));
    assert!(world.notices.lock().await.try_recv().is_err(), "a stopping gateway tells nobody");
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let world = World::new(json!({}));
    let missing = CommandRequest { workdir: Some("nowhere".into()), ..request("true") };
    assert!(matches!(world.run(missing).await, CommandOutcome::Failed(text) if text.contains("nowhere")));
    let dangerous =
        CommandRequest { env: BTreeMap::from([("LD_PRELOAD".into(), "x".into())]), ..request("true") };
    assert!(
        matches!(world.run(dangerous).await, CommandOutcome::Refused(text) if text.contains("LD_PRELOAD"))
    );
    let node = CommandRequest {
        choices: ExecChoices { host: Some("node".into()), ..ExecChoices::default() },
        ..request("true")
    };
    assert!(matches!(world.run(node).await, CommandOutcome::Refused(text) if text.contains("host=node")));
    assert_eq!(
        world.end("-x").await.exit_code,
        Some(127),
        "a text that begins with a dash is a command, not an option"
    );
}

fn guarded() -> World {
    World::new(json!({ "tools": { "exec": { "host": "gateway" } } }))
}

async fn answer(world: &World, decision: ApprovalDecision) -> OpenApproval {
    let question = world.asked.lock().await.recv().await.unwrap();
    world.queue.resolve(&question.id, decision, "ana").await.unwrap();
    question
}

#[tokio::test]
async fn where_every_command_is_asked_about_always_means_once_and_says_so() {
    let world = World::new(json!({ "tools": { "exec": { "host": "gateway", "ask": "always" } } }));
    let hint = GrantWidth::EveryTime.hint().unwrap();
    assert!(hint.contains("this once") && hint.contains("ask is always"), "{hint}");
    for _ in 0..2 {
        let always = async {
            let question = world.asked.lock().await.recv().await.unwrap();
            let latitude = world.queue.latitude(&question.id);
            world.queue.resolve(&question.id, ApprovalDecision::AllowAlways, "ana").await.unwrap();
            latitude
        };
        let (outcome, latitude) = tokio::join!(world.run(request("id -u")), always);
        assert!(matches!(outcome, CommandOutcome::Ended(_)));
        assert_eq!(latitude, Some(GrantWidth::EveryTime));
    }
    assert_eq!(world.grants.all().await.unwrap(), vec![], "what is asked again anyway is not kept");
}

#[tokio::test]
async fn an_approval_lets_a_command_run_once_and_always_makes_a_grant() {
    let world = guarded();
    let (outcome, question) =
        tokio::join!(world.run(request("id -u")), answer(&world, ApprovalDecision::Deny));
    assert!(matches!(outcome, CommandOutcome::Refused(text) if text.contains("denied")));
    assert_eq!(
        (question.request.command.as_str(), question.request.resolved_path.as_deref()),
        ("id -u", Some("/usr/bin/id"))
    );
    let (outcome, _) = tokio::join!(world.run(request("id -u")), answer(&world, ApprovalDecision::AllowOnce));
    assert!(matches!(outcome, CommandOutcome::Ended(_)));
    assert_eq!(world.grants.all().await.unwrap(), vec![]);
    let (outcome, _) =
        tokio::join!(world.run(request("id -u")), answer(&world, ApprovalDecision::AllowAlways));
    assert!(matches!(outcome, CommandOutcome::Ended(_)));
    assert!(matches!(world.run(request("id -u")).await, CommandOutcome::Ended(_)), "not asked again");
    let grants = world.grants.all().await.unwrap();
    assert_eq!(
        (grants.len(), grants[0].granted_by.as_str(), grants[0].last_used_at.is_some()),
        (1, "ana", true)
    );
    let mut actions: Vec<String> =
        world.audited().await.into_iter().map(|record| record.entry.action).collect();
    actions.reverse();
    let expected = [
        "exec.approval.request",
        "exec.approval.resolve",
        "exec.refuse",
        "exec.approval.request",
        "exec.approval.resolve",
        "exec.run",
        "exec.approval.request",
        "exec.approval.resolve",
        "exec.grant",
        "exec.run",
        "exec.run",
    ];
    assert_eq!(actions, expected);
}

#[tokio::test]
async fn people_are_told_that_a_command_they_allowed_still_runs() {
    let own =
        |notice: u64| json!([{ "id": "main", "tools": { "exec": { "approvalRunningNoticeMs": notice } } }]);
    let world = |notice| {
        let exec = json!({ "host": "gateway" });
        World::new(json!({ "tools": { "exec": exec }, "agents": { "list": own(notice) } }))
    };
    let told = world(20);
    let behind = |command| CommandRequest { yield_after: Some(Duration::ZERO), ..request(command) };
    let (outcome, question) =
        tokio::join!(told.run(behind("sleep 60")), answer(&told, ApprovalDecision::AllowOnce));
    assert!(matches!(outcome, CommandOutcome::Running(_)), "{outcome:?}");
    assert_eq!(told.asked.lock().await.recv().await.unwrap(), question);
    told.stop().await;
    let short = world(60_000);
    let (outcome, _) = tokio::join!(short.run(request("id -u")), answer(&short, ApprovalDecision::AllowOnce));
    assert!(matches!(outcome, CommandOutcome::Ended(_)), "{outcome:?}");
    short.stop().await;
    assert!(short.asked.lock().await.try_recv().is_err(), "it is over");
}

#[tokio::test]
async fn every_refusal_is_in_the_ledger_with_its_rule() {
    let world = guarded();
    let variable = BTreeMap::from([("LD_PRELOAD".to_owned(), "x.so".to_owned())]);
    let node = ExecChoices { host: Some("node".to_owned()), ..ExecChoices::default() };
    let odd = ExecChoices { security: Some("fulll".to_owned()), ..ExecChoices::default() };
    let requests = [
        CommandRequest { env: variable, ..request("id") },
        CommandRequest { choices: node, ..request("id") },
        CommandRequest { choices: odd, ..request("id") },
    ];
    let mut told = Vec::new();
    for request in requests {
        let CommandOutcome::Refused(text) = world.run(request).await else { panic!() };
        told.push(text);
    }
    let context = world.context();
    let stopped = async {
        let question = world.asked.lock().await.recv().await.unwrap();
        context.cancel.cancel();
        question
    };
    let (outcome, question) = tokio::join!(world.commands.run(&context, request("id")), stopped);
    let CommandOutcome::Refused(text) = outcome else { panic!("{outcome:?}") };
    told.push(text);
    let late = world.queue.resolve(&question.id, ApprovalDecision::AllowAlways, "ana").await;
    assert!(late.is_err(), "nobody can answer for a run that was stopped");
    let records = world.audited().await;
    let refused = records.iter().rev().filter(|record| record.entry.action == "exec.refuse");
    let written: Vec<String> = refused
        .map(|record| format!("the command was not run: {}", record.entry.detail["why"].as_str().unwrap()))
        .collect();
    assert_eq!(written, told);
    assert!(
        told.iter().zip(["LD_PRELOAD", "node", "fulll", "stopped"]).all(|(text, part)| text.contains(part))
    );
}

#[tokio::test]
async fn variables_of_a_call_are_shown_and_a_grant_binds_them() {
    let world = guarded();
    let with = |value: &str| CommandRequest {
        env: BTreeMap::from([("LANG".to_owned(), "C".to_owned()), ("MODE".to_owned(), value.to_owned())]),
        ..request("printenv MODE")
    };
    let (outcome, question) =
        tokio::join!(world.run(with("one")), answer(&world, ApprovalDecision::AllowAlways));
    assert!(matches!(outcome, CommandOutcome::Ended(end) if end.output == "one\n"));
    assert_eq!(question.request.env_keys, Some(vec!["LANG".to_owned(), "MODE".to_owned()]));
    assert!(matches!(world.run(with("one")).await, CommandOutcome::Ended(_)), "not asked again");
    let (outcome, _) = tokio::join!(world.run(with("two")), answer(&world, ApprovalDecision::Deny));
    assert!(matches!(outcome, CommandOutcome::Refused(_)));
    let kept = serde_json::to_string(&world.grants.all().await.unwrap()).unwrap();
    assert!(kept.contains(r#""names":["MODE"]"#) && !kept.contains("one"), "{kept}");
}

#[tokio::test]
async fn a_person_says_how_far_always_reaches() {
    let world = guarded();
    let words = GrantWords::Leading(std::num::NonZeroUsize::MIN);
    let scope = GrantScope { words, holder: GrantHolder::Session, ..GrantScope::default() };
    let wide = async {
        let question = world.asked.lock().await.recv().await.unwrap();
        world.queue.allow_always(&question.id, scope, "ana").await.unwrap();
    };
    let (outcome, ()) = tokio::join!(world.run(request("printf %s a")), wide);
    assert!(matches!(outcome, CommandOutcome::Ended(_)));
    assert_eq!(world.end("printf %s b").await.output, "b", "not asked again");
    let grants = world.grants.all().await.unwrap();
    assert_eq!(grants[0].session, Some(world.context().session));
    let shell = async {
        let question = world.asked.lock().await.recv().await.unwrap();
        let refused = world.queue.allow_always(&question.id, scope, "ana").await;
        world.queue.resolve(&question.id, ApprovalDecision::Deny, "ana").await.unwrap();
        refused
    };
    let (_, refused) = tokio::join!(world.run(request("sh -c 'echo x'")), shell);
    assert_eq!(refused, Err(ScopeError::TooWide));
}

#[tokio::test]
async fn no_pager_opens_on_a_terminal() {
    let world = World::new(json!({}));
    if pty_process::open().is_err() {
        return;
    }
    let id = world
        .behind(CommandRequest {
            terminal: true,
            ..request("echo \"<$PAGER $GIT_PAGER $SYSTEMD_PAGER $MANPAGER $LESSSECURE>\"")
        })
        .await;
    assert!(world.until(&id, ">").await.contains("<cat cat cat cat 1>"));
}

#[tokio::test]
async fn a_listed_command_runs_in_the_form_that_was_checked_and_its_use_is_noted() {
    let world = guarded();
    let list =
        json!({ "version": 1, "agents": { "main": { "allowlist": ["/usr/bin/printf", "/usr/bin/cat"] } } });
    std::fs::write(world.home.path().join("exec-approvals.json"), list.to_string()).unwrap();
    assert_eq!(world.end("printf '%s|' 'a b' \"c;d\"").await.output, "a b|c;d|");
    assert_eq!(world.end("cd / && printf '%s' \"x'y\" | cat | wc -c").await.output.trim(), "3");
    let noted: Value = serde_json::from_str(
        &std::fs::read_to_string(world.home.path().join("exec-approvals.json")).unwrap(),
    )
    .unwrap();
    assert!(noted.pointer("/agents/main/allowlist/0/lastUsedAt").is_some());
}

#[tokio::test]
async fn a_listed_git_runs_no_hooks_and_does_not_follow_its_repository() {
    let world = guarded();
    let list = json!({ "version": 1, "agents": { "Main": { "allowlist": ["/usr/bin/git"] } } });
    std::fs::write(world.home.path().join("exec-approvals.json"), list.to_string()).unwrap();
    let made = std::process::Command::new("git").args(["init", "-q", "."]).current_dir(world.work()).status();
    if !made.is_ok_and(|made| made.success()) {
        return;
    }
    assert_eq!(world.end("git rev-parse --git-path hooks").await.output, "/dev/null\n");
    assert_eq!(world.end("git status --short").await.exit_code, Some(0));
    let config = world.work().join(".git/config");
    let plain = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{plain}[core]\n\tfsmonitor = touch ran; false\n")).unwrap();
    let (outcome, question) =
        tokio::join!(world.run(request("git status")), answer(&world, ApprovalDecision::AllowAlways));
    assert_eq!(question.request.command, "git status");
    assert!(matches!(outcome, CommandOutcome::Ended(_)), "a person said yes to this once");
    assert_eq!(
        world.grants.all().await.unwrap(),
        vec![],
        "nobody can say yes to what the repository says tomorrow"
    );
    let (outcome, _) = tokio::join!(world.run(request("git status")), answer(&world, ApprovalDecision::Deny));
    assert!(matches!(outcome, CommandOutcome::Refused(_)));
}

#[tokio::test]
async fn a_program_that_is_swapped_while_a_person_thinks_does_not_run() {
    let world = guarded();
    let tool = world.work().join("tool");
    let write = |path: &Path| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(path, "#!/bin/sh\necho ran > ran\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    write(&tool);
    write(&world.work().join("other"));
    let swap = async {
        let question = world.asked.lock().await.recv().await.unwrap();
        std::fs::remove_file(&tool).unwrap();
        std::os::unix::fs::symlink(world.work().join("other"), &tool).unwrap();
        world.queue.resolve(&question.id, ApprovalDecision::AllowOnce, "ana").await.unwrap();
    };
    let (outcome, ()) = tokio::join!(world.run(request("./tool")), swap);
    assert!(matches!(outcome, CommandOutcome::Refused(text) if text.contains("changed")));
    assert!(!world.work().join("ran").exists());
}

#[tokio::test]
async fn the_one_session_for_everybody_is_a_main_one_where_there_is_just_one() {
    for (scope, runs) in [("global", true), ("per-sender", false)] {
        let world = World::new(json!({
            "session": { "scope": scope },
            "agents": { "defaults": { "sandbox": { "mode": "non-main" } } },
        }));
        let mut context = world.context();
        context.session = SessionKey::global();
        let outcome = world.commands.run(&context, request("echo here")).await;
        assert_eq!(matches!(outcome, CommandOutcome::Ended(_)), runs, "{scope}: {outcome:?}");
    }
}
