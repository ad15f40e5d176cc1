//! Signing in with a browser: a page at the vendor, and a code that comes back to this machine or is pasted.
//!
//! Both ways back are open at once, whichever comes first wins: the browser may be on another machine.

use std::time::Duration;

use openclaw_ports::stores::{OauthTokens, StoredCredential, StoredProfile};
use openclaw_ports::{Deadline, TimedOut};
use openclaw_types::Secret;
use serde_json::Map;

use super::callback::CallbackListener;
use super::{LoginContext, LoginError, LoginPrompt, LoginReply, client, named, pasted, project};
use crate::auth::oauth::{Granted, Proof, email_of, random_text, read_grant, with_query};
use crate::auth::sign_ins::chatgpt_account;
use crate::auth::vendors::SignInVendor;
use crate::auth::web;

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(10 * 60);
const QUESTION: &str =
    "If the browser is on another machine, paste the address of the page it ended on (or the code):";

type Extra = &'static [(&'static str, &'static str)];

/// Signs a person in.
pub(super) async fn login(
    vendor: &SignInVendor,
    (path, extra): (&'static str, Extra),
    context: LoginContext<'_>,
    prompt: &dyn LoginPrompt,
) -> Result<StoredProfile, LoginError> {
    let (client, secret) = client(vendor, context.environment)?;
    let proof = Proof::new()?;
    let state = random_text(24)?;
    let door = match CallbackListener::open(vendor.urls.callback_port, path).await {
        Ok(door) => Some(door),
        Err(error) => {
            tracing::warn!(port = vendor.urls.callback_port, %error, "the sign-in's door cannot be opened; only pasting works");
            None
        }
    };
    let port = door.as_ref().map_or(vendor.urls.callback_port, CallbackListener::port);
    let redirect = format!("http://localhost:{port}{path}");
    let mut fields = vec![
        ("response_type", "code"),
        ("client_id", client.as_str()),
        ("redirect_uri", redirect.as_str()),
        ("scope", vendor.scope),
        ("code_challenge", proof.challenge.as_str()),
        ("code_challenge_method", "S256"),
        ("state", state.as_str()),
    ];
    fields.extend(extra);
    prompt.show_url(&with_query(&vendor.urls.authorize, &fields)).await;
    let deadline = Deadline::after(context.clock, PATIENCE);
    let code = match deadline.bound(context.clock, way_back(door, &state, context, prompt)).await {
        Ok(code) => code?,
        Err(TimedOut) => return Err(LoginError::TimedOut),
    };
    let mut form = vec![
        ("grant_type", web::open("authorization_code")),
        ("client_id", web::open(client)),
        ("code", code),
        ("code_verifier", proof.verifier.clone()),
        ("redirect_uri", web::open(redirect)),
    ];
    form.extend(secret.map(|secret| ("client_secret", secret)));
    let answer = context.transport.json(web::form(&vendor.urls.token, vendor.urls.reach, form)).await?;
    let granted = read_grant(&answer).map_err(LoginError::denied)?;
    profile(vendor, context, granted).await
}

/// The code, from the browser or from the person.
async fn way_back(
    door: Option<CallbackListener>,
    state: &str,
    context: LoginContext<'_>,
    prompt: &dyn LoginPrompt,
) -> Result<Secret<String>, LoginError> {
    let has_door = door.is_some();
    let browser = async {
        match door {
            Some(door) => door.wait(context.clock, state).await,
            None => std::future::pending().await,
        }
    };
    let person = async {
        match prompt.ask(QUESTION).await {
            LoginReply::Text(text) => pasted::code(&text, state),
            LoginReply::Cancelled => Err(LoginError::Cancelled),
            LoginReply::Nobody if has_door => std::future::pending().await,
            LoginReply::Nobody => Err(LoginError::Unusable {
                problem:
                    "nobody can be asked for the code here, and the port the browser comes back to is taken; \
                          free it or sign in from a terminal"
                        .to_owned(),
            }),
        }
    };
    // Dropping the slower way loses nothing: one code is enough, and it is good only once.
    tokio::select! {
        code = browser => code,
        code = person => code,
    }
}

/// The profile that tokens make, with what the vendor says about the account.
async fn profile(
    vendor: &SignInVendor,
    context: LoginContext<'_>,
    granted: Granted,
) -> Result<StoredProfile, LoginError> {
    if granted.refresh.is_none() {
        return Err(LoginError::Refused { code: "no renewal token came along".to_owned() });
    }
    let mut account_id = None;
    let mut project_id = None;
    let mut email = granted.id_token.as_ref().and_then(email_of).or_else(|| email_of(&granted.access));
    match vendor.provider {
        "openai-codex" => {
            account_id = chatgpt_account(&granted.access);
            if account_id.is_none() {
                return Err(LoginError::Refused { code: "the token names no ChatGPT account".to_owned() });
            }
        }
        "google-gemini-cli" => {
            email = project::email(vendor, context, &granted.access).await.or(email);
            project_id = Some(project::discover(vendor, context, &granted.access).await?);
        }
        _ => {}
    }
    let (id, provider) = named(vendor.provider, email.as_deref().unwrap_or("default"))?;
    let expires = granted.expires(context.clock.now());
    let tokens = OauthTokens {
        access: granted.access,
        refresh: granted.refresh,
        expires,
        account_id,
        project_id,
        enterprise_url: None,
        client_id: None,
    };
    Ok(StoredProfile { id, provider, email, credential: StoredCredential::Oauth(tokens), extra: Map::new() })
}
