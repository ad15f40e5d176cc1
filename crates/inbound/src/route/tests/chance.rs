//! Routing against a plain reading of the rule: of all bindings that fit, the one of the most exact tier, then the first.

use openclaw_config::sections::DmScope;
use openclaw_config::{AccountMatch, BindingRule, IdentityLink, KnownAgents, PeerMatch};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// All tiers that a binding fits in, by number, read from the rule word by word.
fn tiers_of(binding: &BindingRule, seeker: &RouteQuery) -> Vec<usize> {
    let place = &seeker.place;
    let account = seeker.account.as_str();
    let same_account = match &binding.account {
        AccountMatch::Default => account == "default",
        AccountMatch::Any => true,
        AccountMatch::Only(wanted) => wanted.as_str() == account,
    };
    let guild = place.guild.as_ref().map(GroupId::as_str);
    let team = place.team.as_ref().map(GroupId::as_str);
    let same = |wanted: &Option<String>, is: Option<&str>| wanted.is_none() || wanted.as_deref() == is;
    let roles = binding.roles.is_empty() || binding.roles.iter().any(|role| seeker.roles.contains(role));
    let rest = binding.channel == seeker.channel.as_str()
        && same_account
        && same(&binding.guild, guild)
        && same(&binding.team, team)
        && roles;
    if !rest {
        return Vec::new();
    }
    let is_topic = place.kind == ChatKind::Group && place.thread.is_some();
    let own = match (&place.thread, is_topic) {
        (Some(topic), true) => format!("{}:topic:{topic}", place.id),
        _ => place.id.as_str().to_owned(),
    };
    let above = match (&place.parent, is_topic) {
        (Some(parent), _) => Some(parent.as_str().to_owned()),
        (None, true) => Some(place.id.as_str().to_owned()),
        (None, false) => None,
    };
    let named = |id: &str| binding.peer == PeerMatch::Only(place.kind, id.to_owned());
    let mut tiers = Vec::new();
    if named(&own) {
        tiers.push(1);
    }
    if above.as_deref().is_some_and(named) {
        tiers.push(2);
    }
    if named(&own) || binding.peer == PeerMatch::Any {
        let has_roles = !binding.roles.is_empty();
        if binding.guild.is_some() && has_roles {
            tiers.push(3);
        }
        if binding.guild.is_some() && !has_roles {
            tiers.push(4);
        }
        if binding.team.is_some() {
            tiers.push(5);
        }
        tiers.push(if binding.account == AccountMatch::Any { 7 } else { 6 });
    }
    tiers
}

fn expected(bindings: &[BindingRule], seeker: &RouteQuery) -> (usize, Option<usize>) {
    let all = bindings
        .iter()
        .flat_map(|binding| tiers_of(binding, seeker).into_iter().map(|tier| (tier, Some(binding.index))));
    all.min().unwrap_or((8, None))
}

fn texts(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(words).prop_map(str::to_owned)
}

fn kinds() -> impl Strategy<Value = ChatKind> {
    select(vec![ChatKind::Direct, ChatKind::Group, ChatKind::Channel])
}

fn bindings() -> impl Strategy<Value = Vec<BindingRule>> {
    let account = prop_oneof![
        Just(AccountMatch::Default),
        Just(AccountMatch::Any),
        texts(&["default", "work"]).prop_map(|id| AccountMatch::Only(AccountId::sanitized(&id))),
    ];
    let peer = prop_oneof![
        3 => Just(PeerMatch::Any),
        1 => Just(PeerMatch::Nothing),
        4 => (kinds(), texts(&["p", "q", "up", "p:topic:t"])).prop_map(|(kind, id)| PeerMatch::Only(kind, id)),
    ];
    let one = (
        texts(&["d", "e"]),
        account,
        peer,
        proptest::option::of(texts(&["g", "h"])),
        proptest::option::of(texts(&["t"])),
        proptest::collection::vec(texts(&["r", "s"]), 0..3),
    );
    proptest::collection::vec(one, 0..7).prop_map(|all| {
        let numbered = all.into_iter().enumerate();
        numbered
            .map(|(index, (channel, account, peer, guild, team, roles))| BindingRule {
                index,
                agent: Some(AgentId::sanitized(&format!("agent{index}"))),
                comment: None,
                channel,
                account,
                peer,
                guild,
                team,
                roles,
            })
            .collect()
    })
}

fn seekers() -> impl Strategy<Value = RouteQuery> {
    let somewhere = (
        kinds(),
        texts(&["p", "q"]),
        proptest::option::of(texts(&["t", "u"])),
        proptest::option::of(texts(&["up", "q"])),
        proptest::option::of(texts(&["g", "h"])),
        proptest::option::of(texts(&["t"])),
    );
    let who = (
        texts(&["d", "e"]),
        texts(&["default", "work"]),
        proptest::collection::vec(texts(&["r", "s"]), 0..2),
    );
    (somewhere, who).prop_map(|((kind, id, in_thread, parent, guild, team), (channel, account, roles))| {
        RouteQuery {
            roles,
            ..seeker(
                &channel,
                &account,
                ChatPlace {
                    thread: in_thread.as_deref().and_then(thread),
                    parent: parent.as_deref().map(|id| PeerId::new(id).unwrap()),
                    guild: guild.as_deref().and_then(group_id),
                    team: team.as_deref().and_then(group_id),
                    ..place(kind, &id)
                },
            )
        }
    })
}

/// The key of a conversation, put together from the rule word by word.
fn expected_key(scope: DmScope, links: &[IdentityLink], agent: &AgentId, seeker: &RouteQuery) -> String {
    let (channel, id) = (seeker.channel.as_str(), seeker.place.id.as_str());
    let named =
        |link: &&IdentityLink| link.ids.iter().any(|each| each == id || *each == format!("{channel}:{id}"));
    let person = links.iter().find(named).map_or(id, |link| link.name.as_str());
    let base = match (seeker.place.kind, scope) {
        (ChatKind::Group, _) => format!("{channel}:group:{id}"),
        (ChatKind::Channel, _) => format!("{channel}:channel:{id}"),
        (ChatKind::Direct, DmScope::Main) => "main".to_owned(),
        (ChatKind::Direct, DmScope::PerPeer) => format!("direct:{person}"),
        (ChatKind::Direct, DmScope::PerChannelPeer) => format!("{channel}:direct:{person}"),
        (ChatKind::Direct, DmScope::PerAccountChannelPeer) => {
            format!("{channel}:{}:direct:{person}", seeker.account)
        }
    };
    let word = if seeker.place.kind == ChatKind::Group { "topic" } else { "thread" };
    let thread = seeker.place.thread.as_ref().map(|thread| format!(":{word}:{thread}")).unwrap_or_default();
    format!("agent:{agent}:{base}{thread}")
}

fn scopes() -> impl Strategy<Value = DmScope> {
    select(vec![DmScope::Main, DmScope::PerPeer, DmScope::PerChannelPeer, DmScope::PerAccountChannelPeer])
}

fn links() -> impl Strategy<Value = Vec<IdentityLink>> {
    let ids = proptest::collection::vec(texts(&["p", "q", "d:p", "e:q", "x"]), 0..3);
    let link = (texts(&["ana", "ben"]), ids).prop_map(|(name, ids)| IdentityLink { name, ids });
    proptest::collection::vec(link, 0..3)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_tiers_are_walked_as_the_rule_reads(bindings in bindings(), seeker in seekers()) {
        let routes = RouteSettings {
            bindings: bindings.clone(),
            agents: KnownAgents::Any,
            default_agent: AgentId::main(),
            broadcast: Default::default(),
        };
        let sessions = SessionSettings::default();
        let route = resolve(&routes, &sessions, &seeker);
        let tier = MatchedBy::ALL.iter().position(|tier| *tier == route.matched).unwrap() + 1;
        prop_assert_eq!((tier, route.binding), expected(&bindings, &seeker));
        prop_assert_eq!(explain(&routes, &sessions, &seeker).route, route.clone());
        prop_assert_eq!(route.key.agent(), Some(&route.agent));
        prop_assert_eq!(route.key.as_str().parse::<SessionKey>().unwrap(), route.key);
    }

    #[test]
    fn keys_are_put_together_as_the_rule_reads(scope in scopes(), links in links(), seeker in seekers()) {
        let sessions = SessionSettings {
            dm_scope: scope,
            identity_links: links.clone(),
            ..SessionSettings::default()
        };
        let key = session_key(&sessions, &AgentId::main(), &seeker);
        let written = expected_key(scope, &links, &AgentId::main(), &seeker);
        prop_assert_eq!(key.as_str(), written);
        prop_assert_eq!(key.as_str().parse::<SessionKey>().unwrap(), key);
    }
}
