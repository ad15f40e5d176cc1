//! The same submission twice has one effect: in flight, after its end, after a restart, at once, and when its sender leaves.

use std::future::Future as _;
use std::task::{Context, Poll};

use openclaw_flow::Submitted;
use openclaw_types::RunEnding;
use serde_json::json;

use crate::crash_plan::CrashPlan;
use crate::world::{MAIN, Machine, World};

#[tokio::test]
async fn a_letter_that_is_being_answered_is_not_taken_again() {
    let world = World::new().await;
    world.keep_busy("a").await;
    assert_eq!(world.say("a", "#a hold:a").await, Submitted::InFlight);
    world.gate.open();
    world.quiet().await;
    let Submitted::Ended(Some(ended)) = world.say("a", "#a hold:a").await else { panic!() };
    assert_eq!(ended.how, RunEnding::Answered);
    assert_eq!((world.told(), world.machine.deeds()), (vec!["a answered".to_owned()], vec!["a".to_owned()]));
}

#[tokio::test]
async fn a_letter_that_was_answered_before_a_restart_is_not_answered_again() {
    let world = World::new().await;
    world.say("a", "#a do:a").await;
    world.quiet().await;
    let later = World::open(world.machine.clone(), json!({}), CrashPlan::never()).await;
    later.flow.recover().await.unwrap();
    assert_eq!(later.say("a", "#a do:a").await, Submitted::Ended(None));
    later.quiet().await;
    assert_eq!((later.told(), later.machine.deeds()), (Vec::new(), vec!["a".to_owned()]));
}

#[tokio::test]
async fn two_clients_that_send_the_same_letter_at_once_get_one_answer() {
    let world = World::open(Machine::new(), json!({}), CrashPlan::slow()).await;
    let (one, two) = tokio::join!(world.say("a", "#a do:a"), world.say("a", "#a do:a"));
    assert_eq!((one, two), (Submitted::Started, Submitted::InFlight));
    world.quiet().await;
    assert_eq!((world.told(), world.machine.deeds()), (vec!["a answered".to_owned()], vec!["a".to_owned()]));
}

/// A client may leave at any moment: what was accepted is answered, what was not leaves nothing behind.
#[tokio::test]
async fn a_letter_whose_sender_leaves_half_way_is_answered_once_or_not_taken() {
    for polls in 0.. {
        let world = World::open(Machine::new(), json!({}), CrashPlan::slow()).await;
        let mut taken = false;
        {
            let mut submitting = std::pin::pin!(world.submit(world.submission(MAIN, "a", "#a do:a")));
            for _ in 0..polls {
                let mut context = Context::from_waker(std::task::Waker::noop());
                if let Poll::Ready(result) = submitting.as_mut().poll(&mut context) {
                    assert_eq!(result.unwrap(), Submitted::Started);
                    taken = true;
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        world.quiet().await;
        let answered = world.told().len();
        assert_eq!((world.open_letters().await, world.flow.busy()), (0, 0), "after {polls} polls");
        assert!(answered <= 1 && world.machine.deeds().len() == answered, "{:?}", world.told());
        // What was not taken can be sent again, what was taken is known.
        world.say("a", "#a do:a").await;
        world.quiet().await;
        assert_eq!(
            (world.told(), world.machine.deeds()),
            (vec!["a answered".to_owned()], vec!["a".to_owned()])
        );
        if taken {
            assert_eq!(answered, 1);
            return;
        }
    }
}
