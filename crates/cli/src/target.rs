//! Decides which gateway a command speaks to, and with which secret.
//!
//! Order: `--url`, else `OPENCLAW_GATEWAY_URL`, else the remote gateway of the configuration, else the one on this
//! machine: the port of the running gateway when one holds the state directory, else the configured one. A given
//! address gets only secrets that were given with it, so that a local token never travels to a stranger.

use std::path::Path;

use openclaw_app::running_instance;
use openclaw_client::{ConnectCredentials, Fingerprint, GatewayAddress, Security, Trust};
use openclaw_config::sections::RunMode;
use openclaw_config::{Environment, FileSnapshot, GatewaySettings};
use openclaw_types::Secret;

use crate::context::Context;
use crate::exit::misuse;

/// What the command line says about the gateway.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct TargetArgs {
    /// Address of the gateway, ws:// or wss:// [default: gateway.remote.url, else the gateway on this machine]
    #[arg(long, value_name = "url")]
    pub(crate) url: Option<String>,
    /// Token of the gateway
    #[arg(long, value_name = "token", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// Password of the gateway
    #[arg(long, value_name = "password", hide_env_values = true)]
    pub(crate) password: Option<String>,
    /// SHA-256 fingerprint of the gateway's certificate, for wss:// with a self-signed one
    #[arg(long, value_name = "sha256")]
    pub(crate) tls_fingerprint: Option<String>,
    /// Whether a person could have given these on the command line at all.
    #[arg(skip = SecretFlags::Offered)]
    pub(crate) secret_flags: SecretFlags,
}

/// Whether a command has `--token` and `--password`, for advice that can be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SecretFlags {
    /// It has them.
    Offered,
    /// It reads secrets only from variables and the configuration.
    #[default]
    Absent,
}

/// Where the address came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressSource {
    /// `--url`
    CommandLine,
    /// `OPENCLAW_GATEWAY_URL`
    Variable,
    /// `gateway.remote.url`
    Remote,
    /// The gateway that holds the state directory now.
    RunningGateway,
    /// The port in the configuration.
    Configured,
}

impl AddressSource {
    /// In words.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::CommandLine => "cli --url",
            Self::Variable => "env OPENCLAW_GATEWAY_URL",
            Self::Remote => "config gateway.remote.url",
            Self::RunningGateway => "running gateway",
            Self::Configured => "local loopback",
        }
    }

    /// Whether it is the gateway of this state directory.
    pub(crate) fn is_local(self) -> bool {
        matches!(self, Self::RunningGateway | Self::Configured)
    }
}

/// A gateway to speak to.
#[derive(Debug, Clone)]
pub(crate) struct GatewayTarget {
    /// Where it is.
    pub(crate) address: GatewayAddress,
    /// Why there.
    pub(crate) source: AddressSource,
    /// What is shown to it.
    pub(crate) credentials: ConnectCredentials,
    /// How its certificate is judged.
    pub(crate) trust: Trust,
    /// Whether the command takes secrets on its command line.
    pub(crate) secret_flags: SecretFlags,
}

impl GatewayTarget {
    /// Decides, reading the configuration and asking which gateway runs.
    pub(crate) fn resolve(context: &Context, arguments: &TargetArgs) -> anyhow::Result<Self> {
        let snapshot = context.read_config();
        Self::resolve_with(context, arguments, &snapshot)
    }

    /// Decides with a configuration that was read already.
    pub(crate) fn resolve_with(
        context: &Context,
        arguments: &TargetArgs,
        snapshot: &FileSnapshot,
    ) -> anyhow::Result<Self> {
        let running = match running_instance(&context.locations) {
            Ok(instance) => instance.and_then(|instance| instance.port).filter(|port| *port > 0),
            Err(error) => {
                tracing::debug!(%error, "the lock of the gateway cannot be read");
                None
            }
        };
        let process = &context.environment;
        let authorities = process.get_trimmed("SSL_CERT_FILE").map(|file| process.user_path(file));
        decide(
            arguments,
            &TargetInputs {
                url: process.get_trimmed("OPENCLAW_GATEWAY_URL"),
                authorities: authorities.as_deref(),
                environment: &snapshot.environment,
                settings: &snapshot.config.gateway,
                running,
            },
        )
    }
}

/// What the decision looks at besides the command line.
pub(crate) struct TargetInputs<'a> {
    /// `OPENCLAW_GATEWAY_URL` of the process itself: a file in some folder must not send secrets elsewhere.
    pub(crate) url: Option<&'a str>,
    /// `SSL_CERT_FILE` of the process itself, for the same reason.
    pub(crate) authorities: Option<&'a Path>,
    /// The variables, with those of the configuration.
    pub(crate) environment: &'a Environment,
    /// The configuration.
    pub(crate) settings: &'a GatewaySettings,
    /// The port of the gateway that holds the state directory.
    pub(crate) running: Option<u16>,
}

/// The decision itself.
pub(crate) fn decide(arguments: &TargetArgs, around: &TargetInputs<'_>) -> anyhow::Result<GatewayTarget> {
    let target = choose(arguments, around)?;
    Ok(GatewayTarget { secret_flags: arguments.secret_flags, ..target })
}

fn choose(arguments: &TargetArgs, around: &TargetInputs<'_>) -> anyhow::Result<GatewayTarget> {
    let TargetInputs { url, authorities, environment, settings, running } = *around;
    let given = ConnectCredentials {
        token: secret(arguments.token.as_deref()),
        password: secret(arguments.password.as_deref()),
        device_token: None,
    };
    let has_given = given.token.is_some() || given.password.is_some();
    let fingerprint = arguments.tls_fingerprint.as_deref();
    if let Some(url) = filled(arguments.url.as_deref()) {
        if !has_given {
            return Err(misuse(
                "--url needs --token or --password as well; the secrets of this machine are not sent to other addresses",
            ));
        }
        return target(url, AddressSource::CommandLine, given, trust(authorities, fingerprint)?);
    }
    let from_environment = environment_credentials(environment);
    if let Some(url) = filled(url) {
        let credentials = if has_given { given } else { from_environment };
        if credentials.token.is_none() && credentials.password.is_none() {
            return Err(misuse(match arguments.secret_flags {
                SecretFlags::Offered => {
                    "OPENCLAW_GATEWAY_URL needs OPENCLAW_GATEWAY_TOKEN, OPENCLAW_GATEWAY_PASSWORD or --token as well"
                }
                SecretFlags::Absent => {
                    "OPENCLAW_GATEWAY_URL needs OPENCLAW_GATEWAY_TOKEN or OPENCLAW_GATEWAY_PASSWORD as well"
                }
            }));
        }
        return target(url, AddressSource::Variable, credentials, trust(authorities, fingerprint)?);
    }
    if settings.mode == Some(RunMode::Remote) {
        let Some(url) = filled(settings.remote.url.as_deref()) else {
            return Err(anyhow::anyhow!(
                "gateway.mode is remote but gateway.remote.url is not set; set it, or run `openclaw config set gateway.mode local`"
            ));
        };
        let credentials = if has_given { given } else { remote_credentials(settings, from_environment) };
        let fingerprint = fingerprint.or(settings.remote.tls_fingerprint.as_deref());
        return target(url, AddressSource::Remote, credentials, trust(authorities, fingerprint)?);
    }
    let credentials = if has_given { given } else { local_credentials(settings, from_environment) };
    local_target(settings, running, credentials, fingerprint)
}

fn local_target(
    settings: &GatewaySettings,
    running: Option<u16>,
    credentials: ConnectCredentials,
    fingerprint: Option<&str>,
) -> anyhow::Result<GatewayTarget> {
    let security = if settings.tls.enabled { Security::Tls } else { Security::Plaintext };
    let trust = match (security, fingerprint) {
        (_, Some(text)) => Trust::Pinned(Fingerprint::parse(text)?),
        (Security::Plaintext, None) => Trust::System,
        (Security::Tls, None) => Trust::Pinned(Fingerprint::of_pem_file(&settings.tls.cert_path)?),
    };
    let source = if running.is_some() { AddressSource::RunningGateway } else { AddressSource::Configured };
    let address = GatewayAddress::local(running.unwrap_or(settings.port), security);
    Ok(GatewayTarget { address, source, credentials, trust, secret_flags: SecretFlags::default() })
}

fn target(
    url: &str,
    source: AddressSource,
    credentials: ConnectCredentials,
    trust: Trust,
) -> anyhow::Result<GatewayTarget> {
    let address = GatewayAddress::parse(url)?;
    Ok(GatewayTarget { address, source, credentials, trust, secret_flags: SecretFlags::default() })
}

/// A pin wins; else the authorities of `SSL_CERT_FILE`, as other programs read it; else those of the system.
fn trust(authorities: Option<&Path>, fingerprint: Option<&str>) -> anyhow::Result<Trust> {
    Ok(match (filled(fingerprint), authorities) {
        (Some(text), _) => Trust::Pinned(Fingerprint::parse(text)?),
        (None, Some(file)) => Trust::Authorities(file.to_owned()),
        (None, None) => Trust::System,
    })
}

fn environment_credentials(environment: &Environment) -> ConnectCredentials {
    let variable = |name: &str| {
        let present = environment.get_trimmed(&format!("OPENCLAW_{name}"));
        secret(present.or_else(|| environment.get_trimmed(&format!("CLAWDBOT_{name}"))))
    };
    ConnectCredentials {
        token: variable("GATEWAY_TOKEN"),
        password: variable("GATEWAY_PASSWORD"),
        device_token: None,
    }
}

/// On this machine a variable wins, so that a person can try another secret without editing the file.
fn local_credentials(settings: &GatewaySettings, environment: ConnectCredentials) -> ConnectCredentials {
    let (auth, remote) = (&settings.auth, &settings.remote);
    ConnectCredentials {
        token: environment.token.or_else(|| auth.token.clone()).or_else(|| remote.token.clone()),
        password: environment.password.or_else(|| auth.password.clone()).or_else(|| remote.password.clone()),
        device_token: None,
    }
}

/// For a remote gateway its own token wins; a password from the environment wins over the stored one.
fn remote_credentials(settings: &GatewaySettings, environment: ConnectCredentials) -> ConnectCredentials {
    let (auth, remote) = (&settings.auth, &settings.remote);
    ConnectCredentials {
        token: remote.token.clone().or(environment.token).or_else(|| auth.token.clone()),
        password: environment.password.or_else(|| remote.password.clone()).or_else(|| auth.password.clone()),
        device_token: None,
    }
}

fn secret(text: Option<&str>) -> Option<Secret<String>> {
    filled(text).map(|text| Secret::new(text.to_owned()))
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}
