//! Every kind of event, as the platform sends it, with what it is in neutral words beside it.

use std::path::{Path, PathBuf};

use openclaw_testkit::discord_fake::check_event;
use openclaw_types::{AccountId, Inbound, UnixMillis};
use serde_json::{Value, json};

use crate::discord::config::Habits;
use crate::discord::normalize::{self, Answered, ReactionFacts, Scene};
use crate::discord::rooms::GuildFacts;
use crate::discord::wire::Channel;

const US: &str = "1100000000000000001";
const GUILD: &str = "1200000000000000001";

fn rooms() -> Value {
    json!([
        { "id": "1200000000000000010", "type": 0, "guild_id": GUILD, "name": "general", "topic": "Everything" },
        { "id": "1200000000000000011", "type": 15, "guild_id": GUILD, "name": "questions" },
        {
            "id": "1200000000000000012", "type": 11, "guild_id": GUILD, "name": "plans",
            "parent_id": "1200000000000000010", "owner_id": "1000000000000000001"
        },
        {
            "id": "1200000000000000013", "type": 11, "guild_id": GUILD, "name": "It does not start",
            "parent_id": "1200000000000000011", "owner_id": "1000000000000000001"
        },
        { "id": "1250000000000000003", "type": 3, "name": "Friends" },
        { "id": "1250000000000000002", "type": 3, "name": "lunch" },
    ])
}

/// A recorded event in neutral words, where people and places are called otherwise.
pub(in crate::discord) fn neutral(recorded: &Value, called: fn(&Value) -> Value) -> Option<Inbound> {
    let account = AccountId::new("default").unwrap();
    let body = &called(&recorded["d"]);
    let rooms: Vec<Channel> = read(&called(&rooms()));
    let guild = GuildFacts {
        id: GUILD.to_owned(),
        name: called(&json!({ "name": "The Guild" }))["name"].as_str().map(str::to_owned),
        own_roles: vec!["1200000000000000021".to_owned()],
    };
    let find = |id: &str| rooms.iter().find(|room| room.id == id);
    let room = body["channel_id"].as_str().and_then(find);
    let habits = Habits::read(Some(&json!({ GUILD: { "reactionNotifications": "own" } })));
    let scene = Scene {
        account: &account,
        us: US,
        room,
        parent: room.filter(|room| room.is_thread()).and_then(|room| find(room.parent_id.as_deref()?)),
        guild: body["guild_id"].is_string().then_some(&guild),
        habits: &habits,
        now: UnixMillis(1_767_322_000_000),
    };
    let facts =
        |removed| ReactionFacts { removed, on_ours: removed, serial: format!("session:{}", recorded["s"]) };
    let told = match recorded["t"].as_str().unwrap() {
        "MESSAGE_CREATE" => normalize::message(&read(body), &scene),
        "MESSAGE_UPDATE" => normalize::edited(&read(body), &scene),
        "MESSAGE_REACTION_ADD" => normalize::reaction(&read(body), &facts(false), &scene),
        "MESSAGE_REACTION_REMOVE" => normalize::reaction(&read(body), &facts(true), &scene),
        "INTERACTION_CREATE" => {
            normalize::interaction(&read(body), Answered { in_place: true, alone: false }, &scene)
        }
        other => panic!("nobody hears {other}"),
    };
    told.unwrap()
}

fn read<T: serde::de::DeserializeOwned>(body: &Value) -> T {
    serde_json::from_value(body.clone()).unwrap()
}

pub(in crate::discord) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/discord/fixtures")
}

/// The recording in a file.
pub(in crate::discord) fn recording(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// All files below a folder.
pub(in crate::discord) fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// The platform's published description leaves out that something was bought; the rest of such a message is held to it.
fn described(body: &Value) -> Value {
    let mut body = body.clone();
    if body["type"] == 44 {
        body["type"] = json!(0);
    }
    body
}

#[test]
fn recorded_events_in_neutral_words() {
    let mut found = Vec::new();
    files(&folder(), &mut found);
    assert!(found.len() >= 46, "the recordings are there");
    for path in found {
        let recorded = recording(&path);
        let wrong = check_event(recorded["t"].as_str().unwrap(), &described(&recorded["d"]));
        assert_eq!(wrong, Vec::<String>::new(), "{}", path.display());
        let told = serde_json::to_value(neutral(&recorded, Value::clone)).unwrap();
        assert_eq!(told, recorded["inbound"], "{}:\n{told:#}", path.display());
    }
}
