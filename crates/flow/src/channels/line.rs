//! One account: what the configuration says about it, how its line is, and what people are shown of that.
//!
//! Plain data behind the lock of `channel_accounts`; `supervise` writes how the line is, `Accounts::status` reads it.

use std::collections::BTreeMap;
use std::sync::Arc;

use openclaw_ports::TaskScope;
use openclaw_ports::channel::{
    Account, AccountPlan, Capability, ChannelDescriptor, Health, Identity, Readiness,
};
use openclaw_types::{AccountId, ChannelId, DmPolicy, DoorRules, NamedRoom, UnixMillis, WritingRules};
use serde_json::Value;
use tokio::sync::Notify;

use super::AccountSlots;

/// The fact under which an account that hears over HTTP says where.
const WEBHOOK_PATH: &str = "webhookPath";

/// How an account is, for people.
#[derive(Debug, Clone, PartialEq)]
pub struct AccountStatus {
    /// The platform.
    pub channel: ChannelId,
    /// Its name for people.
    pub label: &'static str,
    /// Our login there.
    pub account: AccountId,
    /// Its name for people.
    pub name: Option<String>,
    /// Whether it is to run.
    pub enabled: bool,
    /// Whether everything it needs is there.
    pub configured: bool,
    /// Whether it can sign in: everything is there, and the platform did not refuse it.
    pub linked: bool,
    /// Whether the gateway keeps its line up.
    pub running: bool,
    /// Whether its line is up.
    pub connected: bool,
    /// What is wrong, with what to do; nothing when all is well.
    pub trouble: Option<String>,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// When the gateway began to keep its line up.
    pub last_start_at: Option<UnixMillis>,
    /// When it stopped to.
    pub last_stop_at: Option<UnixMillis>,
    /// When the line came up last.
    pub last_connected_at: Option<UnixMillis>,
    /// When something came in last.
    pub last_inbound_at: Option<UnixMillis>,
    /// When something was sent last.
    pub last_outbound_at: Option<UnixMillis>,
    /// How often the line was made again since it was up for a while.
    pub reconnect_attempts: u32,
    /// Who we are there.
    pub identity: Option<Identity>,
    /// What the configuration says, without secrets.
    pub facts: BTreeMap<String, Value>,
    /// Who may write to it alone.
    pub dm: DmPolicy,
    /// Who always may, by id.
    pub allow_from: Vec<String>,
    /// What the platform can do.
    pub capabilities: &'static [Capability],
}

/// What the configuration says about an account, apart from how to connect it.
pub(super) struct ConnectionPlan {
    pub(super) name: Option<String>,
    pub(super) is_default: bool,
    pub(super) enabled: bool,
    pub(super) ready: Readiness,
    pub(super) door: DoorRules,
    pub(super) manner: Arc<WritingRules>,
    pub(super) default_to: Option<String>,
    pub(super) facts: BTreeMap<String, Value>,
    pub(super) fingerprint: String,
    /// Tells the settings as they are written from others.
    written: u64,
}

/// What happened to a line.
#[derive(Default)]
pub(super) struct Diary {
    pub(super) trouble: Option<String>,
    /// Whether the platform does not accept our credentials: nothing is tried until somebody changes something.
    pub(super) turned_away: bool,
    pub(super) limited: Option<String>,
    /// Why an event of the platform is not taken, which comes again and again.
    pub(super) stuck: Option<String>,
    pub(super) last_error: Option<String>,
    pub(super) last_start_at: Option<UnixMillis>,
    pub(super) last_stop_at: Option<UnixMillis>,
    pub(super) last_connected_at: Option<UnixMillis>,
    pub(super) last_inbound_at: Option<UnixMillis>,
    pub(super) last_outbound_at: Option<UnixMillis>,
    pub(super) down_since: Option<UnixMillis>,
    pub(super) attempts: u32,
    pub(super) identity: Option<Identity>,
    /// What only this platform knows to do.
    pub(super) actions: Vec<&'static str>,
}

/// One account.
pub(super) struct AccountConnection {
    pub(super) descriptor: &'static ChannelDescriptor,
    pub(super) plan: ConnectionPlan,
    /// The plan's rules, with the rooms that bore names when the line came up.
    pub(super) door: Arc<DoorRules>,
    named_rooms: Vec<NamedRoom>,
    pub(super) account: Option<Arc<dyn Account>>,
    /// Set while the gateway keeps the line up.
    pub(super) scope: Option<TaskScope>,
    /// Tells the supervisors of one account apart.
    pub(super) generation: u64,
    /// Set while the line is up.
    pub(super) live: Option<Arc<AccountSlots>>,
    /// Where the platform brought events over HTTP when the line was up last.
    pub(super) webhook_path: Option<String>,
    /// Asks the supervisor to make the line again.
    pub(super) again: Arc<Notify>,
    pub(super) diary: Diary,
}

impl AccountConnection {
    pub(super) fn new(descriptor: &'static ChannelDescriptor, plan: AccountPlan, written: u64) -> Self {
        let (plan, account) = split(plan, written);
        Self {
            descriptor,
            door: Arc::new(plan.door.pinned(&[])),
            named_rooms: Vec::new(),
            plan,
            account,
            scope: None,
            generation: 0,
            live: None,
            webhook_path: None,
            again: Arc::default(),
            diary: Diary::default(),
        }
    }

    /// Takes over what the configuration says now. Gives whether the line must be made again.
    pub(super) fn replan(&mut self, plan: AccountPlan, written: u64) -> bool {
        let (mut plan, account) = split(plan, written);
        // The same settings were enough before: a secret cannot be had at the moment. The line that is there goes on.
        let for_now = matches!(plan.ready, Readiness::Missing(_)) && plan.written == self.plan.written;
        if for_now && plan.enabled && self.plan.ready == Readiness::Ready {
            plan.ready = Readiness::Ready;
            plan.fingerprint.clone_from(&self.plan.fingerprint);
        }
        let same = self.plan.fingerprint == plan.fingerprint
            && self.plan.enabled == plan.enabled
            && self.plan.ready == plan.ready;
        self.plan = plan;
        self.pin(self.named_rooms.clone());
        if !same {
            self.account = account;
            self.webhook_path = None;
            self.diary.turned_away = false;
        }
        !same
    }

    /// Takes over which rooms bear the names that rules go by.
    pub(super) fn pin(&mut self, rooms: Vec<NamedRoom>) {
        self.door = Arc::new(self.plan.door.pinned(&rooms));
        self.named_rooms = rooms;
    }

    /// Where its platform brings events over HTTP, as far as that is known: from the line, or from what the settings
    /// say.
    pub(super) fn hook_path(&self) -> Option<&str> {
        let live = self.live.as_ref().and_then(|slots| slots.webhook.as_ref()).map(|webhook| webhook.path());
        let planned = || self.plan.facts.get(WEBHOOK_PATH).and_then(Value::as_str);
        live.or(self.webhook_path.as_deref()).or_else(planned)
    }

    /// Whether it can run and is to.
    pub(super) fn wants_to_run(&self) -> bool {
        self.plan.enabled && self.plan.ready == Readiness::Ready && self.account.is_some()
    }

    /// Notes how its adapter says the line is.
    pub(super) fn hear(&mut self, health: Health, now: UnixMillis) {
        let diary = &mut self.diary;
        match health {
            Health::Connected(identity) => {
                diary.identity = Some(identity);
                diary.turned_away = false;
                // What the line could not do before it went down is told anew when it still cannot.
                if diary.down_since.take().is_some() {
                    diary.limited = None;
                }
                diary.last_connected_at = Some(now);
                diary.trouble = None;
            }
            Health::Reconnecting { reason } => {
                diary.down_since.get_or_insert(now);
                diary.last_error = Some(reason);
            }
            Health::Limited { reason } => diary.limited = Some(reason),
        }
    }

    pub(super) fn status(&self, channel: &ChannelId, account: &AccountId) -> AccountStatus {
        let (plan, diary) = (&self.plan, &self.diary);
        AccountStatus {
            channel: channel.clone(),
            label: self.descriptor.label,
            account: account.clone(),
            name: plan.name.clone(),
            enabled: plan.enabled,
            configured: !matches!(plan.ready, Readiness::Missing(_)),
            linked: plan.ready == Readiness::Ready && !diary.turned_away,
            running: self.scope.is_some() && !diary.turned_away,
            connected: self.live.is_some() && diary.down_since.is_none(),
            trouble: self.trouble(),
            last_error: diary.last_error.clone(),
            last_start_at: diary.last_start_at,
            last_stop_at: diary.last_stop_at,
            last_connected_at: diary.last_connected_at,
            last_inbound_at: diary.last_inbound_at,
            last_outbound_at: diary.last_outbound_at,
            reconnect_attempts: diary.attempts,
            identity: diary.identity.clone(),
            facts: plan.facts.clone(),
            dm: plan.door.dm,
            allow_from: plan.door.allow_from.ids.clone(),
            capabilities: self.descriptor.capabilities,
        }
    }

    fn trouble(&self) -> Option<String> {
        match &self.plan.ready {
            Readiness::Missing(what) if self.plan.enabled => Some(format!("not configured: {what}")),
            _ => {
                let diary = &self.diary;
                diary.trouble.clone().or_else(|| diary.stuck.clone()).or_else(|| diary.limited.clone())
            }
        }
    }
}

fn split(plan: AccountPlan, written: u64) -> (ConnectionPlan, Option<Arc<dyn Account>>) {
    let AccountPlan {
        id: _,
        name,
        is_default,
        enabled,
        ready,
        door,
        manner,
        default_to,
        facts,
        fingerprint,
        account,
    } = plan;
    let manner = Arc::new(manner);
    (
        ConnectionPlan {
            name,
            is_default,
            enabled,
            ready,
            door,
            manner,
            default_to,
            facts,
            fingerprint,
            written,
        },
        account.map(Arc::from),
    )
}
