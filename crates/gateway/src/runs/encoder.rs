//! Turns the steps of one run into the events that clients know: `agent` for each step, `chat` for the answer.
//!
//! Pure: steps and the time go in, payloads come out. The chat shows the text so far at most every 150 ms, the first
//! word at once; what is left out comes with the next delta or with the end. Words that come in a rush are joined, so
//! that a long answer costs clients what the clock allows and not what the model's chunks would. `run_events` owns an
//! encoder for each run under way.

use std::time::Duration;

use openclaw_delivery::LiveAnswer;
use openclaw_flow::Verbose;
use openclaw_protocol::events::{AgentEvent, ChatEvent, ChatState};
use openclaw_types::{
    AfterCompaction, Content, ModelAttempt, ModelSwitch, RunEnding, RunEvent, RunId, SessionKey, ToolOutcome,
    UnixMillis,
};
use serde_json::{Map, Value, json};

/// The least time between two chat deltas of a run.
const DELTA_EVERY: Duration = Duration::from_millis(150);
/// The least time between two `agent` events with words.
const WORDS_EVERY: Duration = Duration::from_millis(30);

/// Something for clients.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WireEvent {
    /// A step, for everybody.
    Agent(AgentEvent),
    /// A step of a tool, for those who asked to see tools.
    Tool(AgentEvent),
    /// The answer so far, or its end.
    Chat(Box<ChatEvent>),
    /// What a run does before its first word, for those who know such events.
    Status(Box<ChatEvent>),
}

/// Encodes the events of one run.
#[derive(Debug)]
pub(crate) struct RunEventEncoder {
    run: RunId,
    key: SessionKey,
    /// The session as the sender wrote it: the end of a stopped run names it that way.
    raw_key: String,
    seq: u64,
    /// The current message as people see it.
    visible: Visible,
    /// How much of it was told in `agent` events, in bytes.
    told: usize,
    told_at: Option<Duration>,
    delta_at: Option<Duration>,
    /// How much of the current message chats were told, in bytes.
    shown: usize,
    /// Whether chats were told something of an earlier message.
    shown_before: bool,
    /// The last message that said something, before the current one: a run may end with an empty message.
    earlier: Option<Visible>,
    /// How many files of the current message were told.
    files_told: usize,
    thoughts: String,
    /// What chats were told that the run does before its first word.
    phase: Option<Phase>,
}

/// What a run does before its first word, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    PreparingContext,
    StartingModel,
}

impl Phase {
    fn as_str(self) -> &'static str {
        match self {
            Self::PreparingContext => "preparing_context",
            Self::StartingModel => "starting_model",
        }
    }
}

/// The words of a message that people see: without marks, and without what may still become one.
#[derive(Debug, Default)]
struct Visible {
    live: LiveAnswer,
    text: String,
    /// Files and addresses that belong to it.
    media: Vec<String>,
    stage: Stage,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Open,
    /// The model has said all of it. What comes now is written below it by the gateway.
    Closed,
}

impl Visible {
    fn push(&mut self, words: &str) {
        match self.stage {
            Stage::Open => {
                let shown = self.live.push(words);
                self.text.push_str(&shown);
                self.media.extend(self.live.take_media());
            }
            Stage::Closed => self.text.push_str(words),
        }
    }

    /// Shows what was held back: nothing more comes.
    fn close(&mut self) {
        let (rest, marks) = std::mem::take(&mut self.live).finish();
        self.text.push_str(&rest);
        self.media.extend(marks.media);
        self.stage = Stage::Closed;
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.media.is_empty()
    }

    /// All of it as a chat shows it when it is whole: the files stand below the words as they stand in the history.
    fn whole(&self) -> String {
        let files = self.media.iter().map(|source| format!("MEDIA:{source}"));
        let words = (!self.text.trim().is_empty()).then(|| self.text.clone());
        words.into_iter().chain(files).collect::<Vec<_>>().join("\n")
    }
}

/// The moment something is told, on both clocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// The wall clock.
    pub(crate) now: UnixMillis,
    /// The monotonic clock.
    pub(crate) elapsed: Duration,
}

impl RunEventEncoder {
    pub(crate) fn new(run: RunId, key: SessionKey, raw_key: String) -> Self {
        Self {
            run,
            key,
            raw_key,
            seq: 0,
            visible: Visible::default(),
            told: 0,
            told_at: None,
            delta_at: None,
            shown: 0,
            shown_before: false,
            earlier: None,
            files_told: 0,
            thoughts: String::new(),
            phase: None,
        }
    }

    /// What clients are told about a step.
    pub(crate) fn tell(&mut self, event: &RunEvent, verbose: Verbose, at: Moment) -> Vec<WireEvent> {
        let mut out = Vec::new();
        match event {
            RunEvent::Words { delta } => {
                self.visible.push(delta);
                if self.told_at.is_none_or(|last| at.elapsed.saturating_sub(last) >= WORDS_EVERY) {
                    self.flush(at, &mut out);
                }
                return out;
            }
            RunEvent::Took { .. } => return out,
            RunEvent::ModelAsked => {
                out.extend(self.status(Phase::StartingModel));
                return out;
            }
            RunEvent::MessageStarted | RunEvent::MessageVoided => {
                self.restart();
                return out;
            }
            _ => {}
        }
        if matches!(event, RunEvent::MessageEnded | RunEvent::Ended(_)) {
            self.end_message();
        }
        self.flush(at, &mut out);
        if let Some((stream, data)) = data_of(event, verbose, &mut self.thoughts) {
            let step = self.step(stream, data, at);
            out.push(if stream == "tool" { WireEvent::Tool(step) } else { WireEvent::Agent(step) });
        }
        if let RunEvent::Started { .. } = event {
            out.extend(self.status(Phase::PreparingContext));
        }
        if let RunEvent::Ended(end) = event {
            out.push(WireEvent::Chat(Box::new(self.last_word(&end.how, at))));
        }
        out
    }

    /// What the run does now, where nobody was told a word of it yet and the phase is a new one.
    fn status(&mut self, phase: Phase) -> Option<WireEvent> {
        if self.delta_at.is_some() || self.phase >= Some(phase) {
            return None;
        }
        self.phase = Some(phase);
        let event = ChatEvent { phase: Some(phase.as_str().to_owned()), ..self.chat(ChatState::Status) };
        Some(WireEvent::Status(Box::new(event)))
    }

    /// Nothing more comes of the current message. What was said last stays what a chat shows.
    fn end_message(&mut self) {
        self.visible.close();
        if self.visible.is_empty()
            && let Some(earlier) = self.earlier.take()
        {
            self.told = earlier.text.len();
            self.files_told = earlier.media.len();
            self.visible = earlier;
        }
    }

    fn restart(&mut self) {
        if self.visible.stage == Stage::Closed {
            self.earlier = Some(std::mem::take(&mut self.visible));
        }
        self.visible = Visible::default();
        self.told = 0;
        self.files_told = 0;
        self.shown_before |= self.shown > 0;
        self.shown = 0;
        self.thoughts.clear();
    }

    /// Tells words that were not told yet.
    fn flush(&mut self, at: Moment, out: &mut Vec<WireEvent>) {
        let (text, media) = (self.visible.text(), &self.visible.media);
        let delta = text.get(self.told..).unwrap_or_default();
        let (new_words, new_files) = (!delta.is_empty(), media.len() > self.files_told);
        if !new_words && !new_files {
            return;
        }
        let mut data = Map::new();
        data.insert("text".to_owned(), text.into());
        data.insert("delta".to_owned(), delta.into());
        if !media.is_empty() {
            data.insert("mediaUrls".to_owned(), json!(media));
        }
        self.told = text.len();
        self.files_told = media.len();
        self.told_at = Some(at.elapsed);
        out.push(WireEvent::Agent(self.step("assistant", data, at)));
        if !new_words {
            return;
        }
        if self.delta_at.is_none_or(|last| at.elapsed.saturating_sub(last) >= DELTA_EVERY) {
            self.delta_at = Some(at.elapsed);
            out.push(WireEvent::Chat(Box::new(self.delta(at))));
        }
    }

    /// The answer so far, and what is new of it.
    fn delta(&mut self, at: Moment) -> ChatEvent {
        let text = self.visible.text();
        let delta_text = text.get(self.shown..).map(str::to_owned);
        let replace = (self.shown == 0 && self.shown_before).then_some(true);
        self.shown = text.len();
        let message = (!text.trim().is_empty()).then(|| chat_message(text, at.now));
        ChatEvent { message, delta_text, replace, ..self.chat(ChatState::Delta) }
    }

    fn last_word(&self, how: &RunEnding, at: Moment) -> ChatEvent {
        match how {
            RunEnding::Answered => ChatEvent { message: self.message(at), ..self.chat(ChatState::Final) },
            RunEnding::Aborted(cause) => ChatEvent {
                session_key: self.raw_key.clone(),
                message: self.message(at),
                stop_reason: Some(cause.as_str().to_owned()),
                ..self.chat(ChatState::Aborted)
            },
            RunEnding::Failed { message } => {
                ChatEvent { error_message: Some(message.clone()), ..self.chat(ChatState::Error) }
            }
        }
    }

    /// The whole message as a chat shows it; nothing when there is nothing to show.
    fn message(&self, at: Moment) -> Option<Value> {
        (!self.visible.is_empty()).then(|| chat_message(&self.visible.whole(), at.now))
    }

    fn chat(&self, state: ChatState) -> ChatEvent {
        let agent_id = self.key.agent().map(ToString::to_string);
        ChatEvent { seq: self.seq, agent_id, ..chat_event(&self.run, self.key.as_str(), state) }
    }

    fn step(&mut self, stream: &str, data: Map<String, Value>, at: Moment) -> AgentEvent {
        self.seq += 1;
        AgentEvent {
            run_id: self.run.to_string(),
            seq: self.seq,
            stream: stream.to_owned(),
            ts: at.now,
            data,
            session_key: Some(self.key.to_string()),
            agent_id: None,
            session_id: None,
            spawned_by: None,
            is_heartbeat: None,
        }
    }
}

/// An assistant's message as a chat shows it.
pub(crate) fn chat_message(text: &str, at: UnixMillis) -> Value {
    json!({ "role": "assistant", "content": [{ "type": "text", "text": text }], "timestamp": at })
}

/// A chat event with nothing but its place.
pub(crate) fn chat_event(run: &RunId, key: &str, state: ChatState) -> ChatEvent {
    ChatEvent {
        run_id: run.to_string(),
        session_key: key.to_owned(),
        seq: 0,
        state,
        message: None,
        error_message: None,
        usage: None,
        stop_reason: None,
        delta_text: None,
        replace: None,
        phase: None,
        agent_id: None,
        spawned_by: None,
        yielded: None,
        error_kind: None,
        error_detail: None,
    }
}

/// The stream of a step and what it carries; nothing for steps that clients are not told.
fn data_of(
    event: &RunEvent,
    verbose: Verbose,
    thoughts: &mut String,
) -> Option<(&'static str, Map<String, Value>)> {
    let (stream, data) = match event {
        RunEvent::Started { at } => ("lifecycle", json!({ "phase": "start", "startedAt": at })),
        RunEvent::Thoughts { delta } => {
            thoughts.push_str(delta);
            ("thinking", json!({ "text": thoughts, "delta": delta }))
        }
        RunEvent::ToolStarted { call, name, arguments } => {
            ("tool", json!({ "phase": "start", "name": name, "toolCallId": call, "args": arguments }))
        }
        RunEvent::ToolProgressed { call, name, partial, details } => {
            let mut data = json!({ "phase": "update", "name": name, "toolCallId": call });
            if verbose == Verbose::Full {
                data["partialResult"] = result_of(partial, details.as_ref());
            }
            ("tool", data)
        }
        RunEvent::ToolEnded { call, name, outcome, meta, result, details } => {
            let mut data = json!({ "phase": "result", "name": name, "toolCallId": call });
            if let Some(meta) = meta {
                data["meta"] = meta.as_str().into();
            }
            data["isError"] = (*outcome == ToolOutcome::Failed).into();
            if verbose == Verbose::Full {
                data["result"] = result_of(result, details.as_ref());
            }
            ("tool", data)
        }
        RunEvent::CompactionStarted => ("compaction", json!({ "phase": "start" })),
        RunEvent::CompactionEnded { then } => {
            ("compaction", json!({ "phase": "end", "willRetry": *then == AfterCompaction::Retry }))
        }
        RunEvent::ModelSwitched(switch) => ("lifecycle", switch_data("fallback", switch)),
        RunEvent::ModelRestored(switch) => ("lifecycle", switch_data("fallback_cleared", switch)),
        RunEvent::Ended(end) => {
            let data = match &end.how {
                RunEnding::Answered => json!({ "phase": "end", "endedAt": end.ended_at }),
                RunEnding::Aborted(_) => json!({ "phase": "end", "endedAt": end.ended_at, "aborted": true }),
                RunEnding::Failed { message } => {
                    json!({ "phase": "error", "error": message, "endedAt": end.ended_at })
                }
            };
            ("lifecycle", data)
        }
        RunEvent::Took { .. }
        | RunEvent::ModelAsked
        | RunEvent::MessageStarted
        | RunEvent::MessageVoided
        | RunEvent::MessageEnded
        | RunEvent::Words { .. } => return None,
    };
    match data {
        Value::Object(data) => Some((stream, data)),
        _ => None,
    }
}

fn switch_data(phase: &str, switch: &ModelSwitch) -> Value {
    let mut data = json!({
        "phase": phase,
        "selectedProvider": switch.selected.provider(),
        "selectedModel": switch.selected.model(),
        "activeProvider": switch.active.provider(),
        "activeModel": switch.active.model(),
    });
    if let Some(reason) = &switch.reason {
        data["reasonSummary"] = reason.as_str().into();
    }
    if !switch.attempts.is_empty() {
        let summary = |attempt: &ModelAttempt| format!("{} {}", attempt.model, attempt.reason);
        data["attemptSummaries"] = switch.attempts.iter().map(summary).collect();
        let told = |attempt: &ModelAttempt| {
            json!({
                "provider": attempt.model.provider(), "model": attempt.model.model(),
                "error": attempt.error, "reason": attempt.reason,
            })
        };
        data["attempts"] = switch.attempts.iter().map(told).collect();
    }
    if let Some(previous) = switch.previous.as_ref().filter(|_| phase == "fallback_cleared") {
        data["previousActiveModel"] = previous.to_string().into();
    }
    data
}

fn result_of(content: &[Content], details: Option<&Value>) -> Value {
    let text = content.iter().filter_map(Content::as_text).collect::<Vec<_>>().join("\n");
    let mut result = json!({ "content": [{ "type": "text", "text": text }] });
    if let Some(details) = details {
        result["details"] = details.clone();
    }
    result
}
