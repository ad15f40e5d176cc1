//! One effect for one key.

use openclaw_protocol::ErrorShape;
use openclaw_testkit::SimClock;
use serde_json::json;

use super::*;
use crate::methods::outcome::JsonPayload;

struct World {
    clock: Arc<SimClock>,
    cache: Arc<IdempotencyCache>,
}

impl World {
    fn new() -> Self {
        let clock = Arc::new(SimClock::new());
        Self { cache: IdempotencyCache::new(clock.clone()), clock }
    }

    fn claim(&self, key: &str) -> IdempotencyClaim {
        self.cache.claim(IdempotencyKey { method: "send", key: key.to_owned() })
    }

    fn start(&self, key: &str) -> Ticket {
        match self.claim(key) {
            IdempotencyClaim::New(ticket) => ticket,
            IdempotencyClaim::Running(_) | IdempotencyClaim::Ended(_) => panic!("{key} is not new"),
        }
    }

    fn ended(&self, key: &str) -> Option<MethodOutcome> {
        match self.claim(key) {
            IdempotencyClaim::Ended(outcome) => Some(outcome),
            IdempotencyClaim::New(_) | IdempotencyClaim::Running(_) => None,
        }
    }
}

fn done(number: u32) -> MethodOutcome {
    JsonPayload::of(&json!({"number": number}))
}

#[tokio::test]
async fn duplicates_of_a_running_request_share_its_outcome() {
    let world = World::new();
    let ticket = world.start("a");
    let (IdempotencyClaim::Running(one), IdempotencyClaim::Running(two)) =
        (world.claim("a"), world.claim("a"))
    else {
        panic!("the duplicates should wait");
    };
    ticket.finish(done(1));
    assert_eq!((one.outcome().await, two.outcome().await), (Some(done(1)), Some(done(1))));
}

#[tokio::test]
async fn a_finished_request_is_answered_from_memory_for_five_minutes() {
    let world = World::new();
    let refused: MethodOutcome = Err(ErrorShape::unavailable("no"));
    world.start("a").finish(refused.clone());
    world.clock.advance(TTL - Duration::from_millis(1)).await;
    assert_eq!(world.ended("a"), Some(refused));
    world.clock.advance(Duration::from_millis(1)).await;
    assert_eq!(world.ended("a"), None);
}

#[tokio::test]
async fn an_abandoned_request_lets_its_duplicates_go_and_may_be_tried_again() {
    let world = World::new();
    let ticket = world.start("a");
    let IdempotencyClaim::Running(duplicate) = world.claim("a") else { panic!("the duplicate should wait") };
    drop(ticket);
    assert_eq!(duplicate.outcome().await, None);
    world.start("a").finish(done(2));
    assert_eq!(world.ended("a"), Some(done(2)));
}

#[tokio::test]
async fn the_oldest_finished_outcome_makes_room_and_running_requests_stay() {
    let world = World::new();
    let running = world.start("running");
    for number in 0..CAPACITY {
        world.start(&format!("{number}")).finish(done(7));
        world.clock.advance(Duration::from_millis(1)).await;
    }
    assert_eq!(world.cache.entries().len(), CAPACITY);
    assert_eq!(world.ended("1"), Some(done(7)));
    drop(world.start("0"));
    assert!(matches!(world.claim("running"), IdempotencyClaim::Running(_)));
    running.finish(done(1));
    assert_eq!(world.ended("running"), Some(done(1)));
}

#[tokio::test]
async fn sweeping_forgets_only_what_is_old() {
    let world = World::new();
    world.start("old").finish(done(1));
    let running = world.start("running");
    world.clock.advance(TTL).await;
    world.start("young").finish(done(2));
    world.cache.sweep();
    assert_eq!(world.cache.entries().len(), 2);
    drop(running);
}

#[test]
fn keys_of_different_methods_never_meet() {
    let world = World::new();
    world.start("a").finish(done(1));
    let other = world.cache.claim(IdempotencyKey { method: "poll", key: "a".to_owned() });
    assert!(matches!(other, IdempotencyClaim::New(_)));
}
