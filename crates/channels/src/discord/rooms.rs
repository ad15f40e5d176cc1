//! What is known of guilds, rooms and threads: names, parents, our own roles. Filled by the gateway, and by questions to
//! the API for what it did not say. Not a list of rights; nothing here decides who may talk.

use std::collections::{HashMap, VecDeque};

use super::wire::{Channel, Guild};

/// How many of our own messages are remembered, to know whose a reaction is.
const OWN_MESSAGES: usize = 4096;
/// How many texts are remembered that threads are named after.
const THREAD_NAMES: usize = 256;
/// How many rooms and how many direct chats are remembered. One that was forgotten is asked for again.
const MOST_ROOMS: usize = 20_000;

/// What is known.
#[derive(Debug, Default)]
pub(super) struct Rooms {
    channels: Capped<Channel>,
    guilds: HashMap<String, GuildFacts>,
    /// The direct chats with people, by person.
    direct: Capped<String>,
    /// Messages of ours, and what they were named by.
    own: VecDeque<(String, Option<String>)>,
    names: VecDeque<(String, String)>,
}

/// Things by id; with too many of them the oldest is forgotten.
#[derive(Debug)]
struct Capped<T> {
    values: HashMap<String, T>,
    order: VecDeque<String>,
}

impl<T> Default for Capped<T> {
    fn default() -> Self {
        Self { values: HashMap::new(), order: VecDeque::new() }
    }
}

impl<T> Capped<T> {
    fn put(&mut self, id: String, value: T) {
        if self.values.insert(id.clone(), value).is_some() {
            return;
        }
        self.order.push_back(id);
        if self.order.len() > MOST_ROOMS
            && let Some(oldest) = self.order.pop_front()
        {
            self.values.remove(&oldest);
        }
    }

    fn retain(&mut self, keeps: impl Fn(&T) -> bool) {
        self.values.retain(|_, value| keeps(value));
        self.order.retain(|id| self.values.contains_key(id));
    }
}

/// What is known of a guild.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct GuildFacts {
    /// Its id.
    pub(super) id: String,
    /// Its name.
    pub(super) name: Option<String>,
    /// The roles there that stand for us.
    pub(super) own_roles: Vec<String>,
}

impl Rooms {
    /// Takes in a guild with what it holds.
    pub(super) fn enter(&mut self, guild: &Guild, us: &str) {
        if guild.unavailable {
            return;
        }
        let own_roles = guild
            .roles
            .iter()
            .filter(|role| role.tags.as_ref().is_some_and(|tags| tags.bot_id.as_deref() == Some(us)))
            .map(|role| role.id.clone())
            .collect();
        let facts = GuildFacts { id: guild.id.clone(), name: guild.name.clone(), own_roles };
        self.guilds.insert(guild.id.clone(), facts);
        for channel in guild.channels.iter().chain(&guild.threads) {
            self.note(Channel { guild_id: Some(guild.id.clone()), ..channel.clone() });
        }
    }

    /// A guild has another name.
    pub(super) fn rename(&mut self, guild: &Guild) {
        if let Some(facts) = self.guilds.get_mut(&guild.id) {
            facts.name.clone_from(&guild.name);
        }
    }

    /// We are no more in a guild.
    pub(super) fn leave(&mut self, guild: &Guild) {
        if !guild.unavailable {
            self.guilds.remove(&guild.id);
            self.channels.retain(|channel| channel.guild_id.as_deref() != Some(guild.id.as_str()));
        }
    }

    /// Takes in a room.
    pub(super) fn note(&mut self, channel: Channel) {
        if !channel.id.is_empty() {
            self.channels.put(channel.id.clone(), channel);
        }
    }

    /// A room is gone.
    pub(super) fn forget(&mut self, channel: &str) {
        self.channels.retain(|each| each.id != channel);
    }

    /// A room.
    pub(super) fn channel(&self, id: &str) -> Option<&Channel> {
        self.channels.values.get(id)
    }

    /// A guild.
    pub(super) fn guild(&self, id: &str) -> Option<&GuildFacts> {
        self.guilds.get(id)
    }

    /// The guilds.
    pub(super) fn guilds(&self) -> impl Iterator<Item = &GuildFacts> {
        self.guilds.values()
    }

    /// The rooms.
    pub(super) fn channels(&self) -> impl Iterator<Item = &Channel> {
        self.channels.values.values()
    }

    /// The direct chat with somebody.
    pub(super) fn direct(&self, person: &str) -> Option<&String> {
        self.direct.values.get(person)
    }

    /// This is the direct chat with somebody.
    pub(super) fn note_direct(&mut self, person: &str, channel: &str) {
        self.direct.put(person.to_owned(), channel.to_owned());
    }

    /// A message of ours, and what it was named by.
    pub(super) fn note_own(&mut self, message: &str, nonce: Option<&str>) {
        if self.own.len() >= OWN_MESSAGES {
            self.own.pop_front();
        }
        self.own.push_back((message.to_owned(), nonce.map(str::to_owned)));
    }

    /// Whether a message is known to be ours.
    pub(super) fn is_own(&self, message: &str) -> bool {
        self.own.iter().rev().any(|(each, _)| each == message)
    }

    /// The message of ours that was named so.
    pub(super) fn own_named(&self, nonce: &str) -> Option<&str> {
        let found = self.own.iter().rev().find(|(_, named)| named.as_deref() == Some(nonce));
        found.map(|(message, _)| message.as_str())
    }

    /// What a message of ours is known to be named by.
    pub(super) fn name_of(&self, message: &str) -> Option<&str> {
        self.own.iter().rev().find(|(each, _)| each == message)?.1.as_deref()
    }

    /// A thread at this message would have this name.
    pub(super) fn note_thread_name(&mut self, message: &str, name: String) {
        if self.names.len() >= THREAD_NAMES {
            self.names.pop_front();
        }
        self.names.push_back((message.to_owned(), name));
    }

    /// The name of a thread at a message.
    pub(super) fn thread_name(&self, message: &str) -> Option<&str> {
        self.names.iter().rev().find(|(each, _)| each == message).map(|(_, name)| name.as_str())
    }
}
