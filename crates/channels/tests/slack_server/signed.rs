//! Signed requests over HTTP.

use std::collections::BTreeSet;
use std::sync::Arc;

use hmac::{Hmac, KeyInit as _, Mac as _};
use openclaw_ports::channel::{Capability, Webhook, WebhookRequest};
use openclaw_ports::{Clock as _, SystemClock};
use openclaw_testkit::SlackFake;
use openclaw_types::InboundKind;
use serde_json::{Value, json};
use sha2::Sha256;

use super::{Ours, SECRET, connect, kept, kind, said, within};

async fn over_http(fake: &SlackFake) -> (Ours, Arc<dyn Webhook>) {
    let more = json!({ "mode": "http", "signingSecret": SECRET, "webhookPath": "hooks/slack" });
    let ours = connect(fake, more).await.unwrap();
    let webhook = ours.surface.webhook.clone().expect("it takes requests");
    (ours, webhook)
}

fn signed(media_type: &str, body: &str, age: i64) -> WebhookRequest {
    let time = (SystemClock::new().now().0 / 1000 - age).to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(format!("v0:{time}:{body}").as_bytes());
    let signature = format!("v0={}", hex::encode(mac.finalize().into_bytes()));
    let headers = [
        ("content-type", media_type),
        ("x-slack-signature", &signature),
        ("x-slack-request-timestamp", &time),
    ];
    WebhookRequest {
        method: "POST".to_owned(),
        query: String::new(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        body: body.as_bytes().to_vec(),
    }
}

fn event(payload: &Value) -> WebhookRequest {
    signed("application/json", &payload.to_string(), 0)
}

#[tokio::test]
async fn an_account_over_http_has_a_webhook_and_no_line() {
    let fake = SlackFake::start().await;
    let (ours, webhook) = over_http(&fake).await;
    let mut declared: BTreeSet<_> = kind().descriptor().capabilities.iter().copied().collect();
    declared.remove(&Capability::Receive);
    assert_eq!(ours.surface.capabilities(), declared);
    assert_eq!(webhook.path(), "/hooks/slack");
    assert_eq!(fake.calls("apps.connections.open"), []);
}

#[tokio::test]
async fn only_what_is_signed_and_fresh_is_taken() {
    let fake = SlackFake::start().await;
    let (_ours, webhook) = over_http(&fake).await;
    let (sink, mut heard) = kept(0);
    let body = said("D0ANA", "1.000100", "hello").to_string();
    let old = signed("application/json", &body, 301);
    let mut changed = signed("application/json", &body, 0);
    changed.body.push(b' ');
    let mut bare = signed("application/json", &body, 0);
    bare.headers.retain(|(name, _)| name != "x-slack-signature");
    for (request, admitted) in [(old, false), (changed, true), (bare, false)] {
        assert_eq!(webhook.admits(&request.headers), admitted);
        assert_eq!(within(webhook.handle(request, sink.clone())).await.status, 401);
    }
    assert!(heard.try_recv().is_err());
    let good = signed("application/json", &body, 0);
    assert!(webhook.admits(&good.headers));
    assert_eq!(within(webhook.handle(good, sink)).await.status, 200);
    assert_eq!(heard.try_recv().unwrap().text, "hello");
}

#[tokio::test]
async fn what_could_not_be_kept_is_answered_with_a_fault() {
    let fake = SlackFake::start().await;
    let (_ours, webhook) = over_http(&fake).await;
    let (sink, mut heard) = kept(1);
    let payload = said("D0ANA", "1.000100", "hello");
    assert_eq!(within(webhook.handle(event(&payload), sink.clone())).await.status, 503);
    assert_eq!(within(webhook.handle(event(&payload), sink)).await.status, 200);
    assert_eq!(heard.try_recv().unwrap().event.as_str(), "D0ANA:1.000100");
}

#[tokio::test]
async fn the_challenge_is_said_back_and_nonsense_is_refused() {
    let fake = SlackFake::start().await;
    let (_ours, webhook) = over_http(&fake).await;
    let (sink, _heard) = kept(0);
    let answer = within(
        webhook.handle(event(&json!({ "type": "url_verification", "challenge": "c1" })), sink.clone()),
    )
    .await;
    assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"challenge":"c1"}"#));
    for (media_type, body, status) in [
        ("application/json", "[", 400),
        ("application/x-www-form-urlencoded", "payload=%7B", 400),
        ("application/x-www-form-urlencoded", "a=b", 400),
        ("application/x-www-form-urlencoded", "ssl_check=1&token=x", 200),
    ] {
        assert_eq!(
            within(webhook.handle(signed(media_type, body, 0), sink.clone())).await.status,
            status,
            "{body}"
        );
    }
    let mut get = event(&json!({}));
    get.method = "GET".to_owned();
    assert_eq!(within(webhook.handle(get, sink)).await.status, 405);
}

#[tokio::test]
async fn commands_and_buttons_come_as_forms() {
    let fake = SlackFake::start().await;
    let (_ours, webhook) = over_http(&fake).await;
    let (sink, mut heard) = kept(0);
    let form = "application/x-www-form-urlencoded";
    let command = "command=%2Fmodel&text=list+all%21&user_id=U0ANA&channel_id=C0ROOM&channel_name=room&team_id=T0FAKE&trigger_id=1.2";
    assert_eq!(within(webhook.handle(signed(form, command, 0), sink.clone())).await.status, 200);
    let event = heard.try_recv().unwrap();
    assert!(
        matches!(event.kind, InboundKind::Command(command) if command.name == "model" && command.arguments == "list all!")
    );
    let payload = json!({
        "type": "block_actions", "team": { "id": "T0FAKE" }, "user": { "id": "U0ANA" }, "channel": { "id": "C0ROOM" },
        "container": { "message_ts": "1.1" }, "actions": [{ "type": "button", "value": "go", "action_ts": "2.2" }],
    });
    let body = payload.to_string().replace('{', "%7B").replace('}', "%7D").replace('"', "%22");
    assert_eq!(within(webhook.handle(signed(form, &format!("payload={body}"), 0), sink)).await.status, 200);
    let event = heard.try_recv().unwrap();
    assert!(matches!(event.kind, InboundKind::Press(press) if press.data == "go"));
}

#[tokio::test]
async fn what_comes_at_once_is_taken_in_the_order_in_which_it_came() {
    let fake = SlackFake::start().await;
    let (_ours, webhook) = over_http(&fake).await;
    let (sink, mut heard) = kept(0);
    fake.hold_answer("users.info");
    let first = webhook.handle(event(&said("D0ANA", "1.000100", "first")), sink.clone());
    let second = webhook.handle(event(&said("D0ANA", "1.000200", "second")), sink.clone());
    let (first, second) = within(async { tokio::join!(first, second) }).await;
    assert_eq!((first.status, second.status), (200, 200));
    assert_eq!(
        (heard.try_recv().unwrap().text, heard.try_recv().unwrap().text),
        ("first".into(), "second".into())
    );
}

#[tokio::test]
async fn the_first_to_tell_of_a_message_in_a_thread_brings_what_was_said_before() {
    let fake = SlackFake::start().await;
    let (_ours, webhook) = over_http(&fake).await;
    let (sink, mut heard) = kept(0);
    let page = json!({ "ok": true, "messages": [{ "ts": "1.000100", "user": "U0BEN", "text": "How?" }] });
    fake.answer("conversations.replies", page);
    let told = |kind: &str| {
        let mut told = said("C0ROOM", "1.000300", "<@U0CLAW> and then?");
        told["event"]["type"] = json!(kind);
        told["event"]["thread_ts"] = json!("1.000100");
        event(&told)
    };
    let both = async {
        tokio::join!(
            webhook.handle(told("message"), sink.clone()),
            webhook.handle(told("app_mention"), sink.clone())
        )
    };
    within(both).await;
    let first = heard.try_recv().unwrap();
    assert_eq!(first.facts, [("thread_before".to_owned(), "<@U0BEN>: How?".to_owned())]);
    assert_eq!(heard.try_recv().unwrap().event, first.event);
}

#[tokio::test]
async fn a_thread_that_could_not_be_read_is_read_with_the_next_message() {
    let fake = SlackFake::start().await;
    let (_ours, webhook) = over_http(&fake).await;
    let (sink, mut heard) = kept(0);
    fake.refuse("conversations.replies", "internal_error");
    let page = json!({ "ok": true, "messages": [{ "ts": "1.000100", "user": "U0BEN", "text": "How?" }] });
    fake.answer("conversations.replies", page);
    for ts in ["1.000300", "1.000400"] {
        let mut told = said("C0ROOM", ts, "<@U0CLAW> and then?");
        told["event"]["thread_ts"] = json!("1.000100");
        within(webhook.handle(event(&told), sink.clone())).await;
    }
    let (first, second) = (heard.try_recv().unwrap(), heard.try_recv().unwrap());
    assert_eq!((first.facts.len(), second.facts.len()), (0, 1));
}

#[tokio::test]
async fn a_command_without_words_asks_for_help() {
    let fake = SlackFake::start().await;
    let more = json!({
        "mode": "http", "signingSecret": SECRET,
        "slashCommand": { "enabled": true, "name": "claw", "sessionPrefix": "aside" },
    });
    let ours = connect(&fake, more).await.unwrap();
    let webhook = ours.surface.webhook.clone().unwrap();
    let (sink, mut heard) = kept(0);
    let command = "command=%2Fclaw&text=&user_id=U0ANA&channel_id=C0ROOM&channel_name=room&team_id=T0FAKE&trigger_id=1.2";
    let request = signed("application/x-www-form-urlencoded", command, 0);
    assert_eq!(within(webhook.handle(request, sink)).await.status, 200);
    let event = heard.try_recv().unwrap();
    assert_eq!((event.text.as_str(), event.place.own_session.as_deref()), ("/help", Some("aside:U0ANA")));
}
