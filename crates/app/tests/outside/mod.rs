//! A platform outside of the gateway, for tests of the whole process: the server is the test, the adapter is compiled into
//! the test's own gateway. Lines of JSON over TCP.
//!
//! `{"hear": account, "token"}` opens a line on which the server writes `{"event", "from", "text"}` and the adapter answers
//! `{"ack": event}` when it was taken. `{"send": key, "to", "text"}` on a line of its own is answered by `{"id"}` or
//! `{"limited": milliseconds}`; `{"change": id, "text"}` changes a message, without words it takes it back. `from` names
//! somebody, a room (`room1`) or a thread of it (`room1/thread2`), and answers go there. The platform drops a piece whose key it has seen, or shows it again and answers
//! `{"find": key}` with `{"id"}` or `{"none": true}`, as it was started. An account whose token is `revoked` is turned away,
//! one whose token is `breaks` has an adapter that panics.
#![allow(dead_code, reason = "each test file uses its own part of this")]

mod platform;

pub(crate) use platform::{Platform, Repeats, TestMessage};

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::channel::{
    Account, AccountPlan, Capability, ChannelContext, ChannelDescriptor, ChannelError, ChannelKind,
    ConfigFault, DeleteMessage, EditMessage, Health, Identity, Landed, Measure, Readiness, Receive,
    RepeatSafety, Resolver, SendMessage, Sent, Sink, Surface,
};
use openclaw_types::{
    AccountId, AllowList, Attention, ChannelId, ChatKind, ChatPlace, DmPolicy, DoorRules, DraftMode, EventId,
    GroupPolicy, Inbound, InboundKind, MessageId, Outgoing, PeerId, Person, PiecePayload, Receipt, RichText,
    SendTarget, ThreadId, UnixMillis, WritingRules,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// The platform that drops repeats, as the gateway is given it.
pub(crate) fn platforms() -> Vec<Box<dyn ChannelKind>> {
    vec![Box::new(Outside(&DROPPING))]
}

/// The platform that can be asked what is there, as the gateway is given it.
pub(crate) fn findable_platforms() -> Vec<Box<dyn ChannelKind>> {
    vec![Box::new(Outside(&FINDABLE))]
}

struct Outside(&'static ChannelDescriptor);

static DROPPING: ChannelDescriptor = described(RepeatSafety::Dropped);
static FINDABLE: ChannelDescriptor = described(RepeatSafety::Findable);

const fn described(repeats: RepeatSafety) -> ChannelDescriptor {
    ChannelDescriptor {
        id: "outside",
        aliases: &[],
        label: "Outside",
        blurb: "A platform outside of the gateway, for tests.",
        chats: &[ChatKind::Direct, ChatKind::Group],
        capabilities: &[Capability::Receive, Capability::Send, Capability::Edit, Capability::Delete],
        measure: Measure::MarkupChars,
        most: 4_000,
        caption_most: 0,
        albums: None,
        repeats,
        hints: "",
        format: plain,
    }
}

fn plain(text: &RichText) -> String {
    text.text().to_owned()
}

impl ChannelKind for Outside {
    fn descriptor(&self) -> &'static ChannelDescriptor {
        self.0
    }

    fn accounts(&self, section: &Value, resolver: &dyn Resolver) -> (Vec<AccountPlan>, Vec<ConfigFault>) {
        let address = section["address"].as_str().unwrap_or_default().to_owned();
        let accounts = section["accounts"].as_object().into_iter().flatten();
        let plans = accounts.filter_map(|(id, settings)| {
            let token = match settings["tokenFile"].as_str() {
                Some(path) => resolver.file(path).ok()?.reveal().clone(),
                None => settings["token"].as_str()?.to_owned(),
            };
            let login = Login { address: address.clone(), token };
            Some(AccountPlan {
                id: AccountId::new(id).ok()?,
                name: None,
                is_default: false,
                enabled: true,
                ready: Readiness::Ready,
                door: DoorRules {
                    dm: DmPolicy::Open,
                    allow_from: AllowList { ids: vec!["*".to_owned()], names: Vec::new() },
                    group: GroupPolicy::Open,
                    ..DoorRules::default()
                },
                manner: WritingRules {
                    blocks: Some(settings["show"] == json!("blocks")),
                    draft: if settings["show"] == json!("drafts") {
                        DraftMode::Partial
                    } else {
                        DraftMode::Off
                    },
                    ..WritingRules::with_limit(3_000)
                },
                default_to: None,
                facts: BTreeMap::new(),
                fingerprint: login.token.clone(),
                account: Some(Box::new(login)),
            })
        });
        (plans.collect(), Vec::new())
    }

    fn form(&self) -> Value {
        serde_json::json!({ "type": "object" })
    }

    fn contradictions(&self, _section: &Value) -> Vec<ConfigFault> {
        Vec::new()
    }

    fn target(&self, text: &str) -> Result<String, String> {
        Ok(text.trim().trim_start_matches("outside:").to_owned())
    }

    fn credentials(&self) -> openclaw_ports::channel::AccountCredentials {
        openclaw_ports::channel::AccountCredentials::default()
    }

    fn place(&self, _target: &openclaw_types::SendTarget) -> Option<openclaw_types::ChatPlace> {
        None
    }
}

#[derive(Clone)]
struct Login {
    address: String,
    token: String,
}

/// A line to the platform.
struct Line {
    stream: BufReader<TcpStream>,
}

fn gone(landed: Landed) -> impl Fn(std::io::Error) -> ChannelError {
    move |error| ChannelError::Unreachable { reason: error.to_string(), landed }
}

impl Line {
    async fn open(address: &str) -> Result<Self, ChannelError> {
        let stream = TcpStream::connect(address).await.map_err(gone(Landed::No))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    async fn say(&mut self, value: &Value) -> Result<(), ChannelError> {
        self.stream.write_all(format!("{value}\n").as_bytes()).await.map_err(gone(Landed::Maybe))
    }

    async fn hear(&mut self) -> Result<Value, ChannelError> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line).await.map_err(gone(Landed::Maybe))?;
        let broken = || std::io::Error::other("the platform hung up");
        if read == 0 {
            return Err(gone(Landed::Maybe)(broken()));
        }
        serde_json::from_str(&line).map_err(|_json| gone(Landed::Maybe)(broken()))
    }
}

#[async_trait]
impl Account for Login {
    async fn connect(&self, context: ChannelContext) -> Result<Surface, ChannelError> {
        assert_ne!(self.token, "breaks", "an adapter that breaks");
        let mut line = Line::open(&self.address).await?;
        line.say(&json!({ "hear": context.account, "token": self.token })).await?;
        let welcome = line.hear().await?;
        if welcome["welcome"] != json!(true) {
            return Err(ChannelError::Unauthorized { reason: "the token was revoked".to_owned() });
        }
        let identity =
            Identity { id: PeerId::new("bot").unwrap(), handle: None, name: None, facts: Value::Null };
        context.health.tell(Health::Connected(identity.clone()));
        let mut surface = Surface::empty(identity);
        surface.send = Some(Arc::new(self.clone()));
        surface.edit = Some(Arc::new(self.clone()));
        surface.delete = Some(Arc::new(self.clone()));
        surface.receive = Some(Box::new(Ear { line, context }));
        Ok(surface)
    }
}

struct Ear {
    line: Line,
    context: ChannelContext,
}

#[async_trait]
impl Receive for Ear {
    async fn run(mut self: Box<Self>, sink: Arc<dyn Sink>) -> Result<(), ChannelError> {
        let tasks = self.context.tasks.clone();
        let work = async {
            loop {
                let said = self.line.hear().await?;
                let (Some(event), Some(from)) = (said["event"].as_str(), said["from"].as_str()) else {
                    continue;
                };
                let text = said["text"].as_str().unwrap_or_default();
                let heard = inbound(&self.context, event, from, text);
                // What is not taken is not acknowledged; the line ends and the platform brings it again.
                sink.take(vec![heard]).await.map_err(|not_taken| ChannelError::Unreachable {
                    reason: not_taken.to_string(),
                    landed: Landed::No,
                })?;
                self.line.say(&json!({ "ack": event })).await?;
            }
        };
        // What is being taken when the line is cut was not acknowledged.
        tokio::select! {
            ended = work => ended,
            () = tasks.cancelled() => Ok(()),
        }
    }
}

fn inbound(context: &ChannelContext, event: &str, from: &str, text: &str) -> Inbound {
    let peer = PeerId::new(from.replace('/', "-")).unwrap();
    let (room, thread) = from.split_once('/').map_or((from, None), |(room, thread)| (room, Some(thread)));
    let place = match room.starts_with("room") {
        true => ChatPlace {
            thread: thread.map(|thread| ThreadId::new(thread).unwrap()),
            ..ChatPlace::new(ChatKind::Group, PeerId::new(room).unwrap(), room)
        },
        false => ChatPlace::new(ChatKind::Direct, peer.clone(), from),
    };
    Inbound {
        channel: ChannelId::new("outside").unwrap(),
        account: context.account.clone(),
        event: EventId::new(event).unwrap(),
        message: MessageId::new(event).ok(),
        at: context.clock.now(),
        place,
        from: Person::new(peer),
        kind: InboundKind::Message,
        text: text.to_owned(),
        attention: Attention::default(),
        reply: None,
        forwarded: None,
        media: Vec::new(),
        facts: Vec::new(),
        bundle: None,
        moved: None,
    }
}

#[async_trait]
impl SendMessage for Login {
    async fn send(&self, piece: &Outgoing) -> Result<Receipt, ChannelError> {
        let PiecePayload::Text { text } = &piece.payload else {
            return Err(ChannelError::Wrong { reason: "words only".to_owned() });
        };
        let mut line = Line::open(&self.address).await?;
        let to = match &piece.target.thread {
            Some(thread) => format!("{}/{thread}", piece.target.to),
            None => piece.target.to.clone(),
        };
        line.say(&json!({ "send": piece.key, "to": to, "text": text.text() })).await?;
        let answer = line.hear().await?;
        match (answer["id"].as_str(), answer["limited"].as_u64()) {
            (Some(id), _) => Ok(Receipt { message: MessageId::new(id).unwrap(), moved_to: None }),
            (None, Some(after)) => Err(ChannelError::RateLimited { after: Duration::from_millis(after) }),
            (None, None) => Err(ChannelError::Refused { reason: "no".to_owned() }),
        }
    }

    async fn find(&self, piece: &Outgoing, _since: UnixMillis) -> Result<Sent, ChannelError> {
        let mut line = Line::open(&self.address).await?;
        line.say(&json!({ "find": piece.key })).await?;
        let answer = line.hear().await?;
        match (answer["id"].as_str(), answer["limited"].as_u64()) {
            (Some(id), _) => Ok(Sent::Yes(Receipt { message: MessageId::new(id).unwrap(), moved_to: None })),
            (None, Some(after)) => Err(ChannelError::RateLimited { after: Duration::from_millis(after) }),
            (None, None) => Ok(Sent::No),
        }
    }
}

impl Login {
    async fn change(&self, message: &MessageId, text: Option<&str>) -> Result<(), ChannelError> {
        let mut line = Line::open(&self.address).await?;
        line.say(&json!({ "change": message, "text": text })).await?;
        let answer = line.hear().await?;
        match (answer["ok"].as_bool(), answer["limited"].as_u64()) {
            (Some(true), _) => Ok(()),
            (_, Some(after)) => Err(ChannelError::RateLimited { after: Duration::from_millis(after) }),
            _ => Err(ChannelError::Refused { reason: "no such message".to_owned() }),
        }
    }
}

#[async_trait]
impl EditMessage for Login {
    async fn edit(
        &self,
        _target: &SendTarget,
        message: &MessageId,
        text: &RichText,
    ) -> Result<(), ChannelError> {
        self.change(message, Some(text.text())).await
    }
}

#[async_trait]
impl DeleteMessage for Login {
    async fn delete(&self, _target: &SendTarget, message: &MessageId) -> Result<(), ChannelError> {
        self.change(message, None).await
    }
}
