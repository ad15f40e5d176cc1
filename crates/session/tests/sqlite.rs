//! Sessions over the real store: a long conversation is paged, closed and opened again.
#![expect(clippy::expect_used, reason = "a test fails loudly, at the line that is wrong")]

use std::collections::BTreeMap;
use std::sync::Arc;

use openclaw_config::{Config, Context, Environment, Locations, Overrides, ProfileChoice};
use openclaw_ports::Clock;
use openclaw_ports::stores::SessionStore;
use openclaw_session::{Journal, ListQuery, Opening, SessionParts, Sessions, Zone};
use openclaw_stores::sqlite::AgentDatabases;
use openclaw_testkit::SimClock;
use openclaw_types::{AgentId, Content, EntryBody, Message, SessionKey, UserMessage};
use serde_json::{Value, json};

fn config() -> Arc<Config> {
    let environment = Environment::fake([("A", "b")], "/home/ana");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).expect("locations");
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    Arc::new(Config::resolve(serde_json::from_value(json!({})).expect("a config"), &context).0)
}

fn sessions(store: Arc<dyn SessionStore>, clock: Arc<dyn Clock>) -> Sessions {
    let config = config();
    Sessions::new(SessionParts {
        journal: Arc::new(Journal::new(store.clone(), clock.clone())),
        store,
        settings: Arc::new(move || config.clone()),
        clock,
        zone: Zone::named("UTC").expect("a zone"),
    })
}

fn said(text: String) -> EntryBody {
    Message::User(UserMessage { content: vec![Content::text(text)], ..UserMessage::default() }).into()
}

#[tokio::test]
async fn a_conversation_of_two_thousand_messages_is_paged_before_and_after_a_restart() {
    let home = tempfile::tempdir().expect("a directory");
    let clock: Arc<dyn Clock> = Arc::new(SimClock::new());
    let key: SessionKey = "agent:main:main".parse().expect("a key");
    let store = Arc::new(AgentDatabases::within(home.path(), clock.clone()));
    let first = sessions(store.clone(), clock.clone());
    first.open(Opening::new(key.clone(), None)).await.expect("a session");
    for hundred in 0..20 {
        let bodies = (0..100).map(|at| said(format!("message {}", hundred * 100 + at))).collect();
        first.append(&key, bodies).await.expect("a session");
    }
    let shown = first.history(&key, None).await.expect("a session").messages;
    let texts: Vec<Value> = shown.iter().map(|message| message["content"][0]["text"].clone()).collect();
    let expected: Vec<Value> = (1800..2000).map(|at| json!(format!("message {at}"))).collect();
    assert_eq!(texts, expected);
    store.close().await.expect("closed");
    let second = sessions(Arc::new(AgentDatabases::within(home.path(), clock.clone())), clock);
    assert_eq!(second.history(&key, None).await.expect("a session").messages, shown);
    let agent = second.agent_of(&key);
    let entry = second.entry(&key).await.expect("a store").expect("an entry");
    assert_eq!(second.messages(&agent, &entry.session_id).await.expect("a transcript").len(), 2000);
}

#[tokio::test]
async fn an_agent_whose_folder_cannot_be_read_keeps_nobody_from_the_sessions_of_the_others() {
    let home = tempfile::tempdir().expect("a directory");
    let lost = home.path().join("loop");
    std::os::unix::fs::symlink(&lost, &lost).expect("a link to itself");
    let clock: Arc<dyn Clock> = Arc::new(SimClock::new());
    let ops = AgentId::new("ops").expect("an id");
    let given = BTreeMap::from([(ops.clone(), lost)]);
    let store =
        AgentDatabases::within(home.path(), clock.clone()).with_folders(Arc::new(move || given.clone()));
    let sessions = sessions(Arc::new(store), clock);
    let key: SessionKey = "agent:main:main".parse().expect("a key");
    sessions.open(Opening::new(key.clone(), None)).await.expect("a session");
    let listed = sessions.list(&ListQuery::default()).await.expect("the sessions of main");
    assert_eq!(listed.into_iter().map(|one| one.key).collect::<Vec<_>>(), [key]);
    let alone = ListQuery { agent: Some(ops), ..ListQuery::default() };
    sessions.list(&alone).await.expect_err("nobody can look there");
}
