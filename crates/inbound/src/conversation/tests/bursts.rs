//! When messages go on, and which of them together.

use std::time::Duration;

use proptest::prelude::*;

use super::*;

const WAIT: Duration = Duration::from_millis(1000);

fn of(from: &str) -> BurstKey {
    BurstKey::of(&Inbound { from: person(from), ..in_room("x") })
}

fn words<T>(key: BurstKey, item: T) -> BurstMessage<T> {
    BurstMessage { key, item, nature: Nature::Words, wait: WAIT }
}

fn at(millis: i64) -> UnixMillis {
    UnixMillis(millis)
}

#[test]
fn words_wait_until_it_was_quiet() {
    let mut waiting = Debounce::default();
    assert!(waiting.arrive(words(of("1"), "a"), at(0)).is_empty());
    assert!(waiting.arrive(words(of("1"), "b"), at(900)).is_empty());
    assert_eq!(waiting.next_due(), Some(at(1900)));
    assert!(waiting.due(at(1899)).is_empty());
    assert_eq!(waiting.due(at(1900)), [["a", "b"]]);
    assert_eq!(waiting.next_due(), None);
}

#[test]
fn people_and_threads_wait_apart() {
    let mut waiting = Debounce::default();
    let topic = BurstKey { thread: thread("42"), ..of("1") };
    waiting.arrive(words(of("1"), "a"), at(1));
    waiting.arrive(words(of("2"), "b"), at(0));
    waiting.arrive(words(topic, "c"), at(2));
    assert_eq!(waiting.due(at(2000)), [["b"], ["a"], ["c"]]);
}

#[test]
fn what_goes_at_once_takes_what_waits_before_it_along() {
    let mut waiting = Debounce::default();
    waiting.arrive(words(of("1"), "a"), at(0));
    waiting.arrive(words(of("2"), "b"), at(0));
    assert_eq!(
        waiting.arrive(BurstMessage { nature: Nature::AtOnce, ..words(of("1"), "/stop") }, at(1)),
        [["a"], ["/stop"]]
    );
    assert_eq!(waiting.all(), [["b"]]);
}

#[test]
fn without_a_wait_everything_goes_at_once() {
    let mut waiting = Debounce::default();
    assert_eq!(waiting.arrive(BurstMessage { wait: Duration::ZERO, ..words(of("1"), "a") }, at(0)), [["a"]]);
}

#[test]
fn the_parts_of_an_album_wait_for_each_other_and_not_for_others() {
    let mut waiting = Debounce::default();
    let part = |album: &str, item: &'static str| BurstMessage {
        nature: Nature::Part(album.to_owned()),
        wait: Duration::ZERO,
        ..words(of("1"), item)
    };
    waiting.arrive(words(of("1"), "words"), at(0));
    assert_eq!(waiting.arrive(part("x", "p1"), at(1)), [["words"]]);
    assert!(waiting.arrive(part("x", "p2"), at(2)).is_empty());
    assert_eq!(waiting.arrive(part("y", "q1"), at(3)), [["p1", "p2"]]);
    assert_eq!(waiting.due(at(503)), [["q1"]]);
}

#[test]
fn nobody_waits_for_ever_and_no_burst_grows_without_end() {
    let mut waiting = Debounce::default();
    let mut gone = Vec::new();
    for second in 0..20 {
        gone.extend(waiting.due(at(second * 900)));
        waiting.arrive(words(of("1"), second), at(second * 900));
    }
    assert_eq!(gone.first().map(Vec::len), Some(12), "ten waits after the first message");
    let mut waiting = Debounce::default();
    let bursts: Vec<_> = (0..40).flat_map(|item| waiting.arrive(words(of("1"), item), at(0))).collect();
    assert_eq!(bursts, [(0..32).collect::<Vec<_>>()]);
}

#[test]
fn when_too_many_people_write_the_oldest_burst_goes_on() {
    let mut waiting = Debounce::default();
    let gone: Vec<_> = (0..1002)
        .flat_map(|item: i64| waiting.arrive(words(of(&format!("p{item}")), item), at(item)))
        .collect();
    assert_eq!(gone, [[0], [1]]);
}

proptest! {
    #[test]
    fn every_message_goes_on_once_and_in_the_order_of_its_author(
        events in proptest::collection::vec((0..3usize, 0..3usize, 0..800i64), 0..60),
    ) {
        let mut waiting = Debounce::default();
        let mut gone: Vec<(usize, usize)> = Vec::new();
        let mut now = 0;
        for (number, (who, kind, pause)) in events.iter().enumerate() {
            now += pause;
            let natures = [Nature::Words, Nature::AtOnce, Nature::Part("x".to_owned())];
            gone.extend(waiting.due(at(now)).concat());
            let nature = natures[*kind].clone();
            let arrival = BurstMessage { nature, ..words(of(&who.to_string()), (*who, number)) };
            gone.extend(waiting.arrive(arrival, at(now)).concat());
        }
        gone.extend(waiting.all().concat());
        for who in 0..3 {
            let sent: Vec<usize> = (0..events.len()).filter(|number| events[*number].0 == who).collect();
            let came: Vec<usize> = gone.iter().filter(|(author, _)| *author == who).map(|(_, number)| *number).collect();
            prop_assert_eq!(sent, came);
        }
    }
}
