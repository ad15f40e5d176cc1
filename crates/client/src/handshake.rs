//! From an open socket to `hello-ok`: challenge, proof, credentials, answer.
//!
//! Chooses which secret is shown, signs with the device key, keeps the token the gateway gives and forgets the one it
//! no longer knows. Runs once for each connection, called by `session`.

use futures_util::{SinkExt as _, StreamExt as _};
use openclaw_ports::{Clock, Deadline};
use openclaw_protocol::{ErrorShape, ServerFrame, ServerResponse};
use openclaw_types::{Scope, ScopeSet, Secret, UnixMillis};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::error::{ConnectError, IdentityError, RefusalKind};
use crate::hello::Hello;
use crate::identity::SignedFields;
use crate::options::{ConnectOptions, Device};
use crate::refusal::refusal;
use crate::socket::Socket;

/// The id of the one request of a handshake.
const CONNECT_ID: &str = "connect";

/// Runs the handshake. The caller bounds the whole time; the challenge has a limit of its own.
pub(crate) async fn greet(
    socket: &mut Socket,
    options: &ConnectOptions,
    clock: &dyn Clock,
) -> Result<Hello, ConnectError> {
    let limit = options.challenge_limit;
    let nonce = Deadline::after(clock, limit).bound(clock, await_challenge(socket, options)).await.map_err(
        |openclaw_ports::TimedOut| ConnectError::TimedOut {
            address: options.address.authority(),
            awaited: "send its challenge",
            limit,
        },
    )??;
    let shown = shown_credentials(options)?;
    let params = connect_params(options, &shown, &nonce, clock);
    let frame = openclaw_protocol::request(CONNECT_ID, "connect", &params)
        .map_err(|error| not_a_gateway(options, error.to_string()))?;
    socket.send(Message::text(frame)).await.map_err(|error| lost(&error))?;
    match await_answer(socket, options).await? {
        Ok(payload) => {
            let hello = Hello::parse(payload.as_deref())
                .map_err(|error| not_a_gateway(options, error.to_string()))?;
            keep_token(options, &hello, clock)?;
            Ok(hello)
        }
        Err(error) => {
            let refusal = refusal(&error);
            if refusal.kind == RefusalKind::DeviceTokenMismatch && shown.source == TokenSource::Stored {
                forget_token(options)?;
            }
            Err(refusal.into())
        }
    }
}

async fn await_challenge(socket: &mut Socket, options: &ConnectOptions) -> Result<String, ConnectError> {
    loop {
        if let ServerFrame::Event(event) = next_frame(socket, options).await?
            && event.event == "connect.challenge"
        {
            let payload: Value = event.payload.as_deref().map_or(Value::Null, parse_raw);
            return match payload["nonce"].as_str().map(str::trim) {
                Some(nonce) if !nonce.is_empty() => Ok(nonce.to_owned()),
                _ => Err(not_a_gateway(options, "its challenge holds no nonce".to_owned())),
            };
        }
    }
}

type Answer = Result<Option<Box<RawValue>>, ErrorShape>;

async fn await_answer(socket: &mut Socket, options: &ConnectOptions) -> Result<Answer, ConnectError> {
    loop {
        if let ServerFrame::Response(ServerResponse { id, outcome }) = next_frame(socket, options).await?
            && id == CONNECT_ID
        {
            return Ok(outcome.map_err(|failed| failed.error));
        }
    }
}

async fn next_frame(socket: &mut Socket, options: &ConnectOptions) -> Result<ServerFrame, ConnectError> {
    loop {
        let message = match socket.next().await {
            Some(Ok(message)) => message,
            Some(Err(error)) => return Err(lost(&error)),
            None => return Err(ConnectError::Closed { code: 1006, reason: String::new() }),
        };
        match message {
            Message::Text(text) => return parse_frame(text.as_bytes(), options),
            Message::Binary(bytes) => return parse_frame(&bytes, options),
            Message::Close(frame) => {
                let (code, reason) = frame
                    .map_or((1005, String::new()), |frame| (frame.code.into(), frame.reason.to_string()));
                return Err(ConnectError::Closed { code, reason });
            }
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
    }
}

fn parse_frame(bytes: &[u8], options: &ConnectOptions) -> Result<ServerFrame, ConnectError> {
    ServerFrame::parse(bytes).map_err(|error| not_a_gateway(options, error.to_string()))
}

fn parse_raw(raw: &RawValue) -> Value {
    // A `RawValue` is JSON by construction.
    serde_json::from_str(raw.get()).unwrap_or(Value::Null)
}

fn not_a_gateway(options: &ConnectOptions, detail: String) -> ConnectError {
    ConnectError::NotAGateway { address: options.address.authority(), detail }
}

fn lost(error: &tokio_tungstenite::tungstenite::Error) -> ConnectError {
    ConnectError::Closed { code: 1006, reason: error.to_string() }
}

/// Where the token that is shown came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenSource {
    None,
    Given,
    Stored,
}

struct Shown {
    token: Option<Secret<String>>,
    device_token: Option<Secret<String>>,
    password: Option<Secret<String>>,
    source: TokenSource,
}

/// The shared token, else a device token: one that was given, else the stored one. Gateways read a device token from
/// either place, so it is put in both. The stored token stays home when a password was given: whoever asks for a
/// password need not be the gateway that gave the token.
fn shown_credentials(options: &ConnectOptions) -> Result<Shown, IdentityError> {
    let given = &options.credentials;
    let shared = filled(given.token.as_ref());
    let given_device = filled(given.device_token.as_ref());
    let password = filled(given.password.as_ref());
    let anything_given = shared.is_some() || given_device.is_some() || password.is_some();
    let stored = match &options.device {
        Some(device) if !anything_given => device.tokens.get(options.role)?.map(|stored| stored.token),
        _ => None,
    };
    let source = match (&shared, &given_device, &stored) {
        (Some(_), ..) | (_, Some(_), _) => TokenSource::Given,
        (.., Some(_)) => TokenSource::Stored,
        (None, None, None) => TokenSource::None,
    };
    let device_token = given_device.or(stored);
    let token = shared.or_else(|| device_token.clone());
    Ok(Shown { token, device_token, password, source })
}

fn filled(secret: Option<&Secret<String>>) -> Option<Secret<String>> {
    secret.filter(|secret| !secret.reveal().trim().is_empty()).cloned()
}

fn connect_params(options: &ConnectOptions, shown: &Shown, nonce: &str, clock: &dyn Clock) -> Value {
    let client = &options.client;
    let scopes: Vec<&str> = options.scopes.iter().copied().map(Scope::as_str).collect();
    let mut params = json!({
        "minProtocol": options.protocols.start(),
        "maxProtocol": options.protocols.end(),
        "client": {
            "id": client.id,
            "version": client.version,
            "platform": client.platform,
            "mode": client.mode,
        },
        "caps": options.capabilities,
        "role": options.role.as_str(),
        "scopes": scopes,
    });
    let optional = [
        ("displayName", &client.display_name),
        ("deviceFamily", &client.device_family),
        ("instanceId", &client.instance_id),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            params["client"][name] = json!(value);
        }
    }
    let auth = auth_block(shown);
    if !auth.is_empty() {
        params["auth"] = Value::Object(auth);
    }
    if let Some(device) = &options.device {
        let proof = Proof { token: shown.token.as_ref(), scopes: &scopes, nonce, signed_at: clock.now() };
        params["device"] = device_block(options, device, &proof);
    }
    params
}

fn auth_block(shown: &Shown) -> Map<String, Value> {
    [("token", &shown.token), ("deviceToken", &shown.device_token), ("password", &shown.password)]
        .into_iter()
        .filter_map(|(name, secret)| Some((name.to_owned(), json!(secret.as_ref()?.reveal().trim()))))
        .collect()
}

/// What a device's proof depends on besides who is asking.
struct Proof<'a> {
    token: Option<&'a Secret<String>>,
    scopes: &'a [&'a str],
    nonce: &'a str,
    signed_at: UnixMillis,
}

fn device_block(options: &ConnectOptions, device: &Device, proof: &Proof<'_>) -> Value {
    let fields = SignedFields {
        device_id: device.identity.device_id(),
        client_id: &options.client.id,
        client_mode: &options.client.mode,
        role: options.role,
        scopes: proof.scopes,
        signed_at: proof.signed_at,
        token: proof.token.map_or("", |token| token.reveal().trim()),
        nonce: proof.nonce,
        platform: &options.client.platform,
        device_family: options.client.device_family.as_deref().unwrap_or_default(),
    };
    json!({
        "id": device.identity.device_id().as_str(),
        "publicKey": device.identity.public_key(),
        "signature": device.identity.sign(&fields.text(device.signature)),
        "signedAt": proof.signed_at.0,
        "nonce": proof.nonce,
    })
}

fn keep_token(options: &ConnectOptions, hello: &Hello, clock: &dyn Clock) -> Result<(), IdentityError> {
    let (Some(device), Some(grant)) = (&options.device, hello.grant()) else { return Ok(()) };
    let Some(token) = &grant.device_token else { return Ok(()) };
    let scopes: ScopeSet = grant.scopes.iter().filter_map(|scope| scope.parse::<Scope>().ok()).collect();
    let role = grant.role.unwrap_or(options.role);
    let known = device.tokens.get(role)?;
    if known.is_some_and(|known| known.token == *token && known.scopes == printed(&scopes)) {
        return Ok(());
    }
    device.tokens.put(role, token, &scopes, clock)
}

fn printed(scopes: &ScopeSet) -> Vec<String> {
    scopes.iter().map(|scope| scope.as_str().to_owned()).collect()
}

fn forget_token(options: &ConnectOptions) -> Result<(), IdentityError> {
    if let Some(device) = &options.device
        && device.tokens.forget(options.role)?
    {
        tracing::info!("the gateway no longer knows this device's token; the stored copy was forgotten");
    }
    Ok(())
}
