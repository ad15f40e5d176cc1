//! Updates that the platform brings, through a door that does what the gateway does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use openclaw_ports::channel::{Capability, Health, NotTaken, Sink, Webhook, WebhookRequest};
use openclaw_testkit::{BotFailure, SimClock};
use openclaw_types::Inbound;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::world::{World, ana, private, within};

const SECRET: &str = "our_secret-1";

/// Refuses the first events.
struct Busy {
    refusals: AtomicUsize,
    kept: mpsc::Sender<Inbound>,
}

#[async_trait::async_trait]
impl Sink for Busy {
    async fn take(&self, events: Vec<Inbound>) -> Result<(), NotTaken> {
        if self.refusals.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
        {
            return Err(NotTaken);
        }
        for event in events {
            self.kept.send(event).await.map_err(|_closed| NotTaken)?;
        }
        Ok(())
    }
}

/// Reads one request and answers as the webhook says.
async fn serve(mut line: TcpStream, webhook: Arc<dyn Webhook>, sink: Arc<dyn Sink>) -> u16 {
    let mut raw = Vec::new();
    let (head, body) = loop {
        let mut step = [0_u8; 4096];
        let count = line.read(&mut step).await.unwrap();
        raw.extend_from_slice(&step[..count]);
        let text = String::from_utf8_lossy(&raw).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= length.unwrap_or(0) {
            break (head.to_owned(), body.to_owned());
        }
    };
    let headers: Vec<(String, String)> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let answer = if webhook.admits(&headers) {
        let request =
            WebhookRequest { method: "POST".into(), query: String::new(), headers, body: body.into_bytes() };
        webhook.handle(request, sink).await.status
    } else {
        401
    };
    let text = format!("HTTP/1.1 {answer} x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    line.write_all(text.as_bytes()).await.unwrap();
    answer
}

#[tokio::test]
async fn updates_are_taken_with_the_secret_and_come_again_until_they_are_kept() {
    let world = World::new().await;
    let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/telegram-webhook", door.local_addr().unwrap());
    let ours = world.connect(json!({ "webhookUrl": url, "webhookSecret": SECRET })).await.unwrap();
    let capabilities = ours.surface.capabilities();
    assert!(capabilities.contains(&Capability::Webhook) && !capabilities.contains(&Capability::Receive));
    assert_eq!(world.fake.webhook().as_deref(), Some(url.as_str()));
    let webhook = ours.surface.webhook.clone().unwrap();
    assert_eq!(webhook.path(), "/telegram-webhook");
    let (kept, mut heard) = mpsc::channel(8);
    let sink = Arc::new(Busy { refusals: AtomicUsize::new(1), kept });
    world.fake.write(&private(), &ana(), "brought");
    let mut answers = Vec::new();
    while answers.last() != Some(&200) {
        let (line, _) = within(door.accept()).await.unwrap();
        answers.push(within(serve(line, Arc::clone(&webhook), Arc::clone(&sink) as _)).await);
    }
    assert_eq!(answers, [503, 200]);
    assert_eq!(within(heard.recv()).await.unwrap().text, "brought");
    world.no_complaints();
}

#[tokio::test]
async fn a_webhook_without_the_secret_is_closed() {
    let world = World::new().await;
    let section =
        json!({ "webhookUrl": "http://127.0.0.1:1/hook", "webhookSecret": SECRET, "webhookPath": "hook" });
    let ours = world.connect(section).await.unwrap();
    let webhook = ours.surface.webhook.clone().unwrap();
    let header = |value: &str| ("x-telegram-bot-api-secret-token".to_owned(), value.to_owned());
    assert_eq!(webhook.path(), "/hook");
    assert!(webhook.admits(&[header(SECRET)]));
    for wrong in [vec![], vec![header("")], vec![header("other")], vec![header(SECRET), header(SECRET)]] {
        assert!(!webhook.admits(&wrong));
    }
    let (kept, _heard) = mpsc::channel(1);
    let sink = Arc::new(Busy { refusals: AtomicUsize::new(0), kept });
    let ask = |method: &str, header: Vec<(String, String)>, body: &str| WebhookRequest {
        method: method.into(),
        query: String::new(),
        headers: header,
        body: body.as_bytes().to_vec(),
    };
    let cases = [
        (ask("POST", Vec::new(), "{}"), 401),
        (ask("GET", vec![header(SECRET)], ""), 405),
        (ask("POST", vec![header(SECRET)], "not json"), 400),
        (ask("POST", vec![header(SECRET)], "{\"update_id\":1}"), 200),
    ];
    for (request, status) in cases {
        assert_eq!(webhook.handle(request, Arc::clone(&sink) as _).await.status, status);
    }
}

#[tokio::test]
async fn going_back_to_asking_takes_the_webhook_away() {
    let world = World::new().await;
    let section = json!({ "webhookUrl": "http://127.0.0.1:1/hook", "webhookSecret": SECRET });
    drop(world.connect(section).await.unwrap());
    world.fake.write(&private(), &ana(), "meanwhile");
    let mut ours = world.connect(json!({})).await.unwrap();
    assert_eq!((world.fake.webhook(), world.fake.calls("deleteWebhook").len()), (None, 1));
    let mut heard = ours.listen();
    assert_eq!(within(heard.recv()).await.unwrap().text, "meanwhile");
    world.no_complaints();
}

#[tokio::test]
async fn a_webhook_that_somebody_else_took_away_is_set_again() {
    let world = World::new().await;
    let clock = Arc::new(SimClock::new());
    let section = json!({ "webhookUrl": "http://127.0.0.1:1/hook", "webhookSecret": SECRET });
    let _ours = world.connect_with(Arc::clone(&clock) as _, section).await.unwrap();
    world.fake.forget_webhook();
    within(clock.until_asleep(1)).await;
    clock.advance(Duration::from_secs(600)).await;
    within(world.fake.called("setWebhook", 2)).await;
    assert_eq!(world.fake.webhook().as_deref(), Some("http://127.0.0.1:1/hook"));
    world.no_complaints();
}

#[tokio::test]
async fn a_token_that_was_revoked_takes_a_webhook_down() {
    let world = World::new().await;
    let clock = Arc::new(SimClock::new());
    let section = json!({ "webhookUrl": "http://127.0.0.1:1/hook", "webhookSecret": SECRET });
    let ours = world.connect_with(Arc::clone(&clock) as _, section).await.unwrap();
    let revoked = BotFailure::Said { code: 401, words: "Unauthorized".into(), parameters: None };
    world.fake.fail("getWebhookInfo", revoked);
    within(clock.until_asleep(1)).await;
    clock.advance(Duration::from_secs(600)).await;
    within(async {
        while !matches!(ours.told.all().last(), Some(Health::Reconnecting { reason }) if reason.contains("credentials"))
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
}
