//! Defaults and rules of the resolved settings.
//!
//! Tables from a file's content to the settings and problems that come out; the places and the environment are made
//! up. Rules between keys of raw sections have their own tests in `rules`.

use std::time::Duration;

use openclaw_types::{AgentId, Money, Secret, ThinkingLevel};
use serde_json::{Value, json};

use super::*;
use crate::sections::{
    AuthMode, ConsoleStyle, DmScope, LogLevel, RedactScope, ReloadMode, RunMode, SessionScope, TailscaleMode,
};
use crate::{Environment, Locations, ProfileChoice};

struct World {
    environment: Environment,
    locations: Locations,
    overrides: Overrides,
}

impl World {
    fn new(variables: &[(&str, &str)]) -> Self {
        let environment = Environment::fake(variables.iter().copied(), "/home/ana");
        let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
        Self { environment, locations, overrides: Overrides::default() }
    }

    fn resolve(&self, file: Value) -> (Config, Vec<ConfigProblem>) {
        let context = Context {
            environment: &self.environment,
            locations: &self.locations,
            overrides: &self.overrides,
        };
        Config::resolve(serde_json::from_value(file).unwrap(), &context)
    }
}

fn resolve(file: Value) -> (Config, Vec<ConfigProblem>) {
    World::new(&[]).resolve(file)
}

fn gateway(section: Value) -> GatewaySettings {
    resolve(json!({ "gateway": section })).0.gateway
}

/// The severities and paths of what is wrong with a file.
fn problems(file: Value) -> Vec<(Severity, String)> {
    resolve(file).1.into_iter().map(|problem| (problem.severity, problem.path)).collect()
}

fn errors(paths: &[&str]) -> Vec<(Severity, String)> {
    paths.iter().map(|path| (Severity::Error, (*path).to_owned())).collect()
}

fn secret(text: &str) -> Option<Secret<String>> {
    Some(Secret::new(text.to_owned()))
}

fn id(text: &str) -> AgentId {
    AgentId::new(text).unwrap()
}

#[test]
fn an_empty_file_gives_safe_defaults() {
    let world = World::new(&[]);
    let (config, problems) = world.resolve(json!({}));
    let heartbeat = Heartbeat {
        enabled: true,
        every: HeartbeatInterval { text: "30m".to_owned(), interval: Some(Duration::from_secs(30 * 60)) },
        prompt: None,
        target: "none".to_owned(),
        ack_max_chars: 300,
        model: None,
    };
    let expected = Config {
        raw: Arc::default(),
        gateway: GatewaySettings {
            mode: None,
            port: 18789,
            bind: Bind::Loopback,
            auth: AuthSettings {
                mode: AuthMode::Token,
                token: None,
                password: None,
                allow_tailscale: false,
                rate_limit: RateLimit {
                    max_attempts: 10,
                    window: Duration::from_secs(60),
                    lockout: Duration::from_secs(300),
                    exempt_loopback: true,
                },
                trusted_proxy: None,
            },
            trusted_proxies: vec![],
            allow_real_ip_fallback: false,
            tailscale: TailscaleMode::Off,
            control_ui: ControlUiSettings {
                enabled: true,
                base_path: String::new(),
                root: None,
                allowed_origins: vec![],
                allow_host_header_origin_fallback: false,
                allow_insecure_auth: false,
                disable_device_auth: false,
            },
            tls: TlsSettings {
                enabled: false,
                auto_generate: true,
                cert_path: world.locations.tls_dir().join("gateway-cert.pem"),
                key_path: world.locations.tls_dir().join("gateway-key.pem"),
                ca_path: None,
            },
            http: HttpSettings { chat_completions: false, responses: false, strict_transport_security: None },
            reload: ReloadSettings { mode: ReloadMode::Hybrid, debounce: Duration::from_millis(300) },
            nodes: NodeCommands::default(),
            channel_health_check: Some(Duration::from_secs(300)),
            remote: RemoteSettings::default(),
        },
        logging: LoggingSettings {
            level: LogLevel::Info,
            file: LogFile::Daily(world.locations.log_dir()),
            max_file_bytes: 524_288_000,
            console_level: LogLevel::Info,
            console_style: None,
            redact: RedactScope::Tools,
            redact_patterns: vec![],
        },
        session: SessionSettings::default(),
        agents: AgentSettings {
            list: vec![ResolvedAgent { id: id("main"), name: None, heartbeat, model: None }],
            default_agent: id("main"),
        },
        places: AgentPlaces::default(),
        models: ModelSettings::default(),
        assistant: AssistantIdentity {
            agent: id("main"),
            name: "Assistant".to_owned(),
            avatar: "A".to_owned(),
        },
    };
    assert_eq!((config, problems), (expected, vec![]));
}

#[test]
fn the_port_comes_from_the_command_line_then_the_environment_then_the_file() {
    let file = json!({ "gateway": { "port": 2000 } });
    let mut world = World::new(&[("OPENCLAW_GATEWAY_PORT", "3000")]);
    assert_eq!(World::new(&[]).resolve(file.clone()).0.gateway.port, 2000);
    assert_eq!(world.resolve(file.clone()).0.gateway.port, 3000);
    world.overrides.port = Some(4000);
    assert_eq!(world.resolve(file).0.gateway.port, 4000);
    let (config, _) = resolve(json!({ "gateway": { "port": 70_000 } }));
    assert_eq!(config.gateway.port, 18789);
    assert_eq!(problems(json!({ "gateway": { "port": 70_000 } })), errors(&["gateway.port"]));
    let (overridden, found) = world.resolve(json!({ "gateway": { "port": 70_000 } }));
    assert_eq!(
        (overridden.gateway.port, found.len()),
        (4000, 1),
        "a bad port is bad even when another one wins"
    );
}

#[test]
fn the_mode_follows_the_secrets_unless_it_is_given() {
    let mode = |variables: &[(&str, &str)], auth: Value| {
        World::new(variables).resolve(json!({ "gateway": { "auth": auth } })).0.gateway.auth.mode
    };
    assert_eq!(mode(&[], json!({})), AuthMode::Token);
    assert_eq!(mode(&[], json!({ "token": "t" })), AuthMode::Token);
    assert_eq!(mode(&[], json!({ "password": "p" })), AuthMode::Password);
    assert_eq!(mode(&[], json!({ "token": "t", "password": "p" })), AuthMode::Password);
    assert_eq!(mode(&[], json!({ "token": "t", "password": "  " })), AuthMode::Token);
    assert_eq!(mode(&[("OPENCLAW_GATEWAY_PASSWORD", "p")], json!({})), AuthMode::Password);
    assert_eq!(mode(&[("OPENCLAW_GATEWAY_PASSWORD", "p")], json!({ "mode": "token" })), AuthMode::Token);
    assert_eq!(mode(&[], json!({ "mode": "none", "token": "t" })), AuthMode::None);
}

#[test]
fn the_files_secrets_win_over_the_environments_and_the_command_lines_over_both() {
    let variables =
        [("OPENCLAW_GATEWAY_TOKEN", " env-token "), ("OPENCLAW_GATEWAY_PASSWORD", "env-password")];
    let mut world = World::new(&variables);
    let auth = world.resolve(json!({ "gateway": { "auth": { "token": " file-token " } } })).0.gateway.auth;
    assert_eq!((auth.token, auth.password), (secret("file-token"), secret("env-password")));
    let auth = world.resolve(json!({})).0.gateway.auth;
    assert_eq!(auth.token, secret("env-token"));
    world.overrides.token = secret("given");
    world.overrides.auth_mode = Some(AuthMode::Token);
    let auth = world.resolve(json!({ "gateway": { "auth": { "token": "file-token" } } })).0.gateway.auth;
    assert_eq!((auth.mode, auth.token), (AuthMode::Token, secret("given")));
}

#[test]
fn tailscale_identities_count_by_default_only_when_serving_without_another_mode() {
    let allowed = |tailscale: &str, auth: Value| {
        gateway(json!({ "tailscale": { "mode": tailscale }, "auth": auth })).auth.allow_tailscale
    };
    assert!(allowed("serve", json!({})));
    assert!(allowed("serve", json!({ "mode": "none" })));
    assert!(!allowed("off", json!({})));
    assert!(!allowed("funnel", json!({ "password": "p" })));
    assert!(!allowed("serve", json!({ "password": "p" })));
    assert!(!allowed("serve", json!({ "mode": "trusted-proxy" })));
    assert!(!allowed("serve", json!({ "allowTailscale": false })));
    assert!(allowed("off", json!({ "allowTailscale": true })));
}

#[test]
fn limits_on_guessing_are_read_and_cannot_be_switched_off() {
    let limits = |limits: Value| gateway(json!({ "auth": { "rateLimit": limits } })).auth.rate_limit;
    assert_eq!(
        limits(json!({ "maxAttempts": 3, "windowMs": 1000, "lockoutMs": 5000, "exemptLoopback": false })),
        RateLimit {
            max_attempts: 3,
            window: Duration::from_secs(1),
            lockout: Duration::from_secs(5),
            exempt_loopback: false,
        }
    );
    assert_eq!(limits(json!({ "maxAttempts": 0, "windowMs": 0.5 })), RateLimit::default());
    assert_eq!(
        problems(json!({ "gateway": { "auth": { "rateLimit": { "maxAttempts": 0, "lockoutMs": -1 } } } })),
        errors(&["gateway.auth.rateLimit.maxAttempts", "gateway.auth.rateLimit.lockoutMs"])
    );
}

#[test]
fn combinations_that_would_let_strangers_in_are_errors() {
    let check =
        |gateway: Value, paths: &[&str]| assert_eq!(problems(json!({ "gateway": gateway })), errors(paths));
    check(json!({ "auth": { "mode": "password" } }), &["gateway.auth.password"]);
    check(json!({ "auth": { "mode": "none" } }), &[]);
    check(
        json!({ "auth": { "mode": "none" }, "bind": "lan", "controlUi": { "enabled": false } }),
        &["gateway.auth.mode"],
    );
    check(json!({ "auth": { "mode": "none" }, "bind": "custom", "customBindHost": "127.0.0.2" }), &[]);
    check(json!({ "tailscale": { "mode": "funnel" } }), &["gateway.tailscale.mode"]);
    check(json!({ "tailscale": { "mode": "funnel" }, "auth": { "password": "p" } }), &[]);
    check(
        json!({ "tailscale": { "mode": "serve" }, "bind": "lan", "controlUi": { "enabled": false } }),
        &["gateway.tailscale.mode"],
    );
    let proxy = json!({ "mode": "trusted-proxy", "trustedProxy": { "userHeader": "X-User" } });
    check(
        json!({ "auth": { "mode": "trusted-proxy" } }),
        &["gateway.auth.trustedProxy", "gateway.trustedProxies"],
    );
    check(json!({ "auth": proxy, "trustedProxies": ["10.0.0.1"] }), &["gateway.trustedProxies"]);
    check(json!({ "auth": proxy, "trustedProxies": ["127.0.0.0/8"] }), &[]);
    check(json!({ "auth": proxy, "trustedProxies": ["::1"] }), &[]);
}

#[test]
fn a_trusted_proxy_names_people_in_headers_without_regard_to_case() {
    let auth = gateway(json!({
        "trustedProxies": ["127.0.0.1"],
        "auth": { "mode": "trusted-proxy", "trustedProxy": {
            "userHeader": " X-Forwarded-User ", "requiredHeaders": ["X-Proxy"], "allowUsers": [" ana "],
        } },
    }))
    .auth;
    assert_eq!(
        auth.trusted_proxy,
        Some(TrustedProxy {
            user_header: "x-forwarded-user".to_owned(),
            required_headers: vec!["x-proxy".to_owned()],
            allow_users: vec!["ana".to_owned()],
        })
    );
}

#[test]
fn bind_modes_become_addresses() {
    let bind = |section: Value| gateway(section).bind;
    assert_eq!(bind(json!({ "bind": "loopback" })), Bind::Loopback);
    assert_eq!(bind(json!({ "bind": "lan" })), Bind::Lan);
    assert_eq!(bind(json!({ "bind": "tailnet" })), Bind::Tailnet);
    assert_eq!(bind(json!({ "bind": "auto" })), Bind::Auto);
    assert_eq!(
        bind(json!({ "bind": "custom", "customBindHost": " 192.168.1.2 " })),
        Bind::Custom("192.168.1.2".parse().unwrap())
    );
    assert_eq!(bind(json!({ "bind": "custom", "customBindHost": "example.com" })), Bind::Loopback);
    for broken in [json!({ "bind": "custom" }), json!({ "bind": "custom", "customBindHost": "example.com" })]
    {
        assert_eq!(problems(json!({ "gateway": broken })), errors(&["gateway.customBindHost"]));
    }
}

#[test]
fn a_reachable_page_without_origins_is_an_error() {
    let check =
        |gateway: Value, paths: &[&str]| assert_eq!(problems(json!({ "gateway": gateway })), errors(paths));
    let missing = ["gateway.controlUi.allowedOrigins"];
    check(json!({ "bind": "lan" }), &missing);
    check(json!({ "bind": "tailnet" }), &missing);
    check(json!({ "bind": "custom", "customBindHost": "192.168.1.2" }), &missing);
    check(json!({ "bind": "lan", "controlUi": { "allowedOrigins": [" "] } }), &missing);
    check(
        json!({ "bind": "lan", "auth": { "mode": "none" } }),
        &["gateway.auth.mode", "gateway.controlUi.allowedOrigins"],
    );
    for enough in [
        json!({ "allowedOrigins": ["https://a.example"] }),
        json!({ "enabled": false }),
        json!({ "dangerouslyAllowHostHeaderOriginFallback": true }),
    ] {
        check(json!({ "bind": "lan", "controlUi": enough }), &[]);
    }
    for near in [
        json!({}),
        json!({ "bind": "loopback" }),
        json!({ "bind": "auto" }),
        json!({ "bind": "custom", "customBindHost": "::1" }),
    ] {
        check(near, &[]);
    }
}

#[test]
fn what_may_be_reachable_depends_on_the_address_that_is_opened() {
    let mut world = World::new(&[]);
    let file = json!({ "gateway": { "bind": "lan" } });
    world.overrides.bind = Some(Bind::Loopback);
    let (config, found) = world.resolve(file);
    assert_eq!((found, config.gateway.exposure(Bind::Loopback)), (vec![], vec![]));
    let reachable: Vec<_> = config
        .gateway
        .exposure(Bind::Lan)
        .into_iter()
        .map(|problem| (problem.severity, problem.path))
        .collect();
    assert_eq!(reachable, errors(&["gateway.controlUi.allowedOrigins"]));
}

#[test]
fn the_page_has_a_tidy_base_path_and_absolute_root() {
    let base = |path: &str| gateway(json!({ "controlUi": { "basePath": path } })).control_ui.base_path;
    assert_eq!(["", "/", " / ", "ui", "/ui/", "/a/b"].map(base), ["", "", "", "/ui", "/ui", "/a/b"]);
    let page = gateway(json!({ "controlUi": { "root": "~/page", "allowedOrigins": [" https://a ", ""] } }))
        .control_ui;
    assert_eq!(
        (page.root, page.allowed_origins),
        (Some("/home/ana/page".into()), vec!["https://a".to_owned()])
    );
}

#[test]
fn written_gateway_settings_are_kept() {
    let settings = gateway(json!({
        "mode": "remote",
        "reload": { "mode": "hot", "debounceMs": 0 },
        "tls": { "enabled": true, "autoGenerate": false, "certPath": "~/c.pem", "keyPath": "/k.pem", "caPath": "/ca" },
        "http": { "endpoints": { "chatCompletions": { "enabled": true }, "responses": { "enabled": true } },
                  "securityHeaders": { "strictTransportSecurity": " max-age=1 " } },
        "nodes": { "allowCommands": ["a"], "denyCommands": ["b"] },
        "channelHealthCheckMinutes": 0,
        "allowRealIpFallback": true,
        "remote": { "url": " wss://g ", "token": "t", "password": "p", "tlsFingerprint": "f", "transport": "direct" },
    }));
    assert_eq!(settings.mode, Some(RunMode::Remote));
    assert_eq!(settings.reload, ReloadSettings { mode: ReloadMode::Hot, debounce: Duration::ZERO });
    assert_eq!(
        settings.tls,
        TlsSettings {
            enabled: true,
            auto_generate: false,
            cert_path: "/home/ana/c.pem".into(),
            key_path: "/k.pem".into(),
            ca_path: Some("/ca".into()),
        }
    );
    assert_eq!(
        settings.http,
        HttpSettings {
            chat_completions: true,
            responses: true,
            strict_transport_security: Some("max-age=1".to_owned()),
        }
    );
    assert_eq!(settings.nodes, NodeCommands { allow: vec!["a".to_owned()], deny: vec!["b".to_owned()] });
    assert_eq!((settings.channel_health_check, settings.allow_real_ip_fallback), (None, true));
    assert_eq!(
        settings.remote,
        RemoteSettings {
            url: Some("wss://g".to_owned()),
            transport: Some(crate::sections::RemoteTransport::Direct),
            token: secret("t"),
            password: secret("p"),
            tls_fingerprint: Some("f".to_owned()),
        }
    );
    let off = gateway(json!({ "http": { "securityHeaders": { "strictTransportSecurity": false } } }));
    assert_eq!(off.http.strict_transport_security, None);
}

#[test]
fn unusable_proxies_are_left_out_with_a_warning() {
    let (config, found) =
        resolve(json!({ "gateway": { "trustedProxies": ["10.0.0.0/8", "proxy.example"] } }));
    assert_eq!(config.gateway.trusted_proxies, vec!["10.0.0.0/8".parse().unwrap()]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].severity, found[0].path.as_str()), (Severity::Warning, "gateway.trustedProxies[1]"));
}

#[test]
fn address_ranges_contain_what_they_say() {
    let check = |range: &str, address: &str, expected: bool| {
        let parsed: AddressRange = range.parse().unwrap();
        assert_eq!(parsed.contains(address.parse().unwrap()), expected, "{address} in {range}");
    };
    check("10.0.0.1", "10.0.0.1", true);
    check("10.0.0.1", "10.0.0.2", false);
    check("10.1.2.3/8", "10.200.0.1", true);
    check("10.0.0.0/8", "11.0.0.1", false);
    check("0.0.0.0/0", "200.1.2.3", true);
    check("0.0.0.0/0", "::1", false);
    check("192.168.1.128/25", "192.168.1.127", false);
    check("10.0.0.1", "::ffff:10.0.0.1", true);
    check("::ffff:10.0.0.0/104", "10.9.9.9", true);
    check("::ffff:10.0.0.1", "10.0.0.1", true);
    check("fd00::/8", "fd12::1", true);
    check("fd00::/8", "fe80::1", false);
    check("::/0", "fe80::1", true);
    check("::1/128", "::1", true);
    for wrong in
        ["", "x", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "::1/129", "::ffff:10.0.0.0/90", "10.0.0"]
    {
        assert_eq!(wrong.parse::<AddressRange>(), Err(AddressRangeError), "{wrong}");
    }
}

#[test]
fn logging_follows_file_environment_and_command_line() {
    let file = json!({ "logging": {
        "level": "warn", "file": "~/my.log", "maxFileBytes": 5, "consoleLevel": "error", "consoleStyle": "json",
        "redactSensitive": "off", "redactPatterns": ["x"],
    } });
    let (config, _) = resolve(file.clone());
    assert_eq!(
        config.logging,
        LoggingSettings {
            level: LogLevel::Warn,
            file: LogFile::Fixed("/home/ana/my.log".into()),
            max_file_bytes: 5,
            console_level: LogLevel::Error,
            console_style: Some(ConsoleStyle::Json),
            redact: RedactScope::Off,
            redact_patterns: vec!["x".to_owned()],
        }
    );
    let mut world = World::new(&[("OPENCLAW_LOG_LEVEL", "trace")]);
    let levels = |config: Config| (config.logging.level, config.logging.console_level);
    assert_eq!(levels(world.resolve(file.clone()).0), (LogLevel::Trace, LogLevel::Trace));
    world.overrides.log_level = Some(LogLevel::Debug);
    assert_eq!(levels(world.resolve(file.clone()).0), (LogLevel::Debug, LogLevel::Debug));
    let (config, found) = World::new(&[("OPENCLAW_LOG_LEVEL", "loud")]).resolve(file);
    assert_eq!(
        (config.logging.level, found.len(), found[0].severity),
        (LogLevel::Warn, 1, Severity::Warning)
    );
}

#[test]
fn the_main_session_cannot_be_renamed() {
    let warning = vec![(Severity::Warning, "session.mainKey".to_owned())];
    assert_eq!(problems(json!({ "session": { "mainKey": "home" } })), warning);
    assert_eq!(problems(json!({ "session": { "mainKey": "main" } })), vec![]);
    let (config, _) = resolve(json!({ "session": { "scope": "global", "dmScope": "per-peer" } }));
    let expected = SessionSettings {
        scope: SessionScope::Global,
        dm_scope: DmScope::PerPeer,
        ..SessionSettings::default()
    };
    assert_eq!(config.session, expected);
}

#[test]
fn the_default_agent_is_the_first_marked_else_the_first_else_main() {
    let check = |list: Value, expected: &str| {
        let (config, _) = resolve(json!({ "agents": { "list": list } }));
        assert_eq!(config.agents.default_agent, id(expected), "{list}");
        assert!(config.agents.get(&id(expected)).is_some(), "{list}");
    };
    check(json!([]), "main");
    check(json!([{ "id": "a" }, { "id": "b" }]), "a");
    check(json!([{ "id": "a" }, { "id": "b", "default": true }, { "id": "c", "default": true }]), "b");
    check(json!([{ "id": " Ops Team! " }]), "ops-team");
    check(json!([{ "id": "x- y" }]), "x--y");
    check(json!([{ "id": "Keep-" }]), "keep-");
    check(json!([{ "id": "!!!" }]), "main");
    assert_eq!(
        problems(
            json!({ "agents": { "list": [{ "id": "a", "default": true }, { "id": "b", "default": true }] } })
        ),
        vec![(Severity::Warning, "agents.list[1].default".to_owned())]
    );
    assert_eq!(
        problems(json!({ "agents": { "list": [{ "id": "a" }, { "id": "A" }] } })),
        vec![(Severity::Warning, "agents.list[1].id".to_owned())]
    );
}

#[test]
fn only_the_default_agent_has_a_heartbeat_unless_some_have_their_own() {
    let beating = |agents: Value| -> Vec<(String, String)> {
        let (config, _) = resolve(json!({ "agents": agents }));
        let beating = config.agents.list.into_iter().filter(|agent| agent.heartbeat.enabled);
        beating.map(|agent| (agent.id.to_string(), agent.heartbeat.every.text)).collect()
    };
    let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter().map(|(agent, every)| ((*agent).to_owned(), (*every).to_owned())).collect()
    };
    assert_eq!(
        beating(json!({ "list": [{ "id": "a" }, { "id": "b", "default": true }] })),
        pairs(&[("b", "30m")])
    );
    assert_eq!(
        beating(json!({
            "defaults": { "heartbeat": { "every": "1h" } },
            "list": [{ "id": "a" }, { "id": "b", "heartbeat": {} }, { "id": "c", "heartbeat": { "every": "5" } }],
        })),
        pairs(&[("b", "1h"), ("c", "5")])
    );
}

#[test]
fn heartbeat_settings_are_laid_over_the_defaults_key_by_key() {
    let (config, _) = resolve(json!({ "agents": {
        "defaults": { "heartbeat": { "every": "1h", "target": "last", "prompt": "p", "ackMaxChars": 10 } },
        "list": [{ "id": "a", "heartbeat": { "every": "0m", "model": "m", "ackMaxChars": 0 } }, { "id": "b" }],
    } }));
    let heartbeat = |agent: &str| config.agents.get(&id(agent)).unwrap().heartbeat.clone();
    assert_eq!(
        heartbeat("a"),
        Heartbeat {
            enabled: true,
            every: HeartbeatInterval { text: "0m".to_owned(), interval: None },
            prompt: Some("p".to_owned()),
            target: "last".to_owned(),
            ack_max_chars: 0,
            model: Some("m".to_owned()),
        }
    );
    assert_eq!(
        heartbeat("b"),
        Heartbeat {
            enabled: false,
            every: HeartbeatInterval { text: "disabled".to_owned(), interval: None },
            prompt: Some("p".to_owned()),
            target: "last".to_owned(),
            ack_max_chars: 10,
            model: None,
        }
    );
}

#[test]
fn the_page_shows_its_own_identity_before_the_agents() {
    let check = |file: Value, name: &str, avatar: &str| {
        let shown = resolve(file).0.assistant;
        assert_eq!((shown.name.as_str(), shown.avatar.as_str()), (name, avatar));
    };
    let agents = json!({ "list": [{ "id": "Ops", "identity": { "name": "Olga", "avatar": "not shown", "emoji": "🦀" } }] });
    check(json!({ "agents": agents }), "Olga", "🦀");
    check(json!({ "agents": agents, "ui": { "assistant": { "name": "Paul" } } }), "Paul", "🦀");
    check(
        json!({ "ui": { "assistant": { "name": "  ", "avatar": "pics/me.png" } } }),
        "Assistant",
        "pics/me.png",
    );
    check(
        json!({ "ui": { "assistant": { "avatar": "https://a.example/x" } } }),
        "Assistant",
        "https://a.example/x",
    );
    check(json!({ "ui": { "assistant": { "avatar": "x".repeat(20) } } }), "Assistant", "A");
}

#[test]
fn durations_are_read_as_people_write_them() {
    let check = |text: &str, expected: Option<u64>| {
        let read = parse_duration(text, DurationUnit::Minutes).ok().map(|duration| duration.as_millis());
        assert_eq!(read, expected.map(u128::from), "{text}");
    };
    check("30m", Some(1_800_000));
    check("30", Some(1_800_000));
    check(" 1H ", Some(3_600_000));
    check("2h30m", Some(9_000_000));
    check("1.5h", Some(5_400_000));
    check("0.5", Some(30_000));
    check("250ms", Some(250));
    check("1d1s", Some(86_401_000));
    check("0m", Some(0));
    for wrong in [
        "",
        "m",
        "-5m",
        "5x",
        "5 m",
        "1h30",
        "30 m",
        "1..5h",
        ".5h",
        "5.h",
        "1e3",
        "1h-3m",
        "99999999999999d",
    ] {
        check(wrong, None);
    }
}

#[test]
fn sizes_are_read_as_people_write_them() {
    let check =
        |text: &str, expected: Option<u64>| assert_eq!(parse_byte_size(text).ok(), expected, "{text}");
    check("10mb", Some(10 * 1024 * 1024));
    check("10M", Some(10 * 1024 * 1024));
    check("1.5kb", Some(1536));
    check("500", Some(500));
    check("2gb", Some(2 * 1024 * 1024 * 1024));
    check("1t", Some(1024 * 1024 * 1024 * 1024));
    check("7b", Some(7));
    for wrong in ["", "mb", "-1", "1mb2kb", "1 mb", "10mib", "99999999tb"] {
        check(wrong, None);
    }
}

#[test]
fn models_budgets_and_cooldowns_are_read_as_meant() {
    let (config, problems) = World::new(&[]).resolve(json!({
        "agents": {
            "defaults": {
                "model": { "primary": " openai/gpt-5.2 ", "fallbacks": ["opus", " "] },
                "imageModel": "google/gemini-3-flash",
                "models": { "anthropic/claude-opus-4-6": { "alias": "opus" } },
                "thinkingDefault": "xhigh",
                "contextTokens": 64000,
            },
            "list": [{ "id": "Work", "model": "xai/grok-4" }, { "id": "home", "model": { "fallbacks": [] } }],
        },
        "auth": {
            "profiles": { "openai:work": { "provider": "openai", "mode": "api_key" } },
            "order": { "openai": ["openai:work"] },
            "cooldowns": { "billingBackoffHours": 0.5 },
        },
        "models": { "budgets": { "daily": 2.5, "agents": { "WORK": { "monthly": 10 }, "ghost": { "daily": 1 } } } },
    }));
    let models = &config.models;
    assert_eq!(
        models.default,
        ModelPreference { primary: Some("openai/gpt-5.2".into()), fallbacks: Some(vec!["opus".into()]) }
    );
    assert_eq!(
        models.image,
        ModelPreference { primary: Some("google/gemini-3-flash".into()), fallbacks: None }
    );
    let allowed: Vec<_> =
        models.allowed.iter().map(|model| (&*model.reference, model.alias.as_deref())).collect();
    assert_eq!(allowed, [("anthropic/claude-opus-4-6", Some("opus"))]);
    assert_eq!((models.thinking, models.context_tokens), (Some(ThinkingLevel::XHigh), Some(64_000)));
    assert_eq!(models.sign_in.order["openai"], ["openai:work"]);
    assert_eq!(
        models.sign_in.cooldowns,
        CooldownRules { billing_backoff: Duration::from_secs(1800), ..CooldownRules::default() }
    );
    assert_eq!(models.budgets.total, BudgetCaps { daily: Some(Money::from_dollars(2.5)), monthly: None });
    assert_eq!(models.budgets.agents[&id("work")].monthly, Some(Money::from_dollars(10.0)));
    let own: Vec<_> = config.agents.list.iter().map(|agent| agent.model.clone()).collect();
    let named = ModelPreference { primary: Some("xai/grok-4".into()), fallbacks: None };
    let none = ModelPreference { primary: None, fallbacks: Some(vec![]) };
    assert_eq!(own, [Some(named), Some(none)]);
    let places: Vec<_> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(places, ["models.budgets.agents.ghost"]);
}
