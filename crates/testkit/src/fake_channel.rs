//! A platform in memory: brings what a test says, remembers what it is sent, and fails as it is told to.
//!
//! Its section is `{"accounts": {"<id>": {"token", "enabled", "dmPolicy", "allowFrom", "groupPolicy", "requireMention",
//! "textLimit", "replyToMode", "streaming", "blockStreaming", "threadsInherit", "rooms"}}}`; without `accounts` the section is the account
//! `default`, with them what stands beside them holds for each. With `"webhook": "/path"` an account hears over HTTP there
//! instead of over a line. An account whose token is `revoked` is never let in; one without a token is not ready.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::channel::{
    Account, AccountCredentials, AccountPlan, ActionRequest, Actions, Albums, Capability, ChannelContext,
    ChannelDescriptor, ChannelError, ChannelKind, ConfigFault, DeleteMessage, Draft, EditMessage, FetchMedia,
    Fetched, Health, HealthSink, Identity, Measure, NotTaken, React, Readiness, Receive, RepeatSafety,
    Requester, Resolver, SendMessage, Sent, Sink, Surface, Threads, Typing,
};
use openclaw_types::{
    AccountId, AllowList, ApprovalRules, ChannelId, ChatKind, ChatPlace, DoorRules, EventId, Inbound,
    InboundKind, MediaKind, MediaRef, MessageId, Outgoing, PeerId, Person, PiecePayload, Receipt,
    ReplyToMode, RichText, RoomName, RoomRule, SendTarget, ThreadId, UnixMillis, WritingRules,
};
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

mod letterbox;
mod lookup;
#[cfg(test)]
mod tests;

use letterbox::Letterbox;
use lookup::Board;

static DESCRIPTOR: ChannelDescriptor = ChannelDescriptor {
    id: "fake",
    aliases: &["pretend"],
    label: "Fake",
    blurb: "A platform in memory, for tests.",
    chats: &[ChatKind::Direct, ChatKind::Group],
    capabilities: &[
        Capability::Receive,
        Capability::Webhook,
        Capability::Send,
        Capability::Edit,
        Capability::Delete,
        Capability::React,
        Capability::Typing,
        Capability::Draft,
        Capability::SendMedia,
        Capability::FetchMedia,
        Capability::Buttons,
        Capability::Reply,
        Capability::Polls,
        Capability::Threads,
        Capability::Actions,
        Capability::Directory,
        Capability::NativeCommands,
    ],
    measure: Measure::PlainUtf16,
    most: 4_000,
    caption_most: 1_000,
    albums: Some(Albums { most: 3, family: pictures }),
    repeats: RepeatSafety::Findable,
    hints: "",
    format: plain,
};

fn plain(text: &RichText) -> String {
    text.text().to_owned()
}

/// A platform in memory. Cloning gives another hand on the same one.
#[derive(Clone, Default)]
pub struct FakePlatform(Arc<State>);

#[derive(Default)]
struct State {
    lines: Mutex<BTreeMap<AccountId, Line>>,
    changed: Notify,
    sent: Mutex<Vec<Outgoing>>,
    /// How many pieces were taken in all.
    taken: watch::Sender<usize>,
    /// What sending does next, first come first served; afterwards it works.
    failures: Mutex<VecDeque<SendFailure>>,
    /// What looking for a piece does next; afterwards it works.
    blindness: Mutex<VecDeque<ChannelError>>,
    /// From when on pieces were looked for.
    looks: Mutex<Vec<UnixMillis>>,
    signs: Mutex<Vec<String>>,
    /// What messages say now that were changed; nothing for those that were taken back.
    changed_words: Mutex<BTreeMap<MessageId, Option<String>>>,
    /// How long the next change of a message has to wait.
    edit_pause: Mutex<Option<Duration>>,
    /// How often changing a message is refused.
    stubborn: Mutex<u32>,
    /// What the next deeds beside sending come to: changes, reactions, threads and the platform's own.
    mishaps: Mutex<VecDeque<ChannelError>>,
    files: Mutex<BTreeMap<String, Vec<u8>>>,
    /// Whether tokens cannot be read.
    locked: AtomicBool,
    /// Files that are given only when they are there.
    slow_files: Mutex<BTreeSet<String>>,
    connects: Mutex<BTreeMap<AccountId, u32>>,
    menus: Mutex<BTreeMap<AccountId, Vec<String>>>,
}

struct Line {
    sink: Arc<dyn Sink>,
    health: Arc<dyn HealthSink>,
    broken: Arc<Notify>,
    error: Arc<Mutex<Option<ChannelError>>>,
}

/// How sending fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendFailure {
    /// The platform does not take the piece.
    Before(ChannelError),
    /// The platform takes the piece, and then the line breaks.
    After(ChannelError),
    /// The adapter itself breaks.
    Panic,
}

impl FakePlatform {
    /// A platform where nothing has happened.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The platform, for a channel_accounts.
    #[must_use]
    pub fn kind(&self) -> Box<dyn ChannelKind> {
        Box::new(self.clone())
    }

    /// A message of somebody in a direct chat with an account.
    #[must_use]
    pub fn direct(account: &str, from: &str, event: &str, text: &str, at: UnixMillis) -> Inbound {
        let peer = PeerId::new(from).expect("a name");
        Inbound {
            channel: ChannelId::new("fake").expect("a name"),
            account: AccountId::new(account).expect("a name"),
            event: EventId::new(event).expect("a name"),
            message: MessageId::new(format!("m-{event}")).ok(),
            at,
            place: ChatPlace::new(ChatKind::Direct, peer.clone(), from),
            from: Person::new(peer),
            kind: InboundKind::Message,
            text: text.to_owned(),
            attention: openclaw_types::Attention::default(),
            reply: None,
            forwarded: None,
            media: Vec::new(),
            facts: Vec::new(),
            bundle: None,
            moved: None,
        }
    }

    /// A message of somebody in a room.
    #[must_use]
    pub fn in_room(account: &str, room: &str, mut event: Inbound) -> Inbound {
        event.account = AccountId::new(account).expect("a name");
        event.place.kind = ChatKind::Group;
        event.place.id = PeerId::new(room).expect("a name");
        event.place.to = room.to_owned();
        event.attention.can_mention = true;
        event
    }

    /// Brings an event; waits until the account's line is up.
    ///
    /// # Errors
    /// It was not taken.
    pub async fn receive(&self, event: Inbound) -> Result<(), NotTaken> {
        let sink = loop {
            let changed = self.0.changed.notified();
            if let Some(line) = lock(&self.0.lines).get(&event.account) {
                break Arc::clone(&line.sink);
            }
            changed.await;
        };
        sink.take(vec![event]).await
    }

    /// Breaks the line of an account.
    pub fn break_line(&self, account: &str, error: ChannelError) {
        let account = AccountId::new(account).expect("a name");
        if let Some(line) = lock(&self.0.lines).remove(&account) {
            *lock(&line.error) = Some(error);
            line.broken.notify_one();
        }
    }

    /// Says that the line of an account is up or down, as an adapter does.
    pub fn tell(&self, account: &str, health: Health) {
        let account = AccountId::new(account).expect("a name");
        if let Some(line) = lock(&self.0.lines).get(&account) {
            line.health.tell(health);
        }
    }

    /// Forgets all lines, as when the process at their other end is gone.
    pub fn hang_up(&self) {
        lock(&self.0.lines).clear();
    }

    /// Whether the line of an account is up.
    #[must_use]
    pub fn is_up(&self, account: &str) -> bool {
        lock(&self.0.lines).keys().any(|each| each.as_str() == account)
    }

    /// How often an account was connected.
    #[must_use]
    pub fn connects(&self, account: &str) -> u32 {
        lock(&self.0.connects)
            .iter()
            .find(|(each, _)| each.as_str() == account)
            .map_or(0, |(_, count)| *count)
    }

    /// What sending does next.
    pub fn fail(&self, failure: SendFailure) {
        lock(&self.0.failures).push_back(failure);
    }

    /// What the next deed beside sending comes to.
    pub fn fail_deed(&self, error: ChannelError) {
        lock(&self.0.mishaps).push_back(error);
    }

    /// What looking for a piece does next.
    pub fn fail_looking(&self, error: ChannelError) {
        lock(&self.0.blindness).push_back(error);
    }

    /// From when on pieces were looked for, in order.
    #[must_use]
    pub fn looks(&self) -> Vec<UnixMillis> {
        lock(&self.0.looks).clone()
    }

    /// Sending works again.
    pub fn forgive(&self) {
        lock(&self.0.failures).clear();
    }

    /// Puts a file there that can be fetched.
    pub fn file(&self, handle: &str, bytes: &[u8]) {
        lock(&self.0.files).insert(handle.to_owned(), bytes.to_vec());
        self.0.changed.notify_waiters();
    }

    /// From now on tokens cannot be read, as when the place they are kept in does not answer.
    pub fn hide_tokens(&self) {
        self.0.locked.store(true, Ordering::Relaxed);
    }

    /// Whoever fetches this file waits until it is put there.
    pub fn slow_file(&self, handle: &str) {
        lock(&self.0.slow_files).insert(handle.to_owned());
    }

    /// Everything that was taken, in order.
    #[must_use]
    pub fn sent(&self) -> Vec<Outgoing> {
        lock(&self.0.sent).clone()
    }

    /// How many pieces were taken in all, those that are forgotten included.
    #[must_use]
    pub fn sent_count(&self) -> usize {
        *self.0.taken.borrow()
    }

    /// Waits until so many pieces were taken in all.
    pub async fn until_sent(&self, count: usize) {
        let mut taken = self.0.taken.subscribe();
        taken.wait_for(|taken| *taken >= count).await.expect("the platform is there");
    }

    /// Forgets what was sent.
    pub fn forget_sent(&self) {
        lock(&self.0.sent).clear();
    }

    /// The words that were sent to a conversation, in order.
    #[must_use]
    pub fn words_to(&self, to: &str) -> Vec<String> {
        let sent = lock(&self.0.sent);
        sent.iter().filter(|piece| piece.target.to == to).map(|piece| words(&piece.payload)).collect()
    }

    /// What people see in a conversation: messages that were changed say their last words, those taken back are gone.
    #[must_use]
    pub fn screen(&self, to: &str) -> Vec<String> {
        let changed = lock(&self.0.changed_words);
        let sent = lock(&self.0.sent);
        let there = sent.iter().filter(|piece| piece.target.to == to);
        let seen = there.filter_map(|piece| match changed.get(&Hand::receipt(piece).message) {
            Some(words) => words.clone(),
            None => Some(words(&piece.payload)),
        });
        seen.collect()
    }

    /// The next change of a message comes too early.
    pub fn limit_edit(&self, after: Duration) {
        *lock(&self.0.edit_pause) = Some(after);
    }

    /// The next changes of messages are refused.
    pub fn refuse_edits(&self, count: u32) {
        *lock(&self.0.stubborn) = count;
    }

    /// Waits until so many messages went to a conversation, and gives their words.
    pub async fn told(&self, to: &str, count: usize) -> Vec<String> {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let words = self.words_to(to);
            if words.len() >= count {
                return words;
            }
            changed.await;
        }
    }

    /// Waits until the menu of an account is as wanted, and gives the names of its commands.
    pub async fn menu(&self, account: &str, wanted: impl Fn(&[String]) -> bool) -> Vec<String> {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let menus = lock(&self.0.menus).clone();
            if let Some((_, menu)) = menus.iter().find(|(id, menu)| id.as_str() == account && wanted(menu)) {
                return menu.clone();
            }
            changed.await;
        }
    }

    /// Reactions, edits and typing signs, one line for each.
    #[must_use]
    pub fn signs(&self) -> Vec<String> {
        lock(&self.0.signs).clone()
    }
}

/// Pictures go together, and nothing else.
fn pictures(kind: MediaKind, _media_type: &str) -> Option<&'static str> {
    (kind == MediaKind::Image).then_some("pictures")
}

fn words(payload: &PiecePayload) -> String {
    match payload {
        PiecePayload::Text { text } => text.text().to_owned(),
        PiecePayload::Media { file, caption, .. } => format!("<{}> {}", file.name, caption.text()),
        PiecePayload::Album { items, caption } => {
            let names: Vec<&str> = items.iter().map(|item| item.file.name.as_str()).collect();
            format!("<{}> {}", names.join(" "), caption.text())
        }
        PiecePayload::Poll(poll) => poll.question.clone(),
        PiecePayload::Panel(panel) => panel.text.text().to_owned(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ChannelKind for FakePlatform {
    fn descriptor(&self) -> &'static ChannelDescriptor {
        &DESCRIPTOR
    }

    fn accounts(&self, section: &Value, _resolver: &dyn Resolver) -> (Vec<AccountPlan>, Vec<ConfigFault>) {
        let Some(root) = section.as_object() else { return (Vec::new(), Vec::new()) };
        let mut shared = root.clone();
        shared.remove("accounts");
        let Some(accounts) = root.get("accounts").and_then(Value::as_object) else {
            return (self.plan("default", &Value::Object(shared)).into_iter().collect(), Vec::new());
        };
        let mut faults = Vec::new();
        let mut plans = Vec::new();
        for (id, settings) in accounts {
            let mut whole = shared.clone();
            whole.extend(settings.as_object().cloned().unwrap_or_default());
            match self.plan(id, &Value::Object(whole)) {
                Some(plan) => plans.push(plan),
                None => faults.push(ConfigFault {
                    path: format!("accounts.{id}"),
                    message: "this is no name of an account".to_owned(),
                }),
            }
        }
        (plans, faults)
    }

    fn form(&self) -> Value {
        serde_json::json!({ "type": "object" })
    }

    fn contradictions(&self, _section: &Value) -> Vec<ConfigFault> {
        Vec::new()
    }

    fn target(&self, text: &str) -> Result<String, String> {
        let text = text.trim().trim_start_matches("fake:");
        if text.is_empty() { Err("name somebody".to_owned()) } else { Ok(text.to_owned()) }
    }

    fn credentials(&self) -> AccountCredentials {
        AccountCredentials { keys: &["token"], variables: &["FAKE_TOKEN"] }
    }

    fn place(&self, target: &SendTarget) -> Option<ChatPlace> {
        let kind = if target.to.starts_with('-') { ChatKind::Group } else { ChatKind::Direct };
        let place = ChatPlace::new(kind, PeerId::new(target.to.as_str()).ok()?, target.to.clone());
        Some(ChatPlace { thread: target.thread.clone(), ..place })
    }
}

/// Who is asked about commands: `approvers`, `target`, `cleanupAfterResolve`.
fn approvals(written: &Value) -> Option<ApprovalRules> {
    let ids = written.get("approvers")?.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned);
    Some(ApprovalRules {
        approvers: ids.collect(),
        ask: serde_json::from_value(written["target"].clone()).unwrap_or_default(),
        tidy: written["cleanupAfterResolve"] == true,
        ..ApprovalRules::default()
    })
}

impl FakePlatform {
    fn plan(&self, id: &str, settings: &Value) -> Option<AccountPlan> {
        let word = |name: &str| settings.get(name).and_then(Value::as_str);
        let read = |name: &str| settings.get(name).cloned().unwrap_or(Value::Null);
        let list = |name: &str| {
            let ids = settings.get(name)?.as_array()?.iter().filter_map(Value::as_str);
            // As real platforms do, ids may be written with the platform in front.
            let ids = ids.map(|id| id.trim_start_matches("fake:").to_owned()).collect();
            Some(AllowList { ids, names: Vec::new() })
        };
        let mut manner = WritingRules::with_limit(
            settings.get("textLimit").and_then(Value::as_u64).map_or(2_000, |limit| limit as usize),
        );
        if let Ok(mode) = serde_json::from_value::<ReplyToMode>(read("replyToMode")) {
            manner.reply_to = vec![(ChatKind::Direct, mode), (ChatKind::Group, mode)];
        }
        manner.draft = serde_json::from_value(read("streaming")).unwrap_or_default();
        manner.config_writes = settings.get("configWrites").and_then(Value::as_bool).unwrap_or(true);
        let turns = settings.get("dmHistoryLimit").and_then(Value::as_u64);
        manner.history.direct = turns.and_then(|turns| usize::try_from(turns).ok());
        manner.blocks = settings.get("blockStreaming").and_then(Value::as_bool);
        if let Some(most) = settings.get("mediaMaxMb").and_then(Value::as_f64) {
            manner.media_bytes = (most * 1024.0 * 1024.0) as u64;
        }
        manner.threads_inherit = settings.get("threadsInherit").and_then(Value::as_bool).unwrap_or(false);
        let is_locked = self.0.locked.load(Ordering::Relaxed);
        let token = word("token").filter(|_| !is_locked).unwrap_or_default().to_owned();
        let account = AccountId::new(id).ok()?;
        Some(AccountPlan {
            id: account.clone(),
            name: word("name").map(str::to_owned),
            is_default: id == word("defaultAccount").unwrap_or("default"),
            enabled: settings.get("enabled").and_then(Value::as_bool).unwrap_or(true),
            ready: match token.is_empty() {
                true => Readiness::Missing(format!("set channels.fake.accounts.{id}.token")),
                false => Readiness::Ready,
            },
            door: DoorRules {
                dm: serde_json::from_value(read("dmPolicy")).unwrap_or_default(),
                allow_from: list("allowFrom").unwrap_or_default(),
                group_allow_from: list("groupAllowFrom"),
                group: serde_json::from_value(read("groupPolicy")).unwrap_or_default(),
                rooms: rooms(&read("rooms")),
                require_mention: settings.get("requireMention").and_then(Value::as_bool).unwrap_or(true),
                approvals: approvals(&read("execApprovals")),
                ..DoorRules::default()
            },
            manner,
            default_to: word("defaultTo").map(str::to_owned),
            facts: BTreeMap::new(),
            fingerprint: fingerprint(&format!("{token}\0{}", word("webhook").unwrap_or_default())),
            account: (!token.is_empty()).then(|| {
                let hook = word("webhook").map(str::to_owned);
                Box::new(FakeAccount { platform: self.clone(), token, hook }) as Box<dyn Account>
            }),
        })
    }
}

/// Rooms with rules of their own, by their id.
fn rooms(settings: &Value) -> Vec<RoomRule> {
    let all = settings.as_object().into_iter().flatten();
    let rule = |value: &Value| serde_json::from_value(value.clone()).ok();
    let rules = all.map(|(id, room)| RoomRule {
        room: RoomName::Id(id.clone()),
        tools: room.get("tools").and_then(rule),
        tools_by_sender: room
            .get("toolsBySender")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter_map(|(sender, value)| Some((sender.clone(), rule(value)?)))
            .collect(),
        system_prompt: room.get("systemPrompt").and_then(Value::as_str).map(str::to_owned),
        ..RoomRule::default()
    });
    rules.collect()
}

fn fingerprint(token: &str) -> String {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    token.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

struct FakeAccount {
    platform: FakePlatform,
    token: String,
    /// Where it hears over HTTP, if it does.
    hook: Option<String>,
}

#[async_trait]
impl Account for FakeAccount {
    async fn connect(&self, context: ChannelContext) -> Result<Surface, ChannelError> {
        *lock(&self.platform.0.connects).entry(context.account.clone()).or_default() += 1;
        match self.token.as_str() {
            "revoked" => {
                return Err(ChannelError::Unauthorized { reason: "the token is unknown".to_owned() });
            }
            "panics" => panic!("an adapter that breaks"),
            _ => {}
        }
        let identity = Identity {
            id: PeerId::new("bot").expect("a name"),
            handle: Some("bot".to_owned()),
            name: None,
            facts: json!({}),
        };
        context.health.tell(Health::Connected(identity.clone()));
        let hand = Arc::new(Hand { platform: self.platform.clone(), media: context.media.clone() });
        let mut surface = Surface::empty(identity);
        let account = context.account.clone();
        surface.menu = Some(Arc::new(Board { platform: self.platform.clone(), account }));
        match &self.hook {
            Some(path) => {
                let (path, token, account) = (path.clone(), self.token.clone(), context.account);
                surface.webhook = Some(Arc::new(Letterbox { path, token, account }));
            }
            None => surface.receive = Some(Box::new(Ear { platform: self.platform.clone(), context })),
        }
        surface.send = Some(hand.clone());
        surface.sends =
            [Capability::SendMedia, Capability::Buttons, Capability::Reply, Capability::Polls].into();
        surface.edit = Some(hand.clone());
        surface.delete = Some(hand.clone());
        surface.react = Some(hand.clone());
        surface.typing = Some(hand.clone());
        surface.draft = Some(hand.clone());
        surface.threads = Some(hand.clone());
        surface.actions = Some(hand.clone());
        surface.directory = Some(hand.clone());
        surface.fetch = Some(hand);
        Ok(surface)
    }
}

struct Ear {
    platform: FakePlatform,
    context: ChannelContext,
}

#[async_trait]
impl Receive for Ear {
    async fn run(self: Box<Self>, sink: Arc<dyn Sink>) -> Result<(), ChannelError> {
        let broken = Arc::new(Notify::new());
        let error = Arc::new(Mutex::new(None));
        let health = Arc::clone(&self.context.health);
        let line = Line { sink, health, broken: broken.clone(), error: error.clone() };
        lock(&self.platform.0.lines).insert(self.context.account.clone(), line);
        self.platform.0.changed.notify_waiters();
        tokio::select! {
            () = broken.notified() => {}
            () = self.context.tasks.cancelled() => {
                lock(&self.platform.0.lines).remove(&self.context.account);
            }
        }
        let error = lock(&error).take();
        error.map_or(Ok(()), Err)
    }
}

struct Hand {
    platform: FakePlatform,
    media: PathBuf,
}

impl Hand {
    /// What was arranged for the next deed.
    fn mishap(&self) -> Result<(), ChannelError> {
        lock(&self.platform.0.mishaps).pop_front().map_or(Ok(()), Err)
    }

    fn receipt(piece: &Outgoing) -> Receipt {
        Receipt { message: MessageId::new(format!("sent-{}", piece.key)).expect("a name"), moved_to: None }
    }

    fn keep(&self, piece: &Outgoing) {
        lock(&self.platform.0.sent).push(piece.clone());
        self.platform.0.taken.send_modify(|taken| *taken += 1);
        self.platform.0.changed.notify_waiters();
    }

    fn note(&self, line: String) {
        lock(&self.platform.0.signs).push(line);
    }
}

#[async_trait]
impl SendMessage for Hand {
    async fn send(&self, piece: &Outgoing) -> Result<Receipt, ChannelError> {
        match lock(&self.platform.0.failures).pop_front() {
            Some(SendFailure::Panic) => panic!("an adapter that breaks"),
            Some(SendFailure::Before(error)) => return Err(error),
            Some(SendFailure::After(error)) => {
                self.keep(piece);
                return Err(error);
            }
            None => {}
        }
        self.keep(piece);
        Ok(Self::receipt(piece))
    }

    async fn find(&self, piece: &Outgoing, since: UnixMillis) -> Result<Sent, ChannelError> {
        lock(&self.platform.0.looks).push(since);
        if let Some(error) = lock(&self.platform.0.blindness).pop_front() {
            return Err(error);
        }
        let there = lock(&self.platform.0.sent).iter().any(|sent| sent.key == piece.key);
        Ok(if there { Sent::Yes(Self::receipt(piece)) } else { Sent::No })
    }
}

#[async_trait]
impl EditMessage for Hand {
    async fn edit(
        &self,
        target: &SendTarget,
        message: &MessageId,
        text: &RichText,
    ) -> Result<(), ChannelError> {
        self.mishap()?;
        if let Some(after) = lock(&self.platform.0.edit_pause).take() {
            return Err(ChannelError::RateLimited { after });
        }
        let mut stubborn = lock(&self.platform.0.stubborn);
        if *stubborn > 0 {
            *stubborn -= 1;
            return Err(ChannelError::Refused { reason: "it cannot be changed".to_owned() });
        }
        self.note(format!("edit {} {message}: {}", target.to, text.text()));
        lock(&self.platform.0.changed_words).insert(message.clone(), Some(text.text().to_owned()));
        Ok(())
    }
}

#[async_trait]
impl DeleteMessage for Hand {
    async fn delete(&self, target: &SendTarget, message: &MessageId) -> Result<(), ChannelError> {
        self.mishap()?;
        self.note(format!("delete {} {message}", target.to));
        lock(&self.platform.0.changed_words).insert(message.clone(), None);
        Ok(())
    }
}

/// Words that are no message yet, for those whose name begins with `sketch`.
#[async_trait]
impl Draft for Hand {
    fn works(&self, target: &SendTarget) -> bool {
        target.to.starts_with("sketch")
    }

    async fn draft(&self, target: &SendTarget, number: u64, text: &RichText) -> Result<(), ChannelError> {
        self.note(format!("draft {} {number}: {}", target.to, text.text()));
        Ok(())
    }

    async fn withdraw(&self, target: &SendTarget) -> Result<(), ChannelError> {
        self.note(format!("withdraw {}", target.to));
        Ok(())
    }
}

#[async_trait]
impl Threads for Hand {
    async fn create(
        &self,
        target: &SendTarget,
        name: &str,
        _at: Option<&MessageId>,
    ) -> Result<ThreadId, ChannelError> {
        if name.trim().is_empty() {
            return Err(ChannelError::Wrong { reason: "a thread needs a name".to_owned() });
        }
        self.mishap()?;
        self.note(format!("thread {} {name}", target.to));
        Ok(ThreadId::new(format!("thread-{name}")).expect("a name"))
    }
}

#[async_trait]
impl Actions for Hand {
    fn names(&self) -> &[&'static str] {
        &["pin", "kick", "sticker"]
    }

    async fn act(&self, request: ActionRequest) -> Result<Value, ChannelError> {
        if !self.names().contains(&request.name.as_str()) {
            return Err(ChannelError::Wrong { reason: format!("{} cannot be done", request.name) });
        }
        self.mishap()?;
        let to = request.target.map(|target| target.to).unwrap_or_default();
        let wish = match request.requester {
            Some(Requester::Person(who)) => format!(" for {who}"),
            Some(Requester::Operator) => " for an operator".to_owned(),
            None => String::new(),
        };
        self.note(format!("{} {to}{wish}", request.name));
        Ok(json!({ "ok": true, "did": request.name }))
    }
}

#[async_trait]
impl React for Hand {
    fn carries_several(&self) -> bool {
        true
    }

    async fn react(&self, target: &SendTarget, message: &MessageId, emoji: &str) -> Result<(), ChannelError> {
        self.mishap()?;
        self.note(format!("react {} {message} {emoji}", target.to));
        Ok(())
    }

    async fn unreact(
        &self,
        target: &SendTarget,
        message: &MessageId,
        emoji: Option<&str>,
    ) -> Result<(), ChannelError> {
        self.mishap()?;
        self.note(format!("unreact {} {message} {}", target.to, emoji.unwrap_or("all")));
        Ok(())
    }
}

#[async_trait]
impl Typing for Hand {
    async fn typing(&self, target: &SendTarget) -> Result<(), ChannelError> {
        self.note(format!("typing {}", target.to));
        Ok(())
    }

    fn lasts(&self) -> Duration {
        Duration::from_secs(6)
    }
}

#[async_trait]
impl FetchMedia for Hand {
    async fn fetch(&self, media: &MediaRef, limit: u64) -> Result<Fetched, ChannelError> {
        let state = &self.platform.0;
        let bytes = loop {
            let changed = state.changed.notified();
            let bytes = lock(&state.files).get(&media.handle).cloned();
            if bytes.is_some() || !lock(&state.slow_files).contains(&media.handle) {
                break bytes;
            }
            changed.await;
        };
        let refused = |reason: &str| ChannelError::Refused { reason: reason.to_owned() };
        let bytes = bytes.ok_or_else(|| refused("there is no such file"))?;
        if bytes.len() as u64 > limit {
            return Err(refused("it is too large"));
        }
        let failed = |error: std::io::Error| refused(&error.to_string());
        std::fs::create_dir_all(&self.media).map_err(failed)?;
        let path = self.media.join(&media.handle);
        std::fs::write(&path, &bytes).map_err(failed)?;
        Ok(Fetched { path, bytes: bytes.len() as u64, media_type: None, name: media.name.clone() })
    }
}
