//! The examples that the documentation of several agents gives.

use openclaw_config::sections::BroadcastStrategy;

use super::*;

fn check(file: &Value, seeker: &RouteQuery, expected: (&str, &str, &str)) {
    let route = resolve(&routes(file.clone()), &SessionSettings::default(), seeker);
    let found = (route.agent.as_str(), route.matched.as_str(), route.key.as_str());
    assert_eq!(found, expected, "{seeker:?}");
}

#[test]
fn one_agent_answers_everything_in_its_main_session() {
    let direct = seeker("whatsapp", "default", place(ChatKind::Direct, "+1555"));
    check(&json!({}), &direct, ("main", "default", "agent:main:main"));
}

#[test]
fn one_number_and_several_people() {
    let file = json!({
        "agents": {"list": [{"id": "alex", "workspace": "~/a"}, {"id": "mia", "workspace": "~/m"}]},
        "bindings": [
            {"agentId": "alex", "match": {"channel": "whatsapp", "peer": {"kind": "direct", "id": "+15551230001"}}},
            {"agentId": "mia", "match": {"channel": "whatsapp", "peer": {"kind": "direct", "id": "+15551230002"}}},
        ]
    });
    let direct = |id: &str| seeker("whatsapp", "default", place(ChatKind::Direct, id));
    check(&file, &direct("+15551230001"), ("alex", "binding.peer", "agent:alex:main"));
    check(&file, &direct("+15551230002"), ("mia", "binding.peer", "agent:mia:main"));
    check(&file, &direct("+15551239999"), ("alex", "default", "agent:alex:main"));
}

#[test]
fn two_numbers_and_two_agents_with_one_group_apart() {
    let file = json!({
        "agents": {"list": [{"id": "home", "default": true, "name": "Home"}, {"id": "work", "name": "Work"}]},
        "bindings": [
            {"agentId": "home", "match": {"channel": "whatsapp", "accountId": "personal"}},
            {"agentId": "work", "match": {"channel": "whatsapp", "accountId": "biz"}},
            {"agentId": "work", "match": {"channel": "whatsapp", "accountId": "personal",
                "peer": {"kind": "group", "id": "1203630...@g.us"}}},
        ]
    });
    let direct = |account: &str| seeker("whatsapp", account, place(ChatKind::Direct, "+1"));
    let group = |account: &str| seeker("whatsapp", account, place(ChatKind::Group, "1203630...@g.us"));
    check(&file, &direct("personal"), ("home", "binding.account", "agent:home:main"));
    check(&file, &direct("biz"), ("work", "binding.account", "agent:work:main"));
    check(&file, &group("personal"), ("work", "binding.peer", "agent:work:whatsapp:group:1203630...@g.us"));
    check(&file, &group("biz"), ("work", "binding.account", "agent:work:whatsapp:group:1203630...@g.us"));
    check(&file, &direct("third"), ("home", "default", "agent:home:main"));
}

#[test]
fn one_channel_for_chat_and_one_for_deep_work() {
    let file = json!({
        "agents": {"list": [{"id": "chat", "name": "Everyday"}, {"id": "opus", "name": "Deep Work"}]},
        "bindings": [
            {"agentId": "chat", "match": {"channel": "whatsapp"}},
            {"agentId": "opus", "match": {"channel": "telegram"}},
        ]
    });
    let on = |channel: &str| seeker(channel, "default", place(ChatKind::Direct, "7"));
    check(&file, &on("whatsapp"), ("chat", "binding.account", "agent:chat:main"));
    check(&file, &on("telegram"), ("opus", "binding.account", "agent:opus:main"));
    check(&file, &on("discord"), ("chat", "default", "agent:chat:main"));
}

#[test]
fn one_person_of_a_channel_with_another_agent_in_any_order() {
    let one = json!({"agentId": "opus", "match": {"channel": "whatsapp", "peer": {"kind": "direct", "id": "+15551234567"}}});
    let all = json!({"agentId": "chat", "match": {"channel": "whatsapp"}});
    for bindings in [json!([one, all]), json!([all, one])] {
        let file = json!({"agents": {"list": [{"id": "chat"}, {"id": "opus"}]}, "bindings": bindings});
        let direct = |id: &str| seeker("whatsapp", "default", place(ChatKind::Direct, id));
        check(&file, &direct("+15551234567"), ("opus", "binding.peer", "agent:opus:main"));
        check(&file, &direct("+15550000000"), ("chat", "binding.account", "agent:chat:main"));
    }
}

#[test]
fn a_family_agent_in_one_group() {
    let file = json!({
        "agents": {"list": [{"id": "family", "name": "Family", "identity": {"name": "Family Bot"},
            "groupChat": {"mentionPatterns": ["@family", "@familybot", "@Family Bot"]}}]},
        "bindings": [{"agentId": "family", "match": {"channel": "whatsapp",
            "peer": {"kind": "group", "id": "120363999999999999@g.us"}}}]
    });
    let group = |id: &str| seeker("whatsapp", "default", place(ChatKind::Group, id));
    check(
        &file,
        &group("120363999999999999@g.us"),
        ("family", "binding.peer", "agent:family:whatsapp:group:120363999999999999@g.us"),
    );
    // The only agent there is answers everywhere else as well.
    check(&file, &group("1@g.us"), ("family", "default", "agent:family:whatsapp:group:1@g.us"));
}

#[test]
fn a_team_and_a_group_with_a_support_agent() {
    let file = json!({
        "agents": {"list": [{"id": "main"}, {"id": "support", "name": "Support"}]},
        "bindings": [
            {"match": {"channel": "slack", "teamId": "T123"}, "agentId": "support"},
            {"match": {"channel": "telegram", "peer": {"kind": "group", "id": "-100123"}}, "agentId": "support"},
        ]
    });
    let team = |team: &str| ChatPlace { team: group_id(team), ..place(ChatKind::Channel, "C1") };
    check(
        &file,
        &seeker("slack", "default", team("T123")),
        ("support", "binding.team", "agent:support:slack:channel:c1"),
    );
    check(&file, &seeker("slack", "default", team("T9")), ("main", "default", "agent:main:slack:channel:c1"));
    let topic = ChatPlace { thread: thread("42"), ..place(ChatKind::Group, "-100123") };
    check(
        &file,
        &seeker("telegram", "default", topic),
        ("support", "binding.peer.parent", "agent:support:telegram:group:-100123:topic:42"),
    );
}

#[test]
fn several_agents_answer_one_group_each_in_its_own_session() {
    let routes = routes(json!({
        "agents": {"list": [{"id": "main"}, {"id": "alfred"}, {"id": "baerbel"}]},
        "broadcast": {"strategy": "sequential", "120363403215116621@g.us": ["alfred", "baerbel"], "+15555550123": ["alfred"]}
    }));
    let all = |place: ChatPlace| {
        let found = broadcast(&routes, &SessionSettings::default(), &seeker("whatsapp", "default", place));
        let keys = found.routes.iter().map(|route| route.key.as_str().to_owned()).collect::<Vec<_>>();
        (keys, found.strategy)
    };
    assert_eq!(
        all(place(ChatKind::Group, "120363403215116621@g.us")),
        (
            vec![
                "agent:alfred:whatsapp:group:120363403215116621@g.us".to_owned(),
                "agent:baerbel:whatsapp:group:120363403215116621@g.us".to_owned(),
            ],
            BroadcastStrategy::Sequential
        )
    );
    assert_eq!(all(place(ChatKind::Direct, "+15555550123")).0, ["agent:alfred:main"]);
    assert_eq!(
        all(place(ChatKind::Direct, "+1")),
        (vec!["agent:main:main".to_owned()], BroadcastStrategy::Parallel)
    );
}
