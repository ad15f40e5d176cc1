//! Signing in with a code: it is shown here, typed in anywhere, and we ask now and then whether it was (RFC 8628).

use std::time::Duration;

use openclaw_ports::Deadline;
use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_ports::stores::{OauthTokens, StoredCredential, StoredProfile, StoredSecret};
use openclaw_types::Secret;
use serde::Deserialize;
use serde_json::Map;

use super::{DeviceCode, LoginContext, LoginError, LoginPrompt, client, named};
use crate::auth::oauth::{Denied, Granted, Proof, read_grant};
use crate::auth::sign_ins::RESOURCE_URL;
use crate::auth::vendors::{DeviceProof, Renewal, SignInVendor};
use crate::auth::web;

const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// How often is asked when the vendor does not say, and never more often than that.
const USUAL_PAUSE: Duration = Duration::from_secs(5);
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
/// What is added each time the vendor finds us too eager.
const SLOWER: Duration = Duration::from_secs(5);
/// The longest a code is waited for, whatever the vendor says.
const LONGEST: Duration = Duration::from_secs(30 * 60);
/// So many calls in a row may be lost on the way.
const MAX_LOST: u32 = 5;

#[derive(Deserialize)]
struct Wire {
    device_code: Secret<String>,
    user_code: String,
    verification_uri: String,
    verification_uri_complete: Option<String>,
    expires_in: f64,
    interval: Option<f64>,
}

/// Signs a person in.
pub(super) async fn login(
    vendor: &SignInVendor,
    proof: DeviceProof,
    context: LoginContext<'_>,
    prompt: &dyn LoginPrompt,
) -> Result<StoredProfile, LoginError> {
    let (client, _) = client(vendor, context.environment)?;
    let proof = match proof {
        DeviceProof::Challenge => Some(Proof::new()?),
        DeviceProof::None => None,
    };
    let wire = ask_for_code(vendor, &client, proof.as_ref(), context).await?;
    let good_for = span(wire.expires_in).unwrap_or(LONGEST).min(LONGEST);
    prompt
        .show_code(&DeviceCode {
            url: wire.verification_uri.clone(),
            complete_url: wire.verification_uri_complete.clone(),
            code: wire.user_code.clone(),
            good_for,
        })
        .await;
    let deadline = Deadline::after(context.clock, good_for);
    let granted = poll(vendor, (&client, proof.as_ref()), &wire, (context, deadline)).await?;
    profile(vendor, context, granted)
}

async fn ask_for_code(
    vendor: &SignInVendor,
    client: &str,
    proof: Option<&Proof>,
    context: LoginContext<'_>,
) -> Result<Wire, LoginError> {
    let mut fields = vec![("client_id", web::open(client)), ("scope", web::open(vendor.scope))];
    if let Some(proof) = proof {
        fields.push(("code_challenge", web::open(&proof.challenge)));
        fields.push(("code_challenge_method", web::open("S256")));
    }
    let answer = context.transport.json(web::form(&vendor.urls.device, vendor.urls.reach, fields)).await?;
    if !answer.is_success() {
        return Err(LoginError::Refused { code: format!("status {}", answer.status) });
    }
    // The parser's error may quote the code.
    let wire: Wire = serde_json::from_slice(&answer.body).map_err(|_quotes| {
        ModelFault::new(FaultReason::Malformed, format!("{} answered without a code; try again", vendor.name))
    })?;
    let url = &wire.verification_uri;
    let shown = wire.verification_uri_complete.as_ref().unwrap_or(url);
    if [url, shown].iter().any(|url| !url.starts_with("https://") && !url.starts_with("http://")) {
        return Err(LoginError::Refused { code: "the address for the code is none".to_owned() });
    }
    Ok(wire)
}

/// Asks until the person decided or the code ran out.
async fn poll(
    vendor: &SignInVendor,
    (client, proof): (&str, Option<&Proof>),
    wire: &Wire,
    (context, deadline): (LoginContext<'_>, Deadline),
) -> Result<Granted, LoginError> {
    let mut pause = wire.interval.and_then(span).unwrap_or(USUAL_PAUSE).max(SHORTEST_PAUSE);
    let mut lost = 0;
    loop {
        if deadline.left(context.clock) <= pause {
            return Err(LoginError::CodeExpired);
        }
        context.clock.sleep(pause).await;
        let mut fields = vec![
            ("grant_type", web::open(GRANT)),
            ("client_id", web::open(client)),
            ("device_code", wire.device_code.clone()),
        ];
        fields.extend(proof.map(|proof| ("code_verifier", proof.verifier.clone())));
        match context.transport.json(web::form(&vendor.urls.token, vendor.urls.reach, fields)).await {
            Ok(answer) => {
                lost = 0;
                match read_grant(&answer) {
                    Ok(granted) => return Ok(granted),
                    Err(Denied::Pending) => {}
                    Err(Denied::SlowDown | Denied::RateLimit) => pause = pause.saturating_add(SLOWER),
                    Err(Denied::Overloaded) => {}
                    Err(denied) => return Err(LoginError::denied(denied)),
                }
            }
            Err(fault) => {
                lost += 1;
                let passing = matches!(fault.reason, FaultReason::Network | FaultReason::Timeout);
                if !passing || lost >= MAX_LOST {
                    return Err(fault.into());
                }
            }
        }
    }
}

fn profile(
    vendor: &SignInVendor,
    context: LoginContext<'_>,
    granted: Granted,
) -> Result<StoredProfile, LoginError> {
    if vendor.renewal == Renewal::CopilotExchange {
        // The GitHub token does not run out; it is traded for one of the service with each use.
        let (id, provider) = named(vendor.provider, "github")?;
        let credential = StoredCredential::Token { token: StoredSecret::Text(granted.access), expires: None };
        return Ok(StoredProfile { id, provider, email: None, credential, extra: Map::new() });
    }
    if granted.refresh.is_none() {
        return Err(LoginError::Refused { code: "no renewal token came along".to_owned() });
    }
    let (id, provider) = named(vendor.provider, "default")?;
    let expires = granted.expires(context.clock.now());
    let mut extra = Map::new();
    if let Some(resource) = granted.resource_url {
        extra.insert(RESOURCE_URL.to_owned(), resource.into());
    }
    let tokens = OauthTokens {
        access: granted.access,
        refresh: granted.refresh,
        expires,
        account_id: None,
        project_id: None,
        enterprise_url: None,
        client_id: None,
    };
    Ok(StoredProfile { id, provider, email: None, credential: StoredCredential::Oauth(tokens), extra })
}

fn span(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok().filter(|span| !span.is_zero())
}
