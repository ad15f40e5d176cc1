//! A stage for runs: the world of models, memory stores, and a handful of tools.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_agent::{
    Agent, AgentParts, HostFacts, PromptMeasuring, PromptMode, Reasoning, ReplyKind, RunControl, RunInput,
    RunOrder, RunOutcome, RunStream, Selection,
};
use openclaw_config::Config;
use openclaw_ports::TaskScope;
use openclaw_ports::model::ToolChoice;
use openclaw_ports::stores::{Append, BranchQuery, BranchReach, Flush, SessionStore, StoredEntry};
use openclaw_ports::tool::{
    Audience, Concurrency, Effect, ExecChoices, Tool, ToolContext, ToolDescriptor, ToolGroup, ToolMessage,
    ToolOutput, ToolProgress, ToolReply,
};
use openclaw_providers::{Gate, Scripts};
use openclaw_session::Journal;
use openclaw_stores::memory::MemorySessionStore;
use openclaw_types::{
    AgentId, Content, EntryBody, EntryId, LineEntry, LineRecord, Message, RunEvent, RunId, Sender,
    SessionEntry, SessionId, SessionKey, StopReason, ToolOutcome, TranscriptLine, UnixMillis, UserMessage,
};
use serde_json::{Value, json};

use crate::world::{Setup, World, config};

pub(super) struct Stage {
    pub(super) world: World,
    pub(super) agent: Agent,
    pub(super) sessions: Arc<MemorySessionStore>,
    pub(super) tasks: TaskScope,
    /// What tools did, in the order in which they did it.
    pub(super) done: Arc<Mutex<Vec<String>>>,
    pub(super) gate: Gate,
    pub(super) home: tempfile::TempDir,
}

impl Stage {
    pub(super) async fn new(scripts: impl Into<Scripts>) -> Self {
        Self::with(json!({ "agents": { "defaults": { "model": "alpha/one" } } }), scripts).await
    }

    pub(super) async fn with(file: Value, scripts: impl Into<Scripts>) -> Self {
        Self::built(Setup::new().config(file).scripts(scripts), &[]).await
    }

    /// A stage over a world of its own, with more tools that change something.
    pub(super) async fn built(setup: Setup, more: &[&'static str]) -> Self {
        let file = setup.config.clone();
        let world = setup.build().await;
        let home = tempfile::tempdir().unwrap();
        let sessions = Arc::new(MemorySessionStore::default());
        let (done, gate) = (Arc::default(), Gate::new());
        let tasks = TaskScope::root("runs");
        let config: Arc<Config> = Arc::new(config(file));
        let store: Arc<dyn SessionStore> = sessions.clone();
        let agent = Agent::open(AgentParts {
            models: world.models.clone(),
            sessions: store.clone(),
            journal: Arc::new(Journal::new(store, world.clock.clone())),
            tools: tools(&done, &gate, more),
            settings: Arc::new(move || Arc::clone(&config)),
            surroundings: HostFacts {
                state_dir: home.path().join("state"),
                home: home.path().to_path_buf(),
                profile: None,
                host: "box".to_owned(),
                system: "linux (x64)".to_owned(),
                shell: "sh".to_owned(),
                version: "0".to_owned(),
            },
            clock: world.clock.clone(),
            tasks: tasks.clone(),
        });
        Self { world, agent, sessions, tasks, done, gate, home }
    }

    pub(super) fn order(&self, input: RunInput) -> RunOrder {
        RunOrder {
            run: RunId::new("run-1").unwrap(),
            agent: AgentId::main(),
            key: key(),
            session: session(),
            entry: None,
            input,
            model: Selection::Default,
            pin: None,
            thinking: None,
            reasoning: Reasoning::Hidden,
            prompt: PromptMode::Bare,
            extra_system: None,
            client_tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            max_output_tokens: None,
            temperature: None,
            timeout: None,
            sender: Sender::owner(),
            exec: ExecChoices::default(),
            workspace: Some(self.home.path().to_path_buf()),
            depth: 0,
            turns: None,
            report: PromptMeasuring::Wanted,
            room: None,
        }
    }

    pub(super) fn ask(&self, words: &str) -> RunOrder {
        self.order(RunInput::Messages(vec![said(words)]))
    }

    pub(super) fn start(&self, order: RunOrder) -> (RunControl, RunStream) {
        self.agent.start(order)
    }

    /// Runs to the end; gives what was told and what came of it.
    pub(super) async fn run(&self, order: RunOrder) -> Told {
        let (_control, stream) = self.start(order);
        hear(stream).await
    }

    /// The transcript, one short line for each message.
    pub(super) async fn transcript(&self) -> Vec<String> {
        self.branch().await.iter().filter_map(short).collect()
    }

    /// Waits until the transcript has so many entries. Files are read on other threads, so turns are not enough.
    pub(super) async fn until_written(&self, entries: usize) {
        while self.branch().await.len() < entries {
            tokio::task::yield_now().await;
        }
    }

    pub(super) async fn branch(&self) -> Vec<StoredEntry> {
        let query =
            BranchQuery { agent: AgentId::main(), session: session(), leaf: None, reach: BranchReach::Whole };
        self.sessions.branch(query).await.unwrap()
    }

    /// Gives the session an entry, as whoever orders runs does.
    pub(super) async fn has_entry(&self) {
        let entry = SessionEntry::new(session(), UnixMillis(0));
        self.sessions.change(&AgentId::main(), &key(), Box::new(move |_| Some(entry))).await.unwrap();
    }

    /// Gives a sub-agent's session an entry that says who started it.
    pub(super) async fn spawned(&self, child: &str, by: &str) {
        let mut entry = SessionEntry::new(SessionId::new("session-2").unwrap(), UnixMillis(0));
        entry.facts.spawned_by = Some(by.to_owned());
        let key: SessionKey = child.parse().unwrap();
        self.sessions.change(&AgentId::main(), &key, Box::new(move |_| Some(entry))).await.unwrap();
    }

    /// Puts messages into the transcript as a run wrote them that was cut off.
    pub(super) async fn wrote(&self, run: &str, messages: Vec<Message>) {
        let mut parent: Option<EntryId> = self.sessions.leaf(&AgentId::main(), &session()).await.unwrap();
        let mut lines = Vec::new();
        for (place, message) in messages.into_iter().enumerate() {
            let id = EntryId::new(format!("{run}-{place}")).unwrap();
            let body = EntryBody::from(message);
            let entry = LineEntry { id: Some(id.clone()), parent: parent.replace(id), at: None, body };
            lines.push(TranscriptLine::new(LineRecord::Entry(Box::new(entry))));
        }
        let run = Some(RunId::new(run).unwrap());
        self.sessions
            .append(Append {
                agent: AgentId::main(),
                session: session(),
                run,
                begins: None,
                flush: Flush::Now,
                lines,
            })
            .await
            .unwrap();
    }

    pub(super) fn done(&self) -> Vec<String> {
        self.done.lock().unwrap().clone()
    }
}

pub(super) fn key() -> SessionKey {
    "agent:main:main".parse().unwrap()
}

pub(super) fn session() -> SessionId {
    SessionId::new("session-1").unwrap()
}

/// A message of a person; its words are its key.
pub(super) fn said(words: &str) -> UserMessage {
    UserMessage {
        content: vec![Content::text(words)],
        idempotency_key: Some(words.to_owned()),
        ..UserMessage::default()
    }
}

/// What was told of a run.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) events: Vec<RunEvent>,
    pub(super) outcome: RunOutcome,
}

pub(super) async fn hear(mut stream: RunStream) -> Told {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event);
    }
    Told { events, outcome: stream.outcome().await }
}

impl Told {
    /// What is said to people, notices and thoughts marked.
    pub(super) fn replies(&self) -> Vec<String> {
        let word = |kind| match kind {
            ReplyKind::Answer => "",
            ReplyKind::Reasoning => "thought: ",
            ReplyKind::Notice => "notice: ",
        };
        self.outcome.replies.iter().map(|reply| format!("{}{}", word(reply.kind), reply.text)).collect()
    }

    /// What was told since a message last began.
    pub(super) fn last_words(&self) -> String {
        let mut last = String::new();
        for event in &self.events {
            match event {
                RunEvent::MessageStarted => last.clear(),
                RunEvent::Words { delta } => last.push_str(delta),
                _ => {}
            }
        }
        last
    }

    /// The events in a word each; words of one message together.
    pub(super) fn story(&self) -> Vec<String> {
        let mut story: Vec<String> = Vec::new();
        for event in &self.events {
            let word = match event {
                RunEvent::Started { .. } => "started".to_owned(),
                RunEvent::Took { key } => format!("took {key}"),
                RunEvent::ModelAsked => continue,
                RunEvent::MessageStarted => "message".to_owned(),
                RunEvent::MessageVoided => "void".to_owned(),
                RunEvent::Words { delta } => match story.last_mut() {
                    Some(last) if last.starts_with("words ") => {
                        last.push_str(delta);
                        continue;
                    }
                    _ => format!("words {delta}"),
                },
                RunEvent::Thoughts { delta } => match story.last_mut() {
                    Some(last) if last.starts_with("thoughts ") => {
                        last.push_str(delta);
                        continue;
                    }
                    _ => format!("thoughts {delta}"),
                },
                RunEvent::MessageEnded => "whole".to_owned(),
                RunEvent::ToolStarted { name, .. } => format!("{name} begins"),
                RunEvent::ToolProgressed { name, .. } => format!("{name} shows"),
                RunEvent::ToolEnded { name, outcome, .. } => match outcome {
                    ToolOutcome::Done => format!("{name} done"),
                    ToolOutcome::Failed => format!("{name} failed"),
                },
                RunEvent::CompactionStarted => "compacting".to_owned(),
                RunEvent::CompactionEnded { then } => format!("compacted {then:?}"),
                RunEvent::ModelSwitched(switch) => format!("switched to {}", switch.active),
                RunEvent::ModelRestored(switch) => format!("back to {}", switch.active),
                RunEvent::Ended(end) => format!("ended {}", how(&end.how)),
            };
            story.push(word);
        }
        story
    }
}

fn how(ending: &openclaw_types::RunEnding) -> String {
    match ending {
        openclaw_types::RunEnding::Answered => "answered".to_owned(),
        openclaw_types::RunEnding::Aborted(cause) => format!("aborted {}", cause.as_str()),
        openclaw_types::RunEnding::Failed { message } => format!("failed: {message}"),
    }
}

fn short(stored: &StoredEntry) -> Option<String> {
    let LineRecord::Entry(entry) = &stored.line.record else { return None };
    let message = match &entry.body {
        EntryBody::Message(message) => message,
        EntryBody::CustomMessage(note) => return Some(format!("note {}", note.kind)),
        EntryBody::Compaction(_) => return Some("compaction".to_owned()),
        _ => return None,
    };
    Some(match &**message {
        Message::User(_) => format!("user: {}", message.plain_text()),
        Message::Assistant(answer) => {
            let calls: Vec<_> = answer.tool_calls().map(|call| call.name.as_str()).collect();
            let mut line = format!("assistant: {}", message.plain_text());
            if !calls.is_empty() {
                line = format!("{line}[{}]", calls.join(" "));
            }
            match &answer.stop {
                Some(StopReason::Aborted) => format!("{line} (aborted)"),
                Some(StopReason::Error) => format!("{line} (error)"),
                _ => line,
            }
        }
        Message::ToolResult(result) => format!("{}: {}", result.tool, message.plain_text()),
        other => format!("{other:?}"),
    })
}

/// `look` tells what it was asked, `side` as well but beside others, `change` changes something, `held` waits at the
/// stage's gate and changes something, `peek` waits there and only looks, `long` gives much, `broken` is a fault of
/// ours, `panics` panics, `grumpy` refuses, `tell` says something to people, `owned` is for the owner alone. Beside
/// them, `reach` tells which files it may touch.
fn tools(done: &Arc<Mutex<Vec<String>>>, gate: &Gate, more: &[&'static str]) -> Vec<Arc<dyn Tool>> {
    let make = |name: &'static str, concurrency, effect| -> Arc<dyn Tool> {
        let audience = if name == "owned" { Audience::Owner } else { Audience::Everybody };
        Arc::new(Prop {
            descriptor: ToolDescriptor {
                name,
                label: name,
                summary: name,
                description: name.into(),
                parameters: json!({
                    "type": "object",
                    "properties": { "what": { "type": "string" } },
                    "required": ["what"],
                })
                .into(),
                group: ToolGroup::Files,
                concurrency,
                effect,
                audience,
            },
            done: Arc::clone(done),
            gate: gate.clone(),
        })
    };
    let (parallel, exclusive) = (Concurrency::Parallel, Concurrency::Exclusive);
    let usual = [
        make("look", exclusive, Effect::Looks),
        make("side", parallel, Effect::Looks),
        make("change", exclusive, Effect::Changes),
        make("held", exclusive, Effect::Changes),
        make("peek", parallel, Effect::Looks),
        make("long", exclusive, Effect::Looks),
        make("broken", exclusive, Effect::Looks),
        make("panics", exclusive, Effect::Looks),
        make("grumpy", exclusive, Effect::Looks),
        make("tell", exclusive, Effect::Reaches),
        make("owned", exclusive, Effect::Changes),
    ];
    usual.into_iter().chain(more.iter().map(|name| make(name, exclusive, Effect::Changes))).collect()
}

struct Prop {
    descriptor: ToolDescriptor,
    done: Arc<Mutex<Vec<String>>>,
    gate: Gate,
}

#[async_trait]
impl Tool for Prop {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        let what = arguments.get("what").and_then(Value::as_str).unwrap_or("nothing").to_owned();
        let name = self.descriptor.name;
        match name {
            "held" | "peek" => {
                let details = Some(json!({ "status": "running" }));
                (context.progress)(ToolProgress { content: vec![Content::text("waiting")], details });
                self.gate.pass().await;
            }
            "broken" => return ToolReply::Fault("a wheel came off".to_owned()),
            "panics" => panic!("a test wants it so"),
            "grumpy" => return ToolReply::Refused("grumpy never does anything".to_owned()),
            "reach" => return ToolOutput::done(format!("{:?}", context.files)).into(),
            "long" => return ToolOutput::done("0123456789".repeat(20_000)).into(),
            _ => {}
        }
        self.done.lock().unwrap().push(format!("{name} {what}"));
        let mut output = ToolOutput::done(format!("{name} did {what}")).with_meta(what.clone());
        if name == "tell" {
            output.said.push(ToolMessage {
                to: "ana".to_owned(),
                thread: None,
                text: what,
                media: Vec::new(),
            });
        }
        if name == "peek" {
            output.details = Some(json!({ "status": "completed", "text": "é".repeat(8_001) }));
        }
        output.into()
    }
}

/// Lets everything that can run do so.
pub(super) async fn settle(stage: &Stage) {
    stage.world.clock.advance(Duration::ZERO).await;
}
