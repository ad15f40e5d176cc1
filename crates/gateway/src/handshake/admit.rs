//! Runs the steps of the handshake in order and acts on them: counts wrong guesses, pairs devices, issues tokens.
//!
//! `connection` builds one `Handshake` for each connect, from the configuration of that moment, so that a changed
//! secret or a revoked token counts at once. A guess is counted before its answer is known to the client, and no
//! answer tells whether a secret was right unless the try was counted.

use std::sync::Arc;

use openclaw_config::sections::AuthMode;
use openclaw_config::{Config, GatewaySettings};
use openclaw_ports::Clock;
use openclaw_ports::stores::{AuditEntry, AuditLedger, StoreError};
use openclaw_protocol::{ClientInfo, ConnectParams, DeviceProof, Dialect};
use openclaw_types::{DeviceId, Role, UnixMillis};
use serde_json::json;

use super::applicant::{Applicant, BadRole, ClientKind};
use super::arrival::Arrival;
use super::identity::{ProvenDevice, Witness, prove_device};
use super::missing_device::{DeviceMissing, Deviceless, SecretSent, allow_without_device};
use super::origin::{OriginRefused, check_origin, check_page};
use super::refusal::{ConnectRefusal, Fallback, Listener};
use crate::auth::{
    AuthFailure, AuthMethod, DeviceTokenField, Locality, NetworkReach, Principal, Program, WhoIs,
    check_proxy, check_secret, check_tailscale,
};
use crate::limits::{AuthLimits, Counted, CredentialKind, Lockout};
use crate::pairing::{
    AutoApproval, DeviceClaim, DeviceRegistry, IssuedToken, PairingEvent, PairingOutcome, Terms,
    TokenRefusal, TokenShown, Unapproved,
};

/// The riddle a socket is given when it opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// What the client's device has to sign.
    pub(crate) nonce: String,
    /// When it was given.
    pub(crate) issued_at: UnixMillis,
}

impl Challenge {
    /// A riddle nobody has seen before.
    pub(crate) fn new(now: UnixMillis) -> Self {
        Self { nonce: uuid::Uuid::new_v4().to_string(), issued_at: now }
    }
}

/// Everything the steps need.
pub(crate) struct Handshake<'a> {
    /// The configuration of this moment.
    pub(crate) config: Arc<Config>,
    /// The devices.
    pub(crate) devices: &'a DeviceRegistry,
    /// Who guessed wrong before.
    pub(crate) limits: &'a AuthLimits,
    /// The time.
    pub(crate) clock: &'a dyn Clock,
    /// Where lockouts are recorded.
    pub(crate) audit: &'a dyn AuditLedger,
    /// Who is who in the tailnet.
    pub(crate) who_is: &'a WhoIs,
    /// Who can reach the gateway at all.
    pub(crate) reach: NetworkReach,
}

/// A client that was let in.
#[derive(Debug, Clone)]
pub(crate) struct AdmittedClient {
    /// Who it is and what it may do.
    pub(crate) principal: Principal,
    /// The protocol it speaks.
    pub(crate) dialect: Dialect,
    /// The program.
    pub(crate) client: ClientInfo,
    /// The token of its device, for `hello-ok`.
    pub(crate) issued_token: Option<IssuedToken>,
    /// What other clients should hear.
    pub(crate) pairing_events: Vec<PairingEvent>,
}

impl Handshake<'_> {
    /// Decides about a connect.
    ///
    /// # Errors
    /// `Refusal` holds the answer and the close that follows.
    pub(crate) async fn admit(
        &self,
        arrival: &Arrival,
        challenge: &Challenge,
        params: ConnectParams,
    ) -> Result<AdmittedClient, ConnectRefusal> {
        let dialect = params.dialect().map_err(ConnectRefusal::protocol)?;
        let applicant = Applicant::read(dialect, params).map_err(|BadRole| ConnectRefusal::role())?;
        check_origin(&self.gateway().control_ui, arrival, applicant.kind)
            .map_err(|OriginRefused| ConnectRefusal::origin(dialect))?;
        let shared = self.shared_auth(arrival, &applicant).await;
        if shared.as_ref().is_ok_and(AuthMethod::is_ambient) {
            check_page(&self.gateway().control_ui, arrival)
                .map_err(|OriginRefused| ConnectRefusal::origin(dialect))?;
        }
        let Some(proof) = self.demanded_proof(&applicant) else {
            let method = self
                .allow_without_device(arrival, &applicant, shared)
                .map_err(|missing| ConnectRefusal::device_missing(&missing, listener(&applicant)))?;
            return Ok(self.admission(arrival, applicant, method, Paired::default()));
        };
        let witness = Witness {
            nonce: &challenge.nonce,
            now: self.clock.now(),
            locality: arrival.locality(self.gateway()),
            program: arrival.program(),
        };
        let device = prove_device(&applicant, proof, witness)
            .map_err(|fault| ConnectRefusal::identity(fault, dialect))?;
        let method = match shared {
            Ok(method) => method,
            Err(failure) => self
                .device_token(arrival, &applicant, &device.id, failure)
                .await
                .map_err(|failure| ConnectRefusal::unauthorized(&failure, listener(&applicant)))?,
        };
        self.admit_device(arrival, applicant, device, method).await
    }

    /// Checks the shared secret, or what stands in for it.
    async fn shared_auth(&self, arrival: &Arrival, applicant: &Applicant) -> Result<AuthMethod, AuthFailure> {
        let gateway = self.gateway();
        match gateway.auth.mode {
            // The configuration may change while the doors stay open: nobody walks in from other machines unasked.
            AuthMode::None if self.reach == NetworkReach::Network => return Err(AuthFailure::Unauthorized),
            AuthMode::None => return Ok(AuthMethod::None),
            AuthMode::TrustedProxy => return check_proxy(gateway, arrival).map_err(AuthFailure::Proxy),
            AuthMode::Token | AuthMode::Password => {}
        }
        self.check_limit(arrival, CredentialKind::SharedSecret)?;
        let failure = match check_secret(&gateway.auth, &applicant.credentials) {
            Ok(method) => {
                self.limits.succeeded(arrival.attempter(gateway), CredentialKind::SharedSecret);
                return Ok(method);
            }
            Err(failure) => failure,
        };
        if failure.is_wrong_guess() {
            self.count_failure(arrival, CredentialKind::SharedSecret).await;
        }
        if !gateway.auth.allow_tailscale || arrival.is_local(gateway) {
            return Err(failure);
        }
        match check_tailscale(self.who_is, self.clock, arrival).await {
            Ok(method) => Ok(method),
            Err(AuthFailure::TailscaleIdentityMissing) => Err(failure),
            Err(_) if applicant.credentials.has_shared() => Err(failure),
            Err(doubt) => Err(doubt),
        }
    }

    /// The proof that has to be judged. The owner may have freed the Control UI from it altogether.
    fn demanded_proof<'p>(&self, applicant: &'p Applicant) -> Option<&'p DeviceProof> {
        let waived = applicant.kind == ClientKind::ControlUi && self.gateway().control_ui.disable_device_auth;
        applicant.device.as_ref().filter(|_| !waived)
    }

    /// Judges a client without a device; gives back how it proved itself.
    fn allow_without_device(
        &self,
        arrival: &Arrival,
        applicant: &Applicant,
        shared: Result<AuthMethod, AuthFailure>,
    ) -> Result<AuthMethod, DeviceMissing> {
        let gateway = self.gateway();
        let caller = Deviceless {
            kind: applicant.kind,
            role: applicant.role,
            locality: arrival.locality(gateway),
            secret: if applicant.credentials.has_shared() { SecretSent::Yes } else { SecretSent::No },
            shared: shared.as_ref(),
        };
        allow_without_device(&gateway.control_ui, caller)?;
        shared.map_err(DeviceMissing::Unauthorized)
    }

    /// Tries the device's own token after the shared secret did not do.
    async fn device_token(
        &self,
        arrival: &Arrival,
        applicant: &Applicant,
        device: &DeviceId,
        failure: AuthFailure,
    ) -> Result<AuthMethod, AuthFailure> {
        let Some((token, field)) = applicant.credentials.device_token() else { return Err(failure) };
        self.check_limit(arrival, CredentialKind::DeviceToken)?;
        let who = arrival.attempter(self.gateway());
        match self.devices.check_token(device, applicant.role, &applicant.scopes, token).await {
            Ok(()) => {
                self.limits.succeeded(who, CredentialKind::DeviceToken);
                // The text in the shared field was this device's token all along, so it was no guess. Beside a
                // token in its own field it was one, and stays counted.
                if field == DeviceTokenField::Shared && failure == AuthFailure::TokenMismatch {
                    self.limits.forgive(&self.gateway().auth.rate_limit, who, CredentialKind::SharedSecret);
                }
                Ok(AuthMethod::DeviceToken)
            }
            Err(refusal) => {
                if refusal != TokenRefusal::TooWeak {
                    self.count_failure(arrival, CredentialKind::DeviceToken).await;
                }
                Err(match (field, failure) {
                    (_, limited @ AuthFailure::RateLimited { .. }) => limited,
                    (DeviceTokenField::Own, _) => AuthFailure::DeviceTokenMismatch,
                    (DeviceTokenField::Shared, failure) => failure,
                })
            }
        }
    }

    async fn admit_device(
        &self,
        arrival: &Arrival,
        applicant: Applicant,
        device: ProvenDevice,
        method: AuthMethod,
    ) -> Result<AdmittedClient, ConnectRefusal> {
        let claim = self.claim(arrival, &applicant, device);
        let shown = match applicant.credentials.device_token() {
            Some((token, _)) if method == AuthMethod::DeviceToken => TokenShown::Yes(token),
            _ => TokenShown::No,
        };
        let terms = Terms {
            auto: self.auto_approval(arrival, applicant.kind),
            unapproved: unapproved(&applicant, &method),
            shown,
        };
        let (token, events) = match self.devices.admit(&claim, terms).await.map_err(store_trouble)? {
            PairingOutcome::Known { token } => (Some(token), Vec::new()),
            PairingOutcome::Approved { token, events } => (Some(token), events),
            PairingOutcome::Passed => (None, Vec::new()),
            PairingOutcome::Waiting { request_id, reason, events } => {
                return Err(ConnectRefusal::pairing(&request_id, reason, events));
            }
            PairingOutcome::TokenGone => {
                return Err(ConnectRefusal::unauthorized(
                    &AuthFailure::DeviceTokenMismatch,
                    listener(&applicant),
                ));
            }
        };
        let paired = Paired { device: Some(claim.device_id), token, events };
        Ok(self.admission(arrival, applicant, method, paired))
    }

    fn claim(&self, arrival: &Arrival, applicant: &Applicant, device: ProvenDevice) -> DeviceClaim {
        let client = &applicant.client;
        DeviceClaim {
            device_id: device.id,
            public_key: device.public_key,
            role: applicant.role,
            scopes: applicant.scopes.clone(),
            display_name: client.display_name.as_ref().map(|name| name.as_str().to_owned()),
            platform: Some(client.platform.as_str().to_owned()),
            device_family: client.device_family.as_ref().map(|family| family.as_str().to_owned()),
            client_id: client.id.to_string(),
            client_mode: client.mode.to_string(),
            remote_ip: arrival.reported_ip(self.gateway()),
        }
    }

    /// Programs on this machine pair by themselves. A browser does so only as one of our own pages, whose origin has
    /// been checked before.
    fn auto_approval(&self, arrival: &Arrival, kind: ClientKind) -> AutoApproval {
        let trusted_program = arrival.program() == Program::Native || kind.is_web_page();
        match arrival.locality(self.gateway()) {
            Locality::Local if trusted_program => AutoApproval::Local,
            _ => AutoApproval::Never,
        }
    }

    fn admission(
        &self,
        arrival: &Arrival,
        applicant: Applicant,
        method: AuthMethod,
        paired: Paired,
    ) -> AdmittedClient {
        let gateway = self.gateway();
        AdmittedClient {
            principal: Principal {
                role: applicant.role,
                scopes: applicant.scopes,
                device: paired.device,
                method,
                client_ip: arrival.reported_ip(gateway),
                locality: arrival.locality(gateway),
            },
            dialect: applicant.dialect,
            client: applicant.client,
            issued_token: paired.token,
            pairing_events: paired.events,
        }
    }

    fn check_limit(&self, arrival: &Arrival, kind: CredentialKind) -> Result<(), AuthFailure> {
        let gateway = self.gateway();
        self.limits
            .check(&gateway.auth.rate_limit, arrival.attempter(gateway), kind, self.clock.elapsed())
            .map_err(|Lockout { retry_after }| AuthFailure::RateLimited { retry_after })
    }

    async fn count_failure(&self, arrival: &Arrival, kind: CredentialKind) {
        let gateway = self.gateway();
        let who = arrival.attempter(gateway);
        if self.limits.failed(&gateway.auth.rate_limit, who, kind, self.clock.elapsed()) == Counted::Noted {
            return;
        }
        let address = arrival.client_ip(gateway).unwrap_or(arrival.peer.ip());
        tracing::warn!(%address, credential = kind.as_str(), "locked out after too many wrong credentials");
        let entry = AuditEntry {
            at: self.clock.now(),
            actor: format!("address:{address}"),
            action: "auth.lockout".to_owned(),
            subject: None,
            detail: json!({"credential": kind.as_str(), "origin": arrival.origin()}),
        };
        if let Err(error) = self.audit.append(entry).await {
            tracing::error!(%error, "a lockout is missing from the audit ledger");
        }
    }

    fn gateway(&self) -> &GatewaySettings {
        &self.config.gateway
    }
}

/// What came of pairing.
#[derive(Default)]
struct Paired {
    device: Option<DeviceId>,
    token: Option<IssuedToken>,
    events: Vec<PairingEvent>,
}

/// What happens to a device nobody has approved. The word of a trusted proxy is enough for the Control UI; protocol 4
/// lets every operator with the owner's secret pass, who could leave the device out as well.
fn unapproved(applicant: &Applicant, method: &AuthMethod) -> Unapproved {
    let owner = applicant.role == Role::Operator && method.is_owner();
    let by_proxy =
        applicant.kind == ClientKind::ControlUi && matches!(method, AuthMethod::TrustedProxy { .. });
    if owner && (by_proxy || applicant.dialect == Dialect::V4) {
        Unapproved::Passes
    } else {
        Unapproved::Waits
    }
}

fn listener(applicant: &Applicant) -> Listener {
    let only_shared = matches!(applicant.credentials.device_token(), Some((_, DeviceTokenField::Shared)));
    let fallback =
        if applicant.device.is_some() && only_shared { Fallback::DeviceToken } else { Fallback::None };
    Listener { kind: applicant.kind, dialect: applicant.dialect, fallback }
}

fn store_trouble(error: StoreError) -> ConnectRefusal {
    tracing::error!(%error, "a connect was refused because the devices could not be read or written");
    ConnectRefusal::unavailable()
}
