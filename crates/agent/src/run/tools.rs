//! One round of tools: every call of a message gets exactly one result, in the order of the calls.
//!
//! Neighbours that may run beside each other do; the others wait for their turn. The message with the calls is stored
//! before anything runs, each result as soon as it is there. A message that is steered in meanwhile skips what has not
//! begun. Stopping the run drops the tools at once and closes what is still open, so that the transcript stays whole.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesOrdered;
use futures_util::{FutureExt, StreamExt};
use openclaw_ports::tool::{Concurrency, Effect, Tool, ToolContext, ToolOutput, ToolProgress, ToolReply};
use openclaw_session::SessionError;
use openclaw_types::{Content, Message, RunEvent, ToolCall, ToolCallId, ToolOutcome, ToolResultMessage};
use serde_json::Value;
use tokio::sync::mpsc;

use super::engine::Run;
use super::setup::Found;
use super::{keep, words};
use crate::pictures::PictureLimits;
use crate::turn::decide::{Finished, Round, Unbegun, unbegun};
use crate::turn::guard::{GuardVerdict, ToolLoop};
use crate::turn::{arguments, clean};

/// How many tools of one message run at once. The others wait.
const MOST_AT_ONCE: usize = 8;

/// Partial results that may wait to be shown. What comes too fast is dropped.
const WAITING_PARTS: usize = 16;

/// A call and what becomes of it.
struct Job {
    call: ToolCall,
    plan: Plan,
    warning: Option<ToolLoop>,
}

enum Plan {
    /// The tool is called.
    Make(Arc<dyn Tool>),
    /// The answer is known without calling anything.
    Answer(ToolOutput),
}

/// How a call ended, as observers are told it.
struct ToolEnd {
    outcome: ToolOutcome,
    meta: Option<String>,
    details: Option<Value>,
}

/// How a group of calls ended.
enum GroupEnd {
    Done,
    /// A message waits to be steered in; what had not begun was skipped.
    Steered,
    Stopped,
    Fault,
}

/// What a call under way has shown.
struct Shown {
    call: ToolCallId,
    name: String,
    progress: ToolProgress,
}

impl Run {
    /// Runs the tools that a message asks for. Calls of the client's own tools are left open.
    pub(super) async fn round(&mut self, calls: Vec<ToolCall>) -> Result<Round, SessionError> {
        let (client, ours): (Vec<_>, Vec<_>) =
            calls.into_iter().partition(|call| matches!(self.setup.offer.find(&call.name), Found::Client));
        let mut waiting: VecDeque<ToolCall> = ours.into();
        let mut finished = Finished::None;
        while !waiting.is_empty() {
            let (group, circle) = self.next_group(&mut waiting);
            let begins = !group.is_empty();
            let end = self.group(group, finished).await?;
            if begins {
                finished = Finished::Some;
            }
            let steered = unbegun(finished, self.steering()) == Unbegun::Skip;
            let round = match (end, circle) {
                (GroupEnd::Stopped, _) => Round::Stopped,
                (GroupEnd::Fault, _) => Round::Fault,
                (GroupEnd::Steered, _) => Round::Results,
                (GroupEnd::Done, _) if steered => Round::Results,
                (GroupEnd::Done, Some(circle)) => Round::ToolLoop(circle),
                (GroupEnd::Done, None) => continue,
            };
            let others = waiting.into_iter().chain(client);
            match round {
                Round::Results => self.skip(others.collect()).await?,
                Round::ToolLoop(circle) => {
                    self.close(others.collect(), &words::circle_refusal(circle), Begun::No).await?;
                }
                _ => self.close(others.collect(), &words::not_begun(), Begun::No).await?,
            }
            return Ok(round);
        }
        self.totals.client_calls = client;
        Ok(if self.totals.client_calls.is_empty() { Round::Results } else { Round::ClientCalls })
    }

    /// Takes the next calls that may run beside each other, up to one that goes round in circles.
    fn next_group(&self, waiting: &mut VecDeque<ToolCall>) -> (Vec<Job>, Option<ToolLoop>) {
        let mut group: Vec<Job> = Vec::new();
        while let Some(call) = waiting.pop_front() {
            let warning = match self.guard.judge(&call.name, &call.arguments) {
                GuardVerdict::Stop(circle) => {
                    waiting.push_front(call);
                    return (group, Some(circle));
                }
                GuardVerdict::Warn(circle) => Some(circle),
                GuardVerdict::Fine => None,
            };
            let plan = self.plan(&call);
            let alone =
                matches!(&plan, Plan::Make(tool) if tool.descriptor().concurrency == Concurrency::Exclusive);
            if alone && !group.is_empty() {
                waiting.push_front(call);
                break;
            }
            group.push(Job { call, plan, warning });
            if alone {
                break;
            }
        }
        (group, None)
    }

    fn plan(&self, call: &ToolCall) -> Plan {
        match self.setup.offer.find(&call.name) {
            Found::Ours(tool) => {
                let descriptor = tool.descriptor();
                match arguments::check(descriptor.name, &descriptor.parameters, &call.arguments) {
                    Ok(()) => Plan::Make(tool),
                    Err(wrong) => Plan::Answer(ToolOutput::failed(wrong)),
                }
            }
            Found::Refused(rule) => {
                Plan::Answer(ToolOutput::failed(words::refused(&call.name, &rule.to_string())))
            }
            // The client's calls were taken out before.
            Found::Client | Found::Unknown => {
                Plan::Answer(ToolOutput::failed(words::unknown_tool(&call.name, &self.setup.offer.names())))
            }
        }
    }

    /// Runs calls beside each other and stores their results in order.
    async fn group(&mut self, jobs: Vec<Job>, mut finished: Finished) -> Result<GroupEnd, SessionError> {
        let stop = self.inbox.stop().clone();
        let (shown, mut parts) = mpsc::channel::<Shown>(WAITING_PARTS);
        let mut work = FuturesOrdered::new();
        let mut waiting: VecDeque<Job> = jobs.into();
        let mut open: VecDeque<Job> = VecDeque::new();
        let end = loop {
            while open.len() < MOST_AT_ONCE && unbegun(finished, self.steering()) == Unbegun::Begin {
                let Some(job) = waiting.pop_front() else { break };
                self.began(&job.call).await;
                work.push_back(self.work(&job, &shown));
                open.push_back(job);
            }
            // Biased: a stop counts before results that came meanwhile. A stop drops the tools; what they had not given
            // by then is closed below.
            let reply = tokio::select! {
                biased;
                () = stop.cancelled() => break GroupEnd::Stopped,
                reply = work.next() => reply,
                Some(part) = parts.recv() => {
                    self.progressed(part, &open).await;
                    continue;
                }
            };
            // What was shown before the result is told before it.
            for _ in 0..WAITING_PARTS {
                let Ok(part) = parts.try_recv() else { break };
                self.progressed(part, &open).await;
            }
            match (reply, open.pop_front()) {
                (Some(reply), Some(job)) => {
                    if self.settle(job, reply).await? == Settled::Fault {
                        break GroupEnd::Fault;
                    }
                    finished = Finished::Some;
                }
                _ if waiting.is_empty() => return Ok(GroupEnd::Done),
                _ => break GroupEnd::Steered,
            }
        };
        drop(work);
        let waiting = waiting.into_iter().map(|job| job.call).collect();
        if matches!(end, GroupEnd::Steered) {
            self.skip(waiting).await?;
        } else {
            let open = open.into_iter().map(|job| job.call).collect();
            self.close(open, &words::stopped(), Begun::Yes).await?;
            self.close(waiting, &words::not_begun(), Begun::No).await?;
        }
        Ok(end)
    }

    /// Gives calls that are not made because somebody wrote meanwhile a result that says so. People see them skipped.
    async fn skip(&mut self, calls: Vec<ToolCall>) -> Result<(), SessionError> {
        for call in &calls {
            self.began(call).await;
        }
        self.close(calls, &words::skipped(), Begun::Yes).await
    }

    async fn began(&mut self, call: &ToolCall) {
        let (id, name) = (call.id.clone(), call.name.clone());
        let began = RunEvent::ToolStarted { call: id, name, arguments: call.arguments.clone() };
        self.events.tell(began).await;
    }

    fn work(&self, job: &Job, shown: &mpsc::Sender<Shown>) -> BoxFuture<'static, ToolReply> {
        let tool = match &job.plan {
            Plan::Answer(output) => {
                let output = output.clone();
                return std::future::ready(ToolReply::Output(output)).boxed();
            }
            Plan::Make(tool) => Arc::clone(tool),
        };
        let context = self.context(&job.call, shown.clone());
        let arguments = job.call.arguments.clone();
        async move {
            let called = AssertUnwindSafe(tool.call(&context, arguments)).catch_unwind().await;
            called.unwrap_or_else(|_panic| ToolReply::Fault(format!("{} panicked", tool.descriptor().name)))
        }
        .boxed()
    }

    fn context(&self, call: &ToolCall, shown: mpsc::Sender<Shown>) -> ToolContext {
        let (id, name) = (call.id.clone(), call.name.clone());
        let sees_images = self.parts.models.facts(&self.active).is_some_and(|facts| facts.sees_images);
        ToolContext {
            run: self.order.run.clone(),
            call: call.id.clone(),
            agent: self.order.agent.clone(),
            session: self.order.key.clone(),
            session_id: self.order.session.clone(),
            workspace: self.setup.workspace.clone(),
            files: self.setup.reach,
            keep: self.setup.keep.clone(),
            model: Some(self.active.clone()),
            sees_images,
            sender: self.order.sender.clone(),
            exec: self.order.exec.clone(),
            progress: Arc::new(move |progress| {
                let progress = ToolProgress {
                    content: clean::clean(progress.content),
                    details: progress.details.as_ref().and_then(clean::shown_details),
                };
                let part = Shown { call: id.clone(), name: name.clone(), progress };
                // Full, or the round is over: what is shown next says more anyway.
                if shown.try_send(part).is_err() {
                    tracing::trace!(subsystem = "agent", "a partial result was not shown");
                }
            }),
            cancel: self.inbox.stop().child_token(),
        }
    }

    /// Tells what a call under way has shown.
    async fn progressed(&mut self, shown: Shown, open: &VecDeque<Job>) {
        let Shown { call, name, progress: ToolProgress { content: partial, details } } = shown;
        if open.iter().any(|job| job.call.id == call) {
            self.events.tell(RunEvent::ToolProgressed { call, name, partial, details }).await;
        }
    }

    /// Stores the result of a call and tells it.
    async fn settle(&mut self, job: Job, reply: ToolReply) -> Result<Settled, SessionError> {
        let Job { call, warning, plan } = job;
        let (output, settled) = match reply {
            ToolReply::Output(output) => (output, Settled::Fine),
            ToolReply::Refused(rule) => (ToolOutput::failed(rule), Settled::Fine),
            ToolReply::Fault(fault) => {
                tracing::error!(subsystem = "agent", tool = %call.name, run = %self.order.run, "{fault}");
                (ToolOutput::failed(words::tool_fault(&call.name)), Settled::Fault)
            }
        };
        let effect = match &plan {
            Plan::Make(tool) => tool.descriptor().effect,
            Plan::Answer(_) => Effect::Looks,
        };
        if effect != Effect::Looks && output.outcome == ToolOutcome::Done {
            self.totals.deeds = self.totals.deeds.saturating_add(1);
        }
        self.totals.failed = (output.outcome == ToolOutcome::Failed).then(|| call.name.clone());
        self.totals.said.extend(output.said);
        let limits = PictureLimits::of(&self.config);
        let fitted = self.caches.pictures.fit(output.content, limits).await;
        let group = match &plan {
            Plan::Make(tool) => Some(tool.descriptor().group),
            Plan::Answer(_) => None,
        };
        let content = match group {
            Some(group) => clean::clean_result(group, fitted),
            None => clean::clean(fitted),
        };
        self.guard.note(&call.name, &call.arguments, &content);
        let longest = clean::longest_for(self.totals.window);
        let mut content = if clean::text_bytes(&content) > longest {
            let kept = keep::write(&self.setup.keep, &call.id, &clean::whole_text(&content)).await;
            clean::cut(content, longest, kept.as_deref())
        } else {
            content
        };
        content.extend(warning.map(|circle| Content::text(words::circle_warning(circle))));
        let how = ToolEnd {
            outcome: output.outcome,
            meta: output.meta,
            details: output.details.as_ref().and_then(clean::shown_details),
        };
        let result = ToolResultMessage {
            call: call.id.clone(),
            tool: call.name.clone(),
            content: content.clone(),
            outcome: output.outcome,
            details: output.details.filter(clean::is_small),
            at: Some(self.parts.clock.now()),
        };
        self.record.say(vec![Message::ToolResult(result)]).await?;
        self.ended(call, how, content).await;
        Ok(settled)
    }

    /// Gives calls that will not be made, or not to their end, a result that says so.
    pub(super) async fn close(
        &mut self,
        calls: Vec<ToolCall>,
        why: &str,
        begun: Begun,
    ) -> Result<(), SessionError> {
        let at = self.parts.clock.now();
        let results: Vec<Message> = calls
            .iter()
            .map(|call| {
                Message::ToolResult(ToolResultMessage {
                    call: call.id.clone(),
                    tool: call.name.clone(),
                    content: vec![Content::text(why)],
                    outcome: ToolOutcome::Failed,
                    details: None,
                    at: Some(at),
                })
            })
            .collect();
        self.record.say(results).await?;
        for call in calls.into_iter().filter(|_| begun == Begun::Yes) {
            let how = ToolEnd { outcome: ToolOutcome::Failed, meta: None, details: None };
            self.ended(call, how, vec![Content::text(why)]).await;
        }
        Ok(())
    }

    async fn ended(&mut self, call: ToolCall, how: ToolEnd, result: Vec<Content>) {
        let ToolEnd { outcome, meta, details } = how;
        let ended = RunEvent::ToolEnded { call: call.id, name: call.name, outcome, meta, result, details };
        self.events.tell(ended).await;
    }
}

/// Whether a call had begun, and was told so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begun {
    /// It had: its end is told as well.
    Yes,
    /// It had not.
    No,
}

/// Whether the run may go on after a result.
#[derive(PartialEq, Eq)]
enum Settled {
    Fine,
    Fault,
}
