//! What the tests of this crate share: settings from JSON, sessions over stores in memory.

use std::sync::{Arc, Mutex};

use openclaw_config::{Config, Context, Environment, Locations, Overrides, ProfileChoice, SessionSettings};
use openclaw_ports::Clock;
use openclaw_ports::stores::SessionStore;
use openclaw_stores::memory::MemorySessionStore;
use openclaw_testkit::SimClock;
use openclaw_types::{Content, EntryBody, Message, SessionKey, UnixMillis, UserMessage};
use serde_json::{Value, json};

use crate::{Journal, SessionParts, Sessions, Zone};

/// Noon, UTC.
pub(crate) const NOON: UnixMillis = UnixMillis(1_794_830_400_000);

pub(crate) fn config(file: Value) -> Config {
    let environment = Environment::fake([("A", "b")], "/home/ana");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).expect("locations");
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    Config::resolve(serde_json::from_value(file).expect("a config"), &context).0
}

pub(crate) fn settings(session: Value) -> SessionSettings {
    config(json!({ "session": session })).session
}

pub(crate) struct World {
    pub(crate) sessions: Sessions,
    pub(crate) store: Arc<MemorySessionStore>,
    pub(crate) clock: Arc<SimClock>,
    config: Arc<Mutex<Arc<Config>>>,
}

impl World {
    pub(crate) fn new() -> Self {
        let store = Arc::new(MemorySessionStore::default());
        let clock = Arc::new(SimClock::starting_at(NOON));
        let config = Arc::new(Mutex::new(Arc::new(config(json!({})))));
        let reading = Arc::clone(&config);
        let dyn_store: Arc<dyn SessionStore> = store.clone();
        let dyn_clock: Arc<dyn Clock> = clock.clone();
        let parts = SessionParts {
            store: dyn_store.clone(),
            journal: Arc::new(Journal::new(dyn_store, dyn_clock.clone())),
            settings: Arc::new(move || reading.lock().expect("no panic").clone()),
            clock: dyn_clock,
            zone: Zone::named("UTC").expect("a zone"),
        };
        Self { sessions: Sessions::new(parts), store, clock, config }
    }

    pub(crate) fn configure(&self, file: Value) {
        *self.config.lock().expect("no panic") = Arc::new(config(file));
    }
}

pub(crate) fn key(text: &str) -> SessionKey {
    text.parse().expect("a key")
}

pub(crate) fn said(text: &str) -> EntryBody {
    let said = UserMessage { content: vec![Content::text(text)], at: Some(NOON), ..UserMessage::default() };
    Message::User(said).into()
}
