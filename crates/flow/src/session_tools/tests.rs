//! The table of who may see and reach which session.

use std::collections::HashSet;

use openclaw_config::BetweenAgents;
use openclaw_config::sections::SessionVisibility::{self, Agent, All, Own, Tree};
use openclaw_ports::tool::SessionToolFault;
use openclaw_types::{AgentId, SessionKey};

use super::visibility::{Act, Confined, View};

fn key(text: &str) -> SessionKey {
    text.parse().unwrap()
}

fn view(reach: SessionVisibility, confined: Confined, between: BetweenAgents) -> View {
    View {
        own: key("agent:main:main"),
        agent: AgentId::main(),
        reach,
        confined,
        between,
        below: HashSet::from([key("agent:work:subagent:t")]),
    }
}

#[test]
fn what_may_be_done_depends_on_reach_agent_and_sandbox() {
    let (own, below) = ("agent:main:main", "agent:work:subagent:t");
    let (sibling, foreign) = ("agent:main:other", "agent:work:main");
    let open = || BetweenAgents::Allowed(Vec::new());
    let rows = [
        (Own, Confined::No, open(), Act::Read, vec![own]),
        (Tree, Confined::No, open(), Act::Read, vec![own, below]),
        (Agent, Confined::No, open(), Act::Read, vec![own, below, sibling]),
        (All, Confined::No, open(), Act::Read, vec![own, below, sibling, foreign]),
        (All, Confined::No, BetweenAgents::Off, Act::Send, vec![own, below, sibling]),
        (
            All,
            Confined::No,
            BetweenAgents::Allowed(vec!["work".to_owned()]),
            Act::Send,
            vec![own, below, sibling],
        ),
        (All, Confined::Yes, open(), Act::Send, vec![own, below]),
        (Tree, Confined::No, BetweenAgents::Off, Act::Status, vec![own, below, sibling]),
        (Tree, Confined::No, open(), Act::Status, vec![own, below, sibling, foreign]),
        (Tree, Confined::Yes, open(), Act::Status, vec![own, below]),
    ];
    for (reach, confined, between, act, allowed) in rows {
        let view = view(reach, confined, between.clone());
        for target in [own, below, sibling, foreign] {
            let verdict = view.check(&key(target), act);
            let case = format!("{reach:?} {confined:?} {between:?} {act:?} {target}");
            match allowed.contains(&target) {
                true => assert_eq!(verdict, Ok(()), "{case}"),
                false => assert!(matches!(verdict, Err(SessionToolFault::Refused(_))), "{case}"),
            }
        }
    }
}
