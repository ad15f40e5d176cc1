//! What came from Slack, over the socket or over HTTP: looks up who and where, and hands events to the sink.
//!
//! Lookups have little time, since Slack waits for its acknowledgement; without them an event goes on with ids alone.
//! Several things may be taken at once; those of one conversation take turns, in the order in which they came. Whoever
//! calls acknowledges only after `take` came back without an error.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use openclaw_ports::channel::{ChannelContext, ChannelError, Health, NotTaken, Sink};
use openclaw_ports::{Clock, Deadline};
use openclaw_types::{ChatKind, Inbound, InboundKind};
use serde_json::Value;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::api::{As, Fault, SlackApi, SlackArguments};
use super::known::{PersonFacts, RoomFacts, SlackKnown};
use super::normalize::{self, Facts, Needs, SlackContext, Us};
use super::wire::{Callback, Interaction, SlashCommand};
use crate::shared::AccountMemory;

/// How long after an event came it may be held up by lookups. Slack gives three seconds for everything.
const LOOKING_UP: Duration = Duration::from_millis(1_500);
/// How many pages of a thread are looked at to find its end.
const PAGES: usize = 5;
/// How much of one message of a thread is told, in characters.
const LONGEST_LINE: usize = 500;
/// How many turns are kept before those nobody waits for are looked for.
const TURNS: usize = 128;

/// Something that came from Slack.
#[derive(Debug)]
pub(super) enum SlackPayload {
    /// An event.
    Event(Box<Callback>),
    /// A command.
    Command(Box<SlashCommand>),
    /// Something somebody touched.
    Touched(Box<Interaction>),
}

impl SlackPayload {
    /// What it is, for those who look for it in a log.
    fn kind(&self) -> &str {
        match self {
            Self::Event(callback) => &callback.event.kind,
            Self::Command(command) => &command.command,
            Self::Touched(touched) => &touched.kind,
        }
    }

    /// The conversation it comes from.
    fn room(&self) -> Option<&str> {
        match self {
            Self::Event(callback) => callback.event.room(),
            Self::Command(command) => Some(command.channel_id.as_str()),
            Self::Touched(touched) => {
                let own = touched.channel.as_ref().map(|channel| channel.id.as_str());
                own.or_else(|| touched.container.as_ref()?.channel_id.as_deref())
            }
        }
    }

    /// The workspace it is for.
    fn team(&self) -> Option<&str> {
        let team = match self {
            Self::Event(callback) => callback.team(),
            Self::Command(command) => command.team_id.as_deref(),
            Self::Touched(touched) => touched.team.as_ref().map(|team| team.id.as_str()),
        };
        team.filter(|team| !team.is_empty())
    }
}

/// Hands on what comes. Cloning is cheap.
#[derive(Clone)]
pub(super) struct Intake {
    context: ChannelContext,
    api: SlackApi,
    known: SlackKnown,
    kept: Arc<AccountMemory>,
    us: Arc<Us>,
    turns: Arc<Turns>,
}

/// Lets one thing at a time be taken in each conversation. Those who wait come in the order in which they asked.
#[derive(Default)]
struct Turns(std::sync::Mutex<HashMap<String, Weak<Mutex<()>>>>);

impl Turns {
    async fn of(&self, room: &str) -> OwnedMutexGuard<()> {
        self.lock(room).lock_owned().await
    }

    fn lock(&self, room: &str) -> Arc<Mutex<()>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = all.get(room).and_then(Weak::upgrade) {
            return lock;
        }
        if all.len() >= TURNS {
            all.retain(|_, lock| lock.strong_count() > 0);
        }
        let lock = Arc::new(Mutex::new(()));
        all.insert(room.to_owned(), Arc::downgrade(&lock));
        lock
    }
}

impl Intake {
    /// Hands on what comes to this account, with what is known for now and what is remembered for long.
    pub(super) fn new(
        context: ChannelContext,
        api: SlackApi,
        (known, kept): (SlackKnown, Arc<AccountMemory>),
        us: Arc<Us>,
    ) -> Self {
        Self { context, api, known, kept, us, turns: Arc::default() }
    }

    /// Takes what came. Without an error it can be acknowledged.
    pub(super) async fn take(&self, mut payload: SlackPayload, sink: &dyn Sink) -> Result<(), NotTaken> {
        if !self.is_for_us(&payload) {
            tracing::debug!(subsystem = "channels", "an event of another app or workspace is left out");
            return Ok(());
        }
        let Some(needs) = self.needs(&payload) else {
            self.notice(&payload);
            return Ok(());
        };
        let deadline = Deadline::after(self.context.clock.as_ref(), LOOKING_UP);
        let _turn = self.turns.of(payload.room().unwrap_or_default()).await;
        let facts = self.look_up(needs, deadline).await;
        if let SlackPayload::Touched(touched) = &mut payload {
            self.lengthen(touched).await;
        }
        let inbound = match self.neutral(&payload, &facts) {
            Ok(Some(inbound)) => inbound,
            Ok(None) => {
                tracing::debug!(subsystem = "channels", kind = payload.kind(), "nothing is made of this");
                return Ok(());
            }
            Err(error) => {
                tracing::warn!(subsystem = "channels", kind = payload.kind(), %error, "an event makes no sense");
                return Ok(());
            }
        };
        self.remember(&payload, &inbound);
        sink.take(vec![inbound]).await
    }

    /// Another app's or workspace's events reach us only by mistake in what a person set up.
    fn is_for_us(&self, payload: &SlackPayload) -> bool {
        match (payload.team(), self.us.team.as_deref()) {
            (Some(theirs), Some(ours)) => self.us.many_teams || theirs == ours,
            _ => true,
        }
    }

    fn needs(&self, payload: &SlackPayload) -> Option<Needs> {
        match payload {
            SlackPayload::Event(callback) if callback.kind == "event_callback" => {
                normalize::needs(&callback.event, &self.us)
            }
            SlackPayload::Event(_) => None,
            SlackPayload::Command(command) => Some(Needs {
                person: Some(command.user_id.clone()),
                room: Some(command.channel_id.clone())
                    .filter(|_| command.channel_name.as_deref() != Some("directmessage")),
                thread: None,
            }),
            SlackPayload::Touched(touched) => {
                let room = payload.room().map(str::to_owned);
                Some(Needs { person: Some(touched.user.id.clone()), room, thread: None })
            }
        }
    }

    fn neutral(
        &self,
        payload: &SlackPayload,
        facts: &Facts,
    ) -> Result<Option<Inbound>, openclaw_types::IdError> {
        let event = match payload {
            SlackPayload::Event(callback) => callback.event_id.as_deref(),
            SlackPayload::Command(_) | SlackPayload::Touched(_) => None,
        };
        let hearing = SlackContext {
            account: &self.context.account,
            us: &self.us,
            habits: &self.api.login().habits,
            team: payload.team(),
            event,
            now: self.context.clock.now(),
            facts,
        };
        match payload {
            SlackPayload::Event(callback) => normalize::inbound(&callback.event, &hearing),
            SlackPayload::Command(command) => normalize::command(command, &hearing),
            SlackPayload::Touched(touched) => normalize::press(touched, &hearing),
        }
    }

    /// What is no message but says something about the line.
    fn notice(&self, payload: &SlackPayload) {
        let SlackPayload::Event(callback) = payload else { return };
        let reason = match (callback.kind.as_str(), callback.event.kind.as_str()) {
            ("app_rate_limited", _) => "Slack leaves events out because there are too many".to_owned(),
            (_, "tokens_revoked" | "app_uninstalled") => {
                "the app was taken out of the workspace or its tokens were revoked; install it again and set the \
                 new token"
                    .to_owned()
            }
            _ => return,
        };
        self.context.health.tell(Health::Limited { reason });
    }

    /// Puts what buttons were too small for in the place of its name.
    async fn lengthen(&self, touched: &mut Interaction) {
        for action in &mut touched.actions {
            if let Some(value) = &mut action.value {
                *value = self.kept.lengthen(value).await;
            }
        }
    }

    /// Remembers what answers will need.
    fn remember(&self, payload: &SlackPayload, inbound: &Inbound) {
        if let SlackPayload::Event(callback) = payload {
            let event = &callback.event;
            let room = event.room().unwrap_or_default();
            if inbound.place.kind == ChatKind::Direct && room.starts_with('D') {
                self.known.chats(inbound.from.id.as_str(), room);
            }
            if inbound.kind == InboundKind::Happening {
                self.known.forget(room);
            }
        }
        let response = match payload {
            SlackPayload::Command(command) => Some((&command.channel_id, &command.response_url)),
            SlackPayload::Touched(touched) => {
                touched.channel.as_ref().map(|channel| (&channel.id, &touched.response_url))
            }
            SlackPayload::Event(_) => None,
        };
        if let Some((room, Some(address))) = response {
            self.known.answerable(room, inbound.from.id.as_str(), address.clone());
        }
        if let (true, Some(thread)) = (inbound.speaks(), inbound.place.answer_thread()) {
            self.known.asked(&inbound.place.to, thread.as_str(), inbound.from.id.as_str());
        }
    }

    async fn look_up(&self, needs: Needs, deadline: Deadline) -> Facts {
        let clock = self.context.clock.as_ref();
        let person = async {
            match &needs.person {
                Some(id) => bounded(deadline, clock, self.person(id)).await.unwrap_or_default(),
                None => PersonFacts::default(),
            }
        };
        let room = async {
            match &needs.room {
                Some(id) => bounded(deadline, clock, self.room(id)).await.unwrap_or_default(),
                None => RoomFacts::default(),
            }
        };
        let thread = async {
            match &needs.thread {
                Some((room, thread, message)) => {
                    bounded(deadline, clock, self.thread(room, thread, message)).await.unwrap_or_default()
                }
                None => Vec::new(),
            }
        };
        let (person, room, thread) = tokio::join!(person, room, thread);
        Facts { person, room, thread }
    }

    async fn person(&self, id: &str) -> Result<PersonFacts, ChannelError> {
        if let Some(known) = self.known.person(id) {
            return Ok(known);
        }
        let answer = self.api.call(As::Us, "users.info", SlackArguments::default().with("user", id)).await;
        let facts = unless_refused(answer)?.map(|answer| person_facts(&answer["user"])).unwrap_or_default();
        self.known.meet(id, facts.clone());
        Ok(facts)
    }

    async fn room(&self, id: &str) -> Result<RoomFacts, ChannelError> {
        if let Some(known) = self.known.room(id) {
            return Ok(known);
        }
        let arguments = SlackArguments::default().with("channel", id);
        let answer = self.api.call(As::Us, "conversations.info", arguments).await;
        let facts = unless_refused(answer)?.map(|answer| room_facts(&answer["channel"])).unwrap_or_default();
        self.known.see(id, facts.clone());
        Ok(facts)
    }

    /// The last messages of a thread before this one, the first time we come to it.
    async fn thread(&self, room: &str, thread: &str, message: &str) -> Result<Vec<String>, ChannelError> {
        let most = self.api.login().habits.thread_history;
        if most == 0 || self.known.has_read(room, thread) {
            return Ok(Vec::new());
        }
        let mut lines: Vec<String> = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..PAGES {
            let arguments = SlackArguments::default()
                .with("channel", room)
                .with("ts", thread)
                .with("limit", "200")
                .maybe("cursor", cursor.take());
            let answer = self.api.call(As::Us, "conversations.replies", arguments).await?;
            let messages = answer["messages"].as_array().into_iter().flatten();
            lines.extend(messages.filter(|each| each["ts"] != message).filter_map(|each| self.line(each)));
            lines.drain(..lines.len().saturating_sub(most));
            cursor = next_cursor(&answer);
            if cursor.is_none() {
                break;
            }
        }
        self.known.read(room, thread);
        Ok(lines)
    }

    fn line(&self, message: &Value) -> Option<String> {
        let id = message["user"].as_str().or(message["bot_id"].as_str()).unwrap_or("somebody");
        let who = match id == self.us.user {
            true => "you".to_owned(),
            false => {
                let known = self.known.person(id).and_then(|facts| facts.name);
                known.map_or_else(|| format!("<@{id}>"), |name| format!("{name} (<@{id}>)"))
            }
        };
        let text = normalize::readable(message["text"].as_str().unwrap_or_default());
        let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let files = message["files"].as_array().map_or(0, Vec::len);
        match (text.is_empty(), files) {
            (true, 0) => None,
            (true, count) => Some(format!("{who}: [{count} file(s)]")),
            (false, _) => Some(format!("{who}: {}", text.chars().take(LONGEST_LINE).collect::<String>())),
        }
    }
}

/// Something looked up in time; nothing when there was not enough of it.
async fn bounded<T>(
    deadline: Deadline,
    clock: &dyn Clock,
    work: impl Future<Output = Result<T, ChannelError>>,
) -> Option<T> {
    match deadline.bound(clock, work).await {
        Ok(Ok(found)) => Some(found),
        Ok(Err(error)) => {
            tracing::debug!(subsystem = "channels", %error, "something could not be looked up");
            None
        }
        Err(_late) => None,
    }
}

/// What was looked up; nothing where Slack will not tell, which is not asked for again soon.
fn unless_refused(answer: Result<Value, Fault>) -> Result<Option<Value>, ChannelError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Fault::Refused { reason, .. }) => {
            tracing::debug!(subsystem = "channels", reason, "Slack does not tell who or where");
            Ok(None)
        }
        Err(fault) => Err(fault.into()),
    }
}

/// Somebody, as `users.info` tells.
pub(super) fn person_facts(user: &Value) -> PersonFacts {
    let text = |value: &Value| value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let profile = &user["profile"];
    let names = [&profile["display_name"], &profile["real_name"], &user["real_name"]];
    PersonFacts {
        name: names.into_iter().find_map(text),
        handle: text(&user["name"]),
        bot: user["is_bot"] == Value::Bool(true),
    }
}

/// A conversation, as `conversations.info` tells.
pub(super) fn room_facts(room: &Value) -> RoomFacts {
    let text = |value: &Value| value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let is = |key: &str| room[key] == Value::Bool(true);
    let kind = match (is("is_im"), is("is_mpim"), is("is_channel") || is("is_group")) {
        (true, _, _) => Some(ChatKind::Direct),
        (_, true, _) => Some(ChatKind::Group),
        (_, _, true) => Some(ChatKind::Channel),
        _ => None,
    };
    RoomFacts {
        name: text(&room["name"]),
        kind,
        topic: text(&room["topic"]["value"]),
        purpose: text(&room["purpose"]["value"]),
        with: text(&room["user"]),
    }
}

/// Where the next page begins; nothing on the last one.
pub(super) fn next_cursor(answer: &Value) -> Option<String> {
    let cursor = answer.pointer("/response_metadata/next_cursor")?.as_str()?.trim();
    (!cursor.is_empty()).then(|| cursor.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_waits_for_itself_and_for_no_other() {
        let turns = Turns::default();
        let room = |number: usize| format!("C{number}");
        let held: Vec<_> =
            (0..TURNS * 4).map(|number| turns.lock(&room(number)).try_lock_owned().unwrap()).collect();
        assert!(turns.lock(&room(7)).try_lock_owned().is_err());
        drop(held);
        turns.lock("one more");
        assert_eq!(turns.0.lock().unwrap().len(), 1);
    }
}
