//! From a file's content to what holds in chats.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_types::{AccountId, AckScope, AgentId, ChannelId, ChatKind};
use serde_json::{Value, json};

use super::*;
use crate::sections::{BroadcastStrategy, OnOff, RawConfig};

fn raw(file: Value) -> RawConfig {
    serde_json::from_value(file).unwrap()
}

fn agent(id: &str) -> AgentId {
    AgentId::new(id).unwrap()
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn bindings_keep_what_is_written_and_even_out_channels_agents_and_accounts() {
    let file = json!({
        "agents": {"list": [{"id": "Home"}, {"id": "work"}]},
        "bindings": [
            {"agentId": "HOME", "match": {"channel": " WhatsApp "}},
            {"agentId": "work", "comment": "all", "match": {"channel": "discord", "accountId": "*", "guildId": " 42 ",
                "teamId": "", "roles": ["A"], "peer": {"kind": "dm", "id": " +1 "}}},
            {"agentId": "nobody", "match": {"channel": "irc", "accountId": "My Net", "peer": {"kind": "channel", "id": ""}}},
        ]
    });
    let settings = RouteSettings::resolve(&raw(file));
    let expected = RouteSettings {
        bindings: vec![
            BindingRule {
                index: 0,
                agent: Some(agent("home")),
                comment: None,
                channel: "whatsapp".to_owned(),
                account: AccountMatch::Default,
                peer: PeerMatch::Any,
                guild: None,
                team: None,
                roles: Vec::new(),
            },
            BindingRule {
                index: 1,
                agent: Some(agent("work")),
                comment: Some("all".to_owned()),
                channel: "discord".to_owned(),
                account: AccountMatch::Any,
                peer: PeerMatch::Only(ChatKind::Direct, "+1".to_owned()),
                guild: Some("42".to_owned()),
                team: None,
                roles: texts(&["A"]),
            },
            BindingRule {
                index: 2,
                agent: Some(agent("nobody")),
                comment: None,
                channel: "irc".to_owned(),
                account: AccountMatch::Only(AccountId::sanitized("my-net")),
                peer: PeerMatch::Nothing,
                guild: None,
                team: None,
                roles: Vec::new(),
            },
        ],
        agents: KnownAgents::Listed(vec![agent("home"), agent("work")]),
        default_agent: agent("home"),
        broadcast: BTreeMap::new(),
    };
    assert_eq!(settings, expected);
    let chosen: Vec<&AgentId> = settings.bindings.iter().map(|binding| settings.agent_of(binding)).collect();
    assert_eq!(chosen, [&agent("home"), &agent("work"), &agent("home")]);
}

#[test]
fn without_a_list_of_agents_a_binding_may_name_any() {
    let settings = RouteSettings::resolve(&raw(json!({
        "bindings": [{"agentId": "Deep Work", "match": {"channel": "telegram"}}, {"agentId": " ", "match": {"channel": "irc"}}]
    })));
    let chosen: Vec<&AgentId> = settings.bindings.iter().map(|binding| settings.agent_of(binding)).collect();
    assert_eq!(chosen, [&agent("deep-work"), &agent("main")]);
}

#[test]
fn broadcast_groups_hold_known_agents_once() {
    let file = json!({
        "agents": {"list": [{"id": "alfred"}, {"id": "baerbel"}]},
        "broadcast": {"strategy": "sequential", "g1": ["Baerbel", "alfred", "baerbel", "ghost"], "g2": ["ghost"], "g3": []}
    });
    let group = BroadcastGroup {
        agents: vec![agent("baerbel"), agent("alfred")],
        strategy: BroadcastStrategy::Sequential,
    };
    assert_eq!(RouteSettings::resolve(&raw(file)).broadcast, BTreeMap::from([("g1".to_owned(), group)]));
}

#[test]
fn envelopes_show_the_time_of_the_machine_unless_told_otherwise() {
    let rows = [
        (json!({}), EnvelopeZone::Host),
        (json!({"envelopeTimezone": " Local "}), EnvelopeZone::Host),
        (json!({"envelopeTimezone": "UTC"}), EnvelopeZone::Utc),
        (json!({"envelopeTimezone": "gmt"}), EnvelopeZone::Utc),
        (json!({"envelopeTimezone": "user"}), EnvelopeZone::Host),
        (
            json!({"envelopeTimezone": "user", "userTimezone": "America/Chicago"}),
            EnvelopeZone::Named("America/Chicago".to_owned()),
        ),
        (json!({"envelopeTimezone": "Europe/Vienna"}), EnvelopeZone::Named("Europe/Vienna".to_owned())),
    ];
    for (defaults, zone) in rows {
        let settings = EnvelopeSettings::resolve(&raw(json!({"agents": {"defaults": defaults}})));
        assert_eq!(settings, EnvelopeSettings { zone, timestamp: OnOff::On, elapsed: OnOff::On });
    }
    let off = json!({"agents": {"defaults": {"envelopeTimestamp": "off", "envelopeElapsed": "off"}}});
    let expected = EnvelopeSettings { zone: EnvelopeZone::Host, timestamp: OnOff::Off, elapsed: OnOff::Off };
    assert_eq!(EnvelopeSettings::resolve(&raw(off)), expected);
}

#[test]
fn the_agents_own_patterns_win_over_those_for_all_and_its_name_comes_last() {
    let file = |own: Value, general: Value| {
        raw(json!({
            "agents": {"list": [{"id": "family", "identity": {"name": " Family Bot ", "emoji": "🏠"}, "groupChat": own}]},
            "messages": {"groupChat": general}
        }))
    };
    let identity =
        MentionSource::Identity { name: Some("Family Bot".to_owned()), emoji: Some("🏠".to_owned()) };
    let rows = [
        (file(json!({}), json!({})), identity, 50),
        (
            file(json!({}), json!({"mentionPatterns": ["a"], "historyLimit": 7})),
            MentionSource::Patterns(texts(&["a"])),
            7,
        ),
        (
            file(
                json!({"mentionPatterns": [], "historyLimit": 3}),
                json!({"mentionPatterns": ["a"], "historyLimit": 7}),
            ),
            MentionSource::Patterns(Vec::new()),
            3,
        ),
    ];
    for (file, source, history_limit) in rows {
        assert_eq!(
            MentionSettings::resolve(&file, &agent("family")),
            MentionSettings { source, history_limit }
        );
    }
    let nobody = MentionSource::Identity { name: None, emoji: None };
    assert_eq!(MentionSettings::resolve(&RawConfig::default(), &agent("main")).source, nobody);
}

#[test]
fn waiting_is_off_until_a_file_says_otherwise() {
    let settings = DebounceSettings::resolve(&raw(json!({
        "messages": {"inbound": {"debounceMs": 2000, "byChannel": {"Slack": 1500, "irc": 0}}}
    })));
    let on = |channel: &str| settings.on(&ChannelId::new(channel).unwrap());
    assert_eq!([on("telegram"), on("slack"), on("irc")], [2000, 1500, 0].map(Duration::from_millis));
    assert_eq!(DebounceSettings::resolve(&RawConfig::default()), DebounceSettings::default());
}

#[test]
fn the_sign_of_having_seen_is_the_files_else_the_agents_else_eyes() {
    let list = json!([{"id": "a", "identity": {"emoji": "🦞"}}, {"id": "b"}]);
    let rows = [
        (json!({}), "a", "🦞", AckScope::GroupMentions, false),
        (json!({}), "b", "👀", AckScope::GroupMentions, false),
        (json!({"ackReaction": ""}), "a", "", AckScope::GroupMentions, false),
        (
            json!({"ackReaction": "✅", "ackReactionScope": "all", "removeAckAfterReply": true}),
            "a",
            "✅",
            AckScope::All,
            true,
        ),
        (json!({"ackReactionScope": "group-all"}), "b", "👀", AckScope::GroupAll, false),
        (json!({"ackReactionScope": "direct"}), "b", "👀", AckScope::Direct, false),
    ];
    for (messages, id, reaction, scope, remove_after_reply) in rows {
        let file = raw(json!({"agents": {"list": list}, "messages": messages}));
        let expected = AckSettings { reaction: reaction.to_owned(), scope, remove_after_reply };
        assert_eq!(AckSettings::resolve(&file, &agent(id)), expected);
    }
}

#[test]
fn commands_obey_the_lists_of_accounts_unless_a_list_of_their_own_is_written() {
    assert_eq!(CommandAccess::resolve(&RawConfig::default()), CommandAccess::default());
    let access = CommandAccess::resolve(&raw(json!({"commands": {
        "text": false, "useAccessGroups": false, "ownerAllowFrom": [123, " telegram:4 ", ""],
        "allowFrom": {"Discord": ["7"], "*": [9]}
    }})));
    let expected = CommandAccess {
        text: false,
        use_access_groups: false,
        owners: texts(&["123", "telegram:4"]),
        allow_from: BTreeMap::from([("discord".to_owned(), texts(&["7"])), ("*".to_owned(), texts(&["9"]))]),
    };
    assert_eq!(access, expected);
    assert_eq!(access.list_for("discord"), Some(&texts(&["7"])[..]));
    assert_eq!(access.list_for("irc"), Some(&texts(&["9"])[..]));
    assert_eq!(CommandAccess::default().list_for("irc"), None);
}
