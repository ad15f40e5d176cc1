//! What tests of the whole gateway share: a home with a configuration, a scripted vendor, a client on a real socket.
#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use openclaw_app::observe::ConsoleOutput;
use openclaw_app::{Demonstration, RemoteMode, RunOptions};
use openclaw_client::{
    Await, ClientNotice, ClientProfile, ConnectError, ConnectOptions, EventStream, GatewayAddress, Hello,
    RequestError, RequestOptions, Security, Session, connect,
};
use openclaw_config::{Environment, Locations, Overrides, ProfileChoice};
use openclaw_ports::model::ApiName;
use openclaw_ports::{SystemClock, TaskScope};
use openclaw_testkit::{ScriptedModelServer, TempHome};
use openclaw_types::{Scope, Secret};
use serde_json::{Value, json};

const TOKEN: &str = "planted-secret-token-of-tests";

/// Long enough for a loaded machine; nothing waits for it when things work.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Writes a configuration in which the scripted server is the only vendor and commands may run.
pub(crate) fn configure(home: &TempHome, vendor: &ScriptedModelServer, queue: &str) {
    let config = json!({
        "messages": { "queue": { "mode": queue, "debounceMs": 10 } },
        "gateway": { "auth": { "token": TOKEN } },
        "agents": { "defaults": { "model": "own/small" } },
        "tools": { "exec": { "host": "gateway", "security": "full", "ask": "off" } },
        "models": { "providers": { "own": {
            "baseUrl": vendor.base_url(ApiName::OpenaiCompletions),
            "api": ApiName::OpenaiCompletions.as_str(),
            "apiKey": "planted-secret-key-of-tests",
            "models": [{ "id": "small", "name": "small", "contextWindow": 200_000, "input": ["text", "image"] }],
        } } },
    });
    fs::write(home.path("openclaw.json"), config.to_string()).unwrap();
}

/// How a gateway is started in a home: silent, on a free port, without anything of this machine.
pub(crate) fn options(home: &std::path::Path) -> RunOptions {
    let variables = [
        ("OLLAMA_HOST".to_owned(), "127.0.0.1:1".to_owned()),
        ("TMPDIR".to_owned(), home.join("tmp").display().to_string()),
        ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned()),
        ("SHELL".to_owned(), "/bin/sh".to_owned()),
    ];
    let environment = Environment::fake(variables, home);
    RunOptions {
        locations: Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap(),
        environment,
        overrides: Overrides { port: Some(0), ..Overrides::default() },
        remote_mode: RemoteMode::Refuse,
        console: ConsoleOutput::Silent,
        demonstration: Demonstration::Absent,
        version: "0.0.0-test".to_owned(),
        platforms: openclaw_app::platforms,
    }
}

/// A client of a gateway.
pub(crate) struct Operator {
    session: Session,
    pub(crate) events: EventStream,
    _tasks: TaskScope,
}

impl Operator {
    pub(crate) async fn connect(port: u16) -> Self {
        Self::as_program(port, "gateway-client").await
    }

    /// Connects unless nobody listens.
    pub(crate) async fn try_connect(port: u16) -> Result<Self, ConnectError> {
        Self::with_token(port, TOKEN, "gateway-client").await
    }

    /// Connects as a program of some name.
    pub(crate) async fn as_program(port: u16, program: &str) -> Self {
        Self::with_token(port, TOKEN, program).await.unwrap()
    }

    /// Connects with a secret that may be wrong.
    pub(crate) async fn with_token(port: u16, token: &str, program: &str) -> Result<Self, ConnectError> {
        let address = GatewayAddress::local(port, Security::Plaintext);
        let profile = ClientProfile {
            id: program.to_owned(),
            mode: "backend".to_owned(),
            ..ClientProfile::command_line("0.0.0-test")
        };
        let mut options = ConnectOptions::new(address, profile);
        options.scopes = vec![Scope::Read, Scope::Write, Scope::Admin];
        options.credentials.token = Some(Secret::new(token.to_owned()));
        let tasks = TaskScope::root("client");
        let session = connect(&options, Arc::new(SystemClock::new()), &tasks).await?;
        Ok(Self { events: session.events(), session, _tasks: tasks })
    }

    /// What the gateway said when it let us in.
    pub(crate) fn hello(&self) -> &Hello {
        self.session.hello()
    }

    pub(crate) async fn request(&self, method: &str, params: &Value) -> Result<Value, RequestError> {
        let options = RequestOptions { limit: PATIENCE, until: Await::First };
        let answer = self.session.request(method, params, options).await?;
        Ok(serde_json::from_str(answer.get()).unwrap())
    }

    /// Sends a message; gives the answer of the gateway, or nothing when it was gone before it answered.
    pub(crate) async fn send(&self, key: &str, run: &str, text: &str) -> Option<Value> {
        let params = json!({ "sessionKey": key, "message": text, "idempotencyKey": run, "deliver": false });
        match self.request("chat.send", &params).await {
            Ok(answer) => Some(answer),
            Err(RequestError::Refused(refusal)) => panic!("{run} was refused: {refusal:?}"),
            Err(_gone) => None,
        }
    }

    /// The next event; nothing when the gateway is gone.
    pub(crate) async fn event(&mut self) -> Option<(String, Value)> {
        loop {
            match self.events.next().await {
                Ok(ClientNotice::Event(event)) => {
                    let payload = event.payload.as_ref().map(|payload| payload.get()).unwrap_or("null");
                    return Some((event.event.clone(), serde_json::from_str(payload).unwrap()));
                }
                Ok(_) => {}
                Err(_gone) => return None,
            }
        }
    }
}
