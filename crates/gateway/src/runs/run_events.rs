//! Observes the flow and tells clients what happens.
//!
//! Holds an encoder for each run under way and knows who watches its tools. The roster sends: payloads are serialised
//! once, shared, and never wait for a slow client. The flow calls this module; it asks the flow for nothing.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use openclaw_flow::{FlowEvent, Observer, RunStep, Verbose};
use openclaw_protocol::events::{Agent, AgentEvent, Chat, ChatEvent, ChatState};
use openclaw_protocol::{EncodeError, Event, EventText};
use openclaw_types::{ConnectionId, RunEvent, RunId, SessionKey};
use serde_json::Value;

use super::dialect::for_older;
use super::encoder::{Moment, RunEventEncoder, WireEvent, chat_event, chat_message};
use super::run_text::{RunText, TextPosition};
use super::subscribers::Subscribers;
use crate::broadcast::{Announcement, Missing};
use crate::context::GatewayContext;

/// How many runs may be watched before they begin; the oldest wish goes first.
pub(super) const MOST_WATCHED: usize = 4096;

/// The encoders of runs under way.
#[derive(Default)]
pub(crate) struct RunEvents {
    encoders: Mutex<HashMap<RunId, RunEventEncoder>>,
    watchers: Mutex<Watchers>,
    texts: Mutex<HashMap<RunId, RunText>>,
    /// Nodes that follow sessions.
    pub(crate) subscribers: Subscribers,
}

/// Who sees the tools of which run.
#[derive(Default)]
struct Watchers {
    runs: HashMap<RunId, Watched>,
    /// Counts wishes, so that the oldest is known.
    wishes: u64,
}

/// Who sees the tools of one run.
struct Watched {
    wish: u64,
    connections: Vec<ConnectionId>,
}

impl RunEvents {
    /// Lets a connection see the tools of a run; says whether it did not before.
    pub(crate) fn watch(&self, run: &RunId, connection: &ConnectionId) -> bool {
        let mut watchers = lock(&self.watchers);
        if watchers.runs.len() >= MOST_WATCHED && !watchers.runs.contains_key(run) {
            let oldest = watchers.runs.iter().min_by_key(|(_, watched)| watched.wish);
            if let Some(oldest) = oldest.map(|(run, _)| run.clone()) {
                watchers.runs.remove(&oldest);
            }
        }
        watchers.wishes += 1;
        let fresh = Watched { wish: watchers.wishes, connections: Vec::new() };
        let of_run = watchers.runs.entry(run.clone()).or_insert(fresh);
        let is_new = !of_run.connections.contains(connection);
        if is_new {
            of_run.connections.push(connection.clone());
        }
        is_new
    }

    /// Takes back what `watch` gave, where no run came of it.
    pub(crate) fn unwatch(&self, run: &RunId, connection: &ConnectionId) {
        let mut watchers = lock(&self.watchers);
        if let Entry::Occupied(mut place) = watchers.runs.entry(run.clone()) {
            place.get_mut().connections.retain(|each| each != connection);
            if place.get().connections.is_empty() {
                place.remove();
            }
        }
    }

    /// A text for the words of a run, from now to its end; nothing when somebody listens to it already.
    pub(super) fn open_text(&self, run: &RunId) -> Option<RunText> {
        match lock(&self.texts).entry(run.clone()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(place) => Some(place.insert(RunText::default()).clone()),
        }
    }

    /// Nobody listens to a run any more.
    pub(super) fn close_text(&self, run: &RunId) {
        lock(&self.texts).remove(run);
    }

    fn step(&self, step: &RunStep, at: Moment) -> Vec<WireEvent> {
        let mut encoders = lock(&self.encoders);
        let encoder = encoders.entry(step.run.clone()).or_insert_with(|| {
            RunEventEncoder::new(step.run.clone(), step.key.clone(), step.raw_key.clone())
        });
        let sayings = encoder.tell(&step.event, step.verbose, at);
        if matches!(step.event, RunEvent::Ended(_)) {
            encoders.remove(&step.run);
        }
        sayings
    }

    pub(super) fn watchers(&self, run: &RunId) -> Vec<ConnectionId> {
        lock(&self.watchers).runs.get(run).map(|watched| watched.connections.clone()).unwrap_or_default()
    }

    /// Tells the listener of a run that it is over, with the words it ended with where no step told them.
    fn over(&self, run: &RunId, words: Option<&str>) {
        if let Some(text) = lock(&self.texts).remove(run) {
            if let Some(words) = words {
                text.words(words, TextPosition::Beginning);
            }
            text.over();
        }
        lock(&self.watchers).runs.remove(run);
    }

    fn hear(&self, run: &RunId, payload: &AgentEvent) {
        if payload.stream != "assistant" {
            return;
        }
        let Some(run_text) = lock(&self.texts).get(run).cloned() else { return };
        let text = |field: &str| payload.data.get(field).and_then(Value::as_str).unwrap_or_default();
        let delta = text("delta");
        run_text.words(
            delta,
            if delta == text("text") { TextPosition::Beginning } else { TextPosition::Further },
        );
    }
}

/// Tells clients what the flow says. Holds the gateway weakly: the flow may outlive it.
pub(crate) struct FlowBroadcaster(pub(crate) Weak<GatewayContext>);

impl Observer for FlowBroadcaster {
    fn notice(&self, notice: &FlowEvent) {
        if let Some(context) = self.0.upgrade() {
            tell(&context, notice);
        }
    }
}

fn tell(context: &Arc<GatewayContext>, notice: &FlowEvent) {
    let at = Moment { now: context.clock.now(), elapsed: context.clock.elapsed() };
    match notice {
        FlowEvent::Step(step) => {
            tell_step(context, step, at);
            if matches!(step.event, RunEvent::Ended(_)) {
                context.runs.over(&step.run, None);
            }
        }
        FlowEvent::Answered { run, raw_key, key, text } => {
            let message = text.as_deref().map(|text| chat_message(text, at.now));
            chat(context, key, ChatEvent { message, ..alone(run, raw_key, key, ChatState::Final) });
            context.runs.over(run, text.as_deref());
        }
        FlowEvent::Joined { run, raw_key, key } => {
            chat(context, key, alone(run, raw_key, key, ChatState::Final));
            context.runs.over(run, None);
        }
        FlowEvent::Stopped { run, raw_key, key, cause } => {
            let stop_reason = Some(cause.as_str().to_owned());
            chat(context, key, ChatEvent { stop_reason, ..alone(run, raw_key, key, ChatState::Aborted) });
            context.runs.over(run, None);
        }
        FlowEvent::Failed { run, raw_key, key, message } => {
            let error_message = Some(message.clone());
            chat(context, key, ChatEvent { error_message, ..alone(run, raw_key, key, ChatState::Error) });
            context.runs.over(run, None);
        }
        FlowEvent::Injected { raw_key, key, entry, text } => {
            let Ok(run) = RunId::new(format!("inject-{entry}")) else { return };
            let message = Some(chat_message(text, at.now));
            chat(context, key, ChatEvent { seq: 0, message, ..alone(&run, raw_key, key, ChatState::Final) });
        }
    }
}

fn tell_step(context: &GatewayContext, step: &RunStep, at: Moment) {
    for saying in context.runs.step(step, at) {
        say(context, step, saying);
    }
}

/// The only event of a message that no run tells about.
fn alone(run: &RunId, raw_key: &str, key: &SessionKey, state: ChatState) -> ChatEvent {
    let agent_id = key.agent().map(ToString::to_string);
    ChatEvent { seq: 1, agent_id, ..chat_event(run, raw_key, state) }
}

fn say(context: &GatewayContext, step: &RunStep, saying: WireEvent) {
    match saying {
        WireEvent::Agent(payload) => {
            context.runs.hear(&step.run, &payload);
            if let Some(announcement) = announcement(Agent::text(&payload)) {
                tell_all(context, &step.key, &announcement);
            }
        }
        WireEvent::Chat(payload) => chat(context, &step.key, *payload),
        WireEvent::Status(payload) => status(context, &payload),
        WireEvent::Tool(payload) => {
            let mut watchers = context.runs.watchers(&step.run);
            if step.verbose != Verbose::Off {
                watchers.extend(context.runs.subscribers.of(&step.key));
            }
            if !watchers.is_empty()
                && let Some(announcement) = announcement(Agent::text(&payload))
            {
                context.roster.send_to(&watchers, &announcement);
            }
        }
    }
}

/// Tells clients of protocol 4 what a run does. The others see no gap: it has no number.
fn status(context: &GatewayContext, payload: &ChatEvent) {
    if !context.roster.has_newer() {
        return;
    }
    if let Some(announcement) = announcement(Chat::text(payload)) {
        context.roster.send_newer(&Announcement { missing: Missing::Allowed, ..announcement });
    }
}

fn chat(context: &GatewayContext, key: &SessionKey, payload: ChatEvent) {
    let newer = match context.roster.has_newer() {
        true => announcement(Chat::text(&payload)).map(|announcement| announcement.event),
        false => None,
    };
    let missing = match payload.state {
        ChatState::Delta => Missing::Allowed,
        _ => Missing::ByTable,
    };
    let Some(older) = announcement(Chat::text(&for_older(payload))) else { return };
    tell_all(context, key, &Announcement { newer, missing, ..older });
}

/// Tells everybody, and gives those who follow the session a copy.
fn tell_all(context: &GatewayContext, key: &SessionKey, announcement: &Announcement) {
    context.roster.broadcast(announcement);
    let followers = context.runs.subscribers.of(key);
    if !followers.is_empty() {
        context.roster.send_to(&followers, announcement);
    }
}

fn announcement(text: Result<EventText, EncodeError>) -> Option<Announcement> {
    match text {
        Ok(event) => Some(Announcement::of(event)),
        Err(error) => {
            tracing::error!(%error, "an event of a run could not be written");
            None
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
