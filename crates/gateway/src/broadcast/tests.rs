//! Numbers, recipients and slow clients of broadcasts.

use std::sync::Arc;

use openclaw_protocol::events::{Tick, TickPayload};
use openclaw_protocol::{Close, Event as _};
use openclaw_types::{ConnectionId, DeviceId, PairingRequestId, Scope, UnixMillis};
use serde_json::{Value, json};

use super::roster::{Announcement, Roster};
use crate::connection::tests::{client, waiting};
use crate::http::Meters;
use crate::pairing::{PairingDecision, PairingEvent};

fn roster() -> Roster {
    Roster::new(Arc::new(Meters::new([])))
}

fn numbers(frames: &[Value]) -> Vec<(String, u64)> {
    frames
        .iter()
        .map(|frame| (frame["event"].as_str().unwrap().to_owned(), frame["seq"].as_u64().unwrap()))
        .collect()
}

fn resolved() -> PairingEvent {
    PairingEvent::Resolved {
        request_id: PairingRequestId::new("q").unwrap(),
        device_id: DeviceId::new("d").unwrap(),
        decision: PairingDecision::Approved,
        at: UnixMillis(5),
    }
}

#[test]
fn seq_moves_only_while_somebody_is_connected() {
    let roster = roster();
    roster.announce_tick(UnixMillis(1));
    let one = client("one", &[], 10_000);
    roster.join(one.clone());
    roster.announce_tick(UnixMillis(2));
    roster.announce_tick(UnixMillis(3));
    assert_eq!(
        waiting(&one),
        [
            json!({"type": "event", "event": "tick", "payload": {"ts": 2}, "seq": 1}),
            json!({"type": "event", "event": "tick", "payload": {"ts": 3}, "seq": 2}),
        ]
    );
    roster.leave(&one.id);
    roster.announce_tick(UnixMillis(4));
    roster.join(one.clone());
    roster.announce_tick(UnixMillis(5));
    assert_eq!(numbers(&waiting(&one)), [("tick".to_owned(), 3)]);
}

#[test]
fn a_guarded_event_takes_a_number_from_those_who_do_not_see_it() {
    let roster = roster();
    let (clerk, reader) =
        (client("clerk", &[Scope::Pairing], 10_000), client("reader", &[Scope::Read], 10_000));
    roster.join(clerk.clone());
    roster.join(reader.clone());
    roster.announce_tick(UnixMillis(1));
    roster.announce_pairing(&resolved());
    roster.announce_tick(UnixMillis(2));
    let tick = |seq| ("tick".to_owned(), seq);
    assert_eq!(numbers(&waiting(&clerk)), [tick(1), ("device.pair.resolved".to_owned(), 2), tick(3)]);
    assert_eq!(numbers(&waiting(&reader)), [tick(1), tick(3)]);
}

#[test]
fn an_event_for_selected_connections_has_no_number() {
    let roster = roster();
    let (one, two) = (client("one", &[], 10_000), client("two", &[], 10_000));
    roster.join(one.clone());
    roster.join(two.clone());
    let event = Tick::text(&TickPayload { ts: UnixMillis(1) }).unwrap();
    let targets = [ConnectionId::new("two").unwrap(), ConnectionId::new("absent").unwrap()];
    roster.send_to(&targets, &Announcement::of(event));
    roster.announce_tick(UnixMillis(2));
    assert_eq!(numbers(&waiting(&one)), [("tick".to_owned(), 1)]);
    let both = waiting(&two);
    assert_eq!(both[0], json!({"type": "event", "event": "tick", "payload": {"ts": 1}}));
    assert_eq!(numbers(&both[1..]), [("tick".to_owned(), 1)]);
}

#[test]
fn a_slow_client_misses_ticks_and_is_put_out_by_what_it_must_not_miss() {
    let roster = roster();
    let (slow, quick) = (client("slow", &[], 10), client("quick", &[], 10_000));
    roster.join(slow.clone());
    roster.join(quick.clone());
    for moment in 1..=3 {
        roster.announce_tick(UnixMillis(moment));
    }
    assert_eq!(slow.outbound.ending(), None);
    assert_eq!(numbers(&waiting(&slow)), [("tick".to_owned(), 1)]);
    roster.announce_shutdown("stop", None);
    assert_eq!(slow.outbound.ending().map(|ending| ending.close), Some(Close::SLOW_CONSUMER));
    assert_eq!(waiting(&quick).len(), 4);
    assert_eq!(quick.outbound.ending(), None);
}
