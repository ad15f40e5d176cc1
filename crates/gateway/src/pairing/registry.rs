//! The one owner of device state: asked during connect, and the base of the orders in `manage`.
//!
//! A change is written to the store first and counts in memory only when the store has it. The async lock is held
//! across that write on purpose: two decisions about the same device must not overtake each other, and the store
//! answers every write within its own deadline.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Clock;
use openclaw_ports::stores::{
    AuditEntry, AuditLedger, DeviceChange, DeviceStore, PairedDevice, PendingDevice, StoreError,
};
use openclaw_types::{DeviceId, PairingRequestId, Role, ScopeSet, UnixMillis};
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard};

use super::request::{Known, admitted, new_request, widened};
use super::state::{Devices, is_expired};
use super::token::{IssuedToken, TokenRefusal, check_token, mint};
use super::{AutoApproval, DeviceClaim, PairingDecision, PairingEvent, PairingNeed, PairingReason, decide};

/// How many requests may wait at once; the oldest makes room for the newest.
const MAX_PENDING: usize = 100;
/// A token's last use is written at most this often.
const LAST_USE_STEP: Duration = Duration::from_secs(60);

/// Knows every device.
pub(crate) struct DeviceRegistry {
    store: Arc<dyn DeviceStore>,
    audit: Arc<dyn AuditLedger>,
    pub(super) clock: Arc<dyn Clock>,
    devices: Mutex<Devices>,
}

/// What became of a device that asked to be let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PairingOutcome {
    /// It was admitted before.
    Known {
        /// Its token.
        token: IssuedToken,
    },
    /// Nobody approved it, and nobody has to.
    Passed,
    /// The token it came in by is no longer good.
    TokenGone,
    /// It was admitted just now, without asking a person.
    Approved {
        /// Its token.
        token: IssuedToken,
        /// What to tell the others.
        events: Vec<PairingEvent>,
    },
    /// A person has to decide.
    Waiting {
        /// The request that waits.
        request_id: PairingRequestId,
        /// Why it does.
        reason: PairingReason,
        /// What to tell the others.
        events: Vec<PairingEvent>,
    },
}

/// What happens to a device that was not approved for what it asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unapproved {
    /// A person has to decide.
    Waits,
    /// It may pass: what else it showed is enough.
    Passes,
}

/// Everything there is to list, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeviceListing {
    /// Requests that wait.
    pub(crate) pending: Vec<PendingDevice>,
    /// Admitted devices.
    pub(crate) paired: Vec<PairedDevice>,
}

/// On which terms a device that proved its key is let in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'a> {
    /// Whether it may be approved without asking a person.
    pub(crate) auto: AutoApproval,
    /// What happens to it when nobody has approved it.
    pub(crate) unapproved: Unapproved,
    /// What it came in by.
    pub(crate) shown: TokenShown<'a>,
}

/// Whether the device came in by its own token.
#[derive(Clone, Copy)]
pub(crate) enum TokenShown<'a> {
    /// It did, by this one.
    Yes(&'a str),
    /// Something else let it in.
    No,
}

impl fmt::Debug for TokenShown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Yes(_) => "Yes(…)",
            Self::No => "No",
        })
    }
}

impl DeviceRegistry {
    /// Reads all devices from the store.
    ///
    /// # Errors
    /// The store could not be read.
    pub(crate) async fn load(
        store: Arc<dyn DeviceStore>,
        audit: Arc<dyn AuditLedger>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StoreError> {
        let devices = Devices::from_records(store.load().await?);
        Ok(Self { store, audit, clock, devices: Mutex::new(devices) })
    }

    /// The device with this id, if it is paired.
    #[cfg(test)]
    pub(crate) async fn find(&self, device: &DeviceId) -> Option<PairedDevice> {
        self.lock().await.paired.get(device).cloned()
    }

    /// Everything, newest first.
    pub(crate) async fn list(&self) -> DeviceListing {
        let now = self.clock.now();
        let devices = self.lock().await;
        let mut pending: Vec<_> =
            devices.pending.values().filter(|one| !is_expired(one, now)).cloned().collect();
        pending.sort_by_key(|request| std::cmp::Reverse(request.requested_at));
        let mut paired: Vec<_> = devices.paired.values().cloned().collect();
        paired.sort_by_key(|device| std::cmp::Reverse(device.approved_at));
        DeviceListing { pending, paired }
    }

    /// Checks the token a device showed, for a role and the scopes it asks.
    ///
    /// # Errors
    /// Says why the token does not count.
    pub(crate) async fn check_token(
        &self,
        device: &DeviceId,
        role: Role,
        scopes: &ScopeSet,
        shown: &str,
    ) -> Result<(), TokenRefusal> {
        check_token(self.lock().await.paired.get(device), role, scopes, shown)
    }

    /// Whether a client that is already let in may stay: its device is paired and its role's token was not taken back.
    pub(crate) async fn still_welcomes(&self, device: &DeviceId, role: Role) -> bool {
        let devices = self.lock().await;
        let token = devices.paired.get(device).and_then(|device| device.tokens.get(&role));
        token.is_some_and(|token| token.revoked_at.is_none())
    }

    /// Finds out whether a device is admitted for what it asks, and otherwise approves it or lets it wait. Who is let
    /// in gets its token: the one it has when that covers what was asked, else a new one with exactly those scopes.
    ///
    /// All of it happens under one lock. A token that was good a moment ago is checked again here, so that a device
    /// whose token was revoked, or which was removed, is not given a new one by the connect that was under way.
    ///
    /// # Errors
    /// The store could not keep the decision; nothing was decided.
    pub(crate) async fn admit(
        &self,
        claim: &DeviceClaim,
        terms: Terms<'_>,
    ) -> Result<PairingOutcome, StoreError> {
        let now = self.clock.now();
        let mut devices = self.lock().await;
        let paired = devices.paired.get(&claim.device_id);
        if let TokenShown::Yes(token) = terms.shown
            && check_token(paired, claim.role, &claim.scopes, token).is_err()
        {
            return Ok(PairingOutcome::TokenGone);
        }
        match decide(paired, claim) {
            PairingNeed::Known => {
                let token = self.settle(&mut devices, claim, terms.shown, now).await?;
                Ok(token.map_or(PairingOutcome::Passed, |token| PairingOutcome::Known { token }))
            }
            PairingNeed::Needs(reason) if terms.auto.approves(reason) => {
                let events = self.approve_silently(&mut devices, claim, reason, now).await?;
                let token = self.settle(&mut devices, claim, terms.shown, now).await?;
                Ok(token.map_or(PairingOutcome::Passed, |token| PairingOutcome::Approved { token, events }))
            }
            PairingNeed::Needs(_) if terms.unapproved == Unapproved::Passes => Ok(PairingOutcome::Passed),
            PairingNeed::Needs(reason) => self.let_wait(&mut devices, claim, reason, now).await,
        }
    }

    /// Notes that an admitted device connected, and returns its token. `None` when it is not admitted.
    async fn settle(
        &self,
        devices: &mut Devices,
        claim: &DeviceClaim,
        shown: TokenShown<'_>,
        now: UnixMillis,
    ) -> Result<Option<IssuedToken>, StoreError> {
        let Some(before) = devices.paired.get(&claim.device_id) else { return Ok(None) };
        let mut device = PairedDevice {
            display_name: claim.display_name.clone(),
            client_id: Some(claim.client_id.clone()),
            client_mode: Some(claim.client_mode.clone()),
            role: claim.role,
            remote_ip: claim.remote_ip.map(|address| address.to_string()),
            ..before.clone()
        };
        let mut token = match device.tokens.remove(&claim.role) {
            Some(token) if token.revoked_at.is_none() && token.scopes.covers_all(&claim.scopes) => token,
            previous => mint(previous.as_ref(), claim.scopes.clone(), now)?,
        };
        if matches!(shown, TokenShown::Yes(_))
            && token.last_used_at.is_none_or(|at| now.since(at) >= LAST_USE_STEP)
        {
            token.last_used_at = Some(now);
        }
        let issued = IssuedToken::of(claim.role, &token);
        device.tokens.insert(claim.role, token);
        if device != *before {
            self.write(devices, vec![DeviceChange::PutPaired(device)], now).await?;
        }
        Ok(Some(issued))
    }

    async fn approve_silently(
        &self,
        devices: &mut Devices,
        claim: &DeviceClaim,
        reason: PairingReason,
        now: UnixMillis,
    ) -> Result<Vec<PairingEvent>, StoreError> {
        let existing = devices.paired.get(&claim.device_id);
        let mut request = new_request(new_request_id()?, claim, known(existing), now);
        request.silent = true;
        let previous = existing.and_then(|device| device.tokens.get(&claim.role));
        let fresh = mint(previous, claim.scopes.clone(), now)?;
        let device = admitted(existing, &request, fresh, now);
        let mut changes = Vec::new();
        // A request of the same device that waits for no more than this is settled by it; one that waits for more
        // still needs its person.
        if let Some(waiting) = devices.pending_of(&claim.device_id, now)
            && waiting.roles.iter().all(|role| device.roles.contains(role))
            && device.approved_scopes.covers_all(&waiting.scopes)
        {
            request.request_id = waiting.request_id.clone();
            changes.push(DeviceChange::DropPending(waiting.request_id.clone()));
        }
        changes.push(DeviceChange::PutPaired(device));
        self.write(devices, changes, now).await?;
        let detail = json!({"reason": reason.as_str(), "role": claim.role.as_str(), "scopes": claim.scopes});
        self.record("gateway", "device.pair.auto-approve", &claim.device_id, detail).await;
        Ok(vec![resolved(&request, PairingDecision::Approved, now)])
    }

    async fn let_wait(
        &self,
        devices: &mut Devices,
        claim: &DeviceClaim,
        reason: PairingReason,
        now: UnixMillis,
    ) -> Result<PairingOutcome, StoreError> {
        let known = known(devices.paired.get(&claim.device_id));
        let waiting = devices.pending_of(&claim.device_id, now);
        let request = match waiting {
            Some(waiting) => widened(waiting, claim, known),
            None => new_request(new_request_id()?, claim, known, now),
        };
        if waiting == Some(&request) {
            // Nothing a person was shown is different: the request they look at lives on.
            let request_id = request.request_id.clone();
            let request = PendingDevice { requested_at: now, ..request };
            self.write(devices, vec![DeviceChange::PutPending(request)], now).await?;
            return Ok(PairingOutcome::Waiting { request_id, reason, events: Vec::new() });
        }
        let mut changes = Vec::new();
        let mut events = Vec::new();
        // A request that asks for something else is another request: nobody must approve by its name what they were
        // never shown.
        let (request, displaced) = match waiting {
            Some(waiting) => {
                let remote_ip = claim.remote_ip.map(|address| address.to_string());
                let request_id = new_request_id()?;
                (PendingDevice { request_id, requested_at: now, remote_ip, ..request }, Some(waiting))
            }
            None => (request, oldest_beyond_cap(devices, now)),
        };
        if let Some(displaced) = displaced {
            changes.push(DeviceChange::DropPending(displaced.request_id.clone()));
            events.push(resolved(displaced, PairingDecision::Rejected, now));
        }
        let request_id = request.request_id.clone();
        changes.push(DeviceChange::PutPending(request.clone()));
        self.write(devices, changes, now).await?;
        let detail = json!({"reason": reason.as_str(), "role": claim.role.as_str(), "scopes": claim.scopes});
        self.record("gateway", "device.pair.request", &claim.device_id, detail).await;
        events.push(PairingEvent::Requested(Box::new(request)));
        Ok(PairingOutcome::Waiting { request_id, reason, events })
    }

    /// Takes the lock, and takes up what a writer left behind that was cut off.
    pub(super) async fn lock(&self) -> MutexGuard<'_, Devices> {
        let mut devices = self.devices.lock().await;
        devices.take_up();
        devices
    }

    /// Makes changes in the store, then in memory. Expired requests are forgotten along the way.
    pub(super) async fn write(
        &self,
        devices: &mut Devices,
        changes: Vec<DeviceChange>,
        now: UnixMillis,
    ) -> Result<(), StoreError> {
        let all = devices.begin(changes, now);
        match self.store.apply(all).await {
            Ok(()) => {
                devices.commit();
                Ok(())
            }
            Err(error) => {
                devices.abandon();
                Err(error)
            }
        }
    }

    /// Adds a decision to the ledger. A decision that is stored stands even when the ledger cannot be written; that
    /// trouble is an error in the log.
    pub(super) async fn record(&self, actor: &str, action: &str, device: &DeviceId, detail: Value) {
        let entry = AuditEntry {
            at: self.clock.now(),
            actor: actor.to_owned(),
            action: action.to_owned(),
            subject: Some(device.to_string()),
            detail,
        };
        if let Err(error) = self.audit.append(entry).await {
            tracing::error!(%error, action, %device, "a decision about a device is missing from the audit ledger");
        }
    }
}

/// The event that tells how a request ended.
pub(super) fn resolved(request: &PendingDevice, decision: PairingDecision, at: UnixMillis) -> PairingEvent {
    PairingEvent::Resolved {
        request_id: request.request_id.clone(),
        device_id: request.device_id.clone(),
        decision,
        at,
    }
}

fn known(device: Option<&PairedDevice>) -> Known {
    if device.is_some() { Known::Before } else { Known::Never }
}

fn oldest_beyond_cap(devices: &Devices, now: UnixMillis) -> Option<&PendingDevice> {
    let live = || devices.pending.values().filter(|request| !is_expired(request, now));
    if live().count() < MAX_PENDING { None } else { live().min_by_key(|request| request.requested_at) }
}

fn new_request_id() -> Result<PairingRequestId, StoreError> {
    PairingRequestId::new(uuid::Uuid::new_v4().to_string())
        .map_err(|error| StoreError::Failed { action: "name a pairing request", source: Box::new(error) })
}
