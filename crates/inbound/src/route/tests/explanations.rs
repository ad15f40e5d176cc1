//! Why an agent answers.

use super::*;

#[test]
fn every_tier_says_what_it_found_and_what_not() {
    let routes = routes(json!({
        "bindings": [
            {"agentId": "a", "match": {"channel": "e"}},
            {"agentId": "b", "match": {"channel": "d", "accountId": "work"}},
            {"agentId": "c", "match": {"channel": "d", "peer": {"kind": "direct", "id": "other"}}},
            {"agentId": "d", "match": {"channel": "d", "accountId": "*"}},
        ],
        "broadcast": {"p": ["d", "e"]}
    }));
    let explained =
        explain(&routes, &SessionSettings::default(), &seeker("d", "default", place(ChatKind::Direct, "p")));
    let tier = |tier, fits, decided, misses: &[(usize, Miss)], idle| ExplainedTier {
        tier,
        fits,
        decided,
        misses: misses.to_vec(),
        idle,
    };
    let expected = Explained {
        route: AgentRoute {
            agent: agent("d"),
            key: key("agent:d:main"),
            main: key("agent:d:main"),
            matched: MatchedBy::Channel,
            binding: Some(3),
        },
        tiers: vec![
            tier(MatchedBy::Peer, None, false, &[(2, Miss::Peer)], false),
            tier(MatchedBy::ParentPeer, None, false, &[], true),
            tier(MatchedBy::GuildRoles, None, false, &[], true),
            tier(MatchedBy::Guild, None, false, &[], true),
            tier(MatchedBy::Team, None, false, &[], true),
            tier(
                MatchedBy::Account,
                None,
                false,
                &[(0, Miss::Channel), (1, Miss::Account), (2, Miss::Peer)],
                false,
            ),
            tier(MatchedBy::Channel, Some(3), true, &[], false),
            tier(MatchedBy::Default, None, false, &[], false),
        ],
        broadcast: vec![agent("d"), agent("e")],
    };
    assert_eq!(explained, expected);
    let lines = [
        "d answers in agent:d:main: a binding names the channel for all accounts.",
        "binding.peer: no binding fits",
        "  bindings[2] (d peer=direct:other): it is about another conversation",
        "binding.peer.parent: nothing to look at here",
        "binding.guild+roles: nothing to look at here",
        "binding.guild: nothing to look at here",
        "binding.team: nothing to look at here",
        "binding.account: no binding fits",
        "  bindings[0] (e): it is about another channel",
        "  bindings[1] (d account=work): it is about another account; without accountId a binding means the default \
         one, * means all",
        "  bindings[2] (d peer=direct:other): it is about another conversation",
        "binding.channel: bindings[3] (d account=*) decides",
        "default: not needed",
        "broadcast: d, e answer instead",
    ];
    assert_eq!(explained.lines(&routes), lines);
}

#[test]
fn bindings_are_described_in_a_line() {
    let routes = routes(json!({"bindings": [
        {"agentId": "a", "match": {"channel": "D"}},
        {"agentId": "a", "match": {"channel": "d", "accountId": "*", "guildId": "g", "teamId": "t", "roles": ["x", "y"]}},
        {"agentId": "a", "match": {"channel": "d", "accountId": "Work", "peer": {"kind": "dm", "id": "7"}}},
        {"agentId": "a", "match": {"channel": "d", "peer": {"kind": "group", "id": ""}}},
    ]}));
    let lines: Vec<String> = routes.bindings.iter().map(describe).collect();
    assert_eq!(
        lines,
        ["d", "d account=* guild=g team=t roles=x|y", "d account=work peer=direct:7", "d peer without an id"]
    );
}

#[test]
fn every_tier_and_every_miss_can_be_told() {
    for tier in MatchedBy::ALL {
        assert!(!tier.sentence().is_empty() && !tier.as_str().is_empty());
    }
    for miss in [Miss::Channel, Miss::Account, Miss::Peer, Miss::Guild, Miss::Team, Miss::Roles] {
        assert!(!miss.sentence().is_empty());
    }
}
