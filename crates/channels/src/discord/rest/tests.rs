//! Limits are kept, and refusals mean what they mean.

use std::time::Duration;

use openclaw_ports::channel::{ChannelError, Landed};
use serde_json::{Value, json};

use super::fault::fault;
use super::limits::{Learned, Limits, Route};

const ROOM: &str = "1200000000000000010";
const OTHER: &str = "1200000000000000011";

fn learned(headers: &[(&str, &str)], status: u16, body: &Value) -> Learned {
    let header =
        |name: &str| headers.iter().find(|(each, _)| *each == name).map(|(_, value)| (*value).to_owned());
    Learned::from(&header, status, body.to_string().as_bytes())
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn messages(room: &str) -> Route {
    Route::of("POST", &format!("/channels/{room}/messages"))
}

#[test]
fn routes_differ_by_room_and_not_by_message() {
    let message = |room: &str, id: &str| Route::of("PATCH", &format!("/channels/{room}/messages/{id}"));
    assert_eq!(message(ROOM, "1300000000000000001"), message(ROOM, "1300000000000000002"));
    assert_ne!(message(ROOM, "1300000000000000001"), message(OTHER, "1300000000000000001"));
    let reaction =
        |emoji: &str| Route::of("PUT", &format!("/channels/{ROOM}/messages/1/reactions/{emoji}/@me"));
    assert_eq!(reaction("%F0%9F%91%80"), reaction("x:1"));
    assert_eq!(Route::of("GET", "/users/@me?x=1"), Route::of("GET", "/users/@me"));
    assert_ne!(messages(ROOM), Route::of("GET", &format!("/channels/{ROOM}/messages")));
}

#[test]
fn an_empty_bucket_is_waited_for_in_its_room_alone() {
    let mut limits = Limits::default();
    let headers =
        [("x-ratelimit-bucket", "abc"), ("x-ratelimit-remaining", "1"), ("x-ratelimit-reset-after", "4.5")];
    assert_eq!(limits.reserve(&messages(ROOM), seconds(10)), Ok(()));
    limits.learn(&messages(ROOM), &learned(&headers, 200, &json!({})), seconds(10));
    assert_eq!(limits.reserve(&messages(ROOM), seconds(11)), Ok(()));
    assert_eq!(limits.reserve(&messages(ROOM), seconds(11)), Err(Duration::from_millis(3500)));
    assert_eq!(limits.reserve(&messages(OTHER), seconds(11)), Ok(()));
    assert_eq!(limits.reserve(&messages(ROOM), seconds(15)), Ok(()));
}

#[test]
fn answers_to_several_interactions_do_not_wait_for_each_other() {
    let mut limits = Limits::default();
    let callback = |id: &str| Route::of("POST", &format!("/interactions/{id}/a-token-{id}/callback"));
    let headers =
        [("x-ratelimit-bucket", "i"), ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset-after", "60")];
    limits.learn(&callback(ROOM), &learned(&headers, 204, &json!(null)), seconds(0));
    assert_eq!(limits.reserve(&callback(OTHER), seconds(1)), Ok(()));
}

#[test]
fn routes_with_the_same_bucket_share_it() {
    let mut limits = Limits::default();
    let (put, delete) = (
        Route::of("PUT", &format!("/channels/{ROOM}/messages/1/reactions/a/@me")),
        Route::of("DELETE", &format!("/channels/{ROOM}/messages/1/reactions/a/@me")),
    );
    let with = |remaining: &'static str| {
        [("x-ratelimit-bucket", "r"), ("x-ratelimit-remaining", remaining), ("x-ratelimit-reset-after", "1")]
    };
    limits.learn(&put, &learned(&with("1"), 204, &json!(null)), seconds(0));
    limits.learn(&delete, &learned(&with("0"), 204, &json!(null)), seconds(0));
    assert_eq!(limits.reserve(&put, seconds(0)), Err(seconds(1)));
}

#[test]
fn the_limit_over_all_closes_everything_but_answers_to_interactions() {
    let mut limits = Limits::default();
    let told = json!({ "message": "slow down", "retry_after": 2.0, "global": true });
    limits.learn(&messages(ROOM), &learned(&[], 429, &told), seconds(1));
    assert_eq!(limits.reserve(&Route::of("GET", "/users/@me"), seconds(2)), Err(seconds(1)));
    assert_eq!(limits.reserve(&Route::of("POST", "/interactions/1/abc/callback"), seconds(2)), Ok(()));
    assert_eq!(limits.reserve(&messages(ROOM), seconds(3)), Ok(()));
}

#[test]
fn whoever_stands_before_the_platform_is_waited_for_too() {
    let told = learned(&[("retry-after", "30")], 429, &json!("error 1015"));
    assert_eq!(told.retry_after(), Some(seconds(30)));
    let mut limits = Limits::default();
    limits.learn(&messages(ROOM), &told, seconds(0));
    assert_eq!(limits.reserve(&messages(OTHER), seconds(0)), Err(seconds(30)));
}

fn meant(status: u16, body: Value) -> ChannelError {
    fault(status, body.to_string().as_bytes(), None).error
}

#[test]
fn refusals_mean_what_they_mean() {
    assert!(matches!(meant(401, json!({})), ChannelError::Unauthorized { .. }));
    let down = ChannelError::Unreachable {
        reason: "Discord answered with status 502".into(),
        landed: Landed::Maybe,
    };
    assert_eq!(meant(502, json!("bad gateway")), down);
    let slow = json!({ "code": 20016, "message": "slow mode", "retry_after": 12.0 });
    assert_eq!(meant(400, slow), ChannelError::RateLimited { after: seconds(12) });
    let closed = meant(403, json!({ "code": 50007, "message": "Cannot send messages to this user" }));
    assert!(matches!(&closed, ChannelError::Refused { reason } if reason.contains("privacy settings")));
    let detail = json!({
        "code": 50035, "message": "Invalid Form Body",
        "errors": { "embeds": { "0": { "title": { "_errors": [{ "code": "X", "message": "Too long." }] } } } }
    });
    let expected = "Invalid Form Body: embeds: 0: title: Too long. (code 50035)".to_owned();
    assert_eq!(meant(400, detail), ChannelError::Refused { reason: expected });
}
