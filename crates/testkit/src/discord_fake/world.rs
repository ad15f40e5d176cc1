//! What the fake platform knows: people, rooms, messages, sessions of its gateway, and what it was asked.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::contract::Contract;
use super::shapes;

/// Our token there.
pub const TOKEN: &str = "token-of-the-fake";
/// Ids that are there from the beginning.
pub mod ids {
    /// Us.
    pub const US: &str = "1100000000000000001";
    /// Our application.
    pub const APPLICATION: &str = "1100000000000000002";
    /// Somebody with a role.
    pub const ANA: &str = "1000000000000000001";
    /// Somebody without.
    pub const BEN: &str = "1000000000000000002";
    /// The direct chat with the first.
    pub const DIRECT: &str = "1250000000000000001";
    /// The guild.
    pub const GUILD: &str = "1200000000000000001";
    /// A room there.
    pub const GENERAL: &str = "1200000000000000010";
    /// A forum there.
    pub const FORUM: &str = "1200000000000000011";
    /// A thread of that room.
    pub const THREAD: &str = "1200000000000000012";
    /// The role.
    pub const ROLE: &str = "1200000000000000020";
    /// The role that stands for us.
    pub const OWN_ROLE: &str = "1200000000000000021";
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscordRequest {
    /// The method.
    pub method: String,
    /// The path below the version.
    pub path: String,
    /// What follows the question mark.
    pub query: String,
    /// The body, without files.
    pub body: Value,
    /// The files: name and bytes.
    pub files: Vec<(String, Vec<u8>)>,
}

/// An answer that is given instead of the true one.
#[derive(Debug, Clone)]
pub struct Trouble {
    /// For requests whose method and path begin so: `POST /channels`.
    pub to: String,
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Value,
    /// Whether the request has its effect all the same.
    pub lands: bool,
}

/// What goes to a line of the gateway.
#[derive(Debug, Clone)]
pub(super) enum ToLine {
    Say(Value),
    Close(u16),
}

/// A session of the gateway.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) events: Vec<Value>,
    pub(super) line: Option<UnboundedSender<ToLine>>,
}

/// How the gateway behaves.
#[derive(Debug, Clone)]
pub(super) struct Manners {
    pub(super) beat: u64,
    pub(super) acknowledges: bool,
    /// The intents that are switched off.
    pub(super) forbidden: u64,
    /// How often a message may be made in a window, and how long that is, in seconds.
    pub(super) window: Option<(u64, f64)>,
}

#[derive(Debug)]
pub(super) struct World {
    pub(super) contract: Contract,
    pub(super) address: String,
    pub(super) manners: Manners,
    pub(super) users: BTreeMap<String, Value>,
    pub(super) channels: BTreeMap<String, Value>,
    pub(super) messages: BTreeMap<String, Vec<Value>>,
    pub(super) commands: Vec<Value>,
    /// Tokens of interactions: acknowledged or not, and the message that answers.
    pub(super) interactions: BTreeMap<String, (String, Option<String>)>,
    pub(super) nonces: BTreeMap<String, String>,
    pub(super) sessions: BTreeMap<String, Session>,
    pub(super) requests: Vec<DiscordRequest>,
    pub(super) said: Vec<Value>,
    pub(super) complaints: Vec<String>,
    pub(super) strangers: Vec<String>,
    pub(super) troubles: VecDeque<Trouble>,
    pub(super) used: u64,
    pub(super) flags: u64,
    next: u64,
}

impl World {
    pub(super) fn new(address: String) -> Self {
        let users = [(ids::US, "claw", true), (ids::ANA, "ana", false), (ids::BEN, "ben", false)];
        let users: BTreeMap<String, Value> =
            users.into_iter().map(|(id, name, bot)| (id.to_owned(), shapes::user(id, name, bot))).collect();
        let rooms = [
            shapes::room(ids::GENERAL, ids::GUILD, 0, "general"),
            shapes::room(ids::FORUM, ids::GUILD, 15, "questions"),
            shapes::thread(ids::THREAD, ids::GUILD, ids::GENERAL, "plans", ids::ANA),
            shapes::direct(ids::DIRECT, &users[ids::ANA]),
        ];
        let id = |room: &Value| room["id"].as_str().expect("it has an id").to_owned();
        Self {
            contract: Contract::read(),
            address,
            manners: Manners { beat: 41_250, acknowledges: true, forbidden: 0, window: None },
            channels: rooms.into_iter().map(|room| (id(&room), room)).collect(),
            users,
            messages: BTreeMap::new(),
            commands: Vec::new(),
            interactions: BTreeMap::new(),
            nonces: BTreeMap::new(),
            sessions: BTreeMap::new(),
            requests: Vec::new(),
            said: Vec::new(),
            complaints: Vec::new(),
            strangers: Vec::new(),
            troubles: VecDeque::new(),
            used: 0,
            flags: 1 << 15 | 1 << 19,
            next: 1_300_000_000_000_000_000,
        }
    }

    /// A new id.
    pub(super) fn id(&mut self) -> String {
        self.next += 4_194_304;
        self.next.to_string()
    }

    /// The roles of somebody.
    pub(super) fn member(&self, user: &str) -> Value {
        let roles: &[&str] = match user {
            ids::ANA => &[ids::ROLE],
            ids::US => &[ids::OWN_ROLE],
            _ => &[],
        };
        shapes::member(self.users.get(user).unwrap_or(&Value::Null), roles)
    }

    pub(super) fn guild(&self) -> Value {
        let roles = [
            shapes::role(ids::GUILD, "@everyone", None),
            shapes::role(ids::ROLE, "helpers", None),
            shapes::role(ids::OWN_ROLE, "claw", Some(ids::US)),
        ];
        shapes::guild(ids::GUILD, "The Guild", ids::ANA, &roles)
    }

    /// The guild as the gateway tells it.
    pub(super) fn whole_guild(&self) -> Value {
        let mut guild = self.guild();
        let of = |thread: bool| -> Vec<&Value> {
            let fits = |room: &&Value| room["guild_id"] == ids::GUILD && (room["type"] == 11) == thread;
            self.channels.values().filter(fits).collect()
        };
        guild["channels"] = json!(of(false));
        guild["threads"] = json!(of(true));
        guild["members"] = json!([self.member(ids::US)]);
        guild["member_count"] = json!(self.users.len());
        guild["joined_at"] = json!("2024-01-01T00:00:00+00:00");
        guild["large"] = json!(false);
        guild["unavailable"] = json!(false);
        for field in
            ["voice_states", "presences", "stage_instances", "guild_scheduled_events", "soundboard_sounds"]
        {
            guild[field] = json!([]);
        }
        guild
    }

    /// Tells every session of an event.
    pub(super) fn dispatch(&mut self, name: &str, body: &Value) {
        let wrong = self.contract.event(name, body);
        self.complaints.extend(wrong);
        for session in self.sessions.values_mut() {
            session.tell(name, body);
        }
    }

    /// Puts a message into a room and tells everybody.
    pub(super) fn add_message(&mut self, message: Value) {
        let channel = message["channel_id"].as_str().unwrap_or_default().to_owned();
        self.messages.entry(channel.clone()).or_default().push(message.clone());
        let event = self.as_event(message, &channel);
        self.dispatch("MESSAGE_CREATE", &event);
    }

    /// A message as the gateway tells it: with the guild and the member.
    pub(super) fn as_event(&self, mut message: Value, channel: &str) -> Value {
        let room = self.channels.get(channel);
        if let Some(guild) = room.and_then(|room| room["guild_id"].as_str()) {
            message["guild_id"] = json!(guild);
            let author = message["author"]["id"].as_str().unwrap_or_default();
            if self.users.contains_key(author) && message["webhook_id"].is_null() {
                let mut member = self.member(author);
                member.as_object_mut().expect("it is an object").remove("user");
                message["member"] = member;
            }
        }
        message
    }

    pub(super) fn find(&self, channel: &str, message: &str) -> Option<&Value> {
        self.messages.get(channel)?.iter().find(|each| each["id"] == message)
    }

    pub(super) fn find_mut(&mut self, channel: &str, message: &str) -> Option<&mut Value> {
        self.messages.get_mut(channel)?.iter_mut().find(|each| each["id"] == message)
    }
}

impl Session {
    pub(super) fn tell(&mut self, name: &str, body: &Value) {
        let event = json!({ "op": 0, "t": name, "s": self.events.len() + 1, "d": body });
        self.events.push(event.clone());
        if let Some(line) = &self.line
            && line.send(ToLine::Say(event)).is_err()
        {
            self.line = None;
        }
    }
}
