//! Tables for the changes of entries.

use openclaw_types::{
    AgentId, AuthProfileId, ModelRef, ProviderId, SessionEntry, SessionId, SessionKey, TaskId, ThinkingLevel,
    UnixMillis, Usage,
};
use serde_json::{Value, json};

use super::*;
use crate::SessionError;

fn entry(fields: Value) -> SessionEntry {
    let mut all = json!({ "sessionId": "old", "updatedAt": 5 });
    all.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    serde_json::from_value(all).expect("an entry")
}

fn full() -> SessionEntry {
    let fields = r##"{
        "sessionFile": "/x/old.jsonl", "systemSent": true, "abortedLastRun": true, "chatType": "group",
        "channel": "chat", "groupId": "g", "groupChannel": "#c", "space": "sp", "subject": "su",
        "displayName": "dn", "label": "la", "origin": { "provider": "chat" },
        "deliveryContext": { "channel": "chat" }, "lastChannel": "chat", "lastTo": "to", "lastAccountId": "ac",
        "lastThreadId": 7, "thinkingLevel": "high", "verboseLevel": "on", "reasoningLevel": "stream",
        "elevatedLevel": "ask", "execHost": "gateway", "execSecurity": "full", "execAsk": "off", "execNode": "n",
        "providerOverride": "po", "modelOverride": "mo", "authProfileOverride": "ap",
        "authProfileOverrideSource": "user", "authProfileOverrideCompactionCount": 1, "modelProvider": "mp",
        "model": "m", "contextTokens": 9, "inputTokens": 1, "outputTokens": 2, "totalTokens": 3,
        "totalTokensFresh": true, "cacheRead": 4, "cacheWrite": 5, "compactionCount": 6, "memoryFlushAt": 7,
        "memoryFlushCompactionCount": 8, "lastCacheTouchAt": 9, "queueMode": "steer", "queueDebounceMs": 1,
        "queueCap": 2, "queueDrop": "old", "responseUsage": "full", "sendPolicy": "deny",
        "groupActivation": "always", "spawnedBy": "agent:main:main", "spawnDepth": 1,
        "skillsSnapshot": { "version": 1 }, "systemPromptReport": { "source": "run" }, "acp": { "a": 1 },
        "ttsAuto": "on", "forkedFromParent": true, "mystery": 1
    }"##;
    entry(serde_json::from_str(fields).expect("JSON"))
}

#[test]
fn what_a_session_keeps_depends_on_why_it_begins_anew() {
    let kept = |reason: AnewReason| {
        let old = full();
        let new = begin_anew(&old, SessionId::new("new").expect("an id"), UnixMillis(9), reason);
        assert_eq!((new.session_id.as_str(), new.updated_at), ("new", UnixMillis(9)));
        let (old, new) = (json!(old), json!(new));
        let kept =
            new.as_object().expect("an object").iter().filter(|(name, value)| old.get(*name) == Some(*value));
        kept.map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    let lasting = [
        "chatType",
        "channel",
        "groupId",
        "groupChannel",
        "space",
        "subject",
        "displayName",
        "label",
        "origin",
        "deliveryContext",
        "lastChannel",
        "lastTo",
        "lastAccountId",
        "lastThreadId",
        "modelProvider",
        "model",
        "sendPolicy",
        "groupActivation",
        "spawnedBy",
        "spawnDepth",
        "skillsSnapshot",
    ];
    let stale = [
        "elevatedLevel",
        "execHost",
        "execSecurity",
        "execAsk",
        "execNode",
        "authProfileOverride",
        "authProfileOverrideSource",
        "acp",
        "mystery",
    ];
    let asked =
        ["thinkingLevel", "verboseLevel", "reasoningLevel", "ttsAuto", "providerOverride", "modelOverride"];
    let request = [
        "thinkingLevel",
        "verboseLevel",
        "reasoningLevel",
        "responseUsage",
        "providerOverride",
        "modelOverride",
        "contextTokens",
        "totalTokensFresh",
    ];
    let check = |reason: AnewReason, names: &[&[&str]]| {
        let mut expected: Vec<&str> = names.concat();
        expected.sort_unstable();
        let mut found = kept(reason);
        found.sort_unstable();
        assert_eq!(found, expected, "{reason:?}");
    };
    check(AnewReason::Stale, &[&lasting, &stale]);
    check(AnewReason::Asked, &[&lasting, &stale, &asked]);
    check(AnewReason::Request, &[&lasting, &request]);
}

#[test]
fn a_session_that_is_reset_by_a_client_has_its_counters_at_zero() {
    let new = begin_anew(
        &entry(json!({ "model": "m" })),
        SessionId::new("n").expect("an id"),
        UnixMillis(9),
        AnewReason::Request,
    );
    let expected = json!({
        "sessionId": "n", "updatedAt": 9, "systemSent": false, "abortedLastRun": false, "model": "m",
        "inputTokens": 0, "outputTokens": 0, "totalTokens": 0, "totalTokensFresh": true,
    });
    assert_eq!(json!(new), expected);
}

#[test]
fn the_total_is_what_the_last_call_read_and_wrote_not_a_sum() {
    let usage = |input, output, cache_read| Usage { input, output, cache_read, ..Usage::default() };
    let model = ModelRef::new(ProviderId::new("mock").expect("an id"), "m1").expect("a model");
    let mut session = entry(json!({ "compactionCount": 1 }));
    let counts = RunCounts {
        whole: usage(300, 30, 50),
        last_call: Some(usage(100, 10, 40)),
        model: Some(model),
        context_window: Some(200_000),
        profile: Some(AuthProfileId::new("mock:work").expect("a name")),
        aborted: false,
        at: UnixMillis(7),
    };
    count_run(&mut session, &counts);
    let expected = json!({
        "sessionId": "old", "updatedAt": 7, "modelProvider": "mock", "model": "m1", "contextTokens": 200_000,
        "inputTokens": 300, "outputTokens": 30, "totalTokens": 140, "totalTokensFresh": true, "cacheRead": 40,
        "cacheWrite": 0, "compactionCount": 1, "lastCacheTouchAt": 7, "systemSent": true, "abortedLastRun": false,
        "authProfileOverride": "mock:work", "authProfileOverrideSource": "auto",
        "authProfileOverrideCompactionCount": 1,
    });
    assert_eq!(json!(session), expected);
    let nothing = RunCounts {
        whole: Usage::default(),
        last_call: None,
        model: None,
        context_window: None,
        profile: None,
        aborted: true,
        at: UnixMillis(8),
    };
    count_run(&mut session, &nothing);
    assert_eq!((session.facts.total_tokens, session.facts.total_tokens_fresh), (Some(140), Some(false)));
    assert_eq!(session.facts.aborted_last_run, Some(true));
}

fn set(word: &str) -> FieldChange<String> {
    FieldChange::Set(word.to_owned())
}

#[test]
fn a_patch_sets_and_clears_each_field_or_says_what_is_wrong() {
    let main: SessionKey = "agent:main:main".parse().expect("a key");
    let check = |before: Value, patch: SessionPatch, expected: Result<Value, &str>| {
        let mut session = entry(before);
        let done = apply(&mut session, &main, &patch, &PatchBounds::default());
        let found = match done {
            Ok(()) => Ok(json!(session.facts)),
            Err(SessionError::Refused { reason }) => Err(reason),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(found, expected.map_err(str::to_owned), "{patch:?}");
    };
    let none = SessionPatch::default;
    check(json!({ "label": "x" }), none(), Ok(json!({ "label": "x" })));
    check(
        json!({}),
        SessionPatch { thinking_level: set("MAX"), ..none() },
        Ok(json!({ "thinkingLevel": "high" })),
    );
    check(
        json!({ "thinkingLevel": "low" }),
        SessionPatch { thinking_level: FieldChange::Clear, ..none() },
        Ok(json!({})),
    );
    let wrong = "invalid thinkingLevel (use off|minimal|low|medium|high)";
    check(json!({}), SessionPatch { thinking_level: set("bogus"), ..none() }, Err(wrong));
    check(json!({}), SessionPatch { thinking_level: set("xhigh"), ..none() }, Err(wrong));
    check(json!({ "thinkingLevel": "xhigh" }), none(), Ok(json!({ "thinkingLevel": "high" })));
    check(
        json!({}),
        SessionPatch { verbose_level: set("yes"), ..none() },
        Ok(json!({ "verboseLevel": "on" })),
    );
    check(
        json!({}),
        SessionPatch { reasoning_level: set("live"), ..none() },
        Ok(json!({ "reasoningLevel": "stream" })),
    );
    check(
        json!({}),
        SessionPatch { response_usage: set("on"), ..none() },
        Ok(json!({ "responseUsage": "tokens" })),
    );
    check(
        json!({ "responseUsage": "full" }),
        SessionPatch { response_usage: set("off"), ..none() },
        Ok(json!({})),
    );
    check(
        json!({}),
        SessionPatch { elevated_level: set("full"), ..none() },
        Ok(json!({ "elevatedLevel": "full" })),
    );
    check(
        json!({}),
        SessionPatch { exec_host: set("moon"), ..none() },
        Err("invalid execHost (use \"sandbox\"|\"gateway\"|\"node\")"),
    );
    check(json!({}), SessionPatch { exec_node: set("  "), ..none() }, Err("invalid execNode: empty"));
    check(
        json!({}),
        SessionPatch { send_policy: set("deny"), ..none() },
        Ok(json!({ "sendPolicy": "deny" })),
    );
    check(json!({}), SessionPatch { label: set(" Home "), ..none() }, Ok(json!({ "label": "Home" })));
    check(
        json!({}),
        SessionPatch { label: set(&"x".repeat(65)), ..none() },
        Err("invalid label: too long (max 64)"),
    );
    check(
        json!({}),
        SessionPatch { spawn_depth: FieldChange::Set(1), ..none() },
        Err("spawnDepth is only supported for subagent:* sessions"),
    );
    let model = ModelRef::new(ProviderId::new("v").expect("an id"), "m").expect("a model");
    let pick = SessionPatch { model: Some(ModelPick::Model(model)), ..none() };
    check(
        json!({ "authProfileOverride": "a" }),
        pick,
        Ok(json!({ "providerOverride": "v", "modelOverride": "m" })),
    );
    let back = SessionPatch { model: Some(ModelPick::Default), ..none() };
    check(json!({ "providerOverride": "v", "modelOverride": "m" }), back, Ok(json!({})));
    // One wrong field keeps the others from changing.
    check(
        json!({}),
        SessionPatch { label: set("x"), exec_ask: set("?"), ..none() },
        Err("invalid execAsk (use \"off\"|\"on-miss\"|\"always\")"),
    );
}

#[test]
fn who_started_a_session_is_said_once() {
    let task = SessionKey::new(
        &AgentId::main(),
        openclaw_types::SessionScope::subagent(TaskId::new("t").expect("an id")),
    );
    let mut session = entry(json!({}));
    let patch = |by: FieldChange<String>| SessionPatch { spawned_by: by, ..SessionPatch::default() };
    let bounds = PatchBounds { thinking: ThinkingLevel::ALL.to_vec() };
    let mut check = |by: FieldChange<String>, expected: Option<&str>| {
        let found = apply(&mut session, &task, &patch(by), &bounds).err().map(|error| error.to_string());
        assert_eq!(found.as_deref(), expected);
    };
    check(set("agent:main:main"), None);
    check(set("agent:main:main"), None);
    check(set("agent:main:other"), Some("spawnedBy cannot be changed once set"));
    check(FieldChange::Clear, Some("spawnedBy cannot be cleared once set"));
}

#[test]
fn a_message_says_where_answers_go_and_what_the_group_is_called() {
    let seen = |chat, to: &str, group| Sighting {
        channel: "chat".parse().expect("a channel"),
        surface: None,
        replies: Replies::Anytime,
        chat,
        account: Some("work".parse().expect("an account")),
        from: Some("chat:5".into()),
        to: Some(to.into()),
        thread: Some("9".parse().expect("a thread")),
        label: Some("Team".into()),
        group,
    };
    let mut session = entry(json!({}));
    let group = GroupSighting {
        id: "-100".parse().expect("a group"),
        subject: Some("My Team!".into()),
        room: None,
        space: None,
    };
    update_route(&mut session, &seen(openclaw_types::ChatKind::Group, "chat:-100", Some(group)));
    let expected = json!({
        "sessionId": "old", "updatedAt": 5, "chatType": "group", "channel": "chat", "groupId": "-100",
        "subject": "My Team!", "displayName": "chat:g-my-team",
        "origin": {
            "label": "Team", "provider": "chat", "surface": "chat", "chatType": "group", "from": "chat:5",
            "to": "chat:-100", "accountId": "work", "threadId": "9",
        },
        "deliveryContext": { "channel": "chat", "to": "chat:-100", "accountId": "work", "threadId": "9" },
        "lastChannel": "chat", "lastTo": "chat:-100", "lastAccountId": "work", "lastThreadId": "9",
    });
    assert_eq!(json!(session), expected);
    let web = Sighting {
        channel: "page".parse().expect("a channel"),
        replies: Replies::WhileOpen,
        ..seen(openclaw_types::ChatKind::Direct, "x", None)
    };
    update_route(&mut session, &web);
    assert_eq!(session.facts.last_channel.as_deref(), Some("chat"));
    assert_eq!(session.facts.chat_type.as_deref(), Some("group"));
    let mut fresh = entry(json!({}));
    update_route(&mut fresh, &web);
    assert_eq!(
        (fresh.facts.last_channel.as_deref(), fresh.facts.chat_type.as_deref()),
        (Some("page"), Some("direct"))
    );
}

#[test]
fn a_private_answer_and_a_dock_leave_the_place_that_answers_go_to() {
    let seen = |to: &str, replies| Sighting {
        channel: "chat".parse().expect("a channel"),
        surface: None,
        replies,
        chat: openclaw_types::ChatKind::Channel,
        account: None,
        from: None,
        to: Some(to.into()),
        thread: None,
        label: None,
        group: None,
    };
    let mut session = entry(json!({}));
    let last = |session: &SessionEntry| session.facts.last_to.clone().unwrap_or_default();
    for (to, replies, expected) in [
        ("only:1", Replies::Aside, "only:1"),
        ("room", Replies::Anytime, "room"),
        ("only:2", Replies::Aside, "room"),
    ] {
        update_route(&mut session, &seen(to, replies));
        assert_eq!(last(&session), expected, "{to}");
    }
    let place = openclaw_types::SendTarget {
        channel: "other".parse().expect("a channel"),
        account: "work".parse().expect("an account"),
        to: "ana".into(),
        thread: None,
    };
    dock(&mut session, Some(place));
    update_route(&mut session, &seen("room", Replies::Anytime));
    assert_eq!(
        session.facts.delivery_context,
        Some(json!({ "channel": "other", "to": "ana", "accountId": "work" }))
    );
    dock(&mut session, None);
    update_route(&mut session, &seen("room", Replies::Anytime));
    assert_eq!(last(&session), "room");
}

#[test]
fn a_group_has_a_name_for_people() {
    let check = |fields: Value, expected: &str| {
        assert_eq!(group_name(&entry(fields.clone()).facts, "chat", "ID 7"), expected, "{fields}");
    };
    check(json!({}), "chat:g-id-7");
    check(json!({ "subject": "#Plans" }), "chat:g-plans");
    check(json!({ "groupChannel": "#general" }), "chat:#general");
    check(json!({ "groupChannel": "general", "space": "Friends" }), "chat:friends#general");
    check(json!({ "space": "Friends" }), "chat:g-friends");
    check(json!({ "subject": "Übung 1" }), "chat:g-übung-1");
}
