//! What the queue does with a client that does not read.

use super::*;

fn text(bytes: usize) -> Utf8Bytes {
    "x".repeat(bytes).into()
}

fn waiting(queue: &Outbound) -> Vec<usize> {
    let mut texts = Vec::new();
    queue.take(&mut texts);
    texts.iter().map(|text| text.len()).collect()
}

#[test]
fn events_queue_until_the_limit_is_passed() {
    let queue = Outbound::new(10);
    assert_eq!(queue.event(text(8), Pace::Required), Pushed::Queued);
    assert_eq!(queue.event(text(8), Pace::Required), Pushed::Queued);
    assert_eq!(queue.event(text(1), Pace::Droppable), Pushed::Dropped);
    assert_eq!(waiting(&queue), [8, 8]);
}

#[test]
fn a_required_event_for_a_slow_client_ends_its_connection_and_frees_its_memory() {
    let queue = Outbound::new(10);
    queue.event(text(11), Pace::Required);
    assert_eq!(queue.event(text(1), Pace::Required), Pushed::SlowConsumer);
    assert_eq!(queue.event(text(1), Pace::Required), Pushed::Closed);
    assert_eq!(queue.respond(text(1)), Pushed::Closed);
    assert_eq!(waiting(&queue), [] as [usize; 0]);
    assert_eq!(
        queue.ending(),
        Some(ConnectionEnd { close: Close::SLOW_CONSUMER, leftovers: Leftovers::Discard })
    );
}

#[test]
fn bytes_in_the_hands_of_the_socket_still_count() {
    let queue = Outbound::new(10);
    queue.event(text(11), Pace::Required);
    assert_eq!(waiting(&queue), [11]);
    assert_eq!(queue.event(text(1), Pace::Droppable), Pushed::Dropped);
    queue.written(11);
    assert_eq!(queue.event(text(1), Pace::Droppable), Pushed::Queued);
}

#[test]
fn a_response_is_queued_however_much_waits() {
    let queue = Outbound::new(10);
    queue.event(text(11), Pace::Required);
    assert_eq!(queue.respond(text(50)), Pushed::Queued);
    assert_eq!(waiting(&queue), [11, 50]);
}

#[test]
fn an_ordinary_end_keeps_what_waits_and_the_first_reason_counts() {
    let queue = Outbound::new(10);
    queue.event(text(3), Pace::Required);
    queue.end(Close::SERVICE_RESTART, Leftovers::Write);
    queue.end(Close::SLOW_CONSUMER, Leftovers::Discard);
    assert_eq!(waiting(&queue), [3]);
    assert_eq!(queue.ending().map(|ending| ending.close), Some(Close::SERVICE_RESTART));
}

#[tokio::test]
async fn the_writer_is_woken_for_texts_and_for_the_end() {
    let queue = Outbound::new(10);
    queue.respond(text(1));
    queue.ready().await;
    queue.end(Close::NORMAL, Leftovers::Write);
    queue.ready().await;
    queue.ended().await;
}
