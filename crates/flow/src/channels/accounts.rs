//! The accounts of all platforms: started, stopped, looked at, and brought in step with the configuration.
//!
//! A change of one account leaves the lines of the others alone: an account is made again only when the fingerprint of
//! what its line depends on has changed. `supervise` keeps a line up; nothing is sent or received here.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use openclaw_config::sections::{ChannelsSection, RawConfig};
use openclaw_ports::channel::{
    AccountCredentials, AccountPlan, ChannelDescriptor, ChannelError, ChannelKind, ConfigFault, Health,
    Identity, Resolver, Sink,
};
use openclaw_ports::stores::StateStore;
use openclaw_ports::{Clock, Deadline, TaskScope};
use openclaw_types::{AccountId, ApprovalRules, ChannelId, DoorRules, WritingRules};
use serde_json::Value;
use tokio::sync::watch;

use super::AccountSlots;
use super::line::{AccountConnection, AccountStatus};
use super::own_part;
use super::supervise::{Watched, supervise};
use super::webhook::{Called, Hook};

/// How long a line has to end when it is told to.
const ENDING: Duration = Duration::from_secs(5);
/// How often the lines can be looked at, at most.
const LOOK: Duration = Duration::from_secs(60);
/// How long a line may say that it tries by itself before it is made again.
const BY_ITSELF: Duration = Duration::from_secs(300);

/// What the channel_accounts is put together from.
pub struct AccountsParts {
    /// The platforms.
    pub kinds: Vec<Box<dyn ChannelKind>>,
    /// Finds what sections only refer to.
    pub resolver: Arc<dyn Resolver>,
    /// Keeps small things of accounts.
    pub state: Arc<dyn StateStore>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Where lines hang.
    pub tasks: TaskScope,
    /// The folder of what is fetched.
    pub media: PathBuf,
    /// The address under which the gateway can be reached from outside.
    pub public_url: Option<String>,
}

/// The accounts of all platforms. Cloning is cheap.
#[derive(Clone)]
pub struct Accounts(Arc<Inside>);

/// What supervisors share.
pub(super) struct Inside {
    pub(super) parts: AccountsParts,
    lines: Mutex<BTreeMap<Key, AccountConnection>>,
    /// Counts up when a line comes up or goes down.
    changes: watch::Sender<u64>,
    sink: OnceLock<Arc<dyn Sink>>,
    /// How often the lines are looked at; nothing means never.
    look_every: Mutex<Option<Duration>>,
}

/// A platform and our login there.
pub(super) type Key = (ChannelId, AccountId);

/// Something wrong in the section of a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionFault {
    /// The platform.
    pub channel: String,
    /// What.
    pub fault: ConfigFault,
}

/// There is no such account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no such account; `openclaw channels list` shows those there are")]
pub struct NoSuchAccount;

/// What stages need to know about an account.
#[derive(Clone)]
pub(crate) struct AccountView {
    pub(crate) descriptor: &'static ChannelDescriptor,
    pub(crate) door: Arc<DoorRules>,
    pub(crate) manner: Arc<WritingRules>,
    pub(crate) identity: Option<Identity>,
    pub(crate) default_to: Option<String>,
}

impl Accounts {
    /// A channel_accounts without accounts.
    #[must_use]
    pub fn new(parts: AccountsParts) -> Self {
        let changes = watch::Sender::new(0);
        let look_every = Mutex::new(Some(LOOK));
        Self(Arc::new(Inside { parts, lines: Mutex::default(), changes, sink: OnceLock::new(), look_every }))
    }

    /// Says where events go. Once, before the first account.
    pub(crate) fn open(&self, sink: Arc<dyn Sink>) {
        if self.0.sink.set(sink).is_err() {
            tracing::error!(subsystem = "channels", "the channel_accounts has a sink already");
            return;
        }
        let inside = Arc::clone(&self.0);
        self.0.parts.tasks.start_cancellable("channel health", async move {
            let clock = Arc::clone(&inside.parts.clock);
            let mut last = clock.elapsed();
            loop {
                clock.sleep(LOOK).await;
                let every = *inside.look_every.lock().unwrap_or_else(PoisonError::into_inner);
                if every.is_some_and(|every| clock.elapsed().saturating_sub(last) >= every) {
                    last = clock.elapsed();
                    inside.look();
                }
            }
        });
    }

    /// Says how often the lines are looked at; nothing means never.
    pub(crate) fn look_every(&self, every: Option<Duration>) {
        *self.0.look_every.lock().unwrap_or_else(PoisonError::into_inner) = every;
    }

    /// Brings the accounts in step with the configuration: starts the new, ends those that are gone, makes those again
    /// whose line depends on something that changed. Gives what is wrong in the sections.
    pub async fn apply(&self, raw: &RawConfig) -> Vec<SectionFault> {
        let (inside, sections) = (Arc::clone(&self.0), raw.channels.clone());
        let usual_media = raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref()?.media_max_mb);
        // Secrets may be in files, or with programs that take their time.
        let reading = tokio::task::spawn_blocking(move || wanted(&inside.parts, &sections, usual_media));
        let (wanted, faults) = match reading.await {
            Ok(read) => read,
            Err(error) => {
                tracing::error!(subsystem = "channels", %error, "the accounts could not be read; they stay as they are");
                return Vec::new();
            }
        };
        let gone: Vec<Key> =
            self.0.lines().keys().filter(|key| !wanted.contains_key(*key)).cloned().collect();
        for key in gone {
            self.0.end(&key).await;
            self.0.lines().remove(&key);
        }
        for (key, (descriptor, plan, written)) in wanted {
            if self.0.plan(&key, descriptor, plan, written) {
                self.0.end(&key).await;
                self.0.begin(&key);
            }
        }
        // Some follow settings that no line depends on.
        self.0.announce();
        faults
    }

    /// Keeps the line of an account up, from now on. One that is down is tried at once, also where its credentials were
    /// not accepted before.
    ///
    /// # Errors
    /// There is no such account.
    pub async fn start(&self, channel: &ChannelId, account: &AccountId) -> Result<(), NoSuchAccount> {
        let key = (channel.clone(), account.clone());
        let is_up = self.0.lines().get(&key).ok_or(NoSuchAccount)?.live.is_some();
        if !is_up {
            self.0.end(&key).await;
            self.0.begin(&key);
        }
        Ok(())
    }

    /// Takes the line of an account down, until `start`, a change of its configuration, or the next start.
    ///
    /// # Errors
    /// There is no such account.
    pub async fn stop(&self, channel: &ChannelId, account: &AccountId) -> Result<(), NoSuchAccount> {
        let key = (channel.clone(), account.clone());
        if !self.0.lines().contains_key(&key) {
            return Err(NoSuchAccount);
        }
        self.0.end(&key).await;
        Ok(())
    }

    /// Asks the platform how a line is; nothing where that cannot be asked.
    ///
    /// # Errors
    /// What the platform said.
    pub async fn probe(
        &self,
        channel: &ChannelId,
        account: &AccountId,
        patience: Duration,
    ) -> Result<Option<Value>, ChannelError> {
        let Some(probe) = self.surface(channel, account).and_then(|surface| surface.probe.clone()) else {
            return Ok(None);
        };
        let clock = self.0.parts.clock.as_ref();
        match Deadline::after(clock, patience).bound(clock, probe.probe()).await {
            Ok(answer) => answer.map(Some),
            Err(_late) => Err(ChannelError::Unreachable {
                reason: "no answer in time".to_owned(),
                landed: openclaw_ports::channel::Landed::Maybe,
            }),
        }
    }

    /// Whose platform brings events to a path of ours over HTTP.
    #[must_use]
    pub fn called(&self, path: &str) -> Called {
        let lines = self.0.lines();
        let mut meant = lines.iter().filter(|(_, line)| line.hook_path() == Some(path)).peekable();
        if meant.peek().is_none() {
            return Called::Nobody;
        }
        let hooks: Vec<Hook> = meant
            .filter_map(|((channel, account), line)| {
                let webhook = line.live.as_ref()?.webhook.clone()?;
                Some(Hook {
                    channel: channel.clone(),
                    account: account.clone(),
                    webhook,
                    sink: self.0.sink()?,
                })
            })
            .collect();
        if hooks.is_empty() { Called::Down } else { Called::Up(hooks) }
    }

    /// How all accounts are, by platform; the default one of each comes first.
    #[must_use]
    pub fn status(&self) -> Vec<AccountStatus> {
        let lines = self.0.lines();
        let mut all: Vec<(&Key, &AccountConnection)> = lines.iter().collect();
        all.sort_by_key(|((channel, _), line)| (channel.as_str(), !line.plan.is_default));
        all.into_iter().map(|((channel, account), line)| line.status(channel, account)).collect()
    }

    /// The platforms there are.
    #[must_use]
    pub fn kinds(&self) -> Vec<&'static ChannelDescriptor> {
        self.0.parts.kinds.iter().map(|kind| kind.descriptor()).collect()
    }

    /// What accounts of a platform sign in with.
    #[must_use]
    pub fn credentials_of(&self, channel: &ChannelId) -> AccountCredentials {
        self.kind(channel.as_str()).map(|kind| kind.credentials()).unwrap_or_default()
    }

    /// The platform of a name or another name of it.
    pub(crate) fn kind(&self, name: &str) -> Option<&dyn ChannelKind> {
        let name = name.trim().to_lowercase();
        let all = self.0.parts.kinds.iter().map(AsRef::as_ref);
        all.into_iter().find(|kind| kind.descriptor().is_called(&name))
    }

    /// Who may talk as a platform reads it in these settings, whatever its accounts say.
    pub(crate) fn door_in(&self, kind: &dyn ChannelKind, settings: &Value) -> DoorRules {
        let (plans, _faults) = kind.accounts(settings, self.0.parts.resolver.as_ref());
        plans.into_iter().next().map(|plan| plan.door).unwrap_or_default()
    }

    /// The accounts of a platform, the default one first.
    pub(crate) fn accounts_of(&self, channel: &ChannelId) -> Vec<AccountId> {
        let lines = self.0.lines();
        let mut all: Vec<(&Key, &AccountConnection)> =
            lines.iter().filter(|((each, _), _)| each == channel).collect();
        all.sort_by_key(|(_, line)| !line.plan.is_default);
        all.into_iter().map(|((_, account), _)| account.clone()).collect()
    }

    pub(crate) fn view(&self, channel: &ChannelId, account: &AccountId) -> Option<AccountView> {
        let lines = self.0.lines();
        let line = lines.get(&(channel.clone(), account.clone()))?;
        Some(AccountView {
            descriptor: line.descriptor,
            door: Arc::clone(&line.door),
            manner: Arc::clone(&line.plan.manner),
            identity: line.diary.identity.clone(),
            default_to: line.plan.default_to.clone(),
        })
    }

    /// What an account can do now; nothing while its line is down.
    pub(crate) fn surface(&self, channel: &ChannelId, account: &AccountId) -> Option<Arc<AccountSlots>> {
        self.0.lines().get(&(channel.clone(), account.clone())).and_then(|line| line.live.clone())
    }

    /// What only the platform of an account knows to do, as its line said when it was up last.
    pub(crate) fn own_actions(&self, channel: &ChannelId, account: &AccountId) -> Vec<&'static str> {
        let lines = self.0.lines();
        lines
            .get(&(channel.clone(), account.clone()))
            .map(|line| line.diary.actions.clone())
            .unwrap_or_default()
    }

    /// Every account that says who is asked about commands, and what it says.
    pub(super) fn asking(&self) -> Vec<(ChannelId, AccountId, ApprovalRules)> {
        let lines = self.0.lines();
        let asking = |((channel, account), line): (&Key, &AccountConnection)| {
            let rules = line.door.approvals.clone().filter(|_| line.wants_to_run())?;
            Some((channel.clone(), account.clone(), rules))
        };
        lines.iter().filter_map(asking).collect()
    }

    /// Everything that is up.
    pub(super) fn live(&self) -> Vec<(ChannelId, AccountId, Arc<AccountSlots>)> {
        let lines = self.0.lines();
        let up = |((channel, account), line): (&Key, &AccountConnection)| {
            Some((channel.clone(), account.clone(), Arc::clone(line.live.as_ref()?)))
        };
        lines.iter().filter_map(up).collect()
    }

    /// Keeps small things.
    pub(crate) fn state(&self) -> &dyn StateStore {
        self.0.parts.state.as_ref()
    }

    /// Where tasks of the lines hang.
    pub(super) fn tasks(&self) -> &TaskScope {
        &self.0.parts.tasks
    }

    /// Hears of every line that comes up or goes down, and of new settings.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes.subscribe()
    }

    pub(crate) fn note_inbound(&self, channel: &ChannelId, account: &AccountId) {
        let now = self.0.parts.clock.now();
        self.0.change(&(channel.clone(), account.clone()), |line| line.diary.last_inbound_at = Some(now));
    }

    /// Notes why an event of an account was not taken, so that its platform brings it again and again; nothing once one
    /// was.
    pub(crate) fn note_stuck(&self, channel: &ChannelId, account: &AccountId, why: Option<String>) {
        self.0.change(&(channel.clone(), account.clone()), |line| line.diary.stuck = why);
    }

    pub(crate) fn note_outbound(&self, channel: &ChannelId, account: &AccountId, error: Option<String>) {
        let now = self.0.parts.clock.now();
        self.0.change(&(channel.clone(), account.clone()), |line| match error {
            None => line.diary.last_outbound_at = Some(now),
            Some(error) => line.diary.last_error = Some(error),
        });
    }
}

impl Inside {
    pub(super) fn sink(&self) -> Option<Arc<dyn Sink>> {
        self.sink.get().cloned()
    }

    /// Changes a line, if it is still that one.
    pub(super) fn change(&self, key: &Key, change: impl FnOnce(&mut AccountConnection)) {
        if let Some(line) = self.lines().get_mut(key) {
            change(line);
        }
    }

    /// Changes a line that a supervisor keeps up, unless another one does by now.
    pub(super) fn change_watched(&self, watched: &Watched, change: impl FnOnce(&mut AccountConnection)) {
        self.change(&watched.key, |line| {
            if line.generation == watched.generation {
                change(line);
            }
        });
    }

    pub(super) fn health(&self, watched: &Watched, health: Health) {
        let now = self.parts.clock.now();
        self.change_watched(watched, |line| line.hear(health, now));
        self.announce();
    }

    /// Tells those who wait that a line came up or went down.
    pub(super) fn announce(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    fn lines(&self) -> MutexGuard<'_, BTreeMap<Key, AccountConnection>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what the configuration says about an account. Gives whether its line must be made again.
    fn plan(
        &self,
        key: &Key,
        descriptor: &'static ChannelDescriptor,
        plan: AccountPlan,
        written: u64,
    ) -> bool {
        let mut lines = self.lines();
        if let Some(line) = lines.get_mut(key) {
            return line.replan(plan, written);
        }
        lines.insert(key.clone(), AccountConnection::new(descriptor, plan, written));
        true
    }

    fn begin(self: &Arc<Self>, key: &Key) {
        let now = self.parts.clock.now();
        let mut lines = self.lines();
        let Some(line) = lines.get_mut(key).filter(|line| line.scope.is_none() && line.wants_to_run()) else {
            return;
        };
        let Some(account) = line.account.clone() else { return };
        let scope = self.parts.tasks.child("account");
        line.scope = Some(scope.clone());
        line.generation += 1;
        line.diary.last_start_at = Some(now);
        line.diary.trouble = None;
        line.diary.turned_away = false;
        line.diary.attempts = 0;
        let watched = Watched {
            key: key.clone(),
            generation: line.generation,
            account,
            scope: scope.clone(),
            again: Arc::clone(&line.again),
        };
        drop(lines);
        let inside = Arc::clone(self);
        scope.start("account", async move { supervise(inside, watched).await });
    }

    async fn end(&self, key: &Key) {
        let now = self.parts.clock.now();
        let scope = {
            let mut lines = self.lines();
            let Some(line) = lines.get_mut(key) else { return };
            let Some(scope) = line.scope.take() else { return };
            line.generation += 1;
            line.live = None;
            line.diary.last_stop_at = Some(now);
            line.diary.trouble = None;
            line.diary.down_since = None;
            scope
        };
        self.announce();
        scope.cancel();
        let clock = self.parts.clock.as_ref();
        if let Err(left) = scope.join(clock, Deadline::after(clock, ENDING)).await {
            tracing::warn!(subsystem = "channels", channel = %key.0, account = %key.1, %left, "a line does not end");
        }
    }

    /// Makes connections anew whose adapter has failed for too long.
    fn look(&self) {
        let now = self.parts.clock.now();
        for ((channel, account), line) in self.lines().iter_mut() {
            let stuck = line.diary.down_since.is_some_and(|since| now.since(since) >= BY_ITSELF);
            if stuck && line.live.is_some() {
                tracing::warn!(subsystem = "channels", %channel, %account, "the line is down for long; it is made again");
                line.diary.down_since = Some(now);
                line.again.notify_one();
            }
        }
    }
}

/// An account that the configuration has: its platform, what it needs, and what is written about it.
type Wanted = (&'static ChannelDescriptor, AccountPlan, u64);

/// The accounts that the configuration has, and what is wrong in its sections. Waits for whoever keeps secrets.
fn wanted(
    parts: &AccountsParts,
    sections: &ChannelsSection,
    usual_media: Option<f64>,
) -> (BTreeMap<Key, Wanted>, Vec<SectionFault>) {
    let mut faults = Vec::new();
    let mut wanted = BTreeMap::new();
    for kind in &parts.kinds {
        let descriptor = kind.descriptor();
        let Some(mut section) = sections.meant(descriptor.id) else { continue };
        if let (Some(most), Some(keys)) = (usual_media, section.as_object_mut()) {
            keys.entry("mediaMaxMb").or_insert_with(|| most.into());
        }
        let Ok(channel) = ChannelId::new(descriptor.id) else { continue };
        let (plans, wrong) = kind.accounts(&section, parts.resolver.as_ref());
        let named = wrong.into_iter().map(|fault| SectionFault { channel: descriptor.id.to_owned(), fault });
        faults.extend(named);
        for plan in plans {
            let written = written(&section, &plan.id);
            wanted.insert((channel.clone(), plan.id.clone()), (descriptor, plan, written));
        }
    }
    (wanted, faults)
}

/// Tells what the configuration says about one account from what it said before: its own settings, and those that all
/// accounts of the section share.
fn written(section: &Value, account: &AccountId) -> u64 {
    let own = own_part(section, account).map(|(_, own)| own.to_string());
    let shared = section.as_object().into_iter().flatten().filter(|(name, _)| *name != "accounts");
    let mut hasher = DefaultHasher::new();
    own.hash(&mut hasher);
    shared.for_each(|(name, value)| (name, value.to_string()).hash(&mut hasher));
    hasher.finish()
}
