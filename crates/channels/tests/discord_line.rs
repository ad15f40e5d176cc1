//! Our Discord line on a fake whose requests and answers are held against the platform's published description.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where something is wrong")]

#[path = "discord_line/again.rs"]
mod again;
#[path = "discord_line/albums.rs"]
mod albums;
#[path = "discord_line/deeds.rs"]
mod deeds;
#[path = "discord_line/panels.rs"]
mod panels;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use openclaw_channels::kinds;
use openclaw_ports::channel::{
    ActionRequest, ChannelContext, ChannelError, ChannelKind, CommandEntry, DirectoryKind, Health,
    HealthSink, NotTaken, Requester, Resolver, Sink, Surface,
};
use openclaw_ports::{Deadline, SystemClock, TaskScope};
use openclaw_stores::memory::MemoryStateStore;
use openclaw_testkit::discord_fake::{DiscordFake, TOKEN, Trouble, ids, play};
use openclaw_types::{
    AccountId, Button, ChannelId, ChatKind, Inbound, InboundKind, MediaFile, MediaKind, MediaRef, MessageId,
    NativeCommand, Outgoing, PiecePayload, Poll, Receipt, ReplyPlace, RichText, Secret, SendTarget, ThreadId,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// Secrets as they are written, and the fake's address.
struct Finds(String, Option<String>);

impl Resolver for Finds {
    fn variable(&self, name: &str) -> Option<Secret<String>> {
        match name {
            "OPENCLAW_DISCORD_API" => Some(Secret::new(self.0.clone())),
            "OPENCLAW_PLURALKIT_API" => self.1.clone().map(Secret::new),
            _ => None,
        }
    }

    fn file(&self, path: &str) -> Result<Secret<String>, String> {
        Err(format!("there is no {path}"))
    }

    fn secret(&self, value: &Value) -> Result<Secret<String>, String> {
        Ok(Secret::new(value.as_str().unwrap_or_default().to_owned()))
    }
}

#[derive(Default)]
struct Told(Mutex<Vec<Health>>);

impl HealthSink for Told {
    fn tell(&self, health: Health) {
        self.0.lock().unwrap().push(health);
    }
}

/// Takes events, unless told to refuse some first.
struct Kept {
    events: mpsc::Sender<Inbound>,
    refuses: Mutex<u32>,
}

#[async_trait::async_trait]
impl Sink for Kept {
    async fn take(&self, events: Vec<Inbound>) -> Result<(), NotTaken> {
        let refused = {
            let mut refuses = self.refuses.lock().unwrap();
            let refused = *refuses > 0;
            *refuses = refuses.saturating_sub(1);
            refused
        };
        if refused {
            return Err(NotTaken);
        }
        for event in events {
            self.events.send(event).await.map_err(|_closed| NotTaken)?;
        }
        Ok(())
    }
}

async fn within<T>(work: impl Future<Output = T>) -> T {
    let clock = SystemClock::new();
    Deadline::after(&clock, Duration::from_secs(30)).bound(&clock, work).await.expect("in time")
}

fn kind() -> Box<dyn ChannelKind> {
    kinds().into_iter().find(|kind| kind.descriptor().id == "discord").expect("Discord is there")
}

/// What stays when a line ends.
struct World {
    fake: DiscordFake,
    state: Arc<MemoryStateStore>,
    health: Arc<Told>,
    media: tempfile::TempDir,
    /// Where PluralKit is.
    plural: Option<String>,
}

struct Ours {
    surface: Surface,
    context: ChannelContext,
}

impl World {
    async fn start() -> Self {
        Self {
            fake: DiscordFake::start().await,
            state: Arc::default(),
            health: Arc::default(),
            media: tempfile::tempdir().unwrap(),
            plural: None,
        }
    }

    async fn connect(&self, more: Value) -> Result<Ours, ChannelError> {
        let mut section = json!({ "token": TOKEN });
        section.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (plans, faults) = kind().accounts(&section, &Finds(self.fake.root(), self.plural.clone()));
        assert_eq!(faults, []);
        let context = ChannelContext {
            account: plans[0].id.clone(),
            clock: Arc::new(SystemClock::new()),
            tasks: TaskScope::root("test"),
            state: Arc::clone(&self.state) as _,
            namespace: "channel/discord/default".to_owned(),
            health: Arc::clone(&self.health) as _,
            media: self.media.path().to_owned(),
            public_url: None,
        };
        let account = plans[0].account.as_ref().expect("it is ready");
        let surface = within(account.connect(context.clone())).await?;
        Ok(Ours { surface, context })
    }

    /// Hears something over a line, and ends it as a host does.
    async fn hear_and_end(&self) {
        let mut ours = self.connect(json!({})).await.unwrap();
        let (mut heard, mut ended) = ours.listen();
        self.fake.say(ids::GENERAL, ids::ANA, "before");
        assert_eq!(next(&mut heard).await.text, "before");
        ours.context.tasks.cancel();
        assert_eq!(within(ended.recv()).await, Some(Ok(())));
    }

    fn healths(&self) -> Vec<String> {
        let told = self.health.0.lock().unwrap();
        let word = |health: &Health| match health {
            Health::Connected(identity) => format!("connected as {}", identity.id),
            Health::Reconnecting { .. } => "reconnecting".to_owned(),
            Health::Limited { reason } => format!("limited: {reason}"),
        };
        told.iter().map(word).collect()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.fake.complaints(), Vec::<String>::new());
            assert_eq!(self.fake.strangers(), Vec::<String>::new());
        }
    }
}

type Heard = (mpsc::Receiver<Inbound>, mpsc::Receiver<Result<(), ChannelError>>);

impl Ours {
    fn listen(&mut self) -> Heard {
        self.listen_refusing(0)
    }

    fn listen_refusing(&mut self, refuses: u32) -> Heard {
        let (events, heard) = mpsc::channel(64);
        let (end, ended) = mpsc::channel(1);
        let receive = self.surface.receive.take().expect("it can hear");
        let sink = Arc::new(Kept { events, refuses: Mutex::new(refuses) });
        self.context.tasks.start("receive", async move {
            let outcome = receive.run(sink).await;
            // The test may have gone on.
            drop(end.send(outcome).await);
        });
        (heard, ended)
    }

    async fn send(&self, piece: Outgoing) -> Result<Receipt, ChannelError> {
        within(self.surface.send.as_ref().expect("it can send").send(&piece)).await
    }
}

fn target(to: &str) -> SendTarget {
    SendTarget {
        channel: ChannelId::new("discord").unwrap(),
        account: AccountId::new("default").unwrap(),
        to: to.to_owned(),
        thread: None,
    }
}

fn piece(key: &str, to: &str, payload: PiecePayload) -> Outgoing {
    Outgoing {
        key: key.to_owned(),
        target: target(to),
        payload,
        reply: None,
        silent: false,
        link_preview: true,
        buttons: Vec::new(),
    }
}

fn text(key: &str, to: &str, words: &str) -> Outgoing {
    piece(key, to, PiecePayload::Text { text: RichText::plain(words) })
}

fn general() -> String {
    format!("channel:{}", ids::GENERAL)
}

async fn next(heard: &mut mpsc::Receiver<Inbound>) -> Inbound {
    within(heard.recv()).await.expect("something came")
}

#[tokio::test]
async fn messages_go_both_ways_in_rooms_threads_and_alone() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let declared: std::collections::BTreeSet<_> = kind().descriptor().capabilities.iter().copied().collect();
    assert_eq!(ours.surface.capabilities(), declared);
    assert_eq!(world.healths(), [format!("connected as {}", ids::US)]);
    let (mut heard, _ended) = ours.listen();

    let said = format!("<@{}> hello", ids::US);
    let mention = json!({ "content": said, "mentions": [mentioned()] });
    let id = world.fake.say_more(ids::GENERAL, ids::ANA, &mention);
    let event = next(&mut heard).await;
    assert_eq!((event.text.as_str(), event.place.to.as_str()), (said.as_str(), general().as_str()));
    assert_eq!((event.place.kind, event.place.name.as_deref()), (ChatKind::Channel, Some("general")));
    assert_eq!(event.place.space_name.as_deref(), Some("The Guild"));
    assert_eq!(event.from.roles, [ids::ROLE]);
    assert!(event.attention.mentions_us);
    let answer = Outgoing {
        reply: Some(ReplyPlace { message: MessageId::new(&id).unwrap(), quote: None }),
        ..text("k/1", &event.place.to, "hi_there")
    };
    let receipt = ours.send(answer).await.unwrap();
    let sent = world.fake.messages(ids::GENERAL).pop().unwrap();
    assert_eq!((&sent["content"], &sent["id"]), (&json!("hi\\_there"), &json!(receipt.message.as_str())));
    assert_eq!(sent["message_reference"]["message_id"], json!(id));

    world.fake.say(ids::THREAD, ids::BEN, "in the thread");
    let event = next(&mut heard).await;
    assert_eq!(event.place.id.as_str(), ids::THREAD);
    assert_eq!(event.place.parent.as_ref().map(|parent| parent.as_str()), Some(ids::GENERAL));
    let names = (event.place.name.as_deref(), event.place.thread_name.as_deref());
    assert_eq!(names, (Some("general"), Some("plans")));

    world.fake.say(ids::DIRECT, ids::ANA, "just us");
    let event = next(&mut heard).await;
    assert_eq!((event.place.kind, event.place.to), (ChatKind::Direct, format!("user:{}", ids::ANA)));
    ours.send(text("k/2", &format!("user:{}", ids::ANA), "only for you")).await.unwrap();
    assert_eq!(world.fake.messages(ids::DIRECT).pop().unwrap()["content"], "only for you");
    ours.send(text("k/3", &format!("user:{}", ids::BEN), "a new chat")).await.unwrap();
    let opened = world.fake.requests().into_iter().filter(|request| request.path == "/users/@me/channels");
    assert_eq!(opened.count(), 1);
    ours.context.tasks.cancel();
}

fn mentioned() -> Value {
    json!({
        "id": ids::US, "username": "claw", "global_name": null, "avatar": null, "discriminator": "0",
        "public_flags": 0, "flags": 0, "primary_guild": null, "bot": true
    })
}

#[tokio::test]
async fn the_same_piece_again_is_not_seen_twice() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    world.fake.fail(Trouble {
        to: format!("POST /channels/{}/messages", ids::GENERAL),
        status: 502,
        headers: Vec::new(),
        body: json!({}),
        lands: true,
    });
    let first = ours.send(text("k/1", &general(), "once")).await.unwrap_err();
    assert!(matches!(first, ChannelError::Unreachable { .. }), "{first:?}");
    ours.send(text("k/1", &general(), "once")).await.unwrap();
    ours.send(text("k/2", &general(), "twice")).await.unwrap();
    let words: Vec<_> =
        world.fake.messages(ids::GENERAL).iter().map(|each| each["content"].clone()).collect();
    assert_eq!(words, ["once", "twice"]);
}

#[tokio::test]
async fn a_session_is_taken_up_again_and_nothing_is_lost() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    world.fake.say(ids::GENERAL, ids::ANA, "one");
    assert_eq!(next(&mut heard).await.text, "one");
    world.fake.close_lines(4000);
    world.fake.say(ids::GENERAL, ids::ANA, "two");
    assert_eq!(next(&mut heard).await.text, "two");
    world.fake.tell_lines(&json!({ "op": 7, "d": null }));
    world.fake.say(ids::GENERAL, ids::ANA, "three");
    assert_eq!(next(&mut heard).await.text, "three");
    assert_eq!(world.fake.sessions(), 1);
    let connected = format!("connected as {}", ids::US);
    world.fake.until(|_| world.healths().last() == Some(&connected)).await;
    assert!(world.healths().contains(&"reconnecting".to_owned()));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_restart_takes_the_session_up_where_the_host_kept_it() {
    let world = World::start().await;
    world.hear_and_end().await;
    world.fake.say(ids::GENERAL, ids::ANA, "meanwhile");
    let mut again = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = again.listen();
    assert_eq!(next(&mut heard).await.text, "meanwhile");
    assert_eq!(world.fake.sessions(), 1);
    again.context.tasks.cancel();
}

#[tokio::test]
async fn what_the_host_cannot_keep_comes_again() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen_refusing(2);
    world.fake.say(ids::GENERAL, ids::ANA, "important");
    assert_eq!(next(&mut heard).await.text, "important");
    let resumed = world.fake.said().iter().filter(|said| said["op"] == 6).count();
    assert_eq!((resumed, world.fake.sessions()), (2, 1));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_session_that_is_over_is_begun_anew() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    world.fake.close_lines(4000);
    world.fake.forget_sessions();
    world.fake.until(|fake| fake.sessions() == 1).await;
    world.fake.say(ids::GENERAL, ids::ANA, "anew");
    assert_eq!(next(&mut heard).await.text, "anew");
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_line_without_answers_to_its_heartbeat_is_dead() {
    let world = World::start().await;
    world.fake.beat_every(60);
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    let beats = |fake: &DiscordFake| fake.said().iter().filter(|said| said["op"] == 1).count();
    world.fake.until(|fake| beats(fake) >= 3).await;
    assert!(!world.healths().contains(&"reconnecting".to_owned()));
    world.fake.answer_beats(false);
    world.fake.until(|_| world.healths().contains(&"reconnecting".to_owned())).await;
    world.fake.answer_beats(true);
    world.fake.until(|fake| fake.said().iter().any(|said| said["op"] == 6)).await;
    world.fake.say(ids::GENERAL, ids::ANA, "still here?");
    assert_eq!(next(&mut heard).await.text, "still here?");
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_wrong_token_and_a_revoked_one_say_what_to_do() {
    let world = World::start().await;
    let refused = world.connect(json!({ "token": "wrong" })).await.err().expect("refused");
    assert!(matches!(&refused, ChannelError::Unauthorized { reason } if reason.contains("developer portal")));
    let mut ours = world.connect(json!({})).await.unwrap();
    let (_heard, mut ended) = ours.listen();
    world.fake.close_lines(4004);
    let end = within(ended.recv()).await.unwrap();
    assert!(
        matches!(&end, Err(ChannelError::Unauthorized { reason }) if reason.contains("channels.discord.token"))
    );
}

#[tokio::test]
async fn without_the_intent_for_words_the_line_is_up_and_says_what_is_off() {
    let content = 1 << 15;
    for told in [true, false] {
        let world = World::start().await;
        world.fake.forbid(content, told);
        let mut ours = world.connect(json!({})).await.unwrap();
        let (mut heard, _ended) = ours.listen();
        world.fake.say(ids::DIRECT, ids::ANA, "readable");
        assert_eq!(next(&mut heard).await.text, "readable");
        let limited = world.healths().iter().any(|health| health.contains("Message Content Intent"));
        assert!(limited, "{:?}", world.healths());
        ours.context.tasks.cancel();
    }
}

#[tokio::test]
async fn limits_of_the_platform_are_kept_and_told() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    world.fake.limit_messages(2, 30.0);
    ours.send(text("k/1", &general(), "one")).await.unwrap();
    ours.send(text("k/2", &general(), "two")).await.unwrap();
    let refused = ours.send(text("k/3", &general(), "three")).await.unwrap_err();
    assert!(matches!(refused, ChannelError::RateLimited { after } if after > Duration::from_secs(25)));
    let asked =
        world.fake.requests().into_iter().filter(|request| request.path.ends_with("/messages")).count();
    assert_eq!(asked, 2);
    // Another room has a count of its own.
    ours.send(text("k/4", &format!("channel:{}", ids::THREAD), "elsewhere")).await.unwrap();
    world.fake.fail(Trouble {
        to: "POST /channels".to_owned(),
        status: 429,
        headers: vec![("retry-after".to_owned(), "7".to_owned())],
        body: json!({ "message": "You are being rate limited.", "retry_after": 7.5, "global": true }),
        lands: false,
    });
    let refused = ours.send(text("k/5", &format!("channel:{}", ids::DIRECT), "much")).await.unwrap_err();
    assert_eq!(refused, ChannelError::RateLimited { after: Duration::from_millis(7500) });
    let refused = ours.surface.probe.as_ref().unwrap().probe().await.unwrap_err();
    assert!(matches!(refused, ChannelError::RateLimited { .. }), "{refused:?}");
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let refused = ours.send(text("k/1", "channel:1299999999999999999", "nowhere")).await.unwrap_err();
    assert!(
        matches!(&refused, ChannelError::Refused { reason } if reason.contains("no such channel")),
        "{refused:?}"
    );
    let unclear = ours.send(text("k/1", "1299999999999999999", "nowhere")).await.unwrap_err();
    assert!(
        matches!(&unclear, ChannelError::Wrong { reason } if reason.contains("user:1299999999999999999"))
    );
    world.fake.fail(Trouble {
        to: "POST /channels".to_owned(),
        status: 403,
        headers: Vec::new(),
        body: json!({ "message": "Missing Permissions", "code": 50013 }),
        lands: false,
    });
    let refused = ours.send(text("k/1", &general(), "quiet")).await.unwrap_err();
    assert!(matches!(&refused, ChannelError::Refused { reason } if reason.contains("permission")));
}

#[tokio::test]
async fn a_command_is_acknowledged_at_once_and_answered_in_its_place() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    let token = world.fake.command(ids::GENERAL, ids::ANA, "think", "high");
    let event = next(&mut heard).await;
    let command = NativeCommand { name: "think".to_owned(), arguments: "high".to_owned() };
    assert_eq!((event.kind, event.text.as_str()), (InboundKind::Command(command), "/think high"));
    let callback =
        world.fake.requests().into_iter().find(|request| request.path.ends_with("/callback")).unwrap();
    assert_eq!(callback.body, json!({ "type": 5, "data": { "flags": 64 } }));
    ours.send(text("k/1", &event.place.to, "done")).await.unwrap();
    ours.send(text("k/1", &event.place.to, "done")).await.unwrap();
    ours.send(text("k/2", &event.place.to, "and more")).await.unwrap();
    let answers: Vec<_> = world.fake.answers(&token).iter().map(|answer| answer["content"].clone()).collect();
    assert_eq!(answers, ["done", "done", "and more"]);
    assert!(world.fake.messages(ids::GENERAL).is_empty());
    let way = |request: &openclaw_testkit::discord_fake::DiscordRequest| {
        let end = request.path.rsplit('/').next().unwrap().to_owned();
        request.path.starts_with("/webhooks/").then(|| (request.method.clone(), end))
    };
    let ways: Vec<_> = world.fake.requests().iter().filter_map(way).collect();
    let original = ("PATCH".to_owned(), "@original".to_owned());
    assert_eq!(ways, [original.clone(), original, ("POST".to_owned(), token)]);
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_command_that_is_not_answered_leaves_no_sign_that_we_think() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    let waiting = ours.surface.waiting.clone().expect("it takes signs back");
    assert!(!waiting.waits(&target(&general())));
    let taken_back = |world: &World| {
        let is_original =
            |path: &str| path.starts_with("/webhooks/") && path.ends_with("/messages/@original");
        let all = world.fake.requests();
        all.iter().filter(|request| request.method == "DELETE" && is_original(&request.path)).count()
    };
    world.fake.command(ids::GENERAL, ids::ANA, "kill", "1");
    let silent = next(&mut heard).await;
    assert!(silent.place.private);
    assert_eq!(silent.place.later_to, Some(format!("user:{}", ids::ANA)));
    let to = target(&silent.place.to);
    assert!(waiting.waits(&to));
    within(waiting.end(&to)).await.unwrap();
    within(waiting.end(&to)).await.unwrap();
    assert_eq!(taken_back(&world), 1, "once");

    world.fake.command(ids::GENERAL, ids::ANA, "status", "");
    let answered = next(&mut heard).await;
    ours.send(text("k/1", &answered.place.to, "fine")).await.unwrap();
    within(waiting.end(&target(&answered.place.to))).await.unwrap();
    assert_eq!(taken_back(&world), 1, "an answer stays");
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_command_that_can_no_longer_be_answered_is_answered_in_the_room() {
    let world = World::start().await;
    let mut ours = world.connect(json!({ "slashCommand": { "ephemeral": false } })).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    world.fake.command(ids::GENERAL, ids::ANA, "status", "");
    let event = next(&mut heard).await;
    world.fake.fail(Trouble {
        to: "PATCH /webhooks".to_owned(),
        status: 404,
        headers: Vec::new(),
        body: json!({ "message": "Unknown Webhook", "code": 10015 }),
        lands: false,
    });
    ours.send(text("k/1", &event.place.to, "late")).await.unwrap();
    assert_eq!(world.fake.messages(ids::GENERAL).pop().unwrap()["content"], "late");
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn buttons_are_sent_and_their_presses_come_back() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    let button = |text: &str, data: &str| Button { text: text.to_owned(), data: data.to_owned() };
    let ask = Outgoing {
        buttons: vec![vec![button("Yes", "approve:1"), button("No", "deny:1")]],
        ..text("k/1", &general(), "May I?")
    };
    let receipt = ours.send(ask).await.unwrap();
    world.fake.press(ids::GENERAL, ids::ANA, receipt.message.as_str(), "approve:1");
    let event = next(&mut heard).await;
    let InboundKind::Press(press) = &event.kind else { panic!("{event:?}") };
    assert_eq!((press.data.as_str(), press.on.as_ref()), ("approve:1", Some(&receipt.message)));
    assert_eq!(event.place.to, general());
    let callback =
        world.fake.requests().into_iter().find(|request| request.path.ends_with("/callback")).unwrap();
    assert_eq!(callback.body, json!({ "type": 6 }));
    ours.context.tasks.cancel();
}

/// An account whose buttons stand in a box of a colour, and a question with one button.
async fn boxed(world: &World) -> (Ours, Outgoing) {
    let section = json!({ "ui": { "components": { "accentColor": "#5865F2" } } });
    let ours = world.connect(section).await.unwrap();
    let ask = Outgoing {
        buttons: vec![vec![Button { text: "Yes".to_owned(), data: "y".to_owned() }]],
        ..text("k/1", &general(), "May I?")
    };
    (ours, ask)
}

#[tokio::test]
async fn buttons_stand_in_a_box_of_the_chosen_colour() {
    let world = World::start().await;
    let (ours, ask) = boxed(&world).await;
    ours.send(ask).await.unwrap();
    let sent = world.fake.requests().pop().unwrap().body;
    let (shown, words) = (&sent["components"][0], &sent["components"][0]["components"][0]["content"]);
    assert_eq!((&shown["accent_color"], words), (&json!(0x58_65F2), &json!("May I?")));
}

#[tokio::test]
async fn other_words_in_a_box_leave_the_box_and_its_buttons() {
    let world = World::start().await;
    let (ours, ask) = boxed(&world).await;
    let sent = ours.send(ask).await.unwrap();
    let edit = ours.surface.edit.as_ref().unwrap();
    within(edit.edit(&target(&general()), &sent.message, &RichText::plain("Approved"))).await.unwrap();
    let shown = world.fake.messages(ids::GENERAL).pop().unwrap();
    let inside = &shown["components"][0]["components"];
    assert_eq!(
        (
            &shown["components"][0]["accent_color"],
            &inside[0]["content"],
            &inside[1]["components"][0]["label"]
        ),
        (&json!(0x58_65F2), &json!("Approved"), &json!("Yes"))
    );
    // A message without a box is changed as ever, and other complaints are told.
    let plain = ours.send(text("k/2", &general(), "one")).await.unwrap();
    within(edit.edit(&target(&general()), &plain.message, &RichText::plain("two"))).await.unwrap();
    assert_eq!(world.fake.messages(ids::GENERAL).pop().unwrap()["content"], "two");
}

#[tokio::test]
async fn polls_files_and_posts_are_sent() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let poll = Poll {
        question: "Tea?".to_owned(),
        options: vec!["yes".to_owned(), "no".to_owned()],
        most: 1,
        seconds: Some(5400),
        anonymous: None,
    };
    ours.send(piece("k/1", &general(), PiecePayload::Poll(poll.clone()))).await.unwrap();
    assert_eq!(world.fake.requests().pop().unwrap().body["poll"]["duration"], 2);
    let path = world.media.path().join("a.txt");
    std::fs::write(&path, b"some bytes").unwrap();
    let file = MediaFile {
        path: path.to_string_lossy().into_owned(),
        name: "a \"b\".txt".to_owned(),
        media_type: "text/plain".to_owned(),
    };
    let media = |words: &str| PiecePayload::Media {
        file: file.clone(),
        kind: MediaKind::Document,
        caption: RichText::plain(words),
    };
    ours.send(piece("k/2", &general(), media("look"))).await.unwrap();
    let asked = world.fake.requests().pop().unwrap();
    assert_eq!(
        (asked.files[0].1.as_slice(), &asked.body["content"]),
        (b"some bytes".as_slice(), &json!("look"))
    );
    let forum = format!("channel:{}", ids::FORUM);
    let posted = ours.send(text("k/3", &forum, "How do I?\n\nPlease help")).await.unwrap();
    let asked = world.fake.requests().pop().unwrap();
    assert_eq!((asked.body["name"].as_str(), asked.path.ends_with("/threads")), (Some("How do I?"), true));
    assert_eq!(posted.moved_to, Some(format!("channel:{}", posted.message)));
    let many = Poll { options: vec!["x".to_owned(); 11], ..poll };
    let wrong = ours.send(piece("k/4", &general(), PiecePayload::Poll(many))).await.unwrap_err();
    assert!(matches!(wrong, ChannelError::Wrong { .. }));
}

#[tokio::test]
async fn messages_are_changed_taken_back_and_reacted_to() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    let receipt = ours.send(text("k/1", &general(), "first")).await.unwrap();
    let here = target(&general());
    let edit = ours.surface.edit.as_ref().unwrap();
    edit.edit(&here, &receipt.message, &RichText::plain("second")).await.unwrap();
    assert_eq!(world.fake.messages(ids::GENERAL)[0]["content"], "second");
    let react = ours.surface.react.as_ref().unwrap();
    react.react(&here, &receipt.message, "👀").await.unwrap();
    react.react(&here, &receipt.message, "✅").await.unwrap();
    assert_eq!(world.fake.messages(ids::GENERAL)[0]["reactions"].as_array().map(Vec::len), Some(2));
    react.unreact(&here, &receipt.message, Some("👀")).await.unwrap();
    react.unreact(&here, &receipt.message, None).await.unwrap();
    assert_eq!(world.fake.messages(ids::GENERAL)[0]["reactions"], json!([]));
    world.fake.react(ids::GENERAL, ids::ANA, receipt.message.as_str(), "🎉");
    let event = next(&mut heard).await;
    let InboundKind::Reaction(reaction) = &event.kind else { panic!("{event:?}") };
    assert_eq!((reaction.emoji.as_str(), reaction.on_ours, reaction.removed), ("🎉", true, false));
    let delete = ours.surface.delete.as_ref().unwrap();
    delete.delete(&here, &receipt.message).await.unwrap();
    delete.delete(&here, &receipt.message).await.unwrap();
    assert!(world.fake.messages(ids::GENERAL).is_empty());
    ours.surface.typing.as_ref().unwrap().typing(&here).await.unwrap();
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn threads_are_made_by_hand_and_by_themselves() {
    let world = World::start().await;
    let rooms = json!({ "guilds": { ids::GUILD: { "channels": { "general": { "autoThread": true } } } } });
    let mut ours = world.connect(rooms).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    let threads = ours.surface.threads.as_ref().unwrap();
    let made = threads.create(&target(&general()), "Side talk", None).await.unwrap();
    let into = SendTarget { thread: Some(made.clone()), ..target(&general()) };
    ours.send(Outgoing { target: into, ..text("k/1", &general(), "over here") }).await.unwrap();
    assert_eq!(world.fake.messages(made.as_str())[0]["content"], "over here");
    let odd = threads.create_resting(&target(&general()), "Nap", None, 5).await.unwrap_err();
    assert!(matches!(&odd, ChannelError::Wrong { reason } if reason.contains("1440")), "{odd}");
    let nap = threads.create_resting(&target(&general()), "Nap", None, 1_440).await.unwrap();
    let asked = world.fake.requests().into_iter().find(|request| request.body["name"] == "Nap").unwrap();
    assert_eq!(asked.body["auto_archive_duration"], 1_440);
    let listed = |channel: &str| ActionRequest {
        name: "thread-list".to_owned(),
        target: None,
        requester: None,
        parameters: json!({ "guildId": ids::GUILD, "channelId": channel }).as_object().unwrap().clone(),
    };
    let actions = ours.surface.actions.as_ref().unwrap();
    let below = actions.act(listed(ids::GENERAL)).await.unwrap();
    let names: Vec<&str> = below["result"]["threads"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert!(names.contains(&"Nap"), "{below} {nap}");
    let elsewhere = actions.act(listed(ids::ANA)).await.unwrap();
    assert_eq!(elsewhere["result"]["threads"], json!([]), "those of another room are left out");
    let within = target(&format!("channel:{made}"));
    threads.create(&within, "Beside it", None).await.unwrap();
    let asked = world.fake.requests().pop().unwrap();
    assert!(asked.path.ends_with(&format!("/channels/{}/threads", ids::GENERAL)), "{}", asked.path);

    let mention =
        json!({ "content": format!("<@{}> please explain tides", ids::US), "mentions": [mentioned()] });
    let id = world.fake.say_more(ids::GENERAL, ids::ANA, &mention);
    let event = next(&mut heard).await;
    assert_eq!(
        (event.place.id.as_str(), event.place.to.as_str()),
        (id.as_str(), format!("{}:thread:{id}", general()).as_str())
    );
    assert_eq!(event.place.thread, Some(ThreadId::new(&id).unwrap()));
    let there = target(&event.place.to);
    ours.surface.react.as_ref().unwrap().react(&there, &MessageId::new(&id).unwrap(), "👀").await.unwrap();
    let answer = Outgoing {
        target: SendTarget { thread: event.place.thread.clone(), ..there.clone() },
        reply: Some(ReplyPlace { message: MessageId::new(&id).unwrap(), quote: None }),
        ..text("k/2", &event.place.to, "The moon.")
    };
    let receipt = ours.send(answer).await.unwrap();
    assert_eq!(world.fake.messages(&id)[0]["content"], "The moon.");
    let asked =
        world.fake.requests().into_iter().find(|request| request.path.ends_with(&format!("{id}/threads")));
    assert_eq!(asked.unwrap().body["name"], "please explain tides");
    ours.surface
        .edit
        .as_ref()
        .unwrap()
        .edit(&there, &receipt.message, &RichText::plain("And the sun."))
        .await
        .unwrap();
    assert_eq!(world.fake.messages(&id)[0]["content"], "And the sun.");
    world.fake.say(&id, ids::ANA, "thanks");
    let event = next(&mut heard).await;
    assert!(event.attention.answers_us, "in a thread of ours nobody has to name us");
    assert_eq!((event.place.id.as_str(), event.place.to), (id.as_str(), format!("channel:{id}")));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn the_menu_is_filled_once() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let entry = |name: &str, choices: &[&str], takes_words: bool| CommandEntry {
        name: name.to_owned(),
        description: format!("About {name}"),
        choices: choices.iter().map(|&choice| choice.to_owned()).collect(),
        takes_words,
    };
    let entries =
        [entry("status", &[], false), entry("think", &["low", "high"], true), entry("not fit", &[], true)];
    let menu = ours.surface.menu.as_ref().unwrap();
    menu.publish(&entries).await.unwrap();
    menu.publish(&entries).await.unwrap();
    let puts: Vec<_> = world.fake.requests().into_iter().filter(|request| request.method == "PUT").collect();
    assert_eq!(puts.len(), 1);
    assert_eq!(puts[0].body.as_array().map(Vec::len), Some(2));
    menu.publish(&[]).await.unwrap();
    assert_eq!(world.fake.requests().pop().unwrap().body, json!([]));
}

#[tokio::test]
async fn files_are_fetched_only_from_the_platform() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let fetch = ours.surface.fetch.as_ref().unwrap();
    let root = world.fake.root().replace("/api/v10", "");
    let media = |handle: String| MediaRef {
        kind: MediaKind::Image,
        handle,
        name: Some("a.PNG".to_owned()),
        media_type: None,
        bytes: None,
    };
    let fetched = fetch.fetch(&media(format!("{root}/files/picture")), 1024).await.unwrap();
    assert_eq!(std::fs::read(&fetched.path).unwrap(), b"picture");
    assert_eq!(fetched.media_type.as_deref(), Some("image/png"));
    let large = fetch.fetch(&media(format!("{root}/files/picture")), 3).await.unwrap_err();
    assert!(matches!(large, ChannelError::Refused { .. }));
    for elsewhere in
        ["http://169.254.169.254/latest", "file:///etc/passwd", "https://cdn.discordapp.com.evil.example/x"]
    {
        let refused = fetch.fetch(&media(elsewhere.to_owned()), 1024).await.unwrap_err();
        assert!(matches!(refused, ChannelError::Refused { .. }), "{elsewhere}");
    }
}

#[tokio::test]
async fn people_and_rooms_are_found() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    world.fake.say(ids::GENERAL, ids::ANA, "the guild is known now");
    next(&mut heard).await;
    let directory = ours.surface.directory.as_ref().unwrap();
    assert_eq!(directory.me().await.unwrap().id, format!("user:{}", ids::US));
    let rooms = directory.search(DirectoryKind::Rooms, "#gen", 10).await.unwrap();
    assert_eq!(rooms.iter().map(|room| room.id.as_str()).collect::<Vec<_>>(), [general()]);
    let people = directory.search(DirectoryKind::People, "an", 10).await.unwrap();
    assert_eq!(
        people.iter().map(|person| person.id.as_str()).collect::<Vec<_>>(),
        [format!("user:{}", ids::ANA)]
    );
    assert_eq!(directory.members(&general(), 10).await.unwrap().len(), 3);
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn actions_follow_their_switches() {
    let world = World::start().await;
    let ours = world.connect(json!({ "actions": { "pins": true, "messages": false } })).await.unwrap();
    let actions = ours.surface.actions.as_ref().unwrap();
    let names = actions.names();
    assert!(names.contains(&"pin") && !names.contains(&"read") && !names.contains(&"ban"));
    let id = world.fake.say(ids::GENERAL, ids::ANA, "keep this");
    let request = |name: &str, parameters: Value| ActionRequest {
        name: name.to_owned(),
        target: Some(target(&general())),
        requester: None,
        parameters: parameters.as_object().unwrap().clone(),
    };
    actions.act(request("pin", json!({ "messageId": id }))).await.unwrap();
    let pins = actions.act(request("list-pins", json!({}))).await.unwrap();
    assert_eq!(pins["result"]["items"][0]["message"]["id"], json!(id));
    let refused =
        actions.act(request("ban", json!({ "guildId": ids::GUILD, "userId": ids::BEN }))).await.unwrap_err();
    assert!(matches!(refused, ChannelError::Wrong { .. }));
    let report = actions.act(request("permissions", json!({}))).await.unwrap();
    assert!(report["permissions"].as_array().unwrap().contains(&json!("SendMessages")), "{report}");
}

#[tokio::test]
async fn moderation_goes_by_who_wrote_and_not_by_what_a_model_says_of_that() {
    let world = World::start().await;
    let ours = world.connect(json!({ "actions": { "moderation": true } })).await.unwrap();
    let parameters = json!({ "guildId": ids::GUILD, "userId": ids::BEN, "senderId": ids::ANA });
    let request = ActionRequest {
        name: "ban".to_owned(),
        target: Some(target(&general())),
        requester: None,
        parameters: parameters.as_object().unwrap().clone(),
    };
    let actions = ours.surface.actions.as_ref().unwrap();
    let refused = actions.act(request.clone()).await.unwrap_err();
    assert!(
        matches!(&refused, ChannelError::Wrong { reason } if reason.contains("known to Discord")),
        "{refused}"
    );
    let operator = ActionRequest { requester: Some(Requester::Operator), ..request };
    assert_eq!(
        within(actions.act(operator)).await.unwrap(),
        json!({ "ok": true }),
        "for the owner it is done"
    );
}

#[tokio::test]
async fn presence_is_shown_from_the_start_and_changed_later() {
    let world = World::start().await;
    let section = json!({ "activity": "Focus", "status": "dnd", "actions": { "presence": true } });
    let mut ours = world.connect(section).await.unwrap();
    let (_heard, _ended) = ours.listen();
    let identify = world.fake.said().into_iter().find(|said| said["op"] == 2).unwrap();
    assert_eq!(identify["d"]["presence"]["activities"][0]["state"], "Focus");
    let parameters = json!({ "status": "idle", "activityType": "watching", "activityName": "the sea" });
    let request = ActionRequest {
        name: "set-presence".to_owned(),
        target: None,
        requester: None,
        parameters: parameters.as_object().unwrap().clone(),
    };
    ours.surface.actions.as_ref().unwrap().act(request).await.unwrap();
    world.fake.until(|fake| fake.said().iter().any(|said| said["op"] == 3)).await;
    let shown = world.fake.said().into_iter().find(|said| said["op"] == 3).unwrap();
    assert_eq!((&shown["d"]["status"], &shown["d"]["activities"][0]["type"]), (&json!("idle"), &json!(3)));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_probe_says_who_we_are_and_what_is_switched_on() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let probe = within(ours.surface.probe.as_ref().unwrap().probe()).await.unwrap();
    assert_eq!((&probe["ok"], &probe["bot"]["id"]), (&json!(true), &json!(ids::US)));
    assert_eq!(probe["application"]["intents"]["messageContent"], "limited");
}

/// Does what the story of the fake asks a client for, over our slots.
async fn live(ours: &Ours, event: &Inbound) {
    let here = target(&event.place.to);
    let key = event.event.as_str();
    let reply = event.message.clone().map(|message| ReplyPlace { message, quote: None });
    match (&event.kind, event.text.as_str()) {
        (InboundKind::Message, "ping") => {
            let pong = Outgoing { reply, ..text(key, &event.place.to, "pong") };
            if let Err(ChannelError::RateLimited { after }) = ours.send(pong.clone()).await {
                ours.context.clock.sleep(after).await;
                ours.send(pong).await.unwrap();
            }
            let message = event.message.as_ref().unwrap();
            ours.surface.react.as_ref().unwrap().react(&here, message, "👀").await.unwrap();
        }
        (InboundKind::Message, "hello") => drop(ours.send(text(key, &event.place.to, "hi")).await.unwrap()),
        (InboundKind::Message, "ask") => {
            let button = |text: &str, data: &str| Button { text: text.to_owned(), data: data.to_owned() };
            let buttons = vec![vec![button("Yes", "approve:1"), button("No", "deny:1")]];
            ours.send(Outgoing { buttons, ..text(key, &event.place.to, "May I?") }).await.unwrap();
        }
        (InboundKind::Press(press), "approve:1") => {
            let edit = ours.surface.edit.as_ref().unwrap();
            edit.edit(&here, press.on.as_ref().unwrap(), &RichText::plain("Approved")).await.unwrap();
        }
        (InboundKind::Command(_), "/status") => {
            ours.send(text("first", &event.place.to, "all well")).await.unwrap();
            ours.send(text("second", &event.place.to, "and more")).await.unwrap();
        }
        (InboundKind::Message, "file") => {
            let path = ours.context.media.join("a.txt");
            std::fs::write(&path, b"some bytes").unwrap();
            let path = path.to_string_lossy().into_owned();
            let file = MediaFile { path, name: "a.txt".to_owned(), media_type: "text/plain".to_owned() };
            let kind = MediaKind::Document;
            let payload = PiecePayload::Media { file, kind, caption: RichText::default() };
            ours.send(piece(key, &event.place.to, payload)).await.unwrap();
        }
        (InboundKind::Message, "poll") => {
            let poll = Poll {
                question: "Tea?".to_owned(),
                options: vec!["yes".to_owned(), "no".to_owned()],
                most: 1,
                seconds: Some(7200),
                anonymous: None,
            };
            ours.send(piece(key, &event.place.to, PiecePayload::Poll(poll))).await.unwrap();
        }
        (InboundKind::Message, "thread") => {
            let threads = ours.surface.threads.as_ref().unwrap();
            let thread = threads.create(&here, "Side talk", event.message.as_ref()).await.unwrap();
            let target = SendTarget { thread: Some(thread), ..here };
            ours.send(Outgoing { target, ..text(key, &event.place.to, "over here") }).await.unwrap();
        }
        (InboundKind::Message, "post") => {
            ours.send(text(key, &format!("channel:{}", ids::FORUM), "How do I?")).await.unwrap();
        }
        (InboundKind::Message, "oops") => {
            let sent = ours.send(text(key, &event.place.to, "wrong")).await.unwrap();
            ours.surface.delete.as_ref().unwrap().delete(&here, &sent.message).await.unwrap();
        }
        (InboundKind::Message, "shy") => {
            let (react, message) = (ours.surface.react.as_ref().unwrap(), event.message.as_ref().unwrap());
            react.react(&here, message, "👀").await.unwrap();
            react.unreact(&here, message, Some("👀")).await.unwrap();
        }
        (InboundKind::Message, "fetch") => {
            let fetched = ours.surface.fetch.as_ref().unwrap().fetch(&event.media[0], 1024).await.unwrap();
            let words = std::fs::read_to_string(fetched.path).unwrap();
            ours.send(text(key, &event.place.to, &words)).await.unwrap();
        }
        other => panic!("the story does not go so: {other:?}"),
    }
}

#[tokio::test]
async fn our_line_lives_through_the_story_that_others_live_through() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    let status = CommandEntry {
        name: "status".to_owned(),
        description: "How it goes".to_owned(),
        choices: Vec::new(),
        takes_words: false,
    };
    ours.surface.menu.as_ref().unwrap().publish(&[status]).await.unwrap();
    let client = async {
        while let Some(event) = heard.recv().await {
            live(&ours, &event).await;
        }
    };
    tokio::select! {
        story = within(play(&world.fake)) => assert_eq!(story, Ok(())),
        () = client => panic!("the line ended before the story"),
    }
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn names_of_guilds_and_rooms_are_looked_up_once_when_the_line_comes_up() {
    let world = World::start().await;
    let within = |name: &str| Some(openclaw_types::RoomName::Id(name.to_owned()));
    let guilds = json!({ "guilds": { ids::GUILD: { "channels": { "#General": {}, "nowhere": {} } } } });
    let ours = world.connect(guilds.clone()).await.unwrap();
    let found: Vec<_> =
        ours.surface.named_rooms.iter().map(|room| (&room.within, &*room.name, &*room.id)).collect();
    assert_eq!(found, [(&within(ids::GUILD), "general", ids::GENERAL)]);
    let mut counting = guilds;
    counting["dangerouslyAllowNameMatching"] = json!(true);
    assert_eq!(world.connect(counting).await.unwrap().surface.named_rooms, []);
}

/// A PluralKit where every message is Rose's, for those with the token.
async fn plural_kit() -> (String, TaskScope) {
    let answer = |headers: axum::http::HeaderMap| async move {
        let rose = json!({
            "sender": ids::ANA, "system": { "id": "sysab" }, "member": { "id": "memab", "name": "Rose" },
        });
        match headers.get("authorization").is_some_and(|token| token == "secret") {
            true => Ok(axum::Json(rose)),
            false => Err(axum::http::StatusCode::UNAUTHORIZED),
        }
    };
    let routes = axum::Router::new().route("/messages/{id}", axum::routing::get(answer));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let tasks = TaskScope::root("plural");
    tasks.start_cancellable("serve", async move { axum::serve(listener, routes).await.unwrap() });
    (address, tasks)
}

#[tokio::test]
async fn who_speaks_behind_a_shared_account_is_asked_for() {
    let (address, tasks) = plural_kit().await;
    let rose = || (false, "pk:memab".to_owned(), vec!["pk:sysab".to_owned(), ids::ANA.to_owned()]);
    let program = || (true, ids::BEN.to_owned(), Vec::new());
    for (section, expected) in [
        (json!({ "pluralkit": { "enabled": true, "token": "secret" } }), rose()),
        (json!({ "pluralkit": { "token": "secret" } }), program()),
    ] {
        let mut world = World::start().await;
        world.plural = Some(address.clone());
        let mut ours = world.connect(section.clone()).await.unwrap();
        let (mut heard, _ended) = ours.listen();
        let written = json!({ "content": "hi", "webhook_id": "1600000000000000001", "application_id": null });
        world.fake.say_more(ids::GENERAL, ids::BEN, &written);
        let from = next(&mut heard).await.from;
        assert_eq!((from.bot, from.id.as_str().to_owned(), from.also), expected, "{section}");
        ours.context.tasks.cancel();
    }
    tasks.cancel();
}
