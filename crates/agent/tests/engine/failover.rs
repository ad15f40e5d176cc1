//! The failover table: for every fault and every situation, what is tried next.

use openclaw_agent::{CallEvent, ModelCall, PinStrength, Selection};
use openclaw_ports::model::FaultReason;
use openclaw_ports::stores::ProfileStore as _;
use openclaw_providers::{Rejection, Script, Scripts};

use crate::world::{Heard, Setup, World, ask, key, pinned, sign_in};

/// What follows the first failure.
#[derive(Debug, Clone, Copy)]
enum Then {
    /// Another credential, else another model.
    Rotates,
    /// Another model.
    Moves,
    /// Nothing.
    Ends,
}

const TABLE: [(FaultReason, Then); 16] = [
    (FaultReason::RateLimit, Then::Rotates),
    (FaultReason::Auth, Then::Rotates),
    (FaultReason::Billing, Then::Rotates),
    (FaultReason::Overloaded, Then::Rotates),
    (FaultReason::ContextOverflow, Then::Ends),
    // The original pauses the credential here and tries the next one; docs/decisions/0007 says why we do not.
    (FaultReason::Format, Then::Moves),
    (FaultReason::ModelNotFound, Then::Rotates),
    (FaultReason::Refused, Then::Ends),
    (FaultReason::Timeout, Then::Rotates),
    (FaultReason::Network, Then::Rotates),
    (FaultReason::Truncated, Then::Rotates),
    (FaultReason::Malformed, Then::Moves),
    (FaultReason::Empty, Then::Rotates),
    (FaultReason::TooLarge, Then::Moves),
    (FaultReason::Cancelled, Then::Ends),
    (FaultReason::Unknown, Then::Rotates),
];

/// The columns of the table.
#[derive(Debug, Clone, Copy)]
enum Column {
    OneProfile,
    ThreeProfiles,
    FallbackModels,
    ThreeProfilesAndFallbacks,
    PinnedBySession,
    PinnedByPerson,
}

impl Column {
    const ALL: [Self; 6] = [
        Self::OneProfile,
        Self::ThreeProfiles,
        Self::FallbackModels,
        Self::ThreeProfilesAndFallbacks,
        Self::PinnedBySession,
        Self::PinnedByPerson,
    ];

    fn setup(self) -> (Setup, ModelCall) {
        let three = ["alpha:1", "alpha:2", "alpha:3", "beta:1"];
        match self {
            Self::OneProfile => (Setup::new(), ask()),
            Self::ThreeProfiles => (Setup::new().keys(&three), ask()),
            Self::FallbackModels => (Setup::new().fallbacks(&["beta/one"]), ask()),
            Self::ThreeProfilesAndFallbacks => (Setup::new().keys(&three).fallbacks(&["beta/one"]), ask()),
            Self::PinnedBySession => (
                Setup::new().keys(&three).fallbacks(&["beta/one"]),
                pinned("alpha:2", PinStrength::Preferred),
            ),
            Self::PinnedByPerson => {
                (Setup::new().keys(&three).fallbacks(&["beta/one"]), pinned("alpha:2", PinStrength::Locked))
            }
        }
    }

    fn expected(self, reason: FaultReason, then: Then) -> Vec<String> {
        let first = match self {
            Self::PinnedBySession | Self::PinnedByPerson => "alpha/one alpha:2",
            _ => "alpha/one alpha:1",
        };
        let next = match (then, self) {
            (Then::Ends, _) => None,
            (_, Self::OneProfile) | (Then::Moves, Self::ThreeProfiles) => None,
            (Then::Rotates, Self::ThreeProfiles | Self::ThreeProfilesAndFallbacks) => {
                Some("alpha/one alpha:2")
            }
            (Then::Rotates, Self::PinnedBySession) => Some("alpha/one alpha:1"),
            (_, Self::FallbackModels | Self::PinnedByPerson) | (Then::Moves, _) => Some("beta/one beta:1"),
        };
        let mut story = vec![first.to_owned()];
        match next {
            Some(next) => story.extend([next.to_owned(), "done".to_owned()]),
            None => story.push(format!("failed {}", reason.as_str())),
        }
        story
    }
}

#[tokio::test]
async fn every_fault_leads_to_the_documented_next_attempt() {
    for (reason, then) in TABLE {
        for column in Column::ALL {
            let (setup, call) = column.setup();
            let scripts = Scripts::new().then(Script::new().fault(reason)).otherwise(Script::new().say("hi"));
            let world = setup.scripts(scripts).build().await;
            let story = world.call(call).await.story();
            assert_eq!(story, column.expected(reason, then), "{reason:?} with {column:?}");
        }
    }
}

#[tokio::test]
async fn a_fault_in_the_middle_of_an_answer_voids_what_was_streamed() {
    let scripts = [Script::new().say("half").fault(FaultReason::Overloaded), Script::new().say("whole")];
    let world = Setup::new().fallbacks(&["beta/one"]).scripts(scripts).build().await;
    let heard = world.call(ask()).await;
    assert_eq!(heard.story(), ["alpha/one alpha:1", "beta/one beta:1", "done"]);
    assert_eq!(text_since_last_switch(&heard), "whole");
    assert_eq!(heard.done().completion.content, [openclaw_types::Content::text("whole")]);
}

#[tokio::test]
async fn every_credential_of_every_model_is_tried_before_a_call_fails() {
    let scripts = Scripts::new().otherwise(Script::new().fault(FaultReason::Overloaded));
    let world = Setup::new()
        .keys(&["alpha:1", "alpha:2", "beta:1"])
        .fallbacks(&["alpha/two", "beta/one"])
        .scripts(scripts)
        .build()
        .await;
    let heard = world.call(ask()).await;
    let expected = [
        "alpha/one alpha:1",
        "alpha/one alpha:2",
        "alpha/two alpha:1",
        "alpha/two alpha:2",
        "beta/one beta:1",
        "failed overloaded",
    ];
    assert_eq!(heard.story(), expected);
    assert_eq!(heard.failed().tried.len(), 5);
    assert!(
        heard.failed().message.starts_with("No model could answer (5 attempts): alpha/one with alpha:1: ")
    );
}

#[tokio::test]
async fn a_sign_in_that_is_refused_is_renewed_once_before_another_is_tried() {
    let refused = || Script::new().fault(FaultReason::Auth);
    let setup = Setup { keys: vec![sign_in("alpha:1"), sign_in("alpha:2")], ..Setup::new() };
    let world = setup.scripts([refused(), refused(), Script::new().say("hi")]).build().await;
    let heard = world.call(ask()).await;
    assert_eq!(heard.story(), ["alpha/one alpha:1", "alpha/one alpha:1", "alpha/one alpha:2", "done"]);
    assert_eq!(world.keys.refused(), ["alpha:1", "alpha:1"]);
}

#[tokio::test]
async fn a_sign_in_that_cannot_be_unlocked_is_left_alone_without_a_second_try() {
    let setup = Setup { keys: vec![sign_in("alpha:broken"), key("alpha:2")], ..Setup::new() };
    let world = setup.scripts(Scripts::new().otherwise(Script::new().say("hi"))).build().await;
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:broken", "alpha/one alpha:2", "done"]);
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:2", "done"]);
    assert_eq!(world.keys.refused(), [""; 0]);
}

#[tokio::test]
async fn a_request_that_a_server_does_not_accept_rests_nothing() {
    let scripts =
        Scripts::new().then(Script::new().fault(FaultReason::Format)).otherwise(Script::new().say("hi"));
    let world = Setup::new().fallbacks(&["beta/one"]).scripts(scripts).build().await;
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "beta/one beta:1", "done"]);
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "done"]);
}

#[tokio::test]
async fn trouble_of_our_own_before_sending_rests_nothing() {
    let setup = Setup { keys: vec![key("alpha:1-unreadable"), key("alpha:2")], ..Setup::new() };
    let world = setup.scripts(Scripts::new().otherwise(Script::new().say("hi"))).build().await;
    let story = ["alpha/one alpha:1-unreadable", "alpha/one alpha:2", "done"];
    assert_eq!(world.call(ask()).await.story(), story);
    // It was used longest ago by now, and it is asked again.
    world.clock.advance(std::time::Duration::from_secs(1)).await;
    assert_eq!(world.call(ask()).await.story(), story);
    assert!(world.models.status().health.iter().all(|record| record.last_failure.is_none()));
    world.settle().await;
    let stored = world.health.load().await.unwrap();
    assert_eq!(stored.iter().map(|record| record.key.profile.as_str()).collect::<Vec<_>>(), ["alpha:2"]);
}

#[tokio::test]
async fn an_agent_without_an_order_of_its_own_follows_that_of_the_main_agent() {
    let setup = Setup::new().keys(&["alpha:1", "alpha:2"]);
    let world = setup.scripts(Scripts::new().otherwise(Script::new().say("hi"))).build().await;
    let ids = |names: &[&str]| names.iter().map(|name| key(name).id).collect::<Vec<_>>();
    let (main, ops) = (openclaw_types::AgentId::main(), openclaw_types::AgentId::new("ops").unwrap());
    let alpha = key("alpha:1").provider;
    let by_ops = || ModelCall { agent: ops.clone(), ..ask() };
    world.profiles.set_order(&main, &alpha, ids(&["alpha:2", "alpha:1"])).await.unwrap();
    assert_eq!(world.call(by_ops()).await.story(), ["alpha/one alpha:2", "done"]);
    world.profiles.set_order(&ops, &alpha, ids(&["alpha:1", "alpha:2"])).await.unwrap();
    assert_eq!(world.call(by_ops()).await.story(), ["alpha/one alpha:1", "done"]);
}

#[tokio::test]
async fn when_everything_rests_only_what_may_recover_by_itself_is_tried_early() {
    let scripts = [Script::new().fault(FaultReason::Billing), Script::new().fault(FaultReason::Overloaded)];
    let scripts = Scripts::from(scripts).otherwise(Script::new().say("hi"));
    let world = Setup::new().keys(&["alpha:1", "alpha:2"]).scripts(scripts).build().await;
    assert_eq!(
        world.call(ask()).await.story(),
        ["alpha/one alpha:1", "alpha/one alpha:2", "failed overloaded"]
    );
    world.clock.advance(std::time::Duration::from_secs(30)).await;
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:2", "done"]);
}

#[tokio::test]
async fn a_level_of_thinking_that_is_refused_is_replaced_by_the_next_lower_one() {
    let words = "Unsupported value: 'high'. Supported values are: 'none', 'low' and 'medium'.";
    let refusal = Rejection::new(FaultReason::Format).saying(words);
    let world = Setup::new().scripts([Script::new().reject(refusal), Script::new().say("hi")]).build().await;
    let call = ModelCall { thinking: Some(openclaw_types::ThinkingLevel::High), ..ask() };
    let heard = world.call(call).await;
    assert_eq!(heard.story(), ["alpha/one alpha:1", "alpha/one alpha:1", "done"]);
    assert_eq!(heard.done().thinking, openclaw_types::ThinkingLevel::Medium);
}

#[tokio::test]
async fn one_model_that_is_limited_does_not_poison_its_siblings() {
    let world = limited_world().await;
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "alpha/two alpha:1", "done"]);
    assert_eq!(world.call(ask()).await.story(), ["alpha/two alpha:1", "done"]);
}

#[tokio::test]
async fn a_credential_without_money_is_left_alone_with_every_model() {
    let scripts =
        Scripts::new().then(Script::new().fault(FaultReason::Billing)).otherwise(Script::new().say("hi"));
    let world = Setup::new().fallbacks(&["alpha/two", "beta/one"]).scripts(scripts).build().await;
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "beta/one beta:1", "done"]);
    assert_eq!(world.call(ask()).await.story(), ["beta/one beta:1", "done"]);
}

#[tokio::test]
async fn every_switch_is_told_to_the_caller_and_kept_for_people() {
    let world = limited_world().await;
    let heard = world.call(ask()).await;
    let told: Vec<&str> = heard
        .events
        .iter()
        .filter_map(|event| match event {
            CallEvent::Switched { message, .. } => Some(message.as_str()),
            _ => None,
        })
        .collect();
    let expected = "alpha/one with alpha:1 failed (rate_limit): the script rejects this call with the reason \
                    rate_limit; trying alpha/two with alpha:1";
    assert_eq!(told, [expected]);
    let kept: Vec<String> = world.models.status().switches.into_iter().map(|switch| switch.message).collect();
    assert_eq!(kept, [expected]);
}

#[tokio::test]
async fn a_person_who_names_a_credential_gets_that_one_or_no_other() {
    let scripts = Scripts::new().otherwise(Script::new().fault(FaultReason::RateLimit));
    let world = Setup::new().keys(&["alpha:1", "alpha:2"]).scripts(scripts).build().await;
    let call = ModelCall { selection: Selection::Session("alpha/two@alpha:2".to_owned()), ..ask() };
    assert_eq!(world.call(call.clone()).await.story(), ["alpha/two alpha:2", "failed rate_limit"]);
    // Also while it rests: the person asked for it.
    assert_eq!(world.call(call).await.story(), ["alpha/two alpha:2", "failed rate_limit"]);
}

/// `alpha/one` is limited once, then everything answers.
async fn limited_world() -> World {
    let scripts =
        Scripts::new().then(Script::new().fault(FaultReason::RateLimit)).otherwise(Script::new().say("hi"));
    Setup::new().fallbacks(&["alpha/two"]).scripts(scripts).build().await
}

fn text_since_last_switch(heard: &Heard) -> String {
    let mut text = String::new();
    for event in &heard.events {
        match event {
            CallEvent::Switched { .. } => text.clear(),
            CallEvent::Model(openclaw_ports::model::ModelEvent::Text { delta, .. }) => text.push_str(delta),
            _ => {}
        }
    }
    text
}
