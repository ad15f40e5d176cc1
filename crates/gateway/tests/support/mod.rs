//! A real gateway on a free port for tests, and a client that speaks to it over a real socket.
//!
//! State lives in memory stores and a temporary home; the configuration is JSON5 text. Time is the machine's unless a
//! test brings its own clock. Included by each test file with `mod support;`.
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "each test file uses its own part of this, and a broken set-up should fail at its line"
)]

mod agents;
mod client;
mod device;
mod http;

pub use client::{Client, Frame, connect_params};
pub use device::Device;
pub use http::{HttpAnswer, http, post};

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_config::{Bind, ConfigFile, Environment, LiveConfig, Locations, ProfileChoice};
use openclaw_gateway::{
    Gateway, GatewayError, GatewayLimits, GatewayParts, Host, HostFault, ListenPlan, ModelServices,
    RestartRequest, ShutdownKind,
};
use openclaw_ports::stores::{AuditLedger, AuditQuery, DeviceStore};
use openclaw_ports::tool::WebClient;
use openclaw_ports::{Clock, Deadline, SystemClock, TaskScope};
use openclaw_protocol::methods::config::{RestartMode, RestartPlan};
use openclaw_providers::Scripts;
use openclaw_session::ImportGate;
use openclaw_stores::memory::{MemoryAuditLedger, MemoryDeviceStore, MemoryUsageLedger};
use openclaw_testkit::{FakePlatform, TempHome};
use serde_json::Value;
use tokio::sync::watch;

/// The token of `TOKEN_CONFIG`.
pub const TOKEN: &str = "test-token-0123456789";
/// A gateway that asks for a token.
pub const TOKEN_CONFIG: &str = r#"{ gateway: { auth: { mode: "token", token: "test-token-0123456789" } } }"#;

/// A gateway under test.
pub struct TestGateway {
    pub gateway: Gateway,
    /// The spine, when somebody answers people.
    pub flow: Option<openclaw_flow::Flow>,
    /// Whether sessions can be asked for yet, when somebody answers people.
    pub import: Option<ImportGate>,
    /// The platform its accounts are on.
    pub platform: FakePlatform,
    pub home: TempHome,
    pub config: LiveConfig,
    pub devices: Arc<dyn DeviceStore>,
    pub audit: Arc<dyn AuditLedger>,
    pub host: Arc<TestHost>,
    pub clock: Arc<dyn Clock>,
    pub tasks: TaskScope,
}

/// What a test may choose.
pub struct Setup {
    /// The configuration file; none is written when absent.
    pub config: Option<String>,
    pub clock: Arc<dyn Clock>,
    pub limits: GatewayLimits,
    pub devices: Arc<dyn DeviceStore>,
    /// The address the command line insists on, if it does.
    pub bind: Option<Bind>,
    /// Who knows about models and money, if anybody does.
    pub models: Option<ModelServices>,
    /// What the model says that answers people, if anybody answers.
    pub scripts: Option<Scripts>,
    /// The internet, if there is any.
    pub web: Option<Arc<dyn WebClient>>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            config: Some(TOKEN_CONFIG.to_owned()),
            clock: Arc::new(SystemClock::new()),
            limits: GatewayLimits::default(),
            devices: Arc::new(MemoryDeviceStore::default()),
            bind: None,
            models: None,
            scripts: None,
            web: None,
        }
    }
}

impl Setup {
    /// The usual set-up with this configuration.
    pub fn config(text: &str) -> Self {
        Self { config: Some(text.to_owned()), ..Self::default() }
    }

    /// A gateway whose agent follows a script, with more settings.
    pub fn answering(settings: &str, scripts: impl Into<Scripts>) -> Self {
        let config = format!(
            r#"{{ gateway: {{ auth: {{ mode: "token", token: "{TOKEN}" }}, http: {{ endpoints: {{
                chatCompletions: {{ enabled: true }}, responses: {{ enabled: true }} }} }} }},
                agents: {{ defaults: {{ model: "mock/m1" }} }}, {settings} }}"#
        );
        Self { config: Some(config), scripts: Some(scripts.into()), ..Self::default() }
    }

    /// Starts the gateway on a free port of the addresses its configuration asks for.
    pub async fn try_start(self) -> Result<TestGateway, GatewayError> {
        let home = TempHome::new();
        if let Some(text) = &self.config {
            std::fs::write(home.path("openclaw.json"), text).unwrap();
        }
        let state_dir = home.state_dir().display().to_string();
        let logs = home.path("tmp").display().to_string();
        let environment =
            Environment::fake([("OPENCLAW_STATE_DIR", state_dir), ("TMPDIR", logs)], home.state_dir());
        let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
        let file = ConfigFile::new(locations, environment).with_clock(self.clock.clone());
        let (config, _) = LiveConfig::open(&file);
        assert!(config.last_seen().valid, "{:?}", config.last_seen().issues);
        let audit: Arc<dyn AuditLedger> = Arc::new(MemoryAuditLedger::default());
        let host = Arc::new(TestHost::default());
        let tasks = TaskScope::root("test");
        let platform = FakePlatform::new();
        let (agents, face) = match self.scripts {
            Some(scripts) => {
                // Calls are noted where those who ask about money look.
                let noted = self.models.as_ref().map(|models| models.ledger.clone());
                let around = agents::Around {
                    config: &config,
                    clock: &self.clock,
                    tasks: &tasks,
                    audit: &audit,
                    ledger: noted.unwrap_or_else(|| Arc::new(MemoryUsageLedger::default())),
                    scripts,
                    web: self.web,
                    platform: platform.clone(),
                };
                let (services, face) = agents::services(around).await;
                (Some(services), Some(face))
            }
            None => (None, None),
        };
        let flow = agents.as_ref().map(|services| services.flow.clone());
        let import = agents.as_ref().map(|services| services.import_gate.clone());
        let parts = GatewayParts {
            config: config.clone(),
            devices: self.devices.clone(),
            audit: audit.clone(),
            clock: self.clock.clone(),
            tasks: tasks.clone(),
            host: host.clone(),
            version: "test".to_owned(),
            limits: self.limits,
            models: self.models,
            agents,
        };
        let configured = ListenPlan::of(&config.current().gateway);
        let plan = ListenPlan { port: 0, bind: self.bind.unwrap_or(configured.bind), ..configured };
        let gateway = openclaw_gateway::start(parts, plan).await?;
        if let Some(face) = face {
            face.fill(gateway.approvals());
        }
        Ok(TestGateway {
            gateway,
            flow,
            import,
            platform,
            home,
            config,
            devices: self.devices,
            audit,
            host,
            clock: self.clock,
            tasks,
        })
    }

    /// The same, for set-ups that must start.
    pub async fn start(self) -> TestGateway {
        self.try_start().await.unwrap()
    }
}

impl TestGateway {
    /// A gateway with token auth on loopback.
    pub async fn new() -> Self {
        Setup::default().start().await
    }

    /// The IPv4 address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.gateway.addresses()[0]
    }

    /// Connects as an operator with these scopes, using the shared token, and gives the welcome too.
    pub async fn operator(&self, scopes: &[&str]) -> Client {
        let mut client = Client::open(self.address()).await;
        let hello = client.connect_with(&client::connect_params(scopes)).await;
        assert_eq!(hello["ok"], true, "{hello}");
        client.hello = hello["payload"].clone();
        client
    }

    /// Connects as a device with these params, signing the challenge; gives the whole response too.
    pub async fn device(&self, device: &Device, mut params: Value) -> (Client, Value) {
        let mut client = Client::open(self.address()).await;
        let challenge = client.event("connect.challenge").await;
        let nonce = challenge["payload"]["nonce"].as_str().unwrap();
        device.sign(&mut params, nonce, self.clock.now().0);
        let id = client.request("connect", &params).await;
        let response = client.response(&id).await;
        client.hello = response["payload"].clone();
        (client, response)
    }

    /// Connects as an administrator.
    pub async fn admin(&self) -> Client {
        self.operator(&["operator.admin"]).await
    }

    /// Connects as an operator with these scopes that wants to see tools.
    pub async fn watcher(&self, scopes: &[&str]) -> Client {
        let mut client = Client::open(self.address()).await;
        let mut params = client::connect_params(scopes);
        params["caps"] = serde_json::json!(["tool-events"]);
        let hello = client.connect_with(&params).await;
        assert_eq!(hello["ok"], true, "{hello}");
        client
    }

    /// Stops the gateway.
    pub async fn stop(&self, kind: ShutdownKind) {
        let deadline = Deadline::after(self.clock.as_ref(), Duration::from_secs(10));
        self.gateway.shutdown(kind, deadline).await.unwrap();
    }

    /// The actions in the audit ledger, oldest first.
    pub async fn audited(&self) -> Vec<String> {
        let mut records = self.audit.query(AuditQuery::default()).await.unwrap();
        records.reverse();
        records.into_iter().map(|record| record.entry.action).collect()
    }
}

/// A process that only remembers what it was asked.
pub struct TestHost {
    pub restarts: Mutex<Vec<RestartRequest>>,
    /// What reloading secrets does.
    pub secrets: watch::Sender<Secrets>,
}

/// What reloading secrets does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// It succeeds at once.
    Ready,
    /// It waits until a test says otherwise.
    Held,
    /// It fails.
    Broken,
    /// It panics.
    Panicking,
}

impl Default for TestHost {
    fn default() -> Self {
        Self { restarts: Mutex::default(), secrets: watch::Sender::new(Secrets::Ready) }
    }
}

#[async_trait]
impl Host for TestHost {
    fn request_restart(&self, request: RestartRequest) -> RestartPlan {
        let plan = RestartPlan {
            ok: true,
            pid: 42,
            signal: "SIGUSR1".to_owned(),
            delay_ms: request.delay.map_or(2000, |delay| delay.as_millis().try_into().unwrap()),
            reason: Some(request.reason.clone()),
            mode: RestartMode::Emit,
            coalesced: false,
            cooldown_ms_applied: 0,
        };
        self.restarts.lock().unwrap().push(request);
        plan
    }

    async fn reload_secrets(&self) -> Result<u64, HostFault> {
        let mut secrets = self.secrets.subscribe();
        let state = *secrets.wait_for(|state| *state != Secrets::Held).await.unwrap();
        match state {
            Secrets::Broken => Err(HostFault("the vault is locked".to_owned())),
            Secrets::Panicking => panic!("a host that panics on purpose"),
            Secrets::Ready | Secrets::Held => Ok(2),
        }
    }
}
