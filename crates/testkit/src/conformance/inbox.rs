//! What every `Inbox` does.

use futures_util::future::join_all;
use openclaw_ports::stores::{Acceptance, Inbox, InboxEnd, InboxId, InboxKey, InboxMessage, InboxRow};
use openclaw_types::{RunId, UnixMillis};
use serde_json::json;

use super::sessions::key;

/// Tests an `Inbox`; see the module for what `make` gives. Its clock must tell a time between 1971 and 2200.
#[macro_export]
macro_rules! inbox_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            inbox,
            $make,
            [
                a_new_inbox_is_empty,
                an_accepted_message_waits_and_comes_back_whole,
                a_message_is_accepted_once,
                every_part_of_a_key_counts,
                one_of_many_that_come_at_once_is_new,
                open_messages_are_listed_in_the_order_they_came,
                a_run_is_noted_on_open_messages,
                a_message_that_is_dealt_with_is_remembered_and_waits_no_more,
                a_message_is_dealt_with_once,
                messages_dealt_with_long_ago_are_forgotten_and_others_are_not,
            ]
        );
    };
}

/// A message with a key of its own.
#[must_use]
pub fn message(event: &str) -> InboxMessage {
    InboxMessage {
        key: InboxKey { source: "webchat".to_owned(), account: String::new(), event: event.to_owned() },
        session: key("main"),
        at: UnixMillis(5),
        body: json!({"text": event, "nested": [null, "\u{1f980}"]}),
    }
}

fn open(id: InboxId, event: &str) -> InboxRow {
    InboxRow { id, message: message(event), run: None, attempts: 0, end: None }
}

async fn accept(inbox: &dyn Inbox, event: &str) -> InboxId {
    match inbox.accept(message(event)).await.expect("an inbox in order accepts") {
        Acceptance::New(id) => id,
        Acceptance::Known(row) => panic!("{event} was known: {row:?}"),
    }
}

async fn waiting(inbox: &dyn Inbox) -> Vec<InboxRow> {
    inbox.open_messages().await.expect("an inbox in order can be read")
}

async fn find(inbox: &dyn Inbox, event: &str) -> Option<InboxRow> {
    inbox.find(&message(event).key).await.expect("an inbox in order can be read")
}

async fn finish(inbox: &dyn Inbox, messages: Vec<InboxId>, how: InboxEnd) {
    inbox.finish(messages, how).await.expect("an inbox in order takes ends");
}

fn run(name: &str) -> RunId {
    RunId::new(name).expect("an id")
}

/// Nothing is there at first.
pub async fn a_new_inbox_is_empty(inbox: &dyn Inbox) {
    assert_eq!(waiting(inbox).await, []);
    assert_eq!(find(inbox, "a").await, None);
    assert_eq!(inbox.forget(UnixMillis(i64::MAX)).await.expect("an inbox in order forgets"), 0);
}

/// What was accepted is what waits.
pub async fn an_accepted_message_waits_and_comes_back_whole(inbox: &dyn Inbox) {
    let id = accept(inbox, "a").await;
    assert_eq!(waiting(inbox).await, [open(id, "a")]);
    assert_eq!(find(inbox, "a").await, Some(open(id, "a")));
}

/// The first one counts, and its repetition is told so.
pub async fn a_message_is_accepted_once(inbox: &dyn Inbox) {
    let id = accept(inbox, "a").await;
    let again = InboxMessage { body: json!("other"), at: UnixMillis(9), ..message("a") };
    let answer = inbox.accept(again).await.expect("an inbox in order accepts");
    assert_eq!(answer, Acceptance::Known(Box::new(open(id, "a"))));
    assert_eq!(waiting(inbox).await, [open(id, "a")]);
}

/// The same event of another account is another message.
pub async fn every_part_of_a_key_counts(inbox: &dyn Inbox) {
    let keys = [("a", "b", "c"), ("a", "", "c"), ("ab", "", "c"), ("a", "b", "d"), ("", "b", "c")];
    for (source, account, event) in keys {
        let [source, account, event] = [source, account, event].map(str::to_owned);
        let message = InboxMessage { key: InboxKey { source, account, event }, ..message("x") };
        let answer = inbox.accept(message).await.expect("an inbox in order accepts");
        assert!(matches!(answer, Acceptance::New(_)), "{answer:?}");
    }
    assert_eq!(waiting(inbox).await.len(), keys.len());
}

/// The others are told which.
pub async fn one_of_many_that_come_at_once_is_new(inbox: &dyn Inbox) {
    let answers = join_all((0..20).map(|_| inbox.accept(message("a")))).await;
    let mut fresh = Vec::new();
    let mut known = Vec::new();
    for answer in answers {
        match answer.expect("an inbox in order accepts") {
            Acceptance::New(id) => fresh.push(id),
            Acceptance::Known(row) => known.push(*row),
        }
    }
    let [id] = fresh[..] else { panic!("{fresh:?} are new") };
    assert_eq!(known, vec![open(id, "a"); 19]);
}

/// Whatever time they carry.
pub async fn open_messages_are_listed_in_the_order_they_came(inbox: &dyn Inbox) {
    let mut expected = Vec::new();
    for (event, at) in [("c", 9), ("a", 5), ("b", 7)] {
        let message = InboxMessage { at: UnixMillis(at), ..message(event) };
        let answer = inbox.accept(message.clone()).await.expect("an inbox in order accepts");
        let Acceptance::New(id) = answer else { panic!("{answer:?}") };
        expected.push(InboxRow { id, message, run: None, attempts: 0, end: None });
    }
    assert_eq!(waiting(inbox).await, expected);
    assert!(expected.is_sorted_by_key(|row| row.id));
}

/// The latest run counts, an unknown message is nobody's, and it is counted how often one was noted. A message that is
/// nobody's again keeps its count.
pub async fn a_run_is_noted_on_open_messages(inbox: &dyn Inbox) {
    let ids = [accept(inbox, "a").await, accept(inbox, "b").await, accept(inbox, "c").await];
    inbox.assign(vec![ids[0], ids[1], InboxId(-7)], run("r1")).await.expect("an inbox in order");
    inbox.assign(vec![ids[1]], run("r2")).await.expect("an inbox in order");
    finish(inbox, vec![ids[0]], InboxEnd::Answered).await;
    inbox.assign(ids.to_vec(), run("r3")).await.expect("an inbox in order");
    let ended =
        InboxRow { run: Some(run("r1")), attempts: 1, end: Some(InboxEnd::Answered), ..open(ids[0], "a") };
    assert_eq!(find(inbox, "a").await, Some(ended));
    let left = [("b", ids[1], 3), ("c", ids[2], 1)].map(|(event, id, attempts)| InboxRow {
        run: Some(run("r3")),
        attempts,
        ..open(id, event)
    });
    assert_eq!(waiting(inbox).await, left);
    inbox.release(vec![ids[0], ids[1], InboxId(-7)]).await.expect("an inbox in order");
    let released = [InboxRow { attempts: 3, ..open(ids[1], "b") }, left[1].clone()];
    assert_eq!(waiting(inbox).await, released);
    assert_eq!(find(inbox, "a").await.and_then(|ended| ended.run), Some(run("r1")));
}

/// So that its repetition is still noticed.
pub async fn a_message_that_is_dealt_with_is_remembered_and_waits_no_more(inbox: &dyn Inbox) {
    let ids = [accept(inbox, "a").await, accept(inbox, "b").await, accept(inbox, "c").await];
    finish(inbox, vec![ids[0]], InboxEnd::Answered).await;
    finish(inbox, vec![ids[2], InboxId(-7)], InboxEnd::Withdrawn).await;
    assert_eq!(waiting(inbox).await, [open(ids[1], "b")]);
    let gone = InboxRow { end: Some(InboxEnd::Withdrawn), ..open(ids[2], "c") };
    assert_eq!(find(inbox, "c").await, Some(gone.clone()));
    let again = inbox.accept(message("c")).await.expect("an inbox in order accepts");
    assert_eq!(again, Acceptance::Known(Box::new(gone)));
}

/// The first end counts.
pub async fn a_message_is_dealt_with_once(inbox: &dyn Inbox) {
    let id = accept(inbox, "a").await;
    finish(inbox, vec![id], InboxEnd::Withdrawn).await;
    finish(inbox, vec![id, id], InboxEnd::Answered).await;
    let end = find(inbox, "a").await.and_then(|row| row.end);
    assert_eq!(end, Some(InboxEnd::Withdrawn));
}

/// It is the end that counts, not when a message came. Ids are not used again.
pub async fn messages_dealt_with_long_ago_are_forgotten_and_others_are_not(inbox: &dyn Inbox) {
    let ids = [accept(inbox, "a").await, accept(inbox, "b").await];
    finish(inbox, vec![ids[1]], InboxEnd::Answered).await;
    let (in_1971, in_2200) = (UnixMillis(31_536_000_000), UnixMillis(7_258_118_400_000));
    for (before, expected) in [(in_1971, 0), (in_2200, 1), (in_2200, 0)] {
        assert_eq!(inbox.forget(before).await.expect("an inbox in order forgets"), expected);
    }
    assert_eq!(waiting(inbox).await, [open(ids[0], "a")]);
    assert_eq!(find(inbox, "b").await, None);
    assert!(accept(inbox, "b").await > ids[1]);
}
