//! Takes up what a run answers: messages of people, or the end of a transcript that was cut off.
//!
//! A message is stored once, whoever gives it how often. A run that was cut off goes on where the transcript ends:
//! calls that only look are made again. Anything else may have happened, so the model is told instead. A transcript
//! that ends with an answer needs no other one.

use openclaw_ports::tool::Effect;
use openclaw_session::SessionError;
use openclaw_types::{Message, RunEvent, ToolCall, ToolCallId, ToolOutcome, UserMessage};

use super::ending::RunConclusion;
use super::engine::{LoopStep, Run};
use super::order::RunInput;
use super::record::is_put_in;
use super::tools::Begun;
use super::words;
use crate::pictures::PictureLimits;
use crate::turn::told::Told;

impl Run {
    /// Takes up what the run answers. Gives an end when there is nothing to answer any more.
    pub(super) async fn take_input(&mut self) -> Result<Option<RunConclusion>, SessionError> {
        match std::mem::replace(&mut self.order.input, RunInput::Resume) {
            RunInput::Resume => Box::pin(self.resume()).await,
            RunInput::Messages(messages) => {
                let held = self.held(&messages).await?;
                if held.iter().all(|held| *held) {
                    self.tell_taken(&messages).await;
                    return Box::pin(self.resume()).await;
                }
                self.close_open_calls().await?;
                self.take_new(messages, held).await?;
                Ok(None)
            }
            RunInput::Told { before, messages } => Box::pin(self.take_told(before, messages)).await,
        }
    }

    /// Takes up a conversation that a client told. What this run wrote before a crash is not written again.
    async fn take_told(
        &mut self,
        before: Vec<Message>,
        messages: Vec<UserMessage>,
    ) -> Result<Option<RunConclusion>, SessionError> {
        let held = self.held(&messages).await?;
        if !messages.is_empty() && held.iter().all(|held| *held) {
            self.tell_taken(&messages).await;
            return self.resume().await;
        }
        // A transcript that has begun holds what was said before; only what the client's tools gave can be new.
        let begun = self.record.messages().next().is_some();
        let before = before.into_iter().filter(|told| !begun || matches!(told, Message::ToolResult(_)));
        let answered: Vec<ToolCallId> = self.record.results().cloned().collect();
        let after = Told { open: self.record.open_calls(), answered };
        let mut fitted = after.fit(before.collect(), self.parts.clock.now());
        for message in &mut fitted {
            self.fit_pictures(message).await;
        }
        if messages.is_empty() && fitted.is_empty() {
            return self.resume().await;
        }
        self.record.say(fitted).await?;
        self.close_open_calls().await?;
        self.take_new(messages, held).await?;
        Ok(None)
    }

    /// Which of these messages are stored already.
    async fn held(&self, messages: &[UserMessage]) -> Result<Vec<bool>, SessionError> {
        let mut held = Vec::with_capacity(messages.len());
        for message in messages {
            held.push(match &message.idempotency_key {
                Some(key) => self.record.holds(key).await?,
                None => false,
            });
        }
        Ok(held)
    }

    /// Stores messages of people, those that are stored already apart, and tells that they are.
    pub(super) async fn take(&mut self, messages: Vec<UserMessage>) -> Result<(), SessionError> {
        if messages.is_empty() {
            return Ok(());
        }
        let held = self.held(&messages).await?;
        self.take_new(messages, held).await
    }

    async fn take_new(&mut self, messages: Vec<UserMessage>, held: Vec<bool>) -> Result<(), SessionError> {
        let mut fresh = Vec::with_capacity(messages.len());
        for (message, _) in messages.iter().zip(held).filter(|(_, held)| !held) {
            let at = message.at.or_else(|| Some(self.parts.clock.now()));
            let mut message = Message::User(UserMessage { at, ..message.clone() });
            self.fit_pictures(&mut message).await;
            fresh.push(message);
        }
        self.record.say(fresh).await?;
        self.tell_taken(&messages).await;
        Ok(())
    }

    /// Makes the pictures that came with a message as large as models look at.
    async fn fit_pictures(&self, message: &mut Message) {
        let content = match message {
            Message::User(message) => &mut message.content,
            Message::ToolResult(result) => &mut result.content,
            _ => return,
        };
        let limits = PictureLimits::of(&self.config);
        *content = self.caches.pictures.fit(std::mem::take(content), limits).await;
    }

    async fn tell_taken(&mut self, messages: &[UserMessage]) {
        for key in messages.iter().filter_map(|message| message.idempotency_key.clone()) {
            self.events.tell(RunEvent::Took { key }).await;
        }
    }

    /// Goes on from the end of the transcript. Gives an end when the answer is there already.
    async fn resume(&mut self) -> Result<Option<RunConclusion>, SessionError> {
        self.remember_deeds();
        if self.is_answered() {
            self.hear_answer();
            return Ok(Some(RunConclusion::already()));
        }
        let open = self.record.open_calls();
        let (again, others): (Vec<ToolCall>, Vec<ToolCall>) =
            open.into_iter().partition(|call| self.setup.offer.effect(&call.name) == Some(Effect::Looks));
        self.close_interrupted(others).await?;
        if again.is_empty() {
            return Ok(None);
        }
        let round = self.round(again).await?;
        Ok(match self.after_round(round) {
            LoopStep::Again => None,
            LoopStep::End(ending) => Some(ending),
        })
    }

    /// Closes calls that nobody will answer any more, before a new message of a person.
    pub(super) async fn close_open_calls(&mut self) -> Result<(), SessionError> {
        let open = self.record.open_calls();
        match open.is_empty() {
            true => Ok(()),
            false => Box::pin(self.close_interrupted(open)).await,
        }
    }

    async fn close_interrupted(&mut self, calls: Vec<ToolCall>) -> Result<(), SessionError> {
        let ours = |call: &ToolCall| self.parts.tools.iter().any(|tool| tool.descriptor().name == call.name);
        let (ours, client): (Vec<_>, Vec<_>) = calls.into_iter().partition(ours);
        self.close(ours, &words::interrupted(), Begun::No).await?;
        self.close(client, &words::unanswered(), Begun::No).await
    }

    /// Whether the transcript ends with a message of the model that asks for nothing more.
    fn is_answered(&self) -> bool {
        let newest = self.record.messages().rev().find(|(run, message)| match message {
            Message::Assistant(message) => !is_put_in(*run, message),
            _ => true,
        });
        match newest {
            Some((_, Message::Assistant(message))) => message.tool_calls().next().is_none(),
            _ => false,
        }
    }

    /// Takes up the answer that is in the transcript: what this run said, or else what followed the last message.
    fn hear_answer(&mut self) {
        let own: Vec<Message> = self.record.answer_messages().cloned().collect();
        let spoke = own.iter().any(|message| matches!(message, Message::Assistant(_)));
        let answer = if spoke { own } else { self.after_the_person() };
        self.totals.hear_again(answer.iter(), self.order.reasoning);
    }

    fn after_the_person(&self) -> Vec<Message> {
        let newest = self.record.messages().rev().map(|(_, message)| message.clone());
        let mut answer: Vec<Message> =
            newest.take_while(|message| !matches!(message, Message::User(_))).collect();
        answer.reverse();
        answer
    }

    /// Remembers what the run did and said before it was cut off.
    fn remember_deeds(&mut self) {
        let own: Vec<Message> = self.record.own_messages().cloned().collect();
        let mut calls: Vec<ToolCall> = Vec::new();
        for message in &own {
            match message {
                Message::Assistant(message) => calls.extend(message.tool_calls().cloned()),
                Message::ToolResult(result) => {
                    let changes =
                        self.setup.offer.effect(&result.tool).is_some_and(|effect| effect != Effect::Looks);
                    if changes && result.outcome == ToolOutcome::Done {
                        self.totals.deeds = self.totals.deeds.saturating_add(1);
                    }
                    if let Some(call) = calls.iter().find(|call| call.id == result.call) {
                        self.guard.note(&call.name, &call.arguments, &result.content);
                    }
                }
                _ => {}
            }
        }
        if !self.is_answered() {
            self.totals.hear_again(self.record.answer_messages(), self.order.reasoning);
        }
    }
}
