//! One call of a model: its events go out as they come, its end comes back.
//!
//! Which model and credential are tried, and what is tried next, is decided in `models`. Stopping the run drops the
//! call, which closes its socket; the words that had come by then are kept.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;

use futures_util::StreamExt;
use openclaw_ports::model::{ModelEvent, ModelRequest};
use openclaw_types::{
    AssistantMessage, Content, ModelAttempt, ModelRef, ModelSwitch, RunEvent, StopReason, ToolCallId,
    UnixMillis,
};

use super::engine::Run;
use super::order::Reasoning;
use super::words;
use crate::{CallDone, CallEvent, CallFailed, ModelCall, Purpose, TriedModel};

/// How a call ended.
pub(super) enum Called {
    /// With a whole message.
    Done(Box<CallDone>),
    /// Without one.
    Failed(Box<CallFailed>),
    /// The run was stopped; these words had come.
    Stopped(Vec<Content>),
}

/// What was told of the current message.
#[derive(Default)]
struct Heard {
    begun: bool,
    words: BTreeMap<usize, String>,
    /// Thoughts that are told as a message of their own once the model goes on to something else.
    thoughts: String,
}

impl Heard {
    fn content(self) -> Vec<Content> {
        self.words.into_values().filter(|words| !words.trim().is_empty()).map(Content::text).collect()
    }
}

impl Run {
    /// Calls the model and tells what it says.
    pub(super) async fn call(&mut self, request: Arc<ModelRequest>) -> Called {
        let stop = self.inbox.stop().clone();
        self.events.tell(RunEvent::ModelAsked).await;
        let mut stream = self.parts.models.call(ModelCall {
            agent: self.order.agent.clone(),
            session: Some(self.order.key.to_string()),
            run: self.order.run.clone(),
            selection: self.order.model.clone(),
            pin: self.order.pin.clone(),
            thinking: self.order.thinking,
            purpose: Purpose::Answer,
            request,
        });
        let mut heard = Heard::default();
        let mut attempts = Vec::new();
        let mut stopped = pin!(stop.cancelled());
        loop {
            // Biased: a stop counts before what came meanwhile. Dropping the stream ends the call.
            let event = tokio::select! {
                biased;
                () = &mut stopped => return Called::Stopped(heard.content()),
                event = stream.next() => event,
            };
            match event {
                Some(CallEvent::Trying { .. }) => {}
                Some(CallEvent::Switched { from, to, reason, message }) => {
                    self.void(&mut heard).await;
                    let reason = reason.as_str().to_owned();
                    attempts.push(ModelAttempt { model: from.model, reason, error: message });
                    self.switched(&to, &attempts).await;
                }
                Some(CallEvent::Model(event)) => self.piece(event, &mut heard).await,
                Some(CallEvent::Done(done)) => {
                    self.restored(&done.model).await;
                    self.begin(&mut heard).await;
                    return Called::Done(done);
                }
                Some(CallEvent::Failed(failed)) => {
                    self.void(&mut heard).await;
                    return Called::Failed(failed);
                }
                // A call always ends with a last word; one without is told as stopped by whatever stops the run.
                None => stop.cancelled().await,
            }
        }
    }

    async fn piece(&mut self, event: ModelEvent, heard: &mut Heard) {
        let told = match event {
            ModelEvent::Text { piece, delta } => {
                heard.words.entry(piece).or_default().push_str(&delta);
                Some(RunEvent::Words { delta })
            }
            ModelEvent::Thinking { delta, .. } if self.order.reasoning == Reasoning::Streamed => {
                Some(RunEvent::Thoughts { delta })
            }
            // What is thought in the middle of a message has no place before it, so that it is only in the outcome.
            ModelEvent::Thinking { delta, .. }
                if self.order.reasoning == Reasoning::Shown && !heard.begun =>
            {
                heard.thoughts.push_str(&delta);
                return;
            }
            ModelEvent::Thinking { .. } | ModelEvent::ToolCallStarted { .. } => None,
            _ => return,
        };
        self.begin(heard).await;
        if let Some(event) = told {
            self.events.tell(event).await;
        }
    }

    /// Tells that a message begins, once; thoughts that are shown come before it as a message of their own.
    async fn begin(&mut self, heard: &mut Heard) {
        if heard.begun {
            return;
        }
        heard.begun = true;
        let thoughts = std::mem::take(&mut heard.thoughts);
        if !thoughts.trim().is_empty() {
            self.events.tell_message(words::thoughts(thoughts.trim())).await;
        }
        self.events.tell(RunEvent::MessageStarted).await;
    }

    /// Takes back what was told of a message that will not be.
    async fn void(&mut self, heard: &mut Heard) {
        if heard.begun {
            self.events.tell(RunEvent::MessageVoided).await;
        }
        *heard = Heard::default();
    }

    async fn switched(&mut self, to: &TriedModel, attempts: &[ModelAttempt]) {
        if to.model == self.active {
            return;
        }
        let previous = std::mem::replace(&mut self.active, to.model.clone());
        let reason = attempts.last().map(|attempt| attempt.reason.clone());
        let switch = ModelSwitch { reason, attempts: attempts.to_vec(), ..self.switch(previous) };
        self.events.tell(RunEvent::ModelSwitched(switch)).await;
    }

    async fn restored(&mut self, model: &ModelRef) {
        if *model == self.active {
            return;
        }
        let previous = std::mem::replace(&mut self.active, model.clone());
        if self.active == self.setup.selected {
            let switch = self.switch(previous);
            self.events.tell(RunEvent::ModelRestored(switch)).await;
        }
    }

    fn switch(&self, previous: ModelRef) -> ModelSwitch {
        ModelSwitch {
            selected: self.setup.selected.clone(),
            active: self.active.clone(),
            reason: None,
            attempts: Vec::new(),
            previous: Some(previous),
        }
    }

    /// The message that a call gave, for the transcript.
    pub(super) fn message_of(&self, done: CallDone, at: UnixMillis) -> AssistantMessage {
        let api = self.parts.models.facts(&done.model).map(|facts| facts.api.as_str().to_owned());
        let content = with_own_ids(done.completion.content);
        let calls = content.iter().any(|piece| matches!(piece, Content::ToolCall(_)));
        let stop = match done.completion.stop {
            StopReason::Stop if calls => StopReason::ToolUse,
            stop => stop,
        };
        AssistantMessage {
            content,
            api,
            provider: Some(done.model.provider().clone()),
            model: Some(done.model.model().to_owned()),
            usage: Some(done.usage),
            stop: Some(stop),
            at: Some(at),
            ..AssistantMessage::default()
        }
    }
}

/// Gives calls of one message that share an id ids of their own, so that each gets its own result.
fn with_own_ids(mut content: Vec<Content>) -> Vec<Content> {
    let mut seen: Vec<ToolCallId> = Vec::new();
    for piece in &mut content {
        if let Content::ToolCall(call) = piece {
            let mut number = 2;
            while seen.contains(&call.id) {
                match ToolCallId::new(format!("{}-{number}", call.id)) {
                    Ok(id) => call.id = id,
                    // As long as an id can be: nothing can be added to it.
                    Err(_too_long) => break,
                }
                number += 1;
            }
            seen.push(call.id.clone());
        }
    }
    content
}
