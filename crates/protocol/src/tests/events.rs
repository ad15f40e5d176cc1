//! Events: written once, stamped often, guarded by scope.

use openclaw_types::{Role, Scope, ScopeSet, UnixMillis};

use crate::events::{Tick, TickPayload};
use crate::{Dialect, Event, EventStamp, StateVersion, find_event};

#[test]
fn a_payload_is_framed_with_and_without_a_stamp() {
    let tick = Tick::text(&TickPayload { ts: UnixMillis(7) }).unwrap();
    let stamp = EventStamp { seq: Some(3), state_version: Some(StateVersion { presence: 1, health: 2 }) };
    assert_eq!(
        tick.frame(EventStamp::default()).unwrap(),
        r#"{"type":"event","event":"tick","payload":{"ts":7}}"#
    );
    assert_eq!(
        tick.frame(stamp).unwrap(),
        r#"{"type":"event","event":"tick","payload":{"ts":7},"seq":3,"stateVersion":{"presence":1,"health":2}}"#
    );
}

#[test]
fn guarded_events_reach_only_those_with_the_scope() {
    let none = ScopeSet::none();
    let with = |scope| [scope].into_iter().collect::<ScopeSet>();
    let cases = [
        ("tick", Dialect::V4, Role::Operator, none.clone(), true),
        ("chat", Dialect::V3, Role::Operator, none.clone(), true),
        ("chat", Dialect::V4, Role::Operator, none.clone(), false),
        ("chat", Dialect::V4, Role::Operator, with(Scope::Write), true),
        ("chat", Dialect::V4, Role::Node, none.clone(), true),
        ("talk.mode", Dialect::V4, Role::Operator, with(Scope::Read), false),
        ("device.pair.requested", Dialect::V3, Role::Operator, with(Scope::Write), false),
        ("device.pair.requested", Dialect::V3, Role::Operator, with(Scope::Pairing), true),
        ("device.pair.requested", Dialect::V3, Role::Node, none.clone(), false),
        ("exec.approval.requested", Dialect::V4, Role::Operator, with(Scope::Admin), true),
        ("exec.approval.requested", Dialect::V3, Role::Operator, none, false),
    ];
    for (name, dialect, role, scopes, expected) in cases {
        let spec = find_event(name).unwrap();
        assert_eq!(spec.reaches(dialect, role, &scopes), expected, "{name} {dialect:?} {role} {scopes:?}");
    }
}
