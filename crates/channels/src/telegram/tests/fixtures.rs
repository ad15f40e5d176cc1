//! Every kind of update in the shape the platform gives it, and what it means. The files are scrubbed of real people.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use openclaw_testkit::check_bot_update;
use openclaw_types::{AccountId, Inbound, UnixMillis};
use serde_json::Value;

use super::super::config::ButtonScope;
use super::super::memory::KnownPoll;
use super::super::normalize::{Recalled, TelegramContext, events};
use super::super::wire::{Update, User};

pub(in crate::telegram) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/telegram/fixtures")
}

pub(in crate::telegram) fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

/// What an update means to the bot `@claw_bot`, who has a poll and remembers what it posted.
pub(in crate::telegram) fn meaning(update: &Value, username: &str) -> Vec<Inbound> {
    let update: Update = serde_json::from_value(update.clone()).expect("an update");
    let account = AccountId::new("default").expect("an id");
    let us: User = serde_json::from_value(
        serde_json::json!({ "id": 4242, "is_bot": true, "first_name": "Claw", "username": username }),
    )
    .expect("a user");
    let menu = BTreeMap::from([
        ("think".to_owned(), "think".to_owned()),
        ("export_session".to_owned(), "export-session".to_owned()),
    ]);
    let recalled = Recalled {
        ours: update.message_reaction.is_some()
            || update.channel_post.as_ref().is_some_and(|post| post.message_id == 4000),
        data: None,
        poll: Some(KnownPoll {
            chat: -1_001_900,
            topic: None,
            question: "Tea?".to_owned(),
            options: vec!["yes".to_owned(), "no".to_owned()],
        }),
    };
    let hearing = TelegramContext {
        account: &account,
        us: &us,
        now: UnixMillis(1_760_000_000_000),
        buttons: ButtonScope::Everywhere,
        menu: &menu,
        recalled,
    };
    events(&update, &hearing).expect("ids in order")
}

#[test]
fn every_kind_of_update_means_what_is_written_beside_it() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let update = read(&path);
        assert_eq!(check_bot_update(&update), Vec::<String>::new(), "{name}");
        let means = serde_json::to_value(meaning(&update, "claw_bot")).expect("JSON");
        let expected = folder().join("meanings").join(format!("{name}.json"));
        if read(&expected) != means {
            wrong.push(format!("{name}: {means:#}"));
        }
        seen += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 95, "{seen} updates");
}

/// The same update after everybody and everything got another name.
pub(in crate::telegram) fn rename(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| {
                let name = matches!(key.as_str(), "username" | "first_name" | "last_name" | "title");
                (key.clone(), if name { Value::from("other") } else { rename(value) })
            })
            .collect(),
        Value::Array(items) => items.iter().map(rename).collect(),
        other => other.clone(),
    }
}
