//! The welcome: `hello-ok` in the client's dialect.
//!
//! Says only what is true: the methods that have handlers, the state of this moment, the limits that hold.

use openclaw_config::sections::{AuthMode as ConfigAuthMode, SessionScope};
use openclaw_config::{Config, SessionSettings};
use openclaw_protocol::{
    AuthMode, Dialect, EncodeError, Features, HelloAuth, HelloOk, HelloTag, Policy, SecretText, ServerInfo,
    SessionDefaults, Snapshot, response_ok,
};
use openclaw_types::{ConnectionId, KeyContext, ScopeSet, SessionBreadth};

use crate::broadcast::{SENT, SENT_WITH_AGENTS};
use crate::context::GatewayContext;
use crate::handshake::AdmittedClient;

/// Writes the response to a connect.
pub(super) fn write(
    context: &GatewayContext,
    connection: &ConnectionId,
    request_id: &str,
    admission: &AdmittedClient,
) -> Result<String, EncodeError> {
    response_ok(request_id, &compose(context, connection, admission))
}

fn compose(context: &GatewayContext, connection: &ConnectionId, admission: &AdmittedClient) -> HelloOk {
    let v4 = admission.dialect == Dialect::V4;
    HelloOk {
        tag: HelloTag::HelloOk,
        protocol: admission.dialect.number(),
        server: ServerInfo {
            version: context.version.clone(),
            conn_id: connection.to_string(),
            build_id: None,
            boot_id: v4.then(|| context.boot_id.clone()),
        },
        features: Features {
            methods: context.methods.listed(),
            events: events(context),
            capabilities: v4.then(Vec::new),
        },
        snapshot: snapshot(context, admission),
        canvas_host_url: None,
        plugin_surface_urls: None,
        auth: auth(admission),
        policy: Policy::standard(),
    }
}

fn events(context: &GatewayContext) -> Vec<String> {
    let of_agents: &[&str] = if context.agents.is_some() { &SENT_WITH_AGENTS } else { &[] };
    SENT.iter().chain(of_agents).map(|name| (*name).to_owned()).collect()
}

fn snapshot(context: &GatewayContext, admission: &AdmittedClient) -> Snapshot {
    let config = context.config.current();
    let locations = context.config_file.locations();
    let presence = context.presence().list(context.clock.now());
    Snapshot {
        presence,
        health: context.health.snapshot(),
        state_version: context.state_version(),
        uptime_ms: u64::try_from(context.uptime().as_millis()).unwrap_or(u64::MAX),
        config_path: Some(locations.config_path.display().to_string()),
        state_dir: Some(locations.state_dir.display().to_string()),
        session_defaults: Some(session_defaults(&config)),
        auth_mode: Some(match config.gateway.auth.mode {
            ConfigAuthMode::None => AuthMode::None,
            ConfigAuthMode::Token => AuthMode::Token,
            ConfigAuthMode::Password => AuthMode::Password,
            ConfigAuthMode::TrustedProxy => AuthMode::TrustedProxy,
        }),
        update_available: None,
        applied_config_hash: (admission.dialect == Dialect::V4)
            .then(|| Some(context.config.running().hash.clone())),
    }
}

fn session_defaults(config: &Config) -> SessionDefaults {
    let agent = &config.agents.default_agent;
    let main = SessionSettings::MAIN_KEY;
    let (breadth, scope) = match config.session.scope {
        SessionScope::PerSender => (SessionBreadth::PerSender, "per-sender"),
        SessionScope::Global => (SessionBreadth::Global, "global"),
    };
    let main_session_key = KeyContext::new(agent, main, breadth).main_session(agent).to_string();
    SessionDefaults {
        default_agent_id: agent.to_string(),
        main_key: main.to_owned(),
        main_session_key,
        scope: Some(scope.to_owned()),
        model_configured: None,
    }
}

/// Protocol 3 tells a client about its token only; protocol 4 always tells it what it was recognised as.
fn auth(admission: &AdmittedClient) -> Option<HelloAuth> {
    let principal = &admission.principal;
    let names = |scopes: &ScopeSet| scopes.iter().map(|scope| scope.to_string()).collect();
    match (&admission.issued_token, admission.dialect) {
        (Some(issued), dialect) => Some(HelloAuth {
            device_token: Some(SecretText::new(issued.token.reveal().clone())),
            role: issued.role,
            scopes: names(&issued.scopes),
            issued_at_ms: Some(issued.issued_at),
            method: (dialect == Dialect::V4).then(|| principal.method.as_str().to_owned()),
        }),
        (None, Dialect::V4) => Some(HelloAuth {
            device_token: None,
            role: principal.role,
            scopes: names(&principal.scopes),
            issued_at_ms: None,
            method: Some(principal.method.as_str().to_owned()),
        }),
        (None, Dialect::V3) => None,
    }
}
