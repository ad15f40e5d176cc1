//! Tables of every key form, and properties over generated keys and arbitrary text.

use proptest::prelude::*;

use super::*;
use crate::{
    AccountId, AgentId, ChannelId, ChatKind, EventId, GroupId, JobId, NodeId, PeerId, RunId, SessionId,
    SessionKeyError, TaskId, ThreadId,
};

const TASK: &str = "1906e15d-0c1b-4a6e-9f5e-2f1c7a3b9d10";
const TASK_TWO: &str = "5145dbcf-77aa-4f0e-8a11-0d5cf3a0b2c4";

fn agent(text: &str) -> AgentId {
    AgentId::new(text).unwrap()
}

fn channel(text: &str) -> ChannelId {
    ChannelId::new(text).unwrap()
}

fn peer(text: &str) -> PeerId {
    PeerId::new(text).unwrap()
}

fn group(text: &str) -> GroupId {
    GroupId::new(text).unwrap()
}

fn task(text: &str) -> TaskId {
    TaskId::new(text).unwrap()
}

fn job(text: &str) -> JobId {
    JobId::new(text).unwrap()
}

fn thread(marker: ThreadMarker, id: &str) -> Option<SessionThread> {
    Some(SessionThread { marker, id: ThreadId::new(id).unwrap() })
}

fn parse(text: &str) -> SessionKey {
    text.parse().unwrap()
}

fn main_context() -> KeyContext {
    KeyContext::new(&agent("main"), "main", SessionBreadth::PerSender)
}

/// A full key reads as these parts and prints as the same text.
#[track_caller]
fn check(text: &str, scope: SessionScope, thread: Option<SessionThread>) {
    let key = parse(text);
    assert_eq!((key.scope(), key.thread()), (&scope, thread.as_ref()), "{text}");
    assert_eq!(key.to_string(), text);
    let mut built = SessionKey::new(key.agent().unwrap(), scope);
    if let Some(thread) = &thread {
        built = built.with_thread(thread);
    }
    assert_eq!(built, key);
}

fn other(text: &str) -> SessionScope {
    SessionScope::Other(scope::SessionName::of(text))
}

#[test]
fn every_direct_form_reads_as_its_parts_and_prints_the_same() {
    check("agent:main:main", SessionScope::Main, None);
    check("agent:main:direct:+15551234", SessionScope::peer(peer("+15551234")), None);
    check("agent:atlas:dm:+15551234", SessionScope::Peer(DirectWord::Dm, peer("+15551234")), None);
    check("agent:main:chat:direct:42", SessionScope::channel_peer(channel("chat"), peer("42")), None);
    check(
        "agent:main:chat:dm:+15555550123",
        SessionScope::ChannelPeer(channel("chat"), DirectWord::Dm, peer("+15555550123")),
        None,
    );
    let work = AccountId::new("work").unwrap();
    check(
        "agent:main:chat:work:direct:42",
        SessionScope::account_peer(channel("chat"), work.clone(), peer("42")),
        None,
    );
    check(
        "agent:main:chat:work:dm:42",
        SessionScope::AccountPeer(channel("chat"), work, DirectWord::Dm, peer("42")),
        None,
    );
}

#[test]
fn ids_with_colons_stay_whole() {
    check("agent:main:direct:@ana:example.org", SessionScope::peer(peer("@ana:example.org")), None);
    check(
        "agent:main:m:direct:@ana:ex.org",
        SessionScope::channel_peer(channel("m"), peer("@ana:ex.org")),
        None,
    );
    check(
        "agent:main:m:work:direct:uuid:77-1",
        SessionScope::account_peer(channel("m"), AccountId::new("work").unwrap(), peer("uuid:77-1")),
        None,
    );
    check("agent:main:m:channel:!room:ex.org", SessionScope::Room(channel("m"), group("!room:ex.org")), None);
    check("agent:main:hook:mail:17", SessionScope::Hook(EventId::new("mail:17").unwrap()), None);
    check("agent:main:acp:one:two", SessionScope::Acp(task("one:two")), None);
}

#[test]
fn groups_rooms_and_their_threads_read_as_their_parts() {
    check(
        "agent:main:chat:group:120363@g.us",
        SessionScope::Group(channel("chat"), group("120363@g.us")),
        None,
    );
    check(
        "agent:main:chat:group:-1001234567890:topic:42",
        SessionScope::Group(channel("chat"), group("-1001234567890")),
        thread(ThreadMarker::Topic, "42"),
    );
    check(
        "agent:main:chat:channel:123456:thread:987654",
        SessionScope::Room(channel("chat"), group("123456")),
        thread(ThreadMarker::Thread, "987654"),
    );
    check(
        "agent:main:m:channel:!r:ex.org:thread:$event:ex.org",
        SessionScope::Room(channel("m"), group("!r:ex.org")),
        thread(ThreadMarker::Thread, "$event:ex.org"),
    );
    check("agent:main:main:thread:5", SessionScope::Main, thread(ThreadMarker::Thread, "5"));
    check("agent:main:group:77", SessionScope::BareGroup(group("77")), None);
    check("agent:main:chat:slash:u1", SessionScope::Slash(channel("chat"), peer("u1")), None);
    check("agent:main:notes:topic:9", other("notes"), thread(ThreadMarker::Topic, "9"));
}

#[test]
fn sessions_without_a_chat_read_as_their_parts() {
    check(&format!("agent:main:subagent:{TASK}"), SessionScope::subagent(task(TASK)), None);
    check(
        &format!("agent:main:subagent:{TASK}:subagent:{TASK_TWO}"),
        SessionScope::Subagent(Lineage::of(task(TASK)).then(task(TASK_TWO))),
        None,
    );
    check("agent:main:cron:daily", SessionScope::Cron(job("daily")), None);
    check(
        &format!("agent:main:cron:daily:run:{TASK}"),
        SessionScope::CronRun(job("daily"), SessionId::new(TASK).unwrap()),
        None,
    );
    check(&format!("agent:main:hook:{TASK}"), SessionScope::Hook(EventId::new(TASK).unwrap()), None);
    check("agent:main:node-ab12", SessionScope::Node(NodeId::new("ab12").unwrap()), None);
    check(&format!("agent:codex:acp:{TASK}"), SessionScope::Acp(task(TASK)), None);
    check("agent:main:explicit:n-1", SessionScope::Explicit(SessionId::new("n-1").unwrap()), None);
    for (interface, word) in
        [(ApiInterface::ChatCompletions, "openai"), (ApiInterface::Responses, "openresponses")]
    {
        let once = SessionScope::ApiRequest(interface, RunId::new(TASK).unwrap());
        check(&format!("agent:main:{word}:{TASK}"), once, None);
        let user = SessionScope::ApiUser(interface, peer("ana@ex.org"));
        check(&format!("agent:main:{word}-user:ana@ex.org"), user, None);
    }
}

#[test]
fn unknown_forms_are_kept_as_they_are() {
    for rest in [
        "notes",
        "chat",
        "chat:room",
        "chat:streamer",
        "main:",
        ":main",
        "cron:",
        "subagent:",
        "subagent:a:subagent:",
        "direct:",
        "chat::direct:x",
        "chat: :direct:x",
        "chat:group:",
        "thread:5",
        "chat:group:1:thread:",
        " spaced",
        "channel:5",
        "node-",
        "a:b:c:d:e",
        "chat:guild-1:channel-2",
    ] {
        let key = parse(&format!("agent:main:{rest}"));
        assert_eq!(key.as_str(), format!("agent:main:{rest}"));
        assert_eq!(key.short_text(), rest);
    }
    assert_eq!(parse("agent:main:a:b:c:d").scope(), &other("a:b:c:d"));
    assert_eq!(parse("agent:main:thread:5").thread(), None);
}

#[test]
fn keys_of_no_agent_stand_alone() {
    for (text, key) in [("global", SessionKey::global()), (" Unknown ", SessionKey::unknown())] {
        assert_eq!(parse(text), key);
        assert_eq!((key.agent(), key.thread()), (None, None));
        assert_eq!(key.short_text(), key.as_str());
    }
    assert_eq!(SessionKey::new(&agent("ops"), SessionScope::Global), SessionKey::global());
    assert_eq!(SessionKey::global().agent_or(&agent("ops")), &agent("ops"));
    assert_eq!(parse("agent:main:global").scope(), &other("global"));
}

#[test]
fn case_and_surrounding_space_do_not_matter() {
    assert_eq!(parse("  Agent:Main:Chat:Group:ABC==  "), parse("agent:main:chat:group:abc=="));
    let built = SessionKey::new(&agent("Ops"), SessionScope::Group(channel(" Chat "), group("ABC ")));
    assert_eq!(built.as_str(), "agent:ops:chat:group:abc");
}

#[test]
fn parts_that_would_read_differently_take_the_form_of_their_text() {
    let built = SessionKey::new(&agent("main"), SessionScope::channel_peer(channel("cron"), peer("x")));
    assert_eq!(built.scope(), &SessionScope::Cron(job("direct:x")));
    let built = SessionKey::new(&agent("main"), SessionScope::peer(peer("x:thread:y")));
    assert_eq!(
        (built.scope(), built.thread()),
        (&SessionScope::peer(peer("x")), thread(ThreadMarker::Thread, "y").as_ref())
    );
}

#[test]
fn broken_full_keys_are_refused_with_a_reason() {
    let malformed = |text: &str| Err(SessionKeyError::Malformed(text.to_owned()));
    for text in [
        "agent:",
        "agent:main",
        "agent:main:",
        "agent::main",
        "agent: :main",
        "agent:main:::",
        "agent:main: :",
    ] {
        assert_eq!(text.parse::<SessionKey>(), malformed(text.trim()), "{text}");
        assert_eq!(SessionKey::resolve(text, &main_context()), malformed(text.trim()), "{text}");
    }
    assert_eq!(" ".parse::<SessionKey>(), Err(SessionKeyError::Empty));
    assert_eq!("agent:main:a\nb".parse::<SessionKey>(), Err(SessionKeyError::ControlCharacter));
    assert_eq!("notes".parse::<SessionKey>(), Err(SessionKeyError::Short("notes".to_owned())));
    let long = format!("agent:main:{}", "x".repeat(4096));
    assert_eq!(long.parse::<SessionKey>(), Err(SessionKeyError::TooLong { max: 4096 }));
    assert_eq!(SessionKey::resolve(":::", &main_context()), Err(SessionKeyError::Empty));
}

#[track_caller]
fn check_resolve(context: &KeyContext, text: &str, expected: &str) {
    assert_eq!(SessionKey::resolve(text, context).unwrap().as_str(), expected, "{text}");
}

#[test]
fn short_keys_belong_to_the_default_agent() {
    let context = KeyContext::new(&agent("ops"), "main", SessionBreadth::PerSender);
    for (text, expected) in [
        ("main", "agent:ops:main"),
        (" MAIN ", "agent:ops:main"),
        ("agent:main:main", "agent:main:main"),
        ("Notes", "agent:ops:notes"),
        ("global", "global"),
        ("UNKNOWN", "unknown"),
        ("group:77", "agent:ops:group:77"),
        ("chat:group:77", "agent:ops:chat:group:77"),
        ("subagent:Ab", "agent:ops:subagent:ab"),
        ("cron:job", "agent:ops:cron:job"),
        ("hook:1", "agent:ops:hook:1"),
        ("node-Ab12", "agent:ops:node-ab12"),
        ("agent", "agent:ops:agent"),
        ("agent:Sales Team:main", "agent:sales-team:main"),
        ("agent:x:chat:dm:5", "agent:x:chat:direct:5"),
        ("dm:5:thread:6", "agent:ops:direct:5:thread:6"),
    ] {
        check_resolve(&context, text, expected);
    }
}

#[test]
fn a_custom_main_key_replaces_main() {
    let context = KeyContext::new(&agent("main"), " Work ", SessionBreadth::PerSender);
    for (text, expected) in [
        ("main", "agent:main:work"),
        ("WORK", "agent:main:work"),
        ("agent:ops:main", "agent:ops:work"),
        ("agent:ops:work", "agent:ops:work"),
        ("agent:ops:main:thread:1", "agent:ops:main:thread:1"),
        ("mainly", "agent:main:mainly"),
    ] {
        check_resolve(&context, text, expected);
    }
    assert_eq!(context.main_session(&agent("ops")), parse("agent:ops:work"));
    assert!(parse("agent:ops:main").is_main(&context));
    assert!(!parse("agent:ops:main:thread:1").is_main(&context));
    assert_eq!(KeyContext::new(&agent("main"), " : ", SessionBreadth::PerSender).main_key(), "main");
}

#[test]
fn with_one_session_for_everybody_main_is_global() {
    let context = KeyContext::new(&agent("main"), "work", SessionBreadth::Global);
    for text in ["main", "work", "agent:ops:main", "agent:ops:work", "global"] {
        check_resolve(&context, text, "global");
    }
    check_resolve(&context, "agent:ops:chat:group:1", "agent:ops:chat:group:1");
    assert!(SessionKey::global().is_main(&context));
    assert!(!SessionKey::global().is_main(&main_context()));
}

#[test]
fn agent_ids_are_made_safe_for_folders() {
    for (text, expected) in [
        ("main", "main"),
        (" Sales Team ", "sales-team"),
        ("", "main"),
        ("!!!", "main"),
        ("--x--", "x"),
        ("_x", "_x"),
        ("a  b//c", "a-b-c"),
        ("Müller", "m-ller"),
        ("../../etc", "etc"),
        ("__proto__", "__proto__"),
    ] {
        assert_eq!(AgentId::sanitized(text).as_str(), expected, "{text}");
    }
    assert_eq!(AgentId::sanitized(&"x".repeat(80)).as_str(), "x".repeat(64));
}

#[test]
fn account_ids_are_made_safe_for_folders() {
    for (text, expected) in
        [("Work", "work"), ("", "default"), ("***", "default"), ("__proto__", "default"), ("a.b", "a-b")]
    {
        assert_eq!(AccountId::sanitized(text).as_str(), expected, "{text}");
    }
}

#[test]
fn delegated_tasks_know_their_depth_and_parent() {
    let main = parse("agent:main:main");
    let one = main.spawn(&agent("main"), task(TASK));
    let two = one.spawn(&agent("ops"), task(TASK_TWO));
    assert_eq!(two.as_str(), format!("agent:ops:subagent:{TASK}:subagent:{TASK_TWO}"));
    assert_eq!([&main, &one, &two].map(SessionKey::subagent_depth), [0, 1, 2]);
    assert_eq!([&main, &one, &two].map(SessionKey::is_subagent), [false, true, true]);
    assert_eq!(two.parent(), Some(parse(&format!("agent:ops:subagent:{TASK}"))));
    assert_eq!(one.parent(), None);
}

#[test]
fn the_parent_of_a_thread_is_the_session_it_hangs_below() {
    let topic = parse("agent:main:chat:group:-100:topic:42");
    assert_eq!(topic.parent(), Some(parse("agent:main:chat:group:-100")));
    assert_eq!(topic.without_thread(), topic.parent());
    let nested = parse("agent:main:chat:group:1:thread:2:topic:3");
    assert_eq!(nested.parent().unwrap().as_str(), "agent:main:chat:group:1:thread:2");
    assert_eq!(parse("agent:main:chat:group:1").parent(), None);
    // Colons alone name no session that a thread could hang below.
    for key in ["agent:main:::thread:direct:-", "agent:main: : :thread:x"] {
        assert_eq!(parse(key).parent(), None, "{key}");
    }
}

#[test]
fn scheduled_runs_know_their_job() {
    let daily = parse("agent:main:cron:daily");
    let run = daily.cron_run(SessionId::new(TASK).unwrap()).unwrap();
    assert_eq!(run.as_str(), format!("agent:main:cron:daily:run:{TASK}"));
    assert_eq!((run.is_cron(), run.is_cron_run(), run.cron_job()), (true, true, Some(&job("daily"))));
    assert_eq!((daily.is_cron(), daily.is_cron_run()), (true, false));
    assert_eq!(run.parent(), Some(daily));
    assert_eq!(parse("agent:main:main").cron_run(SessionId::new(TASK).unwrap()), None);
}

#[test]
fn the_kind_of_chat_is_known_even_for_unknown_forms() {
    for (rest, kind) in [
        ("main", None),
        ("direct:1", Some(ChatKind::Direct)),
        ("chat:work:dm:1", Some(ChatKind::Direct)),
        ("chat:group:1:topic:2", Some(ChatKind::Group)),
        ("group:1", Some(ChatKind::Group)),
        ("chat:channel:1", Some(ChatKind::Channel)),
        ("chat:work:group:1", Some(ChatKind::Group)),
        ("chat:work:channel:1", Some(ChatKind::Channel)),
        ("chat:guild-1:channel-2", Some(ChatKind::Channel)),
        ("cron:x", None),
        ("hook:1", None),
        ("hook:chat:group:1", Some(ChatKind::Group)),
    ] {
        let key = parse(&format!("agent:main:{rest}"));
        assert_eq!(key.chat_kind(), kind, "{rest}");
        assert_eq!(key.is_group(), matches!(kind, Some(ChatKind::Group | ChatKind::Channel)), "{rest}");
    }
}

#[test]
fn a_bare_group_gets_the_channel_it_was_seen_on() {
    let key = parse("agent:main:group:77:topic:5").on_channel(&channel("Chat"));
    assert_eq!(key.as_str(), "agent:main:chat:group:77:topic:5");
    assert_eq!(key.on_channel(&channel("else")), key);
    assert_eq!(key.channel(), Some(&channel("chat")));
}

#[test]
fn send_policies_can_ask_for_prefixes() {
    let key = parse("agent:main:chat:group:1");
    assert!(key.short_text_begins_with(" Chat:") && key.text_begins_with("AGENT:main:chat:"));
    assert!(!key.short_text_begins_with("agent:") && !key.text_begins_with("chat:"));
}

#[test]
fn keys_are_plain_texts_in_json() {
    let key = parse("agent:main:chat:group:1");
    let json = serde_json::to_value(&key).unwrap();
    assert_eq!(json, "agent:main:chat:group:1");
    assert_eq!(serde_json::from_value::<SessionKey>(json).unwrap(), key);
    assert!(serde_json::from_value::<SessionKey>("agent:main".into()).is_err());
}

fn plain_id() -> BoxedStrategy<String> {
    "[a-z0-9@+.=_$!-]{1,12}"
        .prop_filter("reserved words are covered by the tables", |id| {
            ![
                "main", "direct", "dm", "group", "channel", "slash", "cron", "hook", "acp", "openai",
                "subagent", "run",
            ]
            .contains(&id.as_str())
                && !id.starts_with("node-")
        })
        .boxed()
}

fn wild_id() -> BoxedStrategy<String> {
    prop_oneof![
        "[a-zA-Z0-9:@. _-]{1,20}",
        "(thread|topic|group|dm|direct|subagent|cron|run|:){1,6}",
        "\\PC{1,12}",
    ]
    .prop_filter("ids are not blank", |id| !id.trim().is_empty())
    .boxed()
}

fn scopes(id: BoxedStrategy<String>) -> impl Strategy<Value = SessionScope> {
    let word = prop_oneof![Just(DirectWord::Direct), Just(DirectWord::Dm)];
    let parts = (id.clone(), id.clone(), id, word, 0..19_u8);
    parts.prop_map(|(a, b, c, word, form)| match form {
        0 => SessionScope::Main,
        1 => SessionScope::Peer(word, peer(&a)),
        2 => SessionScope::ChannelPeer(channel(&a), word, peer(&b)),
        3 => SessionScope::AccountPeer(channel(&a), AccountId::new(&b).unwrap(), word, peer(&c)),
        4 => SessionScope::Group(channel(&a), group(&b)),
        5 => SessionScope::Room(channel(&a), group(&b)),
        6 => SessionScope::BareGroup(group(&a)),
        7 => SessionScope::Slash(channel(&a), peer(&b)),
        8 => SessionScope::Subagent(Lineage::of(task(&a)).then(task(&b)).then(task(&c))),
        9 => SessionScope::Cron(job(&a)),
        10 => SessionScope::CronRun(job(&a), SessionId::new(&b).unwrap()),
        11 => SessionScope::Hook(EventId::new(&a).unwrap()),
        12 => SessionScope::Node(NodeId::new(&a).unwrap()),
        13 => SessionScope::Acp(task(&a)),
        18 => SessionScope::Explicit(SessionId::new(&a).unwrap()),
        14 => SessionScope::ApiRequest(ApiInterface::ChatCompletions, RunId::new(&a).unwrap()),
        15 => SessionScope::ApiRequest(ApiInterface::Responses, RunId::new(&a).unwrap()),
        16 => SessionScope::ApiUser(ApiInterface::ChatCompletions, peer(&a)),
        _ => SessionScope::ApiUser(ApiInterface::Responses, peer(&a)),
    })
}

fn threads(id: BoxedStrategy<String>) -> impl Strategy<Value = Option<SessionThread>> {
    let marker = prop_oneof![Just(ThreadMarker::Thread), Just(ThreadMarker::Topic)];
    proptest::option::of(
        (marker, id).prop_map(|(marker, id)| SessionThread { marker, id: ThreadId::new(id).unwrap() }),
    )
}

fn built(agent: &str, scope: SessionScope, thread: Option<&SessionThread>) -> SessionKey {
    let key = SessionKey::new(&AgentId::new(agent).unwrap(), scope);
    thread.map_or(key.clone(), |thread| key.with_thread(thread))
}

proptest! {
    #[test]
    fn plain_parts_come_back_from_the_printed_key(
        id in "[a-z0-9][a-z0-9_-]{0,20}", scope in scopes(plain_id()), thread in threads(plain_id()),
    ) {
        let key: SessionKey = built(&id, scope.clone(), thread.as_ref()).to_string().parse().unwrap();
        prop_assert_eq!(key.agent().unwrap().as_str(), id);
        prop_assert_eq!((key.scope(), key.thread()), (&scope, thread.as_ref()));
    }

    #[test]
    fn any_built_key_reads_back_from_its_text(
        id in wild_id(), scope in scopes(wild_id()), thread in threads(wild_id()),
    ) {
        let key = built(&id, scope, thread.as_ref());
        let again: SessionKey = key.to_string().parse().unwrap();
        prop_assert_eq!(again.as_str(), key.as_str());
        prop_assert_eq!((again.agent(), again.scope(), again.thread()), (key.agent(), key.scope(), key.thread()));
    }

    #[test]
    fn reading_and_printing_any_text_settles_at_once(text in "(agent:)?[a-zA-Z:@ -]{0,30}|\\PC{0,40}|.{0,20}") {
        if let Ok(key) = text.parse::<SessionKey>() {
            let again: SessionKey = key.to_string().parse().unwrap();
            prop_assert_eq!(again.as_str(), key.as_str());
        }
        if let Ok(key) = SessionKey::resolve(&text, &main_context()) {
            let again = SessionKey::resolve(key.as_str(), &main_context()).unwrap();
            prop_assert_eq!(again.as_str(), key.as_str());
        }
    }

    #[test]
    fn sanitised_ids_are_safe_and_stay_the_same(text in ".{0,100}") {
        let id = AgentId::sanitized(&text);
        prop_assert!(id.as_str().len() <= 64);
        prop_assert!(id.as_str().chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c)));
        prop_assert_eq!(AgentId::sanitized(id.as_str()), id);
    }

    #[test]
    fn parents_and_canonical_keys_read_back_too(scope in scopes(wild_id()), thread in threads(wild_id())) {
        let key = built("main", scope, thread.as_ref());
        for key in [Some(key.canonical()), key.parent(), key.canonical().parent()].into_iter().flatten() {
            prop_assert_eq!(&key.to_string().parse::<SessionKey>().unwrap(), &key);
        }
    }
}
