//! What every `SenderStore` does.

use openclaw_ports::stores::{RequestChange, SenderRequest, SenderStore};
use openclaw_types::{AccountId, ChannelId, UnixMillis};

/// Tests a `SenderStore`; see the module for what `make` gives.
#[macro_export]
macro_rules! sender_store_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            senders,
            $make,
            [
                nobody_asked_and_nobody_is_in_at_first,
                requests_come_back_whole_oldest_first_and_by_platform,
                a_request_takes_the_place_of_the_same_senders,
                requests_are_taken_out_one_by_one_and_by_age,
                a_sender_is_let_in_to_one_account_once,
            ]
        );
    };
}

fn channel(name: &str) -> ChannelId {
    ChannelId::new(name).expect("an id")
}

fn account(name: &str) -> AccountId {
    AccountId::new(name).expect("an id")
}

fn request(place: &str, sender: &str, at: i64) -> SenderRequest {
    SenderRequest {
        channel: channel(place),
        account: account("default"),
        sender: sender.to_owned(),
        code: "ABCDEFGH".to_owned(),
        created_at: UnixMillis(at),
        seen_at: UnixMillis(at + 1),
        to: format!("to {sender}"),
        facts: vec![("name".to_owned(), "Ana \u{1f980}".to_owned())],
    }
}

async fn put(store: &dyn SenderStore, request: &SenderRequest) {
    let change = RequestChange::Put(request.clone());
    store.change_requests(&request.channel, change).await.expect("a store in order takes requests");
}

async fn requests(store: &dyn SenderStore, place: Option<&str>) -> Vec<SenderRequest> {
    let place = place.map(channel);
    store.requests(place.as_ref()).await.expect("a store in order can be read")
}

/// Nothing is there at first.
pub async fn nobody_asked_and_nobody_is_in_at_first(store: &dyn SenderStore) {
    assert_eq!(requests(store, None).await, []);
    let allowed = store.allowed(&channel("sim"), &account("default")).await.expect("reads");
    assert!(allowed.is_empty());
}

/// By the moment they came.
pub async fn requests_come_back_whole_oldest_first_and_by_platform(store: &dyn SenderStore) {
    let (late, early, other) = (request("sim", "b", 20), request("sim", "a", 10), request("else", "a", 15));
    for each in [&late, &early, &other] {
        put(store, each).await;
    }
    assert_eq!(requests(store, Some("sim")).await, [early.clone(), late.clone()]);
    assert_eq!(requests(store, None).await, [early, other, late]);
}

/// Who writes again keeps one request.
pub async fn a_request_takes_the_place_of_the_same_senders(store: &dyn SenderStore) {
    put(store, &request("sim", "a", 10)).await;
    let mut again = request("sim", "a", 10);
    again.seen_at = UnixMillis(99);
    put(store, &again).await;
    assert_eq!(requests(store, Some("sim")).await, [again]);
}

/// Others stay.
pub async fn requests_are_taken_out_one_by_one_and_by_age(store: &dyn SenderStore) {
    for each in
        [request("sim", "a", 10), request("sim", "b", 20), request("sim", "c", 30), request("else", "a", 1)]
    {
        put(store, &each).await;
    }
    let sim = channel("sim");
    let remove = RequestChange::Remove { account: account("default"), sender: "b".to_owned() };
    store.change_requests(&sim, remove).await.expect("takes changes");
    store
        .change_requests(&sim, RequestChange::Expire { before: UnixMillis(30) })
        .await
        .expect("takes changes");
    assert_eq!(requests(store, None).await, [request("else", "a", 1), request("sim", "c", 30)]);
}

/// Accounts do not share their lists.
pub async fn a_sender_is_let_in_to_one_account_once(store: &dyn SenderStore) {
    let (sim, here, there) = (channel("sim"), account("default"), account("work"));
    assert!(store.allow(&sim, &here, "b").await.expect("takes"));
    assert!(store.allow(&sim, &here, "a").await.expect("takes"));
    assert!(!store.allow(&sim, &here, "b").await.expect("takes"));
    assert_eq!(store.allowed(&sim, &here).await.expect("reads"), ["b", "a"]);
    assert!(store.allowed(&sim, &there).await.expect("reads").is_empty());
    assert!(store.disallow(&sim, &here, "b").await.expect("takes"));
    assert!(!store.disallow(&sim, &here, "b").await.expect("takes"));
    assert_eq!(store.allowed(&sim, &here).await.expect("reads"), ["a"]);
}
