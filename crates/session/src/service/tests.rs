//! Sessions over stores in memory, with steered time.

use std::collections::HashSet;
use std::time::Duration;

use openclaw_config::Care;
use openclaw_ports::stores::{ArchiveReason, RunStart, SessionStore};
use openclaw_types::{AgentId, EntryBody, Message, RunId, SessionEntry, SessionKey};
use serde_json::{Value, json};

use super::*;
use crate::testing::{NOON, World, key, said};
use crate::{AnewReason, FieldChange, PatchBounds, SessionPatch, StaleCause};

const HOUR: Duration = Duration::from_secs(3_600);

fn main() -> SessionKey {
    key("agent:main:main")
}

async fn open(world: &World, key: &SessionKey) -> Opened {
    world.sessions.open(Opening::new(key.clone(), None)).await.expect("a session")
}

async fn say(world: &World, key: &SessionKey, words: &[&str]) -> Vec<openclaw_types::EntryId> {
    let bodies = words.iter().map(|words| said(words)).collect();
    world.sessions.append(key, bodies).await.expect("a session").entries
}

fn texts(history: &History) -> Vec<String> {
    let text = |message: &Value| message["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    history.messages.iter().map(text).collect()
}

#[tokio::test]
async fn a_session_is_made_goes_on_and_begins_anew_the_next_day() {
    let world = World::new();
    let first = open(&world, &main()).await;
    assert_eq!((first.how, first.entry.updated_at), (OpenedHow::Created, NOON));
    say(&world, &main(), &["hello"]).await;
    world.clock.advance(HOUR).await;
    let second = open(&world, &main()).await;
    assert_eq!(second.how, OpenedHow::Continued);
    assert_eq!(second.entry.session_id, first.entry.session_id);
    assert_eq!(second.entry.updated_at, NOON.plus(HOUR));
    world.clock.advance(HOUR * 20).await;
    let third = open(&world, &main()).await;
    let previous = first.entry.session_id.clone();
    assert_eq!(third.how, OpenedHow::BeganAnew { previous: previous.clone(), cause: StaleCause::Daily });
    let archived = world.store.archived(&AgentId::main()).await.expect("a store");
    assert_eq!(archived.len(), 1);
    assert_eq!((&archived[0].archive.session, archived[0].archive.reason), (&previous, ArchiveReason::Reset));
    assert_eq!(world.sessions.history(&main(), None).await.expect("a session").messages, Vec::<Value>::new());
}

#[tokio::test]
async fn a_session_in_use_is_dated_to_the_minute_until_something_else_changes() {
    let world = World::new();
    let made = open(&world, &main()).await.entry;
    world.clock.advance(Duration::from_secs(59)).await;
    assert_eq!(open(&world, &main()).await.entry, made);
    world.clock.advance(Duration::from_secs(1)).await;
    assert_eq!(open(&world, &main()).await.entry.updated_at, NOON.plus(Duration::from_secs(60)));
    world.clock.advance(Duration::from_secs(1)).await;
    let seen = Some(crate::Sighting {
        channel: "chat".parse().expect("a channel"),
        surface: None,
        replies: crate::Replies::Anytime,
        chat: openclaw_types::ChatKind::Direct,
        account: None,
        from: None,
        to: None,
        thread: None,
        label: None,
        group: None,
    });
    let moved = world.sessions.open(Opening { seen, ..Opening::new(main(), None) }).await.expect("a session");
    assert_eq!(moved.entry.updated_at, NOON.plus(Duration::from_secs(61)));
}

#[tokio::test]
async fn a_delegated_task_goes_on_whatever_the_hour() {
    let world = World::new();
    let task = key("agent:main:subagent:t");
    open(&world, &task).await;
    world.clock.advance(HOUR * 100).await;
    assert_eq!(open(&world, &task).await.how, OpenedHow::Continued);
}

#[tokio::test]
async fn a_channel_has_its_own_hour_even_for_the_main_session() {
    let world = World::new();
    world.configure(
        json!({ "session": { "resetByChannel": { "chat": { "mode": "idle", "idleMinutes": 10 } } } }),
    );
    open(&world, &main()).await;
    world.clock.advance(Duration::from_secs(660)).await;
    let opening = Opening::new(main(), Some("chat".parse().expect("a channel")));
    let opened = world.sessions.open(opening).await.expect("a session");
    assert!(matches!(opened.how, OpenedHow::BeganAnew { cause: StaleCause::Idle, .. }));
}

#[tokio::test]
async fn a_reset_keeps_the_old_transcript_and_a_removal_archives_it() {
    let world = World::new();
    let other = key("agent:main:t1");
    let before = open(&world, &other).await.entry.session_id.clone();
    say(&world, &other, &["hello"]).await;
    let after = world.sessions.reset(&other, AnewReason::Request).await.expect("a session").session_id;
    assert_ne!(before, after);
    let old = world.sessions.messages(&AgentId::main(), &before).await.expect("a transcript");
    assert_eq!(old.len(), 1);
    say(&world, &other, &["again"]).await;
    let deleted = world.sessions.delete(&other, Leaving::Archive).await.expect("a session");
    assert_eq!(deleted, Deleted { session: Some(after.clone()), archived: vec![after] });
    assert_eq!(world.sessions.entry(&other).await.expect("a store"), None);
    let none = world.sessions.delete(&other, Leaving::Archive).await.expect("a store");
    assert_eq!(none, Deleted { session: None, archived: vec![] });
    let refused = world.sessions.delete(&main(), Leaving::Archive).await;
    assert!(matches!(refused, Err(SessionError::MainStays { .. })));
}

#[tokio::test]
async fn a_label_belongs_to_one_session() {
    let world = World::new();
    let (one, two) = (key("agent:main:one"), key("agent:work:two"));
    let label =
        |label: &str| SessionPatch { label: FieldChange::Set(label.into()), ..SessionPatch::default() };
    let patch = |key: SessionKey, patch: SessionPatch| {
        let sessions = world.sessions.clone();
        async move { sessions.patch(&key, patch, PatchBounds::default()).await }
    };
    let made = patch(one.clone(), label("home")).await.expect("a session");
    assert_eq!(made.facts.label.as_deref(), Some("home"));
    assert_eq!(patch(one.clone(), label("home")).await.expect("the same").session_id, made.session_id);
    let taken = patch(two.clone(), label(" home ")).await.expect_err("taken");
    assert_eq!(taken.to_string(), "label already in use: home");
    assert_eq!(world.sessions.entry(&two).await.expect("a store"), None);
    let by_label = SessionSelector::Label { label: "home".into(), agent: None, spawned_by: None };
    assert_eq!(world.sessions.resolve(&by_label).await.expect("found"), one);
}

#[tokio::test]
async fn sessions_are_found_by_key_id_or_label_and_listed_newest_first() {
    let world = World::new();
    world.configure(json!({ "agents": { "list": [{ "id": "main", "default": true }, { "id": "work" }] } }));
    for name in
        ["agent:main:main", "agent:work:main", "agent:main:chat:group:7", "global", "agent:main:cron:j:run:r"]
    {
        world.clock.advance(HOUR / 60).await;
        open(&world, &key(name)).await;
    }
    say(&world, &main(), &["[Sun 2026-11-15 19:26 UTC] what is new?", "more"]).await;
    let list = |query: ListQuery| {
        let sessions = world.sessions.clone();
        async move {
            let listed = sessions.list(&query).await.expect("a list");
            listed.into_iter().map(|one| one.key.to_string()).collect::<Vec<_>>()
        }
    };
    let all = ["agent:main:chat:group:7", "agent:work:main", "agent:main:main"];
    assert_eq!(list(ListQuery::default()).await, all);
    let global = ListQuery { include_global: true, limit: Some(2), ..ListQuery::default() };
    assert_eq!(list(global).await, ["global", "agent:main:chat:group:7"]);
    let of_agent = ListQuery { agent: Some("work".parse().expect("an agent")), ..ListQuery::default() };
    assert_eq!(list(of_agent).await, ["agent:work:main"]);
    let search = |search: &str| ListQuery { search: Some(search.into()), ..ListQuery::default() };
    assert_eq!(list(search("G-7")).await, ["agent:main:chat:group:7"]);
    assert_eq!(list(search("nothing")).await, Vec::<String>::new());
    let active = ListQuery { active_minutes: Some(3), ..ListQuery::default() };
    assert_eq!(list(active).await, ["agent:main:chat:group:7", "agent:work:main"]);
    let words = ListQuery {
        search: Some("agent:main:main".into()),
        titles: true,
        last_messages: true,
        ..ListQuery::default()
    };
    let listed = world.sessions.list(&words).await.expect("a list").remove(0);
    assert_eq!(
        (listed.derived_title.as_deref(), listed.last_message.as_deref()),
        (Some("what is new?"), Some("more"))
    );
    let id = listed.entry.session_id.to_string();
    assert_eq!(world.sessions.resolve(&SessionSelector::Id(id)).await.expect("found"), main());
    assert_eq!(world.sessions.resolve(&SessionSelector::Key("main".into())).await.expect("found"), main());
    let missing = world.sessions.resolve(&SessionSelector::Key("nope".into())).await.expect_err("missing");
    assert_eq!(missing.to_string(), "no session found: nope");
}

#[tokio::test]
async fn a_session_begins_under_the_id_that_a_client_chose() {
    let world = World::new();
    world.configure(json!({ "session": { "reset": { "mode": "idle", "idleMinutes": 1 } } }));
    let agent: AgentId = "main".parse().expect("an agent");
    let begin = async |id: &str| world.sessions.resolve_or_begin(&agent, id).await;
    let id_of = async |key: &SessionKey| {
        let entry = world.sessions.entry(key).await.expect("a store").expect("an entry");
        entry.session_id.to_string()
    };
    let key = begin("My-Id.1").await.expect("a session");
    assert_eq!((key.as_str(), id_of(&key).await.as_str()), ("agent:main:explicit:my-id.1", "My-Id.1"));
    say(&world, &key, &["one"]).await;
    // The id is all that its owner knows: it goes on however late it is.
    world.clock.advance(HOUR * 48).await;
    assert_eq!(open(&world, &key).await.how, OpenedHow::Continued);
    assert_eq!(begin("My-Id.1").await.expect("the same"), key);
    // Removed and begun again: the old words do not come back.
    world.sessions.delete(&key, Leaving::Archive).await.expect("a session");
    let again = begin("My-Id.1").await.expect("a session");
    assert_ne!(id_of(&again).await, "My-Id.1");
    assert_eq!(texts(&world.sessions.history(&again, None).await.expect("a session")), Vec::<String>::new());
    // A known id is found whatever its session is called.
    open(&world, &main()).await;
    let known = id_of(&main()).await;
    assert_eq!(begin(&known).await.expect("found"), main());
    for wrong in ["", " x", "a/b", "..", &"x".repeat(129)] {
        assert!(matches!(begin(wrong).await, Err(SessionError::Refused { .. })), "{wrong}");
    }
}

#[tokio::test]
async fn the_history_reads_past_entries_that_are_not_shown() {
    let world = World::new();
    open(&world, &main()).await;
    for at in 0..60 {
        let note = EntryBody::SessionName(Some(format!("name {at}")));
        let bodies = vec![said(&at.to_string()), note.clone(), note.clone(), note];
        world.sessions.append(&main(), bodies).await.expect("a session");
    }
    let history = world.sessions.history(&main(), Some(50)).await.expect("a session");
    let expected: Vec<String> = (10..60).map(|at| at.to_string()).collect();
    assert_eq!(texts(&history), expected);
    let preview = world.sessions.preview(&main(), 2, 240).await.expect("a session");
    let shown: Vec<&str> = preview.items.iter().map(|item| item.text.as_str()).collect();
    assert_eq!((preview.status, shown), (PreviewStatus::Ok, vec!["58", "59"]));
    let missing = world.sessions.preview(&key("agent:main:nope"), 2, 240).await.expect("a store");
    assert_eq!(missing, Preview { status: PreviewStatus::Missing, items: vec![] });
}

#[tokio::test]
async fn an_injected_message_stands_in_the_model_s_name_and_once() {
    let world = World::new();
    let injection = Injection { text: "injected".into(), label: Some("lab".into()), ..Injection::default() };
    let missing = world.sessions.inject(&main(), injection.clone()).await;
    assert!(matches!(missing, Err(SessionError::Missing { .. })));
    open(&world, &main()).await;
    let (id, message) = world.sessions.inject(&main(), injection).await.expect("a session");
    let expected = json!({
        "role": "assistant", "content": [{ "type": "text", "text": "[lab]\n\ninjected" }], "api": "openai-responses",
        "provider": "openclaw", "model": "gateway-injected", "stopReason": "stop", "timestamp": NOON,
        "__openclaw": { "id": id },
    });
    assert_eq!(world.sessions.history(&main(), None).await.expect("a session").messages, [expected]);
    assert!(matches!(*message, Message::Assistant(_)));
    let once = Injection {
        text: "kept".into(),
        idempotency_key: Some("r:assistant".into()),
        ..Injection::default()
    };
    let first = world.sessions.inject(&main(), once.clone()).await.expect("a session");
    assert_eq!(world.sessions.inject(&main(), once).await.expect("a session"), first);
}

#[tokio::test]
async fn a_session_goes_on_from_an_earlier_message_in_place_or_in_another_session() {
    let world = World::new();
    open(&world, &main()).await;
    let ids = say(&world, &main(), &["one", "two", "three"]).await;
    let there = key("agent:main:copy");
    let copied = world
        .sessions
        .branch_from(&main(), &ids[1], BranchTo::Session(there.clone()))
        .await
        .expect("a branch");
    assert_ne!(
        copied.session_id,
        world.sessions.entry(&main()).await.expect("a store").expect("an entry").session_id
    );
    say(&world, &there, &["other"]).await;
    assert_eq!(
        texts(&world.sessions.history(&there, None).await.expect("a session")),
        ["one", "two", "other"]
    );
    world.sessions.branch_from(&main(), &ids[0], BranchTo::Here).await.expect("a branch");
    say(&world, &main(), &["else"]).await;
    assert_eq!(texts(&world.sessions.history(&main(), None).await.expect("a session")), ["one", "else"]);
    let unknown = "ffffffff".parse().expect("an id");
    let missing = world.sessions.branch_from(&main(), &unknown, BranchTo::Here).await;
    assert!(matches!(missing, Err(SessionError::Missing { .. })));
    let taken = world.sessions.branch_from(&main(), &ids[0], BranchTo::Session(there)).await;
    assert!(matches!(taken, Err(SessionError::Refused { .. })));
}

#[tokio::test]
async fn a_thread_begins_with_the_conversation_it_hangs_below_unless_that_is_too_long() {
    let world = World::new();
    let (group, thread) = (key("agent:main:chat:group:7"), key("agent:main:chat:group:7:thread:1"));
    open(&world, &group).await;
    open(&world, &thread).await;
    assert_eq!(world.sessions.fork(&group, &thread).await.expect("a store"), Forked::Nothing);
    say(&world, &group, &["one"]).await;
    let Forked::Copied(session) = world.sessions.fork(&group, &thread).await.expect("a fork") else {
        panic!("a copy")
    };
    assert_eq!(world.sessions.entry(&thread).await.expect("a store").expect("an entry").session_id, session);
    say(&world, &thread, &["two"]).await;
    assert_eq!(texts(&world.sessions.history(&thread, None).await.expect("a session")), ["one", "two"]);
    assert_eq!(world.sessions.fork(&group, &thread).await.expect("a store"), Forked::Already);
    let late = key("agent:main:chat:group:7:thread:2");
    open(&world, &late).await;
    world.sessions.change(&group, |entry| entry.facts.total_tokens = Some(100_001)).await.expect("a session");
    assert_eq!(
        world.sessions.fork(&group, &late).await.expect("a store"),
        Forked::TooLong { tokens: 100_001 }
    );
    assert_eq!(world.sessions.fork(&group, &late).await.expect("a store"), Forked::Already);
}

#[tokio::test]
async fn maintenance_spares_the_main_session_and_busy_ones_and_only_warns_unless_told() {
    let world = World::new();
    let old = ["agent:main:main", "agent:main:a", "agent:main:busy", "agent:main:running"];
    for name in old {
        open(&world, &key(name)).await;
        say(&world, &key(name), &["hello"]).await;
    }
    let running = world.sessions.entry(&key("agent:main:running")).await.expect("a store").expect("an entry");
    let start = RunStart {
        run: RunId::new("r").expect("an id"),
        agent: AgentId::main(),
        key: key("agent:main:running"),
        session: running.session_id.clone(),
        at: NOON,
    };
    world.store.begin_run(start).await.expect("a store");
    world.clock.advance(HOUR * 24 * 31).await;
    for name in ["agent:main:b", "agent:main:c", "agent:main:d"] {
        world.clock.advance(HOUR).await;
        open(&world, &key(name)).await;
        say(&world, &key(name), &["hello"]).await;
    }
    let busy = HashSet::from([key("agent:main:busy")]);
    let removal = |name: &str, cause| Removal { key: key(name), cause };
    let by_age = vec![removal("agent:main:a", RemovalCause::Age)];
    let warned = world.sessions.maintain(&busy).await.expect("a store");
    assert_eq!(warned, Maintained { care: Care::Warn, sessions: by_age.clone(), transcripts: vec![] });
    assert_eq!(world.store.entries(&AgentId::main()).await.expect("a store").len(), 7);
    world.configure(json!({ "session": { "maintenance": { "mode": "enforce", "maxEntries": 4 } } }));
    let done = world.sessions.maintain(&busy).await.expect("a store");
    let sessions = [
        by_age,
        vec![removal("agent:main:b", RemovalCause::Count), removal("agent:main:c", RemovalCause::Count)],
    ]
    .concat();
    assert_eq!(done, Maintained { care: Care::Enforce, sessions, transcripts: vec![] });
    let left: Vec<String> = names(world.store.entries(&AgentId::main()).await.expect("a store"));
    assert_eq!(left, ["agent:main:d", "agent:main:busy", "agent:main:main", "agent:main:running"]);
    world.clock.advance(HOUR * 24 * 31).await;
    let later = world.sessions.maintain(&busy).await.expect("a store");
    assert_eq!((later.sessions.len(), later.transcripts.len()), (1, 3));
    let archived = world.store.archived(&AgentId::main()).await.expect("a store");
    assert_eq!(archived.len(), 1, "the session that went just now is archived now");
}

fn names(mut entries: Vec<(SessionKey, SessionEntry)>) -> Vec<String> {
    entries.sort_by(|one, two| two.1.updated_at.cmp(&one.1.updated_at).then_with(|| one.0.cmp(&two.0)));
    entries.into_iter().map(|(key, _)| key.to_string()).collect()
}

#[tokio::test]
async fn a_session_that_is_gone_is_not_changed() {
    let world = World::new();
    let missing = world.sessions.change(&key("agent:main:gone"), |entry| entry.updated_at = NOON).await;
    assert!(matches!(missing, Err(SessionError::Missing { .. })));
}
