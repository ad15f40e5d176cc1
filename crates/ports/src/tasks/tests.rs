//! The task tree: who waits for whom, who is cancelled with whom, and what a panic does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;

use super::{TaskScope, TasksLeft};
use crate::{Deadline, SystemClock};

const SOON: Duration = Duration::from_millis(20);
const LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_child_is_joined_without_its_siblings_and_a_parent_with_all_its_children() {
    let clock = SystemClock::new();
    let root = TaskScope::root("root");
    let (one, two) = (root.child("one"), root.child("two"));
    let (release, held) = oneshot::channel::<()>();
    one.start("quick", async {});
    two.start("slow", async move { drop(held.await) });
    assert_eq!(one.join(&clock, Deadline::after(&clock, LONG)).await, Ok(()));
    let left = TasksLeft { scope: "root", left: 1 };
    assert_eq!(root.join(&clock, Deadline::after(&clock, SOON)).await, Err(left));
    drop(release);
    assert_eq!(root.join(&clock, Deadline::after(&clock, LONG)).await, Ok(()));
}

#[tokio::test]
async fn cancelling_a_parent_ends_the_work_below() {
    let clock = SystemClock::new();
    let root = TaskScope::root("root");
    let child = root.child("child").child("grandchild");
    child.start_cancellable("forever", std::future::pending());
    root.cancel();
    assert!(child.is_cancelled());
    assert_eq!(root.join(&clock, Deadline::after(&clock, LONG)).await, Ok(()));
}

#[tokio::test]
async fn a_panic_ends_one_task_and_not_its_siblings() {
    let clock = SystemClock::new();
    let root = TaskScope::root("root");
    let done = Arc::new(AtomicBool::new(false));
    let mark = Arc::clone(&done);
    root.start("broken", async { panic!("on purpose") });
    root.start("sound", async move { mark.store(true, Ordering::SeqCst) });
    assert_eq!(root.join(&clock, Deadline::after(&clock, LONG)).await, Ok(()));
    assert!(done.load(Ordering::SeqCst));
}
