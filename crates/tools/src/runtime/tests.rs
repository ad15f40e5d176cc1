//! Arguments to requests, outcomes to words, and keys to bytes. The host here only writes down what it is asked.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::Clock;
use openclaw_ports::tool::{
    CommandEnd, CommandHost, CommandOutcome, CommandRequest, ExecChoices, FileReach, NoSuchProcess,
    OutputSlice, ProcessFacts, ProcessInput, ProcessPoll, ProcessScope, ProcessState, RunningCommand, Tool,
    ToolContext, ToolReply,
};
use openclaw_testkit::SimClock;
use openclaw_types::{Content, ToolOutcome, UnixMillis};
use serde_json::{Value, json};

use super::keys::{hex_byte, key, paste};
use super::tools;
use crate::testing::World;

/// Writes down what it is asked and answers as it was told.
struct Desk {
    outcome: CommandOutcome,
    requests: Mutex<Vec<CommandRequest>>,
    written: Mutex<Vec<ProcessInput>>,
}

#[async_trait]
impl CommandHost for Desk {
    async fn run(&self, _context: &ToolContext, request: CommandRequest) -> CommandOutcome {
        self.requests.lock().unwrap().push(request);
        self.outcome.clone()
    }

    async fn list(&self, _scope: &ProcessScope) -> Vec<ProcessFacts> {
        vec![ProcessFacts {
            id: "calm-river".into(),
            command: "sleep  60".into(),
            workdir: "/work".into(),
            pid: Some(7),
            started_at: UnixMillis(0),
            state: ProcessState::Ended(end(Some(0))),
            output_bytes: 3,
            tail: "out".into(),
            terminal: false,
        }]
    }

    async fn poll(
        &self,
        _scope: &ProcessScope,
        _id: &str,
        wait: Duration,
    ) -> Result<ProcessPoll, NoSuchProcess> {
        Ok(ProcessPoll { fresh: format!("waited {wait:?}\n"), state: ProcessState::Running })
    }

    async fn log(
        &self,
        _scope: &ProcessScope,
        _id: &str,
        offset: Option<usize>,
        limit: Option<usize>,
    ) -> Result<OutputSlice, NoSuchProcess> {
        let text = format!("{offset:?} {limit:?}");
        Ok(OutputSlice { text, from: 0, total: 500, state: ProcessState::Running })
    }

    async fn write(
        &self,
        _scope: &ProcessScope,
        _id: &str,
        input: ProcessInput,
    ) -> Result<(), NoSuchProcess> {
        self.written.lock().unwrap().push(input);
        Ok(())
    }

    async fn kill(&self, _scope: &ProcessScope, id: &str) -> Result<(), NoSuchProcess> {
        Err(NoSuchProcess(format!("no {id}")))
    }

    async fn remove(&self, _scope: &ProcessScope, _id: &str) -> Result<(), NoSuchProcess> {
        Ok(())
    }

    async fn clear(&self, _scope: &ProcessScope, _id: &str) -> Result<(), NoSuchProcess> {
        Ok(())
    }
}

fn end(exit_code: Option<i32>) -> CommandEnd {
    CommandEnd {
        exit_code,
        signal: None,
        timed_out: false,
        output: "out\n".into(),
        output_bytes: 4,
        full_output: None,
        took: Duration::from_millis(1500),
        workdir: PathBuf::from("/work"),
    }
}

fn desk(outcome: CommandOutcome) -> (Arc<Desk>, Vec<Arc<dyn Tool>>) {
    let desk = Arc::new(Desk { outcome, requests: Mutex::default(), written: Mutex::default() });
    let host: Arc<dyn CommandHost> = Arc::<Desk>::clone(&desk);
    let clock: Arc<dyn Clock> = Arc::new(SimClock::new());
    (desk, tools(&host, &clock))
}

async fn call(tool: &Arc<dyn Tool>, arguments: Value) -> (ToolOutcome, String, Value) {
    let world = World::new();
    match tool.call(&world.context(FileReach::Machine), arguments).await {
        ToolReply::Output(output) => {
            let Some(Content::Text(text)) = output.content.first() else { panic!("text is expected") };
            (output.outcome, text.text.clone(), output.details.unwrap_or_default())
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn arguments_become_a_request() {
    let (desk, tools) = desk(CommandOutcome::Ended(end(Some(0))));
    let arguments = json!({
        "command": "make", "workdir": "sub", "env": { "A": "1", "B": 2 }, "yieldMs": 1, "timeout": "1.5", "pty": true,
        "elevated": true, "host": "gateway", "security": "allowlist", "ask": "always", "node": "n"
    });
    call(&tools[0], arguments).await;
    call(&tools[0], json!({ "command": "true", "background": true, "yieldMs": 500 })).await;
    let word = |text: &str| Some(text.to_owned());
    let first = CommandRequest {
        command: "make".into(),
        workdir: Some("sub".into()),
        env: BTreeMap::from([("A".into(), "1".into()), ("B".into(), "2".into())]),
        yield_after: Some(Duration::from_millis(10)),
        timeout: Some(Duration::from_millis(1500)),
        terminal: true,
        choices: ExecChoices {
            host: word("gateway"),
            security: word("allowlist"),
            ask: word("always"),
            node: word("n"),
            elevated: word("on"),
        },
    };
    let second = CommandRequest {
        command: "true".into(),
        workdir: None,
        env: BTreeMap::new(),
        yield_after: Some(Duration::ZERO),
        timeout: None,
        terminal: false,
        choices: ExecChoices::default(),
    };
    assert_eq!(*desk.requests.lock().unwrap(), [first, second]);
}

#[tokio::test]
async fn variables_written_as_text_are_read_and_other_forms_are_an_error() {
    let (desk, tools) = desk(CommandOutcome::Ended(end(Some(0))));
    for env in [json!("{\"A\": \"1\"}"), json!({ "A": 1 })] {
        call(&tools[0], json!({ "command": "x", "env": env })).await;
    }
    call(&tools[0], json!("{\"command\": \"x\", \"env\": {\"A\": \"1\"}}")).await;
    for env in [json!("A=1"), json!(["A=1"]), json!({ "A": [] })] {
        let (outcome, text, _) = call(&tools[0], json!({ "command": "x", "env": env })).await;
        assert!(outcome == ToolOutcome::Failed && text.contains("`env`"), "{env}: {text}");
    }
    let seen: Vec<_> = desk.requests.lock().unwrap().iter().map(|request| request.env.clone()).collect();
    assert_eq!(seen, vec![BTreeMap::from([("A".to_owned(), "1".to_owned())]); 3]);
}

#[tokio::test]
async fn outcomes_are_told_in_words_and_in_details() {
    let told = async |outcome| call(&desk(outcome).1[0], json!({ "command": "x" })).await;
    let (outcome, text, details) = told(CommandOutcome::Ended(end(Some(2)))).await;
    assert_eq!((outcome, text.as_str()), (ToolOutcome::Done, "out\n\n(Exit code 2.)"));
    let expected = json!({
        "status": "completed", "exitCode": 2, "exitSignal": null, "durationMs": 1500, "aggregated": "out\n", "cwd": "/work"
    });
    assert_eq!(details, expected);
    let missing = told(CommandOutcome::Ended(end(Some(127)))).await;
    assert_eq!((missing.0, missing.2["status"].clone()), (ToolOutcome::Failed, json!("failed")));
    let late = CommandEnd { timed_out: true, exit_code: None, ..end(None) };
    assert!(told(CommandOutcome::Ended(late)).await.1.contains("longer than 1 seconds"));
    let cut = CommandEnd { full_output: Some("/keep/x.log".into()), ..end(Some(0)) };
    assert!(told(CommandOutcome::Ended(cut)).await.1.contains("/keep/x.log"));
    let running = CommandOutcome::Running(RunningCommand {
        id: "calm-river".into(),
        pid: Some(7),
        started_at: UnixMillis(9),
        workdir: "/elsewhere".into(),
        tail: "tail".into(),
    });
    let (_, text, details) = told(running).await;
    assert!(text.contains("calm-river") && text.ends_with("tail"));
    let expected = json!({
        "status": "running", "sessionId": "calm-river", "pid": 7, "startedAt": 9, "cwd": "/elsewhere", "tail": "tail"
    });
    assert_eq!(details, expected);
    let world = World::new();
    let refused = desk(CommandOutcome::Refused("rule".into())).1;
    let reply = refused[0].call(&world.context(FileReach::Machine), json!({ "command": "x" })).await;
    assert_eq!(reply, ToolReply::Refused("rule".into()));
}

#[tokio::test]
async fn background_commands_are_listed_polled_and_written_to() {
    let (desk, tools) = desk(CommandOutcome::Failed(String::new()));
    let process = &tools[1];
    let (_, text, details) = call(process, json!({ "action": "list" })).await;
    assert_eq!(text, "calm-river completed 1s :: sleep 60");
    assert_eq!(details["sessions"][0]["exitCode"], json!(0));
    let act = async |more: Value| {
        let mut arguments = json!({ "sessionId": "calm-river" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call(process, arguments).await
    };
    let polled = act(json!({ "action": "poll", "timeout": 999_999 })).await;
    assert_eq!(polled.1, "waited 120s\n\nThe command is still running.");
    assert!(act(json!({ "action": "log" })).await.1.starts_with("None Some(200)\n\n[the last 200 of 500"));
    assert_eq!(act(json!({ "action": "log", "offset": 5 })).await.1, "Some(5) None");
    act(json!({ "action": "write", "data": "a", "eof": true })).await;
    act(json!({ "action": "send-keys", "keys": ["C-c", "Enter"], "hex": ["0x1b", "zz"], "literal": "l" }))
        .await;
    act(json!({ "action": "submit" })).await;
    act(json!({ "action": "paste", "text": "x\ny", "bracketed": false })).await;
    let bytes = |bytes: &[u8]| ProcessInput::Bytes(bytes.to_vec());
    let expected = [bytes(b"a"), ProcessInput::End, bytes(b"l\x1b\x03\r"), bytes(b"\r"), bytes(b"x\ny")];
    assert_eq!(*desk.written.lock().unwrap(), expected);
    assert_eq!(act(json!({ "action": "kill" })).await.0, ToolOutcome::Failed);
    assert_eq!(act(json!({ "action": "remove" })).await.0, ToolOutcome::Done);
    assert!(act(json!({ "action": "dance" })).await.1.contains("is no action"));
    assert!(call(process, json!({ "action": "poll" })).await.1.contains("sessionId"));
}

#[test]
fn keys_have_the_bytes_that_terminals_send() {
    let rows: [(&str, &[u8]); 18] = [
        ("Enter", b"\r"),
        ("esc", b"\x1b"),
        ("BSpace", b"\x7f"),
        ("Up", b"\x1b[A"),
        ("C-Up", b"\x1b[1;5A"),
        ("S-Left", b"\x1b[1;2D"),
        ("Delete", b"\x1b[3~"),
        ("M-Delete", b"\x1b[3;3~"),
        ("F5", b"\x1b[15~"),
        ("M-Enter", b"\x1b\r"),
        ("C-c", b"\x03"),
        ("^C", b"\x03"),
        ("^?", b"\x7f"),
        ("M-x", b"\x1bx"),
        ("C-M-a", b"\x1b\x01"),
        ("S-a", b"A"),
        ("S-Tab", b"\x1b[Z"),
        ("text", b"text"),
    ];
    for (name, bytes) in rows {
        assert_eq!(key(name), (bytes.to_vec(), None), "{name}");
    }
    assert!(key("C-nothing").1.is_some());
    assert_eq!(
        (hex_byte("1b"), hex_byte("0xFF"), hex_byte("f"), hex_byte("100"), hex_byte("")),
        (Some(27), Some(255), Some(15), None, None)
    );
    assert_eq!(paste("a\u{1b}[201~b", true), b"\x1b[200~ab\x1b[201~", "a text cannot end its own paste");
}
