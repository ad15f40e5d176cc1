//! The tiers one by one, and everything that a binding says together.

use super::*;

/// A binding for every tier, the least exact first.
fn every_tier() -> Value {
    json!([
        {"agentId": "channel", "match": {"channel": "d", "accountId": "*"}},
        {"agentId": "account", "match": {"channel": "d", "accountId": "a"}},
        {"agentId": "team", "match": {"channel": "d", "accountId": "*", "teamId": "t"}},
        {"agentId": "guild", "match": {"channel": "d", "accountId": "*", "guildId": "g"}},
        {"agentId": "roles", "match": {"channel": "d", "accountId": "*", "guildId": "g", "roles": ["r1", "r2"]}},
        {"agentId": "parent", "match": {"channel": "d", "accountId": "*", "peer": {"kind": "channel", "id": "above"}}},
        {"agentId": "peer", "match": {"channel": "d", "accountId": "*", "peer": {"kind": "channel", "id": "here"}}},
    ])
}

#[test]
fn the_most_exact_tier_wins_and_each_falls_to_the_next() {
    let full = RouteQuery {
        roles: vec!["r2".to_owned()],
        ..seeker(
            "D",
            "a",
            ChatPlace {
                guild: group_id("g"),
                team: group_id("t"),
                parent: Some(PeerId::new("above").unwrap()),
                ..place(ChatKind::Channel, "here")
            },
        )
    };
    let mut bindings = every_tier().as_array().unwrap().clone();
    for (agent, matched) in [
        ("peer", "binding.peer"),
        ("parent", "binding.peer.parent"),
        ("roles", "binding.guild+roles"),
        ("guild", "binding.guild"),
        ("team", "binding.team"),
        ("account", "binding.account"),
        ("channel", "binding.channel"),
        ("main", "default"),
    ] {
        assert_eq!(found(&routes(json!({"bindings": bindings})), &full), (agent.to_owned(), matched));
        bindings.pop();
    }
}

#[test]
fn everything_that_a_binding_says_must_be_so() {
    let binding = json!([{"agentId": "x", "match": {"channel": "d", "accountId": "a", "guildId": "g", "teamId": "t",
        "roles": ["r"], "peer": {"kind": "group", "id": "p"}}}]);
    let routes = routes(json!({"bindings": binding}));
    let fits = RouteQuery {
        roles: vec!["r".to_owned()],
        ..seeker(
            "d",
            "a",
            ChatPlace { guild: group_id("g"), team: group_id("t"), ..place(ChatKind::Group, "p") },
        )
    };
    assert_eq!(found(&routes, &fits).0, "x");
    let unlike: [fn(&mut RouteQuery); 7] = [
        |seeker| seeker.channel = ChannelId::new("e").unwrap(),
        |seeker| seeker.account = AccountId::new("b").unwrap(),
        |seeker| seeker.roles.clear(),
        |seeker| seeker.place.guild = None,
        |seeker| seeker.place.team = group_id("T"),
        |seeker| seeker.place.kind = ChatKind::Channel,
        |seeker| seeker.place.id = PeerId::new("P").unwrap(),
    ];
    for change in unlike {
        let mut seeker = fits.clone();
        change(&mut seeker);
        assert_eq!(found(&routes, &seeker), ("main".to_owned(), "default"), "{seeker:?}");
    }
}

#[test]
fn no_account_means_the_default_one_and_a_star_means_all() {
    let rows = [
        (json!({"channel": "d"}), "default", "binding.account"),
        (json!({"channel": "d"}), "work", "default"),
        (json!({"channel": "d", "accountId": ""}), "default", "binding.account"),
        (json!({"channel": "d", "accountId": "default"}), "default", "binding.account"),
        (json!({"channel": "d", "accountId": "Work"}), "work", "binding.account"),
        (json!({"channel": "d", "accountId": "*"}), "work", "binding.channel"),
        (json!({"channel": "d", "accountId": "*"}), "default", "binding.channel"),
        (json!({"channel": " D "}), "default", "binding.account"),
        (json!({"channel": ""}), "default", "default"),
    ];
    for (matching, account, matched) in rows {
        let routes = routes(json!({"bindings": [{"agentId": "x", "match": matching}]}));
        let seeker = seeker("d", account, place(ChatKind::Direct, "p"));
        assert_eq!(found(&routes, &seeker).1, matched, "{matching}");
    }
}

#[test]
fn a_binding_with_a_conversation_without_an_id_matches_nothing() {
    let routes = routes(
        json!({"bindings": [{"agentId": "x", "match": {"channel": "d", "peer": {"kind": "direct", "id": " "}}}]}),
    );
    assert_eq!(found(&routes, &seeker("d", "default", place(ChatKind::Direct, "p"))).1, "default");
}

#[test]
fn within_a_tier_the_first_binding_of_the_file_wins() {
    let routes = routes(json!({"bindings": [
        {"agentId": "one", "match": {"channel": "d"}}, {"agentId": "two", "match": {"channel": "d", "accountId": "default"}}
    ]}));
    assert_eq!(found(&routes, &seeker("d", "default", place(ChatKind::Direct, "p"))).0, "one");
}

#[test]
fn a_topic_can_be_bound_by_itself() {
    let routes = routes(json!({"bindings": [
        {"agentId": "group", "match": {"channel": "d", "peer": {"kind": "group", "id": "-1"}}},
        {"agentId": "topic", "match": {"channel": "d", "peer": {"kind": "group", "id": "-1:topic:7"}}},
    ]}));
    let topic =
        |id: &str| seeker("d", "default", ChatPlace { thread: thread(id), ..place(ChatKind::Group, "-1") });
    assert_eq!(found(&routes, &topic("7")), ("topic".to_owned(), "binding.peer"));
    assert_eq!(found(&routes, &topic("8")), ("group".to_owned(), "binding.peer.parent"));
    let whole = seeker("d", "default", place(ChatKind::Group, "-1"));
    assert_eq!(found(&routes, &whole), ("group".to_owned(), "binding.peer"));
}

#[test]
fn an_agent_that_is_not_listed_gives_way_to_the_default_one() {
    let file = |list: Value| json!({"agents": {"list": list}, "bindings": [{"agentId": "Ghost", "match": {"channel": "d"}}]});
    let seeker = seeker("d", "default", place(ChatKind::Direct, "p"));
    assert_eq!(
        found(&routes(file(json!([{"id": "home"}]))), &seeker),
        ("home".to_owned(), "binding.account")
    );
    assert_eq!(found(&routes(file(json!([]))), &seeker), ("ghost".to_owned(), "binding.account"));
}
