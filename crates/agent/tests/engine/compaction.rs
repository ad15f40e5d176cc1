//! Whole compactions: what is asked of the model, what is written, and that nothing is lost when no model answers.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use openclaw_agent::{
    CompactionCause, CompactionDone, CompactionHandles, CompactionResult, CompactionWork, Selection,
    SummaryBy, compact,
};
use openclaw_config::CompactionSettings;
use openclaw_ports::model::FaultReason;
use openclaw_ports::stores::{BranchQuery, BranchReach, Flush, SessionStore};
use openclaw_providers::{Gate, Script, Scripts};
use openclaw_session::{Journal, Writing, project};
use openclaw_stores::memory::MemorySessionStore;
use openclaw_types::{
    AfterCompaction, AgentId, AssistantMessage, Compaction, Content, EntryBody, LineRecord, Message,
    RunEvent, RunId, SessionEntry, SessionId, SessionKey, ToolCall, ToolCallId, ToolOutcome,
    ToolResultMessage, UnixMillis, UserMessage,
};
use serde_json::{Value, json};

use crate::world::{Setup, World};

/// A session over a memory store, and models to sum it up.
struct Desk {
    world: World,
    sessions: Arc<MemorySessionStore>,
    journal: Journal,
    told: Mutex<Vec<RunEvent>>,
}

impl Desk {
    async fn new(scripts: Scripts, talk: Vec<Message>) -> Self {
        let world = Setup::new().scripts(scripts).build().await;
        let sessions = Arc::new(MemorySessionStore::default());
        let journal = Journal::new(sessions.clone(), world.clock.clone());
        let desk = Self { world, sessions, journal, told: Mutex::default() };
        let entry = SessionEntry::new(session(), UnixMillis(0));
        desk.sessions.change(&keeper(), &key(), Box::new(move |_| Some(entry))).await.unwrap();
        desk.say(talk).await;
        desk
    }

    async fn say(&self, talk: Vec<Message>) {
        let bodies = talk.into_iter().map(EntryBody::from).collect();
        let writing = Writing {
            agent: AgentId::main(),
            session: session(),
            run: None,
            begins: None,
            flush: Flush::Now,
            bodies,
        };
        self.journal.append(writing).await.unwrap();
    }

    async fn compact(
        &self,
        section: Value,
        cause: CompactionCause,
        instructions: Option<&str>,
    ) -> CompactionResult {
        let file = json!({ "agents": { "defaults": { "compaction": section } } });
        let settings = CompactionSettings::of(&serde_json::from_value(file).unwrap());
        let tell = |event: RunEvent| self.told.lock().unwrap().push(event);
        let desk = CompactionHandles {
            models: &self.world.models,
            journal: &self.journal,
            sessions: self.sessions.as_ref(),
        };
        let work = CompactionWork {
            agent: AgentId::main(),
            keeper: keeper(),
            key: key(),
            session: session(),
            run: RunId::new("run-1").unwrap(),
            selection: Selection::Default,
            pin: None,
            window: 16_000,
            settings: &settings,
            instructions: instructions.map(str::to_owned),
            cause,
            counted: None,
            then: AfterCompaction::GoOn,
            tell: &tell,
        };
        compact(desk, work).await.unwrap()
    }

    async fn branch(&self, reach: BranchReach) -> Vec<openclaw_ports::stores::StoredEntry> {
        let query = BranchQuery { agent: AgentId::main(), session: session(), leaf: None, reach };
        self.sessions.branch(query).await.unwrap()
    }

    /// What a model sees now, as text.
    async fn seen(&self) -> Vec<String> {
        let branch = self.branch(BranchReach::SinceCompaction).await;
        project(&branch).into_iter().map(|one| first_word(&one.message)).collect()
    }

    /// The compactions of the transcript, oldest first.
    async fn compactions(&self) -> Vec<Compaction> {
        let bodies = self.branch(BranchReach::Whole).await.into_iter().filter_map(|stored| {
            match &stored.line.record {
                LineRecord::Entry(entry) => Some(entry.body.clone()),
                LineRecord::Header(_) | LineRecord::Foreign(_) => None,
            }
        });
        let compactions = bodies.filter_map(|body| match body {
            EntryBody::Compaction(compaction) => Some(compaction),
            _ => None,
        });
        compactions.collect()
    }

    async fn entry(&self) -> Arc<SessionEntry> {
        self.sessions.entry(&keeper(), &key()).await.unwrap().unwrap()
    }
}

fn session() -> SessionId {
    SessionId::new("talk").unwrap()
}

/// A session that everybody shares: another agent keeps it than the one that answers.
fn key() -> SessionKey {
    SessionKey::global()
}

fn keeper() -> AgentId {
    AgentId::sanitized("keeper")
}

fn first_word(message: &Message) -> String {
    let text = match message {
        Message::CompactionSummary { summary, .. } => summary.clone(),
        other => other.plain_text(),
    };
    text.split_whitespace().next().unwrap_or("-").to_owned()
}

fn user(text: &str) -> Message {
    Message::User(UserMessage { content: vec![Content::text(text)], ..UserMessage::default() })
}

fn says(text: &str) -> Message {
    Message::Assistant(AssistantMessage { content: vec![Content::text(text)], ..AssistantMessage::default() })
}

fn reads(id: &str, path: &str) -> [Message; 2] {
    let call = ToolCall {
        id: ToolCallId::new(id).unwrap(),
        name: "read".to_owned(),
        arguments: json!({ "path": path }),
        signature: None,
    };
    let answer = AssistantMessage { content: vec![Content::ToolCall(call)], ..AssistantMessage::default() };
    let result = ToolResultMessage {
        call: ToolCallId::new(id).unwrap(),
        tool: "read".to_owned(),
        content: vec![Content::text("text of the file")],
        outcome: ToolOutcome::Done,
        details: None,
        at: None,
    };
    [Message::Assistant(answer), Message::ToolResult(result)]
}

/// Turns of about a thousand tokens each.
fn turns(from: usize, count: usize) -> Vec<Message> {
    let turn = |index: usize| {
        [
            user(&format!("question-{index} {}", "word ".repeat(400))),
            says(&format!("answer-{index} {}", "word ".repeat(400))),
        ]
    };
    (from..from + count).flat_map(turn).collect()
}

/// Scripts that remember what was asked.
fn listening(scripts: Scripts) -> (Scripts, Arc<Mutex<Vec<String>>>) {
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let ears = Arc::clone(&heard);
    let listen = move |asked: &openclaw_providers::Asked| {
        ears.lock().unwrap().push(asked.last_user.clone());
        false
    };
    (scripts.when(listen, Script::new()), heard)
}

#[tokio::test]
async fn the_older_part_is_replaced_by_the_models_summary_with_its_files() {
    let (scripts, heard) = listening(Scripts::new().then(Script::new().say("## Goal\nBuild a boat")));
    let mut talk = turns(0, 3);
    talk.extend(reads("call-1", "plans/boat.md"));
    talk.extend(turns(3, 3));
    let desk = Desk::new(scripts, talk).await;
    let result = desk.compact(json!({}), CompactionCause::Room, Some("the boat")).await;
    let CompactionResult::Done(CompactionDone { tokens_before, tokens_after, by, count }) = result else {
        panic!("nothing was summed up: {result:?}")
    };
    assert_eq!((by, count), (SummaryBy::Model, 1));
    assert!(tokens_after < tokens_before && tokens_before > 6_000, "{tokens_before} to {tokens_after}");
    let seen = ["##", "question-3", "answer-3", "question-4", "answer-4", "question-5", "answer-5"];
    assert_eq!(desk.seen().await, seen);
    let compactions = desk.compactions().await;
    let [compaction] = compactions.as_slice() else { panic!("one compaction: {compactions:?}") };
    let summary = "## Goal\nBuild a boat\n\n<read-files>\nplans/boat.md\n</read-files>";
    assert_eq!(compaction.summary, summary);
    assert_eq!(compaction.details, Some(json!({ "readFiles": ["plans/boat.md"], "modifiedFiles": [] })));
    assert_eq!(
        (compaction.tokens_before, compaction.tokens_after),
        (Some(tokens_before), Some(tokens_after))
    );
    let facts = desk.entry().await.facts.clone();
    assert_eq!((facts.compaction_count, facts.total_tokens), (Some(1), Some(tokens_after)));
    let ended = RunEvent::CompactionEnded { then: AfterCompaction::GoOn };
    assert_eq!(*desk.told.lock().unwrap(), [RunEvent::CompactionStarted, ended]);
    let asked = heard.lock().unwrap().join("\n");
    assert!(asked.contains("[Person] question-0") && asked.contains("special attention to this: the boat"));
    assert!(!asked.contains("question-3"), "what stays is not summed up");
}

#[tokio::test]
async fn a_second_compaction_folds_the_first_summary_in_and_keeps_its_files() {
    let (scripts, heard) = listening(
        Scripts::new().then(Script::new().say("first notes")).then(Script::new().say("both notes")),
    );
    let mut talk = turns(0, 7);
    talk.splice(2..2, reads("call-1", "a.md"));
    let desk = Desk::new(scripts, talk).await;
    desk.compact(json!({}), CompactionCause::Room, None).await;
    heard.lock().unwrap().clear();
    let mut more = turns(7, 3);
    more.splice(0..0, reads("call-2", "b.md"));
    desk.say(more).await;
    let result = desk.compact(json!({}), CompactionCause::Room, None).await;
    assert!(matches!(result, CompactionResult::Done(CompactionDone { count: 2, .. })), "{result:?}");
    let asked = heard.lock().unwrap().join("\n");
    assert!(asked.contains("<notes>\nfirst notes\n</notes>"), "{asked}");
    assert!(!asked.contains("question-0"), "what was summed up before is not read again");
    let last = desk.compactions().await.pop().unwrap();
    assert_eq!(last.summary, "both notes\n\n<read-files>\na.md\nb.md\n</read-files>");
}

#[tokio::test]
async fn a_long_history_is_summed_up_piece_by_piece() {
    let scripts = Scripts::new().otherwise(Script::new().say("notes so far"));
    let (scripts, heard) = listening(scripts);
    let desk = Desk::new(scripts, turns(0, 30)).await;
    let result = desk.compact(json!({}), CompactionCause::Room, None).await;
    assert!(matches!(result, CompactionResult::Done(_)), "{result:?}");
    let heard = heard.lock().unwrap();
    assert!(heard.len() > 3, "{} calls", heard.len());
    assert!(heard.iter().all(|asked| asked.len() < 8_000 * 4), "every call fits half of the window");
    assert!(heard.iter().skip(1).all(|asked| asked.contains("<notes>\nnotes so far\n</notes>")));
}

#[tokio::test]
async fn without_a_model_the_notes_are_made_by_rule_and_the_session_goes_on() {
    let scripts = Scripts::new().otherwise(Script::new().fault(FaultReason::Format));
    let desk = Desk::new(scripts, turns(0, 9)).await;
    let result = desk.compact(json!({}), CompactionCause::Overflow, None).await;
    let CompactionResult::Done(done) = result else { panic!("nothing was summed up: {result:?}") };
    assert_eq!(done.by, SummaryBy::Rule);
    let summary = desk.compactions().await.pop().unwrap().summary;
    assert!(summary.contains("## What was asked\n- question-0"), "{summary}");
    assert_eq!(desk.branch(BranchReach::Whole).await.len(), 19, "every message is still in the transcript");
}

#[tokio::test]
async fn a_model_that_fails_half_way_keeps_what_it_said_until_then() {
    let scripts = Scripts::new()
        .then(Script::new().say("notes of the model"))
        .otherwise(Script::new().fault(FaultReason::Format));
    let desk = Desk::new(scripts, turns(0, 30)).await;
    desk.compact(json!({}), CompactionCause::Room, None).await;
    let summary = desk.compactions().await.pop().unwrap().summary;
    assert!(summary.contains("## From before\nnotes of the model"), "{summary}");
}

#[tokio::test]
async fn a_summary_that_would_not_help_is_not_written() {
    let talk = vec![user("hi"), says("hello"), user("how are you"), says("fine")];
    let desk = Desk::new(Scripts::new().otherwise(Script::new().say("word ".repeat(500))), talk).await;
    let result = desk.compact(json!({}), CompactionCause::Overflow, None).await;
    assert!(
        matches!(result, CompactionResult::NotSmaller { tokens_before, tokens_after } if tokens_after >= tokens_before),
        "{result:?}"
    );
    assert_eq!(desk.compactions().await, []);
    assert_eq!(desk.entry().await.facts.compaction_count, None);
}

#[tokio::test]
async fn a_few_words_are_not_worth_a_call() {
    let talk = vec![user("hi"), says("hello"), user("how are you"), says("fine")];
    // A call would find no script and fail.
    let desk = Desk::new(Scripts::new(), talk).await;
    assert_eq!(desk.compact(json!({}), CompactionCause::Asked, None).await, CompactionResult::Nothing);
    assert_eq!(*desk.told.lock().unwrap(), []);
}

#[tokio::test]
async fn a_short_session_is_summed_up_only_when_somebody_asks() {
    let desk = Desk::new(Scripts::new().then(Script::new().say("notes")), turns(0, 2)).await;
    assert_eq!(desk.compact(json!({}), CompactionCause::Room, None).await, CompactionResult::Nothing);
    assert_eq!(*desk.told.lock().unwrap(), []);
    let result = desk.compact(json!({}), CompactionCause::Asked, None).await;
    assert!(matches!(result, CompactionResult::Done(_)), "{result:?}");
    assert_eq!(desk.seen().await, ["notes", "question-1", "answer-1"]);
}

#[tokio::test]
async fn a_turn_that_alone_is_too_long_is_cut_and_its_question_kept() {
    let mut talk = vec![user("rebuild the harbour before noon")];
    for index in 0..12 {
        let [call, _] = reads(&format!("call-{index}"), "sea.md");
        let Message::Assistant(answer) = &call else { unreachable!() };
        let id = answer.tool_calls().next().unwrap().id.clone();
        let content = vec![Content::text(format!("wave-{index} {}", "word ".repeat(800)))];
        let (tool, outcome) = ("read".to_owned(), ToolOutcome::Done);
        talk.extend([
            call,
            Message::ToolResult(ToolResultMessage {
                call: id,
                tool,
                content,
                outcome,
                details: None,
                at: None,
            }),
        ]);
    }
    let (scripts, heard) = listening(Scripts::new().otherwise(Script::new().say("notes")));
    let desk = Desk::new(scripts, talk).await;
    let result = desk.compact(json!({}), CompactionCause::Room, None).await;
    assert!(matches!(result, CompactionResult::Done(_)), "{result:?}");
    let summary = desk.compactions().await.pop().unwrap().summary;
    assert!(summary.contains("## Being answered now\nrebuild the harbour before noon"), "{summary}");
    assert!(heard.lock().unwrap().last().unwrap().contains("in the middle of answering"));
    assert_eq!(desk.seen().await[1], "-", "what stays begins with a call, not with its result");
}

#[tokio::test]
async fn a_compaction_that_is_dropped_leaves_the_session_as_it_was() {
    let gate = Gate::new();
    let desk = Desk::new(Scripts::new().then(Script::new().hold(&gate).say("late")), turns(0, 9)).await;
    let mut work = Box::pin(desk.compact(json!({}), CompactionCause::Room, None));
    assert!(work.as_mut().now_or_never().is_none());
    drop(work);
    gate.open();
    desk.world.settle().await;
    assert_eq!(desk.compactions().await, []);
    assert_eq!(desk.entry().await.facts.compaction_count, None);
}
