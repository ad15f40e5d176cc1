//! The file in all its forms, and the queue with steered time.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use openclaw_config::sections::{ExecAsk, ExecSecurity};
use openclaw_ports::stores::{AuditLedger, AuditQuery};
use openclaw_ports::{Clock, TaskScope};
use openclaw_stores::memory::MemoryAuditLedger;
use openclaw_testkit::SimClock;
use openclaw_types::{AgentId, UnixMillis};
use serde_json::{Value, json};

use super::document::words;
use super::*;
use crate::policy::{GrantFolder, GrantHolder, GrantScope, GrantWidth};

fn place() -> (tempfile::TempDir, ApprovalsFile) {
    let folder = tempfile::tempdir().unwrap();
    let file = ApprovalsFile::new(folder.path().join("state/exec-approvals.json"));
    (folder, file)
}

fn agent(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

#[tokio::test]
async fn a_missing_file_says_nothing_and_is_shown_empty() {
    let (_folder, file) = place();
    let snapshot = file.snapshot().await.unwrap();
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let shown = json!({ "version": 1, "socket": {}, "defaults": {}, "agents": {} });
    assert_eq!((snapshot.exists, snapshot.hash.as_str(), snapshot.file), (false, empty, shown));
    assert_eq!(words(&file.rules(&agent("main")).await), (None, None, ExecSecurity::Deny, vec![]));
}

#[tokio::test]
async fn replacing_needs_the_hash_keeps_the_secret_and_everything_unknown() {
    let (folder, file) = place();
    let first =
        json!({ "version": 1, "note": "mine", "socket": { "path": "/s", "token": "planted" }, "agents": {} });
    file.replace(first, &BaseHash::Unknown).await.unwrap();
    let path = folder.path().join("state/exec-approvals.json");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let shown = file.snapshot().await.unwrap();
    assert_eq!(shown.file.pointer("/socket"), Some(&json!({ "path": "/s" })));
    let next = json!({ "version": 1, "note": "mine", "defaults": { "security": "allowlist" } });
    let refused = file.replace(next.clone(), &BaseHash::Unknown).await;
    assert!(matches!(refused, Err(ApprovalsError::HashNeeded)));
    let refused = file.replace(next.clone(), &BaseHash::Read("old".into())).await;
    assert!(matches!(refused, Err(ApprovalsError::Changed)));
    let refused = file.replace(json!({ "version": 2 }), &BaseHash::Read(shown.hash.clone())).await;
    assert!(matches!(refused, Err(ApprovalsError::Invalid)));
    let replaced = file.replace(next, &BaseHash::Read(shown.hash)).await.unwrap();
    assert_eq!(replaced, file.snapshot().await.unwrap());
    let stored: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(stored.pointer("/socket/token"), Some(&json!("planted")));
    assert_eq!(stored.pointer("/note"), Some(&json!("mine")));
}

#[tokio::test]
async fn old_forms_are_read_and_the_agent_comes_before_all_before_the_defaults() {
    let (_folder, file) = place();
    let content = json!({
        "version": 1,
        "defaults": { "security": "full", "ask": "always", "askFallback": "full" },
        "agents": {
            "default": { "security": "deny", "allowlist": ["/bin/a", " ", { "pattern": "/bin/b" }] },
            "main": { "security": "allowlist", "allowlist": ["/BIN/B", 7, { "pattern": "/bin/c", "id": "keep" }] },
            "*": { "ask": "off", "allowlist": [{ "pattern": "/bin/all" }, " /bin/all "] }
         }
    });
    file.replace(content, &BaseHash::Unknown).await.unwrap();
    let main = words(&file.rules(&agent("main")).await);
    let patterns = ["/bin/all", "/BIN/B", "/bin/c", "/bin/a", "/bin/b"].map(str::to_owned).to_vec();
    assert_eq!(main, (Some(ExecSecurity::Allowlist), Some(ExecAsk::Off), ExecSecurity::Full, patterns));
    let other = words(&file.rules(&agent("other")).await);
    assert_eq!(
        other,
        (Some(ExecSecurity::Full), Some(ExecAsk::Off), ExecSecurity::Full, vec!["/bin/all".to_owned()])
    );
    let shown = file.snapshot().await.unwrap().file;
    assert_eq!(shown.pointer("/agents/main/allowlist/1/id"), Some(&json!("keep")));
    assert!(shown.pointer("/agents/main/allowlist/0/id").is_some_and(Value::is_string));
    assert_eq!(shown.pointer("/agents/default"), None);
}

#[tokio::test]
async fn agents_are_named_as_everywhere_whatever_the_spelling() {
    let (_folder, file) = place();
    let content = json!({
        "version": 1,
        "agents": {
            "Ops Team": { "security": "deny", "allowlist": ["/bin/a"] },
            "ops-team": { "security": "allowlist", "allowlist": ["/bin/b"] },
            "MAIN": { "ask": "always", "allowlist": ["/bin/c"] },
            "main": null,
            "*": { "allowlist": ["/bin/all"] },
        }
    });
    file.replace(content, &BaseHash::Unknown).await.unwrap();
    let rules = words(&file.rules(&agent("ops-team")).await);
    let patterns = ["/bin/all", "/bin/b", "/bin/a"].map(str::to_owned).to_vec();
    assert_eq!(rules, (Some(ExecSecurity::Allowlist), None, ExecSecurity::Deny, patterns));
    let rules = words(&file.rules(&agent("Main")).await);
    let patterns = ["/bin/all", "/bin/c"].map(str::to_owned).to_vec();
    assert_eq!(rules, (None, Some(ExecAsk::Always), ExecSecurity::Deny, patterns));
    let shown = file.snapshot().await.unwrap().file;
    let mut names: Vec<&String> = shown["agents"].as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["*", "main", "ops-team"]);
}

#[tokio::test]
async fn a_word_that_is_not_understood_is_the_strictest_there_is() {
    use ExecSecurity::{Allowlist, Deny, Full};
    let none = json!({});
    let rows = [
        (none.clone(), json!({ "security": "Deny" }), (Some(Deny), None, Deny)),
        (
            none.clone(),
            json!({ "security": " ALLOWLIST ", "ask": "On-Miss" }),
            (Some(Allowlist), Some(ExecAsk::OnMiss), Deny),
        ),
        (
            none.clone(),
            json!({ "security": "whatever", "ask": "sometimes" }),
            (Some(Deny), Some(ExecAsk::Always), Deny),
        ),
        (none.clone(), json!({ "security": false, "ask": 7 }), (Some(Deny), Some(ExecAsk::Always), Deny)),
        (none.clone(), json!({ "security": null, "ask": " " }), (None, None, Deny)),
        (json!({ "security": "deny" }), json!({ "security": null }), (Some(Deny), None, Deny)),
        (json!({ "security": "allowlist" }), json!({ "security": "fulll" }), (Some(Deny), None, Deny)),
        (json!({ "askFallback": "full" }), json!({ "askFallback": "ful" }), (None, None, Deny)),
        (json!({ "askFallback": "Full" }), none, (None, None, Full)),
    ];
    for (defaults, main, expected) in rows {
        let (_folder, file) = place();
        let content = json!({ "version": 1, "defaults": defaults, "agents": { "main": main } });
        file.replace(content.clone(), &BaseHash::Unknown).await.unwrap();
        let (security, ask, fallback, _) = words(&file.rules(&agent("main")).await);
        assert_eq!((security, ask, fallback), expected, "{content}");
    }
    for odd in [
        json!({ "defaults": "deny" }),
        json!({ "agents": ["main"] }),
        json!({ "agents": { "main": "deny" } }),
    ] {
        let (folder, file) = place();
        std::fs::create_dir(folder.path().join("state")).unwrap();
        let mut content = odd.clone();
        content["version"] = json!(1);
        std::fs::write(folder.path().join("state/exec-approvals.json"), content.to_string()).unwrap();
        assert_eq!(words(&file.rules(&agent("main")).await).0, Some(Deny), "{odd}");
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_understood_closes_the_door_and_is_not_overwritten() {
    let (folder, file) = place();
    let path = folder.path().join("state/exec-approvals.json");
    std::fs::create_dir(folder.path().join("state")).unwrap();
    std::fs::write(&path, "{ broken").unwrap();
    assert_eq!(words(&file.rules(&agent("main")).await).0, Some(ExecSecurity::Deny));
    let usage = EntryUse { pattern: "/a".into(), command: "a".into(), resolved: None, at: UnixMillis(1) };
    file.note_uses(&agent("main"), &[usage]).await;
    assert_eq!(std::fs::read_to_string(path).unwrap(), "{ broken");
}

#[tokio::test]
async fn uses_are_noted_at_the_entry() {
    let (_folder, file) = place();
    let content =
        json!({ "version": 1, "agents": { "main": { "allowlist": [{ "id": "1", "pattern": "/bin/ls" }] } } });
    file.replace(content, &BaseHash::Unknown).await.unwrap();
    let usage = EntryUse {
        pattern: "/bin/ls".into(),
        command: "ls -l".into(),
        resolved: Some("/bin/ls".into()),
        at: UnixMillis(9),
    };
    file.note_uses(&agent("main"), &[usage]).await;
    let expected = json!({
        "id": "1", "pattern": "/bin/ls", "lastUsedAt": 9, "lastUsedCommand": "ls -l", "lastResolvedPath": "/bin/ls"
    });
    assert_eq!(file.snapshot().await.unwrap().file.pointer("/agents/main/allowlist/0"), Some(&expected));
}

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl ApprovalObserver for Heard {
    fn requested(&self, question: &OpenApproval) {
        self.0.lock().unwrap().push(format!("requested {}", question.id));
    }

    fn resolved(&self, settled: &SettledApproval) {
        self.0.lock().unwrap().push(format!("resolved {} {:?}", settled.question.id, settled.decision));
    }

    fn still_runs(&self, settled: &SettledApproval, after: Duration) {
        self.0.lock().unwrap().push(format!("{} still runs after {after:?}", settled.question.id));
    }
}

struct Office {
    clock: Arc<SimClock>,
    queue: Arc<ApprovalQueue>,
    heard: Arc<Heard>,
    audit: Arc<MemoryAuditLedger>,
}

fn office(reach: ApproverReach) -> Office {
    let (clock, heard) = (Arc::new(SimClock::new()), Arc::new(Heard::default()));
    let audit = Arc::new(MemoryAuditLedger::default());
    let queue = ApprovalQueue::new(ApprovalQueueParts {
        clock: Arc::<SimClock>::clone(&clock),
        tasks: TaskScope::root("test"),
        audit: Arc::<MemoryAuditLedger>::clone(&audit),
        reach: Arc::new(move |_| reach),
        observer: Arc::<Heard>::clone(&heard),
    });
    Office { clock, queue, heard, audit }
}

fn question(id: &str) -> ApprovalQuestion {
    let request = ApprovalRequest { command: "ls".into(), ..ApprovalRequest::default() };
    ApprovalQuestion { id: Some(id.into()), request, timeout: None }
}

#[tokio::test]
async fn the_first_answer_wins_and_is_heard_late_for_fifteen_seconds() {
    let office = office(ApproverReach::Somebody);
    let asked = office.queue.ask(question("one")).await.unwrap();
    assert_eq!(asked.expires_at_ms, asked.created_at_ms.plus(Duration::from_secs(120)));
    assert_eq!(office.queue.ask(question("one")).await, Err(ApprovalError::Taken));
    assert_eq!(office.queue.open(), vec![asked]);
    office.clock.until_asleep(1).await;
    office.queue.resolve("one", ApprovalDecision::AllowOnce, "ana").await.unwrap();
    assert_eq!(office.queue.resolve("one", ApprovalDecision::Deny, "bob").await, Err(ApprovalError::Unknown));
    let settled = office.queue.wait("one").await.unwrap();
    assert_eq!((settled.decision, settled.by.as_deref()), (Some(ApprovalDecision::AllowOnce), Some("ana")));
    assert_eq!(office.queue.open(), vec![]);
    office.clock.until_asleep(1).await;
    office.clock.advance(Duration::from_secs(14)).await;
    assert!(office.queue.wait("one").await.is_ok());
    office.clock.advance(Duration::from_secs(2)).await;
    while office.queue.get("one").is_some() {
        tokio::task::yield_now().await;
    }
    assert_eq!(office.queue.wait("one").await, Err(ApprovalError::Unknown));
    assert_eq!(*office.heard.0.lock().unwrap(), ["requested one", "resolved one Some(AllowOnce)"]);
    assert_eq!(
        ledger(&office).await,
        ["gateway exec.approval.request one", "ana exec.approval.resolve one allow-once"]
    );
}

/// Who did what about which question, oldest first.
async fn ledger(office: &Office) -> Vec<String> {
    let records = office.audit.query(AuditQuery::default()).await.unwrap();
    let line = |record: &openclaw_ports::stores::AuditRecord| {
        let entry = &record.entry;
        assert!(!entry.detail.to_string().contains("\"ls\""), "the text of a command is not written down");
        let said = ["decision", "scope", "why"].map(|key| entry.detail[key].as_str().unwrap_or_default());
        let subject = entry.subject.clone().unwrap_or_default();
        let line = format!("{} {} {subject} {}", entry.actor, entry.action, said.join(" "));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    records.iter().rev().map(line).collect()
}

#[tokio::test]
async fn the_ledger_has_every_question_with_what_came_of_it() {
    let office = office(ApproverReach::Somebody);
    for id in ["once", "always", "scoped", "denied", "late", "open"] {
        let request = ApprovalRequest { agent_id: Some("main".into()), ..question(id).request };
        office.queue.ask_about(ApprovalQuestion { request, ..question(id) }, GrantWidth::Wide).await.unwrap();
    }
    office.clock.until_asleep(6).await;
    office.queue.resolve("once", ApprovalDecision::AllowOnce, "ana").await.unwrap();
    office.queue.resolve("always", ApprovalDecision::AllowAlways, "ana").await.unwrap();
    let scope = GrantScope::read("args anywhere session for 2h").unwrap();
    office.queue.allow_always("scoped", scope, "ana").await.unwrap();
    office.queue.resolve("denied", ApprovalDecision::Deny, "bob").await.unwrap();
    office.queue.resolve("late", ApprovalDecision::AllowOnce, "bob").await.unwrap();
    office.queue.recall("late").await.unwrap();
    office.clock.until_asleep(6).await;
    office.clock.advance(Duration::from_secs(121)).await;
    assert_eq!(office.queue.wait("open").await.unwrap().decision, None);
    while ledger(&office).await.len() < 13 {
        tokio::task::yield_now().await;
    }
    let mut written = ledger(&office).await;
    let asked: Vec<String> = written.drain(..6).collect();
    assert_eq!(asked[0], "agent:main exec.approval.request once");
    assert!(asked.iter().all(|line| line.contains("exec.approval.request")), "{asked:?}");
    written.sort();
    let always = "exactly these arguments, in this folder and below, in every session of the agent, until it is taken back";
    let mut expected = vec![
        "ana exec.approval.resolve once allow-once".to_owned(),
        format!("ana exec.approval.resolve always allow-always {always}"),
        "ana exec.approval.resolve scoped allow-always any arguments, in any folder, in this session only, for 2h"
            .to_owned(),
        "bob exec.approval.resolve denied deny".to_owned(),
        "bob exec.approval.resolve late allow-once".to_owned(),
        "gateway exec.approval.grace late allow-once".to_owned(),
        "gateway exec.approval.expire open nobody answered in time".to_owned(),
    ];
    expected.sort();
    assert_eq!(written, expected);
}

#[tokio::test]
async fn a_question_is_found_by_the_beginning_of_its_id_when_no_other_begins_so() {
    let office = office(ApproverReach::Somebody);
    for id in ["abcd-1", "abcd-2", "abcd"] {
        office.queue.ask(question(id)).await.unwrap();
    }
    let found = |text: &str| office.queue.find(text).map(|question| question.id);
    assert_eq!(found("abcd"), Some("abcd".to_owned()));
    assert_eq!(found("abcd-"), None);
    assert_eq!(found("abcd-2"), Some("abcd-2".to_owned()));
    office.queue.resolve("abcd-1", ApprovalDecision::Deny, "ana").await.unwrap();
    assert_eq!(found("abcd-"), Some("abcd-2".to_owned()));
    assert_eq!(found("abc"), None);
}

#[tokio::test]
async fn always_takes_a_scope_that_the_command_lets_it_have() {
    let office = office(ApproverReach::Somebody);
    let anywhere = GrantScope { folder: GrantFolder::Anywhere, ..GrantScope::default() };
    let session = GrantScope { holder: GrantHolder::Session, ..GrantScope::default() };
    let over = GrantScope { lasts: Some(Duration::ZERO), ..GrantScope::default() };
    office.queue.ask_about(question("one"), GrantWidth::Exact).await.unwrap();
    assert_eq!(office.queue.allow_always("one", anywhere, "ana").await, Err(ScopeError::TooWide));
    assert_eq!(office.queue.allow_always("one", over, "ana").await, Err(ScopeError::Over));
    assert_eq!(office.queue.open().len(), 1, "still open");
    let settled = office.queue.allow_always("one", session, "ana").await.unwrap();
    assert_eq!((settled.decision, settled.scope), (Some(ApprovalDecision::AllowAlways), Some(session)));
    let again = office.queue.allow_always("one", session, "bob").await;
    assert_eq!(again, Err(ScopeError::Desk(ApprovalError::Unknown)));
    office.queue.ask(question("other")).await.unwrap();
    assert_eq!(office.queue.allow_always("other", session, "ana").await, Err(ScopeError::TooWide));
    office.queue.allow_always("other", GrantScope::default(), "ana").await.unwrap();
}

#[tokio::test]
async fn a_question_runs_out_after_two_minutes() {
    let office = office(ApproverReach::Somebody);
    office.queue.ask(question("one")).await.unwrap();
    office.clock.until_asleep(1).await;
    office.clock.advance(Duration::from_secs(121)).await;
    let settled = office.queue.wait("one").await.unwrap();
    assert_eq!((settled.decision, settled.by), (None, None));
    assert_eq!(settled.lapse, Some(Lapse::RanOut));
    assert!(office.clock.now() >= settled.question.expires_at_ms);
    assert_eq!(
        office.queue.resolve("one", ApprovalDecision::AllowOnce, "ana").await,
        Err(ApprovalError::Unknown)
    );
    assert_eq!(*office.heard.0.lock().unwrap(), ["requested one", "resolved one None"]);
}

#[tokio::test]
async fn a_question_is_withdrawn_when_nobody_waits_for_its_answer() {
    let office = office(ApproverReach::Somebody);
    for id in ["one", "two"] {
        office.queue.ask(question(id)).await.unwrap();
    }
    drop(office.queue.withdrawal("one"));
    let late = office.queue.resolve("one", ApprovalDecision::AllowAlways, "ana").await;
    assert_eq!(late, Err(ApprovalError::Unknown));
    assert_eq!(office.queue.wait("one").await.unwrap().lapse, Some(Lapse::Withdrawn));
    let held = office.queue.withdrawal("two");
    office.queue.resolve("two", ApprovalDecision::Deny, "ana").await.unwrap();
    drop(held);
    let heard = ["requested one", "requested two", "resolved one None", "resolved two Some(Deny)"];
    assert_eq!(*office.heard.0.lock().unwrap(), heard);
    while ledger(&office).await.len() < 4 {
        tokio::task::yield_now().await;
    }
    let why = "gateway exec.approval.expire one whoever asked does not wait any more".to_owned();
    assert!(ledger(&office).await.contains(&why));
}

#[tokio::test]
async fn when_nobody_can_be_asked_the_question_ends_at_once() {
    let office = office(ApproverReach::Nobody);
    office.queue.ask(question("one")).await.unwrap();
    assert_eq!(office.queue.wait("one").await.unwrap().decision, None);
    assert_eq!(*office.heard.0.lock().unwrap(), Vec::<String>::new());
    assert_eq!(
        ledger(&office).await,
        ["gateway exec.approval.request one", "gateway exec.approval.expire one nobody could be asked"]
    );
}

#[test]
fn requests_have_the_shape_that_clients_know() {
    let shown = serde_json::to_value(question("one").request).unwrap();
    let expected = json!({
        "command": "ls", "systemRunBindingV1": null, "systemRunPlanV2": null, "cwd": null, "nodeId": null, "host": null,
        "security": null, "ask": null, "agentId": null, "resolvedPath": null, "sessionKey": null,
        "turnSourceChannel": null, "turnSourceTo": null, "turnSourceAccountId": null, "turnSourceThreadId": null
    });
    assert_eq!(shown, expected);
}
