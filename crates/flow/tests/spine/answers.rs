//! A message is answered; what needs no model does not wait; what may not be sent is not taken.

use openclaw_flow::{FlowError, Submitted};
use openclaw_ports::stores::SessionStore as _;
use openclaw_types::{AgentId, SessionEntry, SessionId, UnixMillis};
use serde_json::json;

use crate::world::{MAIN, World, session_key};

#[tokio::test]
async fn a_message_is_answered_and_leaves_the_inbox() {
    let world = World::new().await;
    assert_eq!(world.say("a", "#a").await, Submitted::Started);
    world.quiet().await;
    assert_eq!(world.told(), ["a answered"]);
    assert_eq!(world.transcript().await, ["user: #a", "assistant: Heard #a."]);
    assert_eq!(world.open_letters().await, 0);
}

#[tokio::test]
async fn tools_are_used_on_the_way_to_an_answer() {
    let world = World::new().await;
    world.say("a", "#a do:x look:y").await;
    world.quiet().await;
    assert_eq!(
        world.transcript().await,
        [
            "user: #a do:x look:y",
            "assistant: One moment.",
            "change: change did x",
            "look: look did y",
            "assistant: Heard #a."
        ]
    );
    assert_eq!(world.machine.deeds(), ["x"]);
}

#[tokio::test]
async fn commands_do_not_wait_for_the_run_under_way() {
    let world = World::new().await;
    world.keep_busy("a").await;
    world.say("help", "/help").await;
    world.until(|| !world.told().is_empty()).await;
    let told = world.told();
    assert!(told[0].starts_with("help says "), "{told:?}");
    world.gate.open();
    world.quiet().await;
    assert_eq!(world.told().last().map(String::as_str), Some("a answered"));
    assert_eq!(world.open_letters().await, 0);
}

#[tokio::test]
async fn an_empty_message_is_not_taken() {
    let world = World::new().await;
    let refused = world.submit(world.submission(MAIN, "a", "  ")).await;
    assert!(matches!(refused, Err(FlowError::Empty)), "{refused:?}");
    assert_eq!((world.flow.busy(), world.open_letters().await), (0, 0));
}

#[tokio::test]
async fn a_session_that_may_not_be_written_to_takes_nothing() {
    let world = World::with(json!({ "session": { "sendPolicy": { "default": "deny" } } })).await;
    let refused = world.submit(world.submission(MAIN, "a", "#a")).await;
    assert!(matches!(refused, Err(FlowError::Blocked)), "{refused:?}");
    assert_eq!((world.flow.busy(), world.open_letters().await), (0, 0));
}

#[tokio::test]
async fn a_session_has_a_queue_of_its_own_choice() {
    let world = World::new().await;
    let mut entry = SessionEntry::new(SessionId::new("s").unwrap(), UnixMillis(1_767_225_600_000));
    entry.facts.queue_mode = Some("interrupt".to_owned());
    let change = Box::new(move |_| Some(entry));
    world.machine.sessions.change(&AgentId::main(), &session_key(MAIN), change).await.unwrap();
    world.keep_busy("a").await;
    world.say("b", "#b").await;
    world.quiet().await;
    assert_eq!(world.told(), ["a aborted superseded", "b answered"]);
}

/// The sign-in of a session and who chose it.
async fn sign_in(world: &World) -> (Option<String>, Option<String>, Option<u64>) {
    let entry = world.machine.sessions.entry(&AgentId::main(), &session_key(MAIN)).await.unwrap().unwrap();
    let facts = entry.facts.clone();
    (
        facts.auth_profile_override,
        facts.auth_profile_override_source,
        facts.auth_profile_override_compaction_count,
    )
}

#[tokio::test]
async fn the_sign_in_that_answered_is_kept_for_the_session_unless_a_person_chose_one() {
    let world = World::new().await;
    world.say("a", "#a").await;
    world.quiet().await;
    assert_eq!(sign_in(&world).await, (Some("local:1".to_owned()), Some("auto".to_owned()), Some(0)));
    let choose = Box::new(|entry: Option<SessionEntry>| {
        let mut entry = entry?;
        entry.facts.auth_profile_override = Some("local:2".to_owned());
        entry.facts.auth_profile_override_source = Some("user".to_owned());
        entry.facts.auth_profile_override_compaction_count = None;
        Some(entry)
    });
    world.machine.sessions.change(&AgentId::main(), &session_key(MAIN), choose).await.unwrap();
    world.say("b", "#b").await;
    world.quiet().await;
    assert_eq!(sign_in(&world).await, (Some("local:2".to_owned()), Some("user".to_owned()), None));
}
