//! A fake of Discord on a real socket: its API and its gateway, as far as our adapter goes.
//!
//! Every request and every answer, and the messages in events, are held against the platform's published description
//! (`contract`); what does not fit is a complaint, and tests end with none. `rest` is the API, `guild` the part of it about
//! guilds and their rooms, `gateway` the socket over which events come, `world` what both know, `shapes` things in the platform's words. An independent client runs the
//! same scenario against it (`cargo xtask peers`).

mod contract;
mod form;
mod gateway;
mod guild;
mod marks;
mod rest;
mod scenario;
mod shapes;
mod world;

#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use openclaw_ports::{Clock as _, Deadline, SystemClock, TaskScope};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use contract::Contract;
pub use marks::read_marks;
pub use scenario::play;
pub use world::{DiscordRequest, TOKEN, Trouble, ids};
use world::{ToLine, World};

/// What is wrong with an event, held against the platform's description.
#[must_use]
pub fn check_event(name: &str, body: &Value) -> Vec<String> {
    static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::read);
    CONTRACT.event(name, body)
}

/// The fake. It ends when it is dropped.
#[derive(Debug)]
pub struct DiscordFake {
    world: Arc<Mutex<World>>,
    address: String,
    tasks: TaskScope,
}

impl DiscordFake {
    /// Starts on a free port of this machine.
    pub async fn start() -> Self {
        Self::start_at(0).await
    }

    /// Starts on a port.
    pub async fn start_at(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("there is a free port");
        let address = listener.local_addr().expect("it has an address").to_string();
        let world = Arc::new(Mutex::new(World::new(address.clone())));
        let routes = Router::new()
            .route("/gateway", get(gateway::upgrade))
            .route("/gateway/", get(gateway::upgrade))
            .fallback(rest::serve)
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(Arc::clone(&world));
        let tasks = TaskScope::root("fake");
        tasks.start_cancellable("serve", async move {
            axum::serve(listener, routes).await.expect("it serves");
        });
        Self { world, address, tasks }
    }

    /// The address of its API.
    #[must_use]
    pub fn root(&self) -> String {
        format!("http://{}/api/v10", self.address)
    }

    /// What did not fit the platform's description.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        self.world().complaints.clone()
    }

    /// Fields of requests that the platform's description does not know; the platform takes no notice of them.
    #[must_use]
    pub fn strangers(&self) -> Vec<String> {
        self.world().strangers.clone()
    }

    /// Every request so far.
    #[must_use]
    pub fn requests(&self) -> Vec<DiscordRequest> {
        self.world().requests.clone()
    }

    /// What was said over the gateway, without tokens.
    #[must_use]
    pub fn said(&self) -> Vec<Value> {
        self.world().said.clone()
    }

    /// The messages of a room.
    #[must_use]
    pub fn messages(&self, room: &str) -> Vec<Value> {
        self.world().messages.get(room).cloned().unwrap_or_default()
    }

    /// The answers to an interaction.
    #[must_use]
    pub fn answers(&self, token: &str) -> Vec<Value> {
        self.messages(&format!("interaction {token}"))
    }

    /// Waits until something is so.
    pub async fn until(&self, mut is_so: impl FnMut(&Self) -> bool) {
        let clock = SystemClock::new();
        let waiting = async {
            while !is_so(self) {
                clock.sleep(Duration::from_millis(10)).await;
            }
        };
        Deadline::after(&clock, Duration::from_secs(20)).bound(&clock, waiting).await.expect("in time");
    }

    /// Somebody writes. Gives the message's id.
    pub fn say(&self, room: &str, user: &str, text: &str) -> String {
        self.say_more(room, user, &json!({ "content": text }))
    }

    /// Somebody writes, with these fields. Gives the message's id.
    pub fn say_more(&self, room: &str, user: &str, more: &Value) -> String {
        let mut world = self.world();
        let id = world.id();
        let author = world.users[user].clone();
        let message = shapes::message(&id, room, &author, more);
        world.add_message(message);
        id
    }

    /// Somebody reacts.
    pub fn react(&self, room: &str, user: &str, message: &str, emoji: &str) {
        let mut world = self.world();
        let author = world.find(room, message).map(|found| found["author"]["id"].clone()).unwrap_or_default();
        let mut event = json!({
            "user_id": user, "channel_id": room, "message_id": message, "emoji": { "id": null, "name": emoji },
            "message_author_id": author, "burst": false, "type": 0,
        });
        if world.channels.get(room).is_some_and(|room| room["guild_id"].is_string()) {
            event["guild_id"] = json!(ids::GUILD);
            event["member"] = world.member(user);
        }
        world.dispatch("MESSAGE_REACTION_ADD", &event);
    }

    /// Somebody uses a command. Gives the interaction's token.
    pub fn command(&self, room: &str, user: &str, name: &str, words: &str) -> String {
        let options = json!([{ "name": "input", "type": 3, "value": words }]);
        let options = if words.is_empty() { json!([]) } else { options };
        let data = json!({ "id": "1", "name": name, "type": 1, "options": options });
        self.interaction(room, user, 2, &data)
    }

    /// Somebody presses a button. Gives the interaction's token.
    pub fn press(&self, room: &str, user: &str, message: &str, data: &str) -> String {
        let found = self.world().find(room, message).cloned().unwrap_or_default();
        let data = json!({ "custom_id": data, "component_type": 2, "message": found });
        self.interaction(room, user, 3, &data)
    }

    /// Somebody fills in a form. Gives the interaction's token.
    pub fn fill_in(&self, room: &str, user: &str, form: &str, fields: &Value) -> String {
        self.interaction(room, user, 5, &json!({ "custom_id": form, "components": fields }))
    }

    fn interaction(&self, room: &str, user: &str, kind: u64, data: &Value) -> String {
        let mut world = self.world();
        let (id, token) = (world.id(), format!("interaction-token-{}", world.id()));
        world.interactions.insert(token.clone(), (id.clone(), None));
        let channel = world.channels.get(room).cloned().unwrap_or_default();
        let mut event = json!({
            "id": id, "application_id": ids::APPLICATION, "type": kind, "token": token, "version": 1,
            "channel_id": room, "channel": channel, "data": data, "locale": "en-US", "entitlements": [],
            "app_permissions": "0", "authorizing_integration_owners": {}, "attachment_size_limit": 10_485_760,
        });
        if let Some(message) = data.get("message") {
            event["message"] = message.clone();
        }
        if channel["guild_id"].is_string() {
            event["guild_id"] = json!(ids::GUILD);
            let mut member = world.member(user);
            member["permissions"] = json!("0");
            event["member"] = member;
        } else {
            event["user"] = world.users[user].clone();
        }
        world.dispatch("INTERACTION_CREATE", &event);
        token
    }

    /// Something happens.
    pub fn happen(&self, event: &str, body: &Value) {
        self.world().dispatch(event, body);
    }

    /// Fails a request in this way, once.
    pub fn fail(&self, trouble: Trouble) {
        self.world().troubles.push_back(trouble);
    }

    /// Closes every line of the gateway.
    pub fn close_lines(&self, code: u16) {
        self.each_line(&ToLine::Close(code));
    }

    /// Sends a payload over every line, outside of sessions.
    pub fn tell_lines(&self, payload: &Value) {
        self.each_line(&ToLine::Say(payload.clone()));
    }

    /// Forgets every session, as the platform does after a while.
    pub fn forget_sessions(&self) {
        self.world().sessions.clear();
    }

    /// How many sessions were begun and not forgotten.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.world().sessions.len()
    }

    /// Wants a heartbeat so often, in milliseconds, from the next line on.
    pub fn beat_every(&self, milliseconds: u64) {
        self.world().manners.beat = milliseconds;
    }

    /// Stops or begins to answer heartbeats.
    pub fn answer_beats(&self, answers: bool) {
        self.world().manners.acknowledges = answers;
    }

    /// Switches intents off: in the application, and, where `told` is not set, behind its back.
    pub fn forbid(&self, intents: u64, told: bool) {
        let mut world = self.world();
        world.manners.forbidden = intents;
        if told {
            world.flags = 0;
        }
    }

    /// Lets so many messages be made in a window of so many seconds, and says so.
    pub fn limit_messages(&self, most: u64, seconds: f64) {
        let mut world = self.world();
        world.manners.window = Some((most, seconds));
        world.used = 0;
    }

    fn each_line(&self, word: &ToLine) {
        for session in self.world().sessions.values_mut() {
            if let Some(line) = &session.line {
                // A line that has gone is found when it is used next.
                if line.send(word.clone()).is_err() {
                    session.line = None;
                }
            }
        }
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for DiscordFake {
    fn drop(&mut self) {
        self.tasks.cancel();
    }
}
