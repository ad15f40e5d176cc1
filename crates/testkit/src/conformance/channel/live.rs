//! What is proven on a line, with the other side that the platform's test gives.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::channel::{
    Capability, ChannelContext, ChannelDescriptor, ChannelError, ChannelKind, Health, HealthSink, NotTaken,
    RepeatSafety, Resolver, Sent, Sink, Surface,
};
use openclaw_ports::{Deadline, SystemClock, TaskScope};
use openclaw_types::{
    AccountId, ChannelId, Inbound, Outgoing, PiecePayload, RichText, Secret, SendTarget, UnixMillis,
};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::state::Values;
use super::{ChannelProof, Peer, Trouble};
use crate::{AsWritten, TempHome};

/// How long the other side may take for anything.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a line may take to end that was told to.
const LEAVE: Duration = Duration::from_secs(3);

/// What one case connects with; the state outlives a line, as it does in the gateway.
pub(super) struct Ground {
    kind: Box<dyn ChannelKind>,
    around: Around,
    state: Arc<Values>,
    told: Arc<Told>,
    home: TempHome,
}

/// A line that is up.
pub(super) struct Up {
    pub(super) surface: Surface,
    pub(super) tasks: TaskScope,
}

impl Ground {
    pub(super) fn new(proof: &dyn ChannelProof, peer: &dyn Peer) -> Self {
        let (state, told) = (Arc::default(), Arc::default());
        Self { kind: proof.kind(), around: Around(peer.variables()), state, told, home: TempHome::new() }
    }

    pub(super) async fn connect(&self, section: &Value) -> Result<Up, ChannelError> {
        let (plans, faults) = self.kind.accounts(section, &self.around);
        assert_eq!(faults, [], "the peer's section is in order");
        let plan = plans.iter().find(|plan| plan.account.is_some()).expect("the peer's section is ready");
        let tasks = TaskScope::root("line");
        let context = ChannelContext {
            account: plan.id.clone(),
            clock: Arc::new(SystemClock::new()),
            tasks: tasks.clone(),
            state: self.state.clone(),
            namespace: format!("channel/{}/{}", self.kind.descriptor().id, plan.id),
            health: self.told.clone(),
            media: self.media(),
            public_url: Some("https://gateway.example".to_owned()),
        };
        let account = plan.account.as_ref().expect("it was looked for");
        let surface = within(account.connect(context)).await?;
        Ok(Up { surface, tasks })
    }

    /// The host was told that the line is up and who we are, whichever way events come in.
    pub(super) fn knows_that_it_is_up(&self, up: &Up) {
        let told = self.told.0.lock().expect("nobody broke it").clone();
        let connected = Health::Connected(up.surface.identity.clone());
        assert!(told.contains(&connected), "the host is told that the line is up and who we are: {told:?}");
    }

    pub(super) fn descriptor(&self) -> &'static ChannelDescriptor {
        self.kind.descriptor()
    }

    /// The account's folder for files.
    pub(super) fn media(&self) -> PathBuf {
        self.home.path("media")
    }

    /// A file to send.
    pub(super) fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.home.path(name);
        std::fs::write(&path, bytes).expect("the home is writable");
        path.display().to_string()
    }

    pub(super) fn piece(&self, key: &str, to: &str, text: &str) -> Outgoing {
        let channel = ChannelId::new(self.kind.descriptor().id).expect("an id");
        let account = AccountId::new("default").expect("an id");
        Outgoing {
            key: key.to_owned(),
            target: SendTarget { channel, account, to: to.to_owned(), thread: None },
            payload: PiecePayload::Text { text: RichText::plain(text) },
            reply: None,
            silent: false,
            link_preview: false,
            buttons: Vec::new(),
        }
    }
}

/// The environment: what leads to the other side, and secrets as they are written.
struct Around(Vec<(&'static str, String)>);

impl Resolver for Around {
    fn variable(&self, name: &str) -> Option<Secret<String>> {
        let (_, value) = self.0.iter().find(|(each, _)| *each == name)?;
        Some(Secret::new(value.clone()))
    }

    fn file(&self, path: &str) -> Result<Secret<String>, String> {
        AsWritten.file(path)
    }

    fn secret(&self, value: &Value) -> Result<Secret<String>, String> {
        AsWritten.secret(value)
    }
}

#[derive(Default)]
struct Told(Mutex<Vec<Health>>);

impl HealthSink for Told {
    fn tell(&self, health: Health) {
        self.0.lock().expect("nobody broke it").push(health);
    }
}

pub(super) async fn within<T>(work: impl Future<Output = T>) -> T {
    let clock = SystemClock::new();
    Deadline::after(&clock, PATIENCE).bound(&clock, work).await.expect("the other side answers in time")
}

/// Takes events, after it has failed a number of times.
pub(super) struct Picky {
    failures: AtomicUsize,
    offered: mpsc::UnboundedSender<(Inbound, Taken)>,
}

/// Whether an event was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Yes,
    No,
}

impl Picky {
    pub(super) fn new(failures: usize) -> (Arc<Self>, mpsc::UnboundedReceiver<(Inbound, Taken)>) {
        let (offered, seen) = mpsc::unbounded_channel();
        (Arc::new(Self { failures: AtomicUsize::new(failures), offered }), seen)
    }
}

#[async_trait]
impl Sink for Picky {
    async fn take(&self, events: Vec<Inbound>) -> Result<(), NotTaken> {
        let fails = self
            .failures
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
            .is_ok();
        let taken = if fails { Taken::No } else { Taken::Yes };
        for event in events {
            self.offered.send((event, taken)).map_err(|_closed| NotTaken)?;
        }
        if fails { Err(NotTaken) } else { Ok(()) }
    }
}

impl Up {
    /// Begins to hear; the end of the line comes over the channel.
    pub(super) fn listen(&mut self, sink: Arc<dyn Sink>) -> oneshot::Receiver<Result<(), ChannelError>> {
        let receive = self.surface.receive.take().expect("it hears over a line");
        let (end, ended) = oneshot::channel();
        self.tasks.start("receive", async move {
            let outcome = receive.run(sink).await;
            // A case that has seen enough does not wait for the end.
            drop(end.send(outcome));
        });
        ended
    }
}

/// A connected account can do what its platform declares, and says who it is.
pub async fn declared_capabilities_are_the_filled_slots(proof: &dyn ChannelProof) {
    let peer = within(proof.peer()).await;
    let ground = Ground::new(proof, peer.as_ref());
    let up = ground.connect(&peer.section()).await.expect("the line comes up");
    let declared: BTreeSet<Capability> = ground.kind.descriptor().capabilities.iter().copied().collect();
    let mut filled = up.surface.capabilities();
    // An account hears over a line or over HTTP, as its settings say.
    let ways = [Capability::Receive, Capability::Webhook];
    assert_eq!(ways.iter().filter(|way| filled.contains(*way)).count(), 1, "there is one way in");
    filled.extend(ways.into_iter().filter(|way| declared.contains(way)));
    assert_eq!(filled, declared);
    ground.knows_that_it_is_up(&up);
    up.tasks.cancel();
}

/// What was sent is there, once, and has a name.
pub async fn a_piece_gets_a_receipt_and_is_seen(proof: &dyn ChannelProof) {
    let peer = within(proof.peer()).await;
    let ground = Ground::new(proof, peer.as_ref());
    let mut up = ground.connect(&peer.section()).await.expect("the line comes up");
    let (sink, _offered) = Picky::new(0);
    let _ended = up.listen(sink);
    let send = up.surface.send.clone().expect("it sends");
    for text in ["first words", "second: wörter <b>&amp; *more*"] {
        let piece = ground.piece(&format!("run/{}", text.len()), &peer.to(), text);
        let receipt = within(send.send(&piece)).await.expect("the platform takes it");
        assert!(!receipt.message.as_str().is_empty());
        assert_eq!(within(peer.seen(text)).await, 1, "{text:?} is seen once");
        if ground.kind.descriptor().repeats == RepeatSafety::Findable {
            let found = within(send.find(&piece, UnixMillis(0))).await.expect("the platform answers");
            assert_eq!(found, Sent::Yes(receipt), "what is there is found");
            let never = ground.piece("run/never", &peer.to(), "never said");
            let found = within(send.find(&never, UnixMillis(0))).await.expect("the platform answers");
            assert_eq!(found, Sent::No, "what is not there is not found");
        }
    }
    up.tasks.cancel();
}

/// The host is told what to do about trouble by the kind of the error.
pub async fn trouble_becomes_typed_errors(proof: &dyn ChannelProof) {
    for trouble in [Trouble::Unauthorized, Trouble::RateLimited, Trouble::Refused] {
        let peer = within(proof.peer()).await;
        let Some(arranged) = within(peer.arrange(trouble)).await else { continue };
        let ground = Ground::new(proof, peer.as_ref());
        let error = match (ground.connect(&arranged.section).await, &arranged.to) {
            (Err(error), None) => error,
            (Ok(_), None) => panic!("connecting worked in spite of {trouble:?}"),
            (Err(error), Some(_)) => panic!("the line does not come up: {error}"),
            (Ok(mut up), Some(to)) => {
                let (sink, _offered) = Picky::new(0);
                let _ended = up.surface.receive.is_some().then(|| up.listen(sink));
                let send = up.surface.send.clone().expect("it sends");
                let error = within(send.send(&ground.piece("run/1", to, "hello"))).await;
                up.tasks.cancel();
                error.expect_err("sending worked in spite of trouble")
            }
        };
        let right = match &error {
            ChannelError::Unauthorized { .. } => trouble == Trouble::Unauthorized,
            ChannelError::RateLimited { after } => trouble == Trouble::RateLimited && !after.is_zero(),
            ChannelError::Refused { .. } => trouble == Trouble::Refused,
            _ => false,
        };
        assert!(right, "{trouble:?} became {error:?}");
        assert!(!format!("{error} {error:?}").contains("planted-"), "an error tells a secret: {error}");
    }
}

/// An event whose sink failed is offered again, over the same line or the next, under the same id, before later ones.
pub async fn what_was_not_kept_comes_again(proof: &dyn ChannelProof) {
    let peer = within(proof.peer()).await;
    let ground = Ground::new(proof, peer.as_ref());
    let (sink, mut offered) = Picky::new(1);
    let mut up = ground.connect(&peer.section()).await.expect("the line comes up");
    let mut ended = up.listen(sink.clone());
    within(peer.say("keep this")).await;
    let mut all: Vec<(Inbound, Taken)> = Vec::new();
    let kept = within(async {
        loop {
            tokio::select! {
                Some((event, taken)) = offered.recv() => {
                    all.push((event.clone(), taken));
                    if taken == Taken::Yes && event.text.contains("keep this") {
                        return event;
                    }
                }
                // A line may end when its events are not kept; the host makes it again.
                _ = &mut ended => {
                    up.tasks.cancel();
                    up = ground.connect(&peer.section()).await.expect("the line comes up again");
                    ended = up.listen(sink.clone());
                }
            }
        }
    })
    .await;
    let first = &all.first().expect("it was offered").0;
    assert_eq!(first.event, kept.event, "it has the same id when it comes again: {all:?}");
    up.tasks.cancel();
}

/// A line that is told to end does so, though nothing happens on it.
pub async fn a_line_that_is_cancelled_ends_at_once(proof: &dyn ChannelProof) {
    let peer = within(proof.peer()).await;
    let ground = Ground::new(proof, peer.as_ref());
    let mut up = ground.connect(&peer.section()).await.expect("the line comes up");
    let (sink, mut offered) = Picky::new(0);
    let ended = up.listen(sink);
    within(peer.say("are you there?")).await;
    within(offered.recv()).await.expect("it hears");
    up.tasks.cancel();
    let clock = SystemClock::new();
    let ended = Deadline::after(&clock, LEAVE).bound(&clock, ended).await.expect("the line ends at once");
    assert_eq!(ended.expect("it ended by itself"), Ok(()), "being told to end is no fault");
    let left = up.tasks.join(&clock, Deadline::after(&clock, LEAVE)).await;
    assert_eq!(left, Ok(()), "nothing of the line goes on");
}
