//! What is kept of switches.

use openclaw_ports::stores::StateStore as _;
use openclaw_stores::memory::MemoryStateStore;
use openclaw_types::UnixMillis;

use super::*;

fn switch(number: i64) -> ModelsSwitchPayload {
    let tried = |model: &str| ModelTried { model: model.to_owned(), profile: None };
    ModelsSwitchPayload {
        ts: UnixMillis(number),
        agent_id: "main".to_owned(),
        session_key: None,
        from: tried("acme/large"),
        to: tried("acme/small"),
        reason: "overloaded".to_owned(),
        message: "acme/large failed".to_owned(),
    }
}

#[tokio::test]
async fn the_last_64_switches_are_kept_and_what_cannot_be_read_is_left_out() {
    let store = MemoryStateStore::default();
    store.put(NAMESPACE, KEY, json!([{ "unknown": true }, 7])).await.unwrap();
    for number in 0..70 {
        keep(&store, &switch(number)).await.unwrap();
    }
    assert_eq!(stored(&store).await.unwrap(), (6..70).map(switch).collect::<Vec<_>>());
    store.put(NAMESPACE, KEY, json!("damaged")).await.unwrap();
    assert_eq!(stored(&store).await.unwrap(), []);
}
