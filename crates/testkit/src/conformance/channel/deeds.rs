//! What a platform promises beside messages of its own: threads, files that are fetched, and actions. An empty slot
//! promises nothing.

use openclaw_ports::channel::{ActionRequest, Actions, ChannelError};
use openclaw_types::{Outgoing, PiecePayload, RichText, SendTarget};
use serde_json::{Value, json};

use super::ChannelProof;
use super::live::within;
use super::slots::Stage;

impl Stage {
    /// The room in which threads are made and actions are done.
    fn room(&self) -> SendTarget {
        self.ground.piece("", &self.peer.room(), "").target
    }

    fn words_for(&self, key: &str, target: SendTarget, words: &str) -> Outgoing {
        Outgoing { target, ..self.piece(key, PiecePayload::Text { text: RichText::plain(words) }) }
    }
}

/// A thread is made with a name, at a message or without one, and can be written into. One without a name is no thread.
pub async fn a_thread_is_made_and_can_be_written_into(proof: &dyn ChannelProof) {
    let stage = Stage::new(proof).await;
    let Some(threads) = stage.up.surface.threads.clone() else { return };
    let room = stage.room();
    let message = stage.send(&stage.words_for("run/root", room.clone(), "let us talk about soup")).await;
    for (number, at) in [None, Some(&message)].into_iter().enumerate() {
        let thread = within(threads.create(&room, "Soup", at)).await.expect("it is made");
        let inside = SendTarget { thread: Some(thread), ..room.clone() };
        let words = stage.words_for(&format!("run/inside/{number}"), inside, "more salt");
        assert!(!stage.send(&words).await.as_str().is_empty());
    }
    let nameless = within(threads.create(&room, "  ", None)).await;
    assert!(matches!(nameless, Err(ChannelError::Wrong { .. })), "a thread without a name: {nameless:?}");
}

/// A file is fetched whole into the account's folder; one that is larger than allowed, or is not there, is refused and
/// leaves nothing behind.
pub async fn a_file_is_fetched_as_far_as_the_limit(proof: &dyn ChannelProof) {
    let stage = Stage::new(proof).await;
    let Some(fetch) = stage.up.surface.fetch.clone() else { return };
    let (media, bytes) = within(stage.peer.file()).await.expect("a platform whose files are fetched has one");
    let size = bytes.len() as u64;
    let count = || std::fs::read_dir(stage.ground.media()).map_or(0, Iterator::count);
    let refused = within(fetch.fetch(&media, size - 1)).await;
    assert!(matches!(refused, Err(ChannelError::Refused { .. })), "more than allowed: {refused:?}");
    assert_eq!(count(), 0, "what was refused leaves nothing behind");
    let fetched = within(fetch.fetch(&media, size)).await.expect("it is given");
    assert!(fetched.path.starts_with(stage.ground.media()), "{} is elsewhere", fetched.path.display());
    assert_eq!((std::fs::read(&fetched.path).expect("it is there"), fetched.bytes), (bytes, size));
    let mut gone = media.clone();
    gone.handle.push_str("-that-is-not-there");
    let refused = within(fetch.fetch(&gone, size)).await;
    assert!(matches!(refused, Err(ChannelError::Refused { .. })), "it is not there: {refused:?}");
    assert_eq!(count(), 1, "only what was given is there");
}

async fn act(
    stage: &Stage,
    actions: &dyn Actions,
    name: &str,
    parameters: Value,
) -> Result<Value, ChannelError> {
    let parameters = parameters.as_object().cloned().unwrap_or_default();
    let request =
        ActionRequest { name: name.to_owned(), target: Some(stage.room()), requester: None, parameters };
    within(actions.act(request)).await
}

/// Every action has one name, says what it lacks instead of failing in a way that is tried again, and only what is offered
/// is done.
pub async fn actions_are_named_and_say_what_they_lack(proof: &dyn ChannelProof) {
    let stage = Stage::new(proof).await;
    let Some(actions) = stage.up.surface.actions.clone() else { return };
    let mut names = actions.names().to_vec();
    assert!(!names.is_empty(), "there are actions, and none is offered");
    for name in &names {
        let done = act(&stage, actions.as_ref(), name, json!({})).await;
        let right = matches!(done, Ok(_) | Err(ChannelError::Wrong { .. } | ChannelError::Refused { .. }));
        assert!(right, "{name} without anything became {done:?}");
    }
    let unknown = act(&stage, actions.as_ref(), "no-such-action", json!({})).await;
    assert!(matches!(unknown, Err(ChannelError::Wrong { .. })), "an unknown action became {unknown:?}");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), actions.names().len(), "a name stands for one action");
}

/// Where messages can be read, one of ours is among them, under the same name everywhere; where they can be pinned, it is,
/// and taken down again.
pub async fn a_message_is_read_back_and_pinned(proof: &dyn ChannelProof) {
    let stage = Stage::new(proof).await;
    let Some(actions) = stage.up.surface.actions.clone() else { return };
    let offers = |name: &str| actions.names().contains(&name);
    let message = stage.send(&stage.words_for("run/pinned", stage.room(), "remember the soup")).await;
    if offers("read") {
        let read = act(&stage, actions.as_ref(), "read", json!({ "limit": 5 })).await;
        let read = read.expect("the room can be read");
        let all = read["messages"].as_array().expect("messages are a list");
        assert!((1..=5).contains(&all.len()), "as many as were asked for: {read}");
        assert!(read.to_string().contains("remember the soup"), "what was said there is read: {read}");
    }
    for name in ["pin", "unpin"].into_iter().filter(|name| offers(name)) {
        let done = act(&stage, actions.as_ref(), name, json!({ "messageId": message })).await;
        assert!(done.is_ok(), "{name} became {done:?}");
    }
}
