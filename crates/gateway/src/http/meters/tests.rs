//! The printed page.

use super::*;

#[test]
fn requests_are_printed_by_method_and_outcome_and_strangers_share_one_label() {
    let meters = Meters::new(["health"]);
    meters.method(Some(0)).count(RequestEnd::Ok);
    meters.method(Some(0)).count(RequestEnd::Failed);
    meters.method(None).count(RequestEnd::Refused);
    meters.method(Some(99)).count(RequestEnd::Refused);
    let held = HeldSubmissions { sessions: 3, submissions: 4, bytes: 50 };
    let page = meters.print(Gauges { clients: 2, uptime_ms: 61_500, resident_bytes: None, held });
    let lines: Vec<&str> = page.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(
        lines,
        [
            "openclaw_clients 2",
            "openclaw_connections_total 0",
            "openclaw_admissions_total 0",
            "openclaw_auth_failures_total 0",
            "openclaw_events_sent_total 0",
            "openclaw_events_dropped_total 0",
            "openclaw_slow_consumers_total 0",
            "openclaw_uptime_seconds 61",
            "openclaw_busy_sessions 3",
            "openclaw_held_messages 4",
            "openclaw_held_message_bytes 50",
            "openclaw_requests_total{method=\"health\",outcome=\"ok\"} 1",
            "openclaw_requests_total{method=\"health\",outcome=\"refused\"} 0",
            "openclaw_requests_total{method=\"health\",outcome=\"failed\"} 1",
            "openclaw_requests_total{method=\"unknown\",outcome=\"ok\"} 0",
            "openclaw_requests_total{method=\"unknown\",outcome=\"refused\"} 2",
            "openclaw_requests_total{method=\"unknown\",outcome=\"failed\"} 0",
        ]
    );
}
