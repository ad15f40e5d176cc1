//! Sessions and the reconnecting client: answers in two phases, silence, gaps, reconnecting.
//!
//! Sockets are real, time is simulated: a test moves the clock past a limit and looks at what both sides did.

use std::sync::Arc;
use std::time::Duration;

use crate::scripted::{Peer, ScriptedGateway};
use openclaw_client::{
    Await, Client, ClientNotice, Connection, RequestError, RequestOptions, Session, SessionEnd, connect,
};
use openclaw_ports::TaskScope;
use openclaw_testkit::SimClock;
use serde_json::{Value, json};

struct Scene {
    clock: Arc<SimClock>,
    tasks: TaskScope,
    gateway: ScriptedGateway,
}

impl Scene {
    async fn new() -> Self {
        let gateway = ScriptedGateway::start().await;
        Self { clock: Arc::new(SimClock::new()), tasks: TaskScope::root("test"), gateway }
    }

    async fn session(&self) -> (Session, Peer) {
        let options = self.gateway.options();
        let (session, peer) =
            tokio::join!(connect(&options, self.clock.clone(), &self.tasks), self.gateway.welcome());
        (session.unwrap(), peer)
    }

    fn client(&self) -> Client {
        Client::start(self.gateway.options(), self.clock.clone(), &self.tasks)
    }
}

fn waiting_for(until: Await) -> RequestOptions {
    RequestOptions { until, ..RequestOptions::default() }
}

fn value(raw: &serde_json::value::RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap()
}

#[tokio::test]
async fn answers_find_their_requests_in_any_order() {
    let scene = Scene::new().await;
    let (session, mut peer) = scene.session().await;
    let server = async {
        let (first, second) = (peer.read().await, peer.read().await);
        peer.answer(&second, json!({ "for": second["method"] })).await;
        peer.answer(&first, json!({ "for": first["method"] })).await;
    };
    let options = RequestOptions::default();
    let params = json!({});
    let (one, two, ()) = tokio::join!(
        session.request("one", &params, options),
        session.request("two", &params, options),
        server
    );
    assert_eq!(
        (value(&one.unwrap()), value(&two.unwrap())),
        (json!({ "for": "one" }), json!({ "for": "two" }))
    );
}

#[tokio::test]
async fn a_request_that_wants_the_final_answer_passes_over_the_accepted_one() {
    let scene = Scene::new().await;
    let (session, mut peer) = scene.session().await;
    let server = async {
        for _ in 0..2 {
            let request = peer.read().await;
            peer.answer(&request, json!({ "status": "accepted" })).await;
            peer.answer(&request, json!({ "status": "ok", "summary": "done" })).await;
        }
    };
    let params = json!({ "message": "hi" });
    let calls = async {
        let first = session.request("agent", &params, waiting_for(Await::First)).await.unwrap();
        let last = session.request("agent", &params, waiting_for(Await::Final)).await.unwrap();
        (value(&first), value(&last))
    };
    let (answers, ()) = tokio::join!(calls, server);
    assert_eq!(answers, (json!({ "status": "accepted" }), json!({ "status": "ok", "summary": "done" })));
}

#[tokio::test]
async fn a_refused_request_carries_code_message_and_details() {
    let scene = Scene::new().await;
    let (session, mut peer) = scene.session().await;
    let server = async {
        let request = peer.read().await;
        let error = json!({ "code": "UNAVAILABLE", "message": "busy", "retryable": true, "retryAfterMs": 500, "details": { "a": 1 } });
        peer.refuse(&request, error).await;
    };
    let params = json!({});
    let (refused, ()) = tokio::join!(session.request("x", &params, RequestOptions::default()), server);
    let Err(RequestError::Refused(error)) = refused else { panic!("should be refused: {refused:?}") };
    assert_eq!(
        (error.code.as_str(), error.message.as_str(), error.retryable, error.retry_after_ms, error.details),
        ("UNAVAILABLE", "busy", Some(true), Some(500), Some(Box::new(json!({ "a": 1 }))))
    );
}

#[tokio::test]
async fn a_request_without_an_answer_ends_at_its_limit_and_the_session_goes_on() {
    let scene = Scene::new().await;
    let (session, mut peer) = scene.session().await;
    let params = json!({});
    let limit = RequestOptions { limit: Duration::from_secs(3), ..RequestOptions::default() };
    let server = async {
        let late = peer.read().await;
        scene.clock.advance(Duration::from_secs(3)).await;
        peer.answer(&late, json!("too late")).await;
        let next = peer.read().await;
        peer.answer(&next, json!("in time")).await;
    };
    let calls = async {
        let late = session.request("slow", &params, limit).await;
        (late, session.request("fast", &params, limit).await)
    };
    let ((late, next), ()) = tokio::join!(calls, server);
    assert_eq!(late.unwrap_err().to_string(), "the gateway did not answer slow within 3s");
    assert_eq!(value(&next.unwrap()), json!("in time"));
}

#[tokio::test]
async fn silence_of_two_ticks_closes_with_4000() {
    let scene = Scene::new().await;
    let (session, mut peer) = scene.session().await;
    scene.clock.advance(Duration::from_secs(59)).await;
    peer.event("tick", json!({ "ts": 1 }), Some(1)).await;
    let mut events = session.events();
    assert!(matches!(events.next().await, Ok(ClientNotice::Event(event)) if event.event == "tick"));
    scene.clock.advance(Duration::from_secs(59)).await;
    let steps = async {
        scene.clock.advance(Duration::from_secs(1)).await;
        peer.read_close().await
    };
    let (ending, close) = tokio::join!(session.ended(), steps);
    assert_eq!((ending, close), (SessionEnd::Silent, (4000, "tick timeout".to_owned())));
}

#[tokio::test]
async fn gaps_in_the_numbering_are_told_before_the_event_after_them() {
    let scene = Scene::new().await;
    let (session, mut peer) = scene.session().await;
    let mut events = session.events();
    peer.event("a", json!({}), Some(7)).await;
    peer.event("unnumbered", json!({}), None).await;
    peer.event("b", json!({}), Some(8)).await;
    peer.event("c", json!({}), Some(11)).await;
    let mut seen = Vec::new();
    for _ in 0..5 {
        seen.push(match events.next().await.unwrap() {
            ClientNotice::Event(event) => event.event.clone(),
            ClientNotice::Gap { expected, received } => format!("gap {expected}..{received}"),
            other => panic!("unexpected {other:?}"),
        });
    }
    assert_eq!(seen, ["a", "unnumbered", "b", "gap 9..11", "c"]);
}

#[tokio::test]
async fn a_reader_that_is_too_slow_is_told_how_much_it_missed() {
    let scene = Scene::new().await;
    let (session, mut peer) = scene.session().await;
    let mut events = session.events();
    for number in 0..1100 {
        peer.event("e", json!(number), None).await;
    }
    peer.close(1012, "service restart").await;
    assert_eq!(
        session.ended().await,
        SessionEnd::ByGateway { code: 1012, reason: "service restart".to_owned() }
    );
    let Ok(ClientNotice::Dropped { count }) = events.next().await else {
        panic!("the first notice should name the loss")
    };
    let mut read = 0;
    while events.next().await.is_ok() {
        read += 1;
    }
    assert_eq!((count, read), (76, 1024));
}

#[tokio::test]
async fn dropping_the_last_handle_says_goodbye_and_ends_the_task() {
    let scene = Scene::new().await;
    let (session, mut peer) = scene.session().await;
    let mut events = session.events();
    drop(session);
    assert_eq!(peer.read_close().await, (1000, String::new()));
    assert_eq!(events.next().await.unwrap_err(), SessionEnd::ByUs);
}

#[tokio::test]
async fn requests_in_flight_fail_when_the_connection_breaks() {
    let scene = Scene::new().await;
    let (session, mut peer) = scene.session().await;
    let server = async {
        peer.read().await;
        drop(peer);
    };
    let params = json!({});
    let (cut, ()) = tokio::join!(session.request("x", &params, RequestOptions::default()), server);
    assert!(matches!(cut, Err(RequestError::Ended { ending: SessionEnd::Lost { .. } })), "{cut:?}");
    let after = session.request("y", &params, RequestOptions::default()).await;
    assert!(matches!(after, Err(RequestError::Ended { .. })));
}

#[tokio::test]
async fn the_client_reconnects_after_a_restart_and_restores_what_it_kept_up() {
    let scene = Scene::new().await;
    let client = scene.client();
    let mut events = client.events();
    client.keep("sessions.subscribe", &json!({ "key": "main" }), RequestOptions::default()).await.unwrap();
    let mut peer = scene.gateway.accept().await;
    let request = peer.challenge().await;
    peer.answer(&request, crate::scripted::hello()).await;
    let subscribe = peer.read().await;
    assert_eq!(
        (&subscribe["method"], &subscribe["params"]),
        (&json!("sessions.subscribe"), &json!({ "key": "main" }))
    );
    peer.answer(&subscribe, json!({})).await;
    client.session(Duration::from_secs(5)).await.unwrap();
    peer.close(1012, "service restart").await;
    let mut connection = client.connection();
    connection.wait_for(|state| matches!(state, Connection::Waiting { .. })).await.unwrap();
    scene.clock.until_asleep(1).await;
    scene.clock.advance(Duration::from_millis(1200)).await;
    let mut peer = scene.gateway.accept().await;
    let request = peer.challenge().await;
    peer.answer(&request, crate::scripted::hello()).await;
    let again = peer.read().await;
    assert_eq!((&again["method"], &again["params"]), (&subscribe["method"], &subscribe["params"]));
    peer.answer(&again, json!({})).await;
    assert!(matches!(events.next().await, Ok(ClientNotice::Reconnected)));
    let params = json!({});
    let server = async {
        let request = peer.read().await;
        peer.answer(&request, json!({ "ok": true })).await;
    };
    let (health, ()) = tokio::join!(client.request("health", &params, RequestOptions::default()), server);
    assert_eq!(value(&health.unwrap()), json!({ "ok": true }));
}

#[tokio::test]
async fn waits_grow_while_the_gateway_is_away() {
    let scene = Scene::new().await;
    let Scene { clock, tasks, gateway } = scene;
    let options = gateway.options();
    drop(gateway);
    let client = Client::start(options, clock.clone(), &tasks);
    let mut connection = client.connection();
    let mut waits = Vec::new();
    for _ in 0..3 {
        let state =
            connection.wait_for(|state| matches!(state, Connection::Waiting { .. })).await.unwrap().clone();
        let Connection::Waiting { retry_in, .. } = state else { unreachable!("the state was matched") };
        waits.push(retry_in.as_millis());
        connection.mark_unchanged();
        clock.until_asleep(1).await;
        let moving = connection.changed();
        let (moved, ()) = tokio::join!(moving, clock.advance(retry_in));
        moved.unwrap();
    }
    for (wait, base) in waits.iter().zip([1000, 2000, 4000]) {
        assert!((base * 4 / 5..=base * 6 / 5).contains(wait), "{waits:?}");
    }
}

#[tokio::test]
async fn the_client_gives_up_when_a_person_has_to_act() {
    let scene = Scene::new().await;
    let client = scene.client();
    let mut peer = scene.gateway.accept().await;
    let connect = peer.challenge().await;
    let details = json!({ "code": "PAIRING_REQUIRED", "requestId": "r-9", "reason": "not-paired" });
    peer.refuse(&connect, json!({ "code": "NOT_PAIRED", "message": "pairing required", "details": details }))
        .await;
    let refused = client.request("health", &json!({}), RequestOptions::default()).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "no connection to the gateway: pairing required; on the gateway's machine run `openclaw devices approve r-9`"
    );
    assert!(matches!(&*client.connection().borrow(), Connection::Failed(_)));
}
