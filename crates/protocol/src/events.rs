//! Events: their payloads, and the one table of who gets them and what happens when a client is slow.
//!
//! An event is a unit type that ties its name to its payload, like a method. The table holds the rules of both dialects;
//! the gateway applies them. Payloads that belong to a method family are declared there and named here.

use openclaw_types::{Role, Scope, ScopeSet, UnixMillis};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::EncodeError;
use crate::frame::EventText;
use crate::hello::UpdateInfo;
use crate::methods::devices::PairingDecision;
use crate::methods::{approvals, cron, devices, health, nodes, system};
use crate::presence::PresenceEntry;
use crate::shape::{choices, object};
use crate::version::Dialect;

/// An event of the gateway.
pub trait Event {
    /// The name on the wire.
    const NAME: &'static str;
    /// What it carries.
    type Payload: DeserializeOwned + Serialize + JsonSchema + Send + 'static;

    /// Writes the payload, ready to be framed.
    ///
    /// # Errors
    /// When the payload cannot be written as JSON.
    fn text(payload: &Self::Payload) -> Result<EventText, EncodeError> {
        EventText::new(Self::NAME, payload)
    }
}

macro_rules! events {
    ($( $(#[doc = $doc:literal])* $name:ident = $text:literal : $payload:ty; )*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name;

        impl Event for $name {
            const NAME: &'static str = $text;
            type Payload = $payload;
        }
    )*};
}

events! {
    /// The nonce a client must sign; sent before anything else.
    ConnectChallenge = "connect.challenge": Challenge;
    /// A step of a run.
    Agent = "agent": AgentEvent;
    /// A run's answer as a chat shows it.
    Chat = "chat": ChatEvent;
    /// Who is connected now.
    Presence = "presence": PresencePayload;
    /// A sign of life.
    Tick = "tick": TickPayload;
    /// Live speech was switched.
    TalkMode = "talk.mode": TalkModePayload;
    /// The gateway is about to stop.
    Shutdown = "shutdown": ShutdownPayload;
    /// Health was looked at anew.
    Health = "health": health::HealthResult;
    /// A heartbeat ended.
    Heartbeat = "heartbeat": system::HeartbeatEvent;
    /// Something happened to a job.
    Cron = "cron": cron::CronEvent;
    /// A node asks to be paired.
    NodePairRequested = "node.pair.requested": nodes::PendingNode;
    /// A node was admitted or turned away.
    NodePairResolved = "node.pair.resolved": nodes::NodePairResolved;
    /// A node is asked to run a command.
    NodeInvokeRequest = "node.invoke.request": nodes::NodeInvokeRequest;
    /// A device asks to be paired.
    DevicePairRequested = "device.pair.requested": devices::PendingDevice;
    /// A device was admitted or turned away.
    DevicePairResolved = "device.pair.resolved": DevicePairResolvedPayload;
    /// The words that wake a listening device changed.
    VoicewakeChanged = "voicewake.changed": VoicewakePayload;
    /// A command waits for a person's answer.
    ExecApprovalRequested = "exec.approval.requested": approvals::ApprovalRequested;
    /// A command got its answer.
    ExecApprovalResolved = "exec.approval.resolved": approvals::ApprovalResolved;
    /// A newer release exists, or no longer does.
    UpdateAvailable = "update.available": UpdateAvailablePayload;
    /// A model or a sign-in failed, and another one was tried instead. Only this gateway has it.
    ModelsSwitch = "models.switch": ModelsSwitchPayload;
}

choices! {
    /// How far an answer is; `status` comes only to clients of protocol 4.
    ChatState { Status = "status", Delta = "delta", Final = "final", Aborted = "aborted", Error = "error" }
}

object! {
    /// Payload of `connect.challenge`.
    open Challenge {
        nonce: String,
        ts: UnixMillis,
        /// What newer clients may use before they connect (protocol 4).
        capabilities?: Vec<String>,
    }
    /// Payload of `agent`.
    open AgentEvent {
        run_id: String,
        /// Counts within the run, from 1.
        seq: u64,
        /// `lifecycle`, `assistant`, `tool`, `compaction`, `thinking`, `error`, and more in protocol 4.
        stream: String,
        ts: UnixMillis,
        data: Map<String, Value>,
        session_key?: String,
        agent_id?: String,
        session_id?: String,
        spawned_by?: String,
        is_heartbeat?: bool,
    }
    /// Payload of `chat`.
    open ChatEvent {
        run_id: String,
        session_key: String,
        seq: u64,
        state: ChatState,
        /// The whole text so far.
        message?: Value,
        error_message?: String,
        usage?: Value,
        stop_reason?: String,
        /// What was added since the last delta (protocol 4).
        delta_text?: String,
        /// The text does not extend the one before (protocol 4).
        replace?: bool,
        /// What a run does before its first word (protocol 4).
        phase?: String,
        agent_id?: String,
        spawned_by?: String,
        yielded?: bool,
        error_kind?: String,
        error_detail?: Value,
    }
    /// Payload of `presence`.
    open PresencePayload {
        presence: Vec<PresenceEntry>,
    }
    /// Payload of `tick`.
    #[derive(Eq)]
    open TickPayload {
        ts: UnixMillis,
    }
    /// Payload of `talk.mode`.
    #[derive(Eq)]
    open TalkModePayload {
        enabled: bool,
        phase: Option<String>,
        ts: UnixMillis,
    }
    /// Payload of `shutdown`.
    #[derive(Eq)]
    open ShutdownPayload {
        reason: String,
        /// When the gateway should be back; null when it stops for good.
        restart_expected_ms: Option<u64>,
    }
    /// Payload of `device.pair.resolved`.
    #[derive(Eq)]
    open DevicePairResolvedPayload {
        request_id: String,
        device_id: String,
        decision: PairingDecision,
        ts: UnixMillis,
    }
    /// Payload of `voicewake.changed`.
    #[derive(Eq)]
    open VoicewakePayload {
        triggers: Vec<String>,
    }
    /// Payload of `update.available`.
    open UpdateAvailablePayload {
        update_available: Option<UpdateInfo>,
    }
    /// A model and the sign-in it was called with.
    #[derive(Eq)]
    open ModelTried {
        /// `<vendor>/<model>`.
        model: String,
        /// The name of the sign-in; absent where none was chosen yet.
        profile?: String,
    }
    /// Payload of `models.switch`.
    #[derive(Eq)]
    open ModelsSwitchPayload {
        ts: UnixMillis,
        agent_id: String,
        session_key?: String,
        /// What failed.
        from: ModelTried,
        /// What was tried instead.
        to: ModelTried,
        /// Why, as one word such as `rate_limit`.
        reason: String,
        /// The same for people.
        message: String,
    }
}

/// What happens when a client's queue is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenSlow {
    /// The event is left out for this client.
    Drop,
    /// A chat delta is left out, because the next one repeats its text; any other state disconnects.
    DropDeltas,
    /// The client is disconnected, because it would show something wrong.
    Disconnect,
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct EventSpec {
    /// The name on the wire.
    pub name: &'static str,
    /// What happens when a client is slow.
    pub when_slow: WhenSlow,
    guard: [Option<Scope>; 2],
    schema: fn(&mut SchemaGenerator) -> Schema,
    check: fn(Value) -> Result<Value, serde_json::Error>,
}

impl EventSpec {
    const fn new<E: Event>(when_slow: WhenSlow) -> Self {
        Self {
            name: E::NAME,
            when_slow,
            guard: [None, None],
            schema: |generator| generator.subschema_for::<E::Payload>(),
            check: |payload| serde_json::to_value(serde_json::from_value::<E::Payload>(payload)?),
        }
    }

    const fn guarded(mut self, scope: Scope) -> Self {
        self.guard = [Some(scope), Some(scope)];
        self
    }

    const fn guarded_in_v4(mut self, scope: Scope) -> Self {
        self.guard = [None, Some(scope)];
        self
    }

    /// The scope an operator needs to get the event.
    #[must_use]
    pub fn guard(&self, dialect: Dialect) -> Option<Scope> {
        match dialect {
            Dialect::V3 => self.guard[0],
            Dialect::V4 => self.guard[1],
        }
    }

    /// Whether a connection gets the event when it is broadcast. Nodes get what is open in protocol 3.
    #[must_use]
    pub fn reaches(&self, dialect: Dialect, role: Role, scopes: &ScopeSet) -> bool {
        match role {
            Role::Operator => self.guard(dialect).is_none_or(|scope| scopes.covers(scope)),
            Role::Node => self.guard(Dialect::V3).is_none(),
        }
    }

    /// Reads a payload and gives it back as our types write it.
    ///
    /// # Errors
    /// When it does not have the event's shape.
    pub fn check_payload(&self, payload: Value) -> Result<Value, serde_json::Error> {
        (self.check)(payload)
    }

    pub(crate) fn payload_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }
}

/// Finds an event by its name.
#[must_use]
pub fn find_event(name: &str) -> Option<&'static EventSpec> {
    EVENTS.iter().find(|spec| spec.name == name)
}

/// Every event of protocol 3, and our own.
pub static EVENTS: &[EventSpec] = &[
    EventSpec::new::<ConnectChallenge>(WhenSlow::Disconnect),
    EventSpec::new::<Agent>(WhenSlow::Disconnect).guarded_in_v4(Scope::Read),
    EventSpec::new::<Chat>(WhenSlow::DropDeltas).guarded_in_v4(Scope::Read),
    EventSpec::new::<Presence>(WhenSlow::Drop).guarded_in_v4(Scope::Read),
    EventSpec::new::<Tick>(WhenSlow::Drop),
    EventSpec::new::<TalkMode>(WhenSlow::Drop).guarded_in_v4(Scope::Talk),
    EventSpec::new::<Shutdown>(WhenSlow::Disconnect),
    EventSpec::new::<Health>(WhenSlow::Disconnect),
    EventSpec::new::<Heartbeat>(WhenSlow::Drop),
    EventSpec::new::<Cron>(WhenSlow::Drop).guarded_in_v4(Scope::Read),
    EventSpec::new::<NodePairRequested>(WhenSlow::Drop).guarded(Scope::Pairing),
    EventSpec::new::<NodePairResolved>(WhenSlow::Drop).guarded(Scope::Pairing),
    EventSpec::new::<NodeInvokeRequest>(WhenSlow::Disconnect),
    EventSpec::new::<DevicePairRequested>(WhenSlow::Drop).guarded(Scope::Pairing),
    EventSpec::new::<DevicePairResolved>(WhenSlow::Drop).guarded(Scope::Pairing),
    EventSpec::new::<VoicewakeChanged>(WhenSlow::Drop).guarded_in_v4(Scope::Read),
    EventSpec::new::<ExecApprovalRequested>(WhenSlow::Drop).guarded(Scope::Approvals),
    EventSpec::new::<ExecApprovalResolved>(WhenSlow::Drop).guarded(Scope::Approvals),
    EventSpec::new::<UpdateAvailable>(WhenSlow::Drop),
    EventSpec::new::<ModelsSwitch>(WhenSlow::Drop).guarded(Scope::Read),
];
