//! One event of the gateway: what it changes in what is known, and what of it the host is told.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::channel::{ChannelContext, ChannelError, Landed, Sink};
use openclaw_types::{IdError, Inbound, PanelForm};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::destination::{Aside, DiscordDestination};
use super::known::DiscordKnown;
use super::normalize::{self, Answered, ReactionFacts, Scene};
use super::pluralkit::PluralKit;
use super::rest::Call;
use super::rooms::GuildFacts;
use super::send::{EPHEMERAL, FORMS, opened, window};
use super::wire::{Channel, Frame, GROUP, Guild, Interaction, Message, ReactionEvent, ThreadList};
use crate::shared::Method;

/// The platform takes the first answer to an interaction within three seconds.
const ACKNOWLEDGE: Duration = Duration::from_secs(5);
/// How many threads are remembered whose first message was told.
const MOST_THREADS: usize = 1024;
/// The most of a first message that is told, in characters.
const LONGEST_STARTER: usize = 2000;

/// Hears events.
pub(super) struct DiscordEvents {
    context: ChannelContext,
    known: Arc<DiscordKnown>,
    told_threads: VecDeque<String>,
}

/// What is known of a place, as far as it had to be asked for.
struct Place {
    room: Option<Channel>,
    parent: Option<Channel>,
    guild: Option<GuildFacts>,
}

impl DiscordEvents {
    pub(super) fn new(context: ChannelContext, known: Arc<DiscordKnown>) -> Self {
        Self { context, known, told_threads: VecDeque::new() }
    }

    /// Takes an event in. Says whether the host was told something. What cannot be dealt with now must come again.
    pub(super) async fn on(
        &mut self,
        name: &str,
        payload: &str,
        serial: &str,
        sink: &dyn Sink,
    ) -> Result<bool, ChannelError> {
        let told = match name {
            "MESSAGE_CREATE" => self.message(payload).await?,
            "MESSAGE_UPDATE" => self.edited(payload).await?,
            "MESSAGE_REACTION_ADD" => self.reaction(payload, serial, false).await?,
            "MESSAGE_REACTION_REMOVE" => self.reaction(payload, serial, true).await?,
            "INTERACTION_CREATE" => self.interaction(payload).await?,
            _ => {
                self.learn(name, payload);
                None
            }
        };
        let Some(event) = told else { return Ok(false) };
        sink.take(vec![event])
            .await
            .map_err(|error| ChannelError::Unreachable { reason: error.to_string(), landed: Landed::No })?;
        Ok(true)
    }

    /// What an event says about guilds and rooms.
    fn learn(&self, name: &str, payload: &str) {
        let mut rooms = self.known.rooms();
        match name {
            "GUILD_CREATE" => {
                read::<Guild>(payload).iter().for_each(|guild| rooms.enter(guild, &self.known.us))
            }
            "GUILD_UPDATE" => read::<Guild>(payload).iter().for_each(|guild| rooms.rename(guild)),
            "GUILD_DELETE" => read::<Guild>(payload).iter().for_each(|guild| rooms.leave(guild)),
            "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" | "THREAD_UPDATE" => {
                read::<Channel>(payload).into_iter().for_each(|channel| rooms.note(channel));
            }
            "CHANNEL_DELETE" | "THREAD_DELETE" => {
                read::<Channel>(payload).iter().for_each(|channel| rooms.forget(&channel.id));
            }
            "THREAD_LIST_SYNC" => {
                let Some(list) = read::<ThreadList>(payload) else { return };
                for thread in list.threads {
                    rooms.note(Channel { guild_id: list.guild_id.clone(), ..thread });
                }
            }
            _ => {}
        }
    }

    async fn message(&mut self, payload: &str) -> Result<Option<Inbound>, ChannelError> {
        let Some(message) = read::<Message>(payload) else { return Ok(None) };
        let author = message.author.as_ref().map(|author| author.id.as_str()).unwrap_or_default();
        if author == self.known.us {
            let nonce = message.nonce.as_ref().and_then(Value::as_str);
            self.known.rooms().note_own(&message.id, nonce);
            return Ok(None);
        }
        self.meet(&message, author);
        let place = self.place(&message.channel_id, message.guild_id.as_deref()).await?;
        let told = sound(normalize::message(&message, &self.scene(&place)));
        let Some(mut event) = told else { return Ok(None) };
        self.tell_speaker(&message, &mut event).await;
        if let Ok(DiscordDestination { aside: Aside::ThreadAt(_), .. }) =
            DiscordDestination::read(&event.place.to)
        {
            self.known.rooms().note_thread_name(&message.id, normalize::thread_name(&message));
        }
        if let Some(starter) = self.starter(&place).await {
            event.facts.push(("first message of the thread".to_owned(), starter));
        }
        Ok(Some(event))
    }

    /// Learns what kind of chat a message came from that is in no guild. One with several people is nobody's direct chat.
    fn meet(&self, message: &Message, author: &str) {
        if message.guild_id.is_some() {
            return;
        }
        let mut rooms = self.known.rooms();
        let (id, known) = (&message.channel_id, rooms.channel(&message.channel_id).map(|room| room.kind));
        match known.or(message.channel_type) {
            Some(GROUP) if known.is_some() => {}
            Some(GROUP) => rooms.note(Channel { id: id.clone(), kind: GROUP, ..Channel::default() }),
            _ => rooms.note_direct(author, id),
        }
    }

    async fn edited(&self, payload: &str) -> Result<Option<Inbound>, ChannelError> {
        let Some(message) = read::<Message>(payload) else { return Ok(None) };
        if message.edited_timestamp.is_none() {
            return Ok(None);
        }
        let author = message.author.as_ref().map(|author| author.id.as_str()).unwrap_or_default();
        self.meet(&message, author);
        let place = self.place(&message.channel_id, message.guild_id.as_deref()).await?;
        let mut event = sound(normalize::edited(&message, &self.scene(&place)));
        if let Some(event) = &mut event {
            self.tell_speaker(&message, event).await;
        }
        Ok(event)
    }

    /// Says who speaks in a message that was written for them, where that is asked for.
    async fn tell_speaker(&self, message: &Message, event: &mut Inbound) {
        let (Some(login), Some(_)) = (&self.known.login.plural, &message.webhook_id) else { return };
        let kit = PluralKit { http: self.known.api.http(), clock: &self.context.clock, login };
        if let Some(speaker) = kit.speaker(&message.id).await {
            event.from = speaker;
        }
    }

    async fn reaction(
        &self,
        payload: &str,
        serial: &str,
        removed: bool,
    ) -> Result<Option<Inbound>, ChannelError> {
        let Some(event) = read::<ReactionEvent>(payload) else { return Ok(None) };
        let place = self.place(&event.channel_id, event.guild_id.as_deref()).await?;
        let on_ours = self.known.rooms().is_own(&event.message_id);
        let facts = ReactionFacts { removed, on_ours, serial: serial.to_owned() };
        Ok(sound(normalize::reaction(&event, &facts, &self.scene(&place))))
    }

    async fn interaction(&self, payload: &str) -> Result<Option<Inbound>, ChannelError> {
        let Some(mut used) = read::<Interaction>(payload) else { return Ok(None) };
        if used.kind == 3 && self.opens(&used).await {
            return Ok(None);
        }
        let in_place = match used.kind {
            2 | 3 | 5 => self.acknowledge(&used).await,
            _ => return Ok(None),
        };
        used.data.custom_id = self.known.kept.lengthen(&used.data.custom_id).await;
        if let Some(channel) = used.channel.clone().filter(|channel| !channel.id.is_empty()) {
            let mut rooms = self.known.rooms();
            if rooms.channel(&channel.id).is_none() && used.guild_id.is_some() {
                rooms.note(Channel { guild_id: used.guild_id.clone(), ..channel });
            }
        }
        let channel = used.channel_id.clone().unwrap_or_default();
        let place = self.place(&channel, used.guild_id.as_deref()).await?;
        let answered = Answered { in_place, alone: self.known.login.ephemeral };
        Ok(sound(normalize::interaction(&used, answered, &self.scene(&place))))
    }

    /// Shows somebody the form that the button they pressed opens. Nothing came of it yet: what they fill in does.
    async fn opens(&self, used: &Interaction) -> bool {
        let Some(name) = opened(&used.data.custom_id) else { return false };
        let kept: Option<PanelForm> = self.known.kept.recall(FORMS, name).await;
        let Some(Ok(window)) = kept.map(|form| window(&form, name)) else { return false };
        let path = format!("/interactions/{}/{}/callback", used.id, used.token);
        let call = Call::with(Method::POST, path, json!({ "type": 9, "data": window }));
        if let Err(fault) = self.known.api.call(call.unsigned().within(ACKNOWLEDGE)).await {
            tracing::warn!(subsystem = "channels", error = %fault.error, "a form cannot be shown");
        }
        true
    }

    /// Tells the platform at once that an answer follows. What cannot be acknowledged (it came again, or too late) is
    /// answered in the room, or to who asked alone.
    async fn acknowledge(&self, used: &Interaction) -> bool {
        let ephemeral = self.known.login.ephemeral;
        let flags = if ephemeral { EPHEMERAL } else { 0 };
        let body = match used.kind {
            2 => json!({ "type": 5, "data": { "flags": flags } }),
            _ => json!({ "type": 6 }),
        };
        let path = format!("/interactions/{}/{}/callback", used.id, used.token);
        let call = Call::with(Method::POST, path, body).unsigned().within(ACKNOWLEDGE);
        if let Err(fault) = self.known.api.call(call).await {
            // The same command again after a restart: the token is kept already.
            let known = matches!(self.known.answers.find(&used.id).await, Ok(Some(_)));
            tracing::debug!(subsystem = "channels", error = %fault.error, known, "an interaction cannot be acknowledged");
            return known;
        }
        if used.kind != 2 {
            return false;
        }
        match self.known.answers.open(&used.id, &used.token, ephemeral).await {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!(subsystem = "channels", %error, "a command cannot be answered in its place");
                false
            }
        }
    }

    /// What is known of a place; what is not is asked for.
    async fn place(&self, channel: &str, guild: Option<&str>) -> Result<Place, ChannelError> {
        let Some(guild) = guild else {
            let room = self.known.rooms().channel(channel).cloned();
            return Ok(Place { room, parent: None, guild: None });
        };
        let room = self.known.channel(channel).await?;
        let parent = match room.parent_id.as_deref().filter(|_| room.is_thread()) {
            Some(parent) => Some(self.known.channel(parent).await?),
            None => None,
        };
        Ok(Place { room: Some(room), parent, guild: Some(self.known.guild(guild).await?) })
    }

    fn scene<'a>(&'a self, place: &'a Place) -> Scene<'a> {
        Scene {
            account: &self.context.account,
            us: &self.known.us,
            room: place.room.as_ref(),
            parent: place.parent.as_ref(),
            guild: place.guild.as_ref(),
            habits: &self.known.login.habits,
            now: self.context.clock.now(),
        }
    }

    /// The first message of a thread, once for each thread.
    async fn starter(&mut self, place: &Place) -> Option<String> {
        let thread = place.room.as_ref().filter(|room| room.is_thread())?;
        let parent = place.parent.as_ref()?;
        let told = self.told_threads.contains(&thread.id);
        if told || !self.known.login.habits.tells_starter(&self.scene(place)) {
            return None;
        }
        if self.told_threads.len() >= MOST_THREADS {
            self.told_threads.pop_front();
        }
        self.told_threads.push_back(thread.id.clone());
        // A post of a forum holds its first message; that of another thread stands in the room above.
        let room = if parent.is_forum() { &thread.id } else { &parent.id };
        let path = format!("/channels/{room}/messages/{}", thread.id);
        let first: Message = self.known.api.read(Call::get(path)).await.ok()?;
        let author = first.author.as_ref()?;
        let name = author.global_name.as_deref().unwrap_or(&author.username);
        let words: String = first.content.trim().chars().take(LONGEST_STARTER).collect();
        (!words.is_empty()).then(|| format!("{name}: {words}"))
    }
}

/// What a payload holds; nothing where it makes no sense. What it says may be anybody's words, so only where it goes
/// wrong is told.
fn read<T: DeserializeOwned>(payload: &str) -> Option<T> {
    let frame: Frame<'_> = serde_json::from_str(payload).ok()?;
    match serde_json::from_str(frame.d?.get()) {
        Ok(read) => Some(read),
        Err(error) => {
            let (event, at) = (frame.t.as_deref(), error.column());
            tracing::warn!(subsystem = "channels", event, at, "an event makes no sense and is left out");
            None
        }
    }
}

/// An event, unless its ids make no sense.
fn sound(event: Result<Option<Inbound>, IdError>) -> Option<Inbound> {
    event.unwrap_or_else(|error| {
        tracing::warn!(subsystem = "channels", %error, "an event has no proper ids and is left out");
        None
    })
}
