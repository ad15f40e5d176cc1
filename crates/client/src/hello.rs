//! What a gateway says about itself when it lets us in.
//!
//! Read leniently: a field that an older or newer gateway leaves out has a sensible default.

use std::time::Duration;

use openclaw_types::{Role, Secret};
use serde_json::Value;
use serde_json::value::RawValue;

/// The ticks gateways send when they say nothing about it.
const DEFAULT_TICK: Duration = Duration::from_secs(30);

/// The parsed `hello-ok`.
#[derive(Debug, Clone)]
pub struct Hello {
    protocol: u64,
    server_version: String,
    connection_id: String,
    methods: Vec<String>,
    tick: Duration,
    grant: Option<Grant>,
    snapshot: Value,
}

/// What the gateway granted.
#[derive(Debug, Clone)]
pub struct Grant {
    /// The token this device may show from now on.
    pub device_token: Option<Secret<String>>,
    /// The role we were let in as.
    pub role: Option<Role>,
    /// What we may do, in the gateway's words.
    pub scopes: Vec<String>,
}

impl Hello {
    pub(crate) fn parse(payload: Option<&RawValue>) -> Result<Self, serde_json::Error> {
        let mut payload: Value = serde_json::from_str(payload.map_or("{}", RawValue::get))?;
        let grant = payload.get("auth").filter(|auth| auth.is_object()).map(grant);
        let tick = payload["policy"]["tickIntervalMs"].as_u64().filter(|millis| *millis > 0);
        Ok(Self {
            protocol: payload["protocol"].as_u64().unwrap_or(3),
            server_version: text(&payload["server"]["version"]),
            connection_id: text(&payload["server"]["connId"]),
            methods: texts(&payload["features"]["methods"]),
            tick: tick.map_or(DEFAULT_TICK, Duration::from_millis),
            grant,
            snapshot: payload.get_mut("snapshot").map_or(Value::Null, Value::take),
        })
    }

    /// The protocol the gateway answers in.
    #[must_use]
    pub fn protocol(&self) -> u64 {
        self.protocol
    }

    /// The gateway's version, empty when it does not say.
    #[must_use]
    pub fn server_version(&self) -> &str {
        &self.server_version
    }

    /// The gateway's name for this connection.
    #[must_use]
    pub fn connection_id(&self) -> &str {
        &self.connection_id
    }

    /// The methods the gateway announces.
    #[must_use]
    pub fn methods(&self) -> &[String] {
        &self.methods
    }

    /// How often the gateway promises to tick.
    #[must_use]
    pub fn tick_interval(&self) -> Duration {
        self.tick
    }

    /// What was granted; absent for clients without a device.
    #[must_use]
    pub fn grant(&self) -> Option<&Grant> {
        self.grant.as_ref()
    }

    /// The state at the moment of connecting: presence, health, paths.
    #[must_use]
    pub fn snapshot(&self) -> &Value {
        &self.snapshot
    }
}

fn grant(auth: &Value) -> Grant {
    Grant {
        device_token: auth["deviceToken"]
            .as_str()
            .filter(|token| !token.is_empty())
            .map(|token| Secret::new(token.to_owned())),
        role: auth["role"].as_str().and_then(|role| role.parse().ok()),
        scopes: texts(&auth["scopes"]),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
