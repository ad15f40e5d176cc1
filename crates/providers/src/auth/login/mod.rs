//! The ways a person signs in. Each is an engine without a screen: it shows and asks through a `LoginPrompt`, and gives
//! a profile that the sign_ins keeps.
//!
//! `browser` opens a page and waits at a `callback` of this machine, with pasting as the other way back; `device` shows
//! a code to type in elsewhere; `token` takes what a person pastes. `project` asks Google for the account's project.

mod browser;
mod callback;
mod device;
mod error;
mod page;
mod pasted;
mod project;
mod token;

#[cfg(test)]
mod tests;

use async_trait::async_trait;
use openclaw_config::Environment;
use openclaw_ports::Clock;
use openclaw_ports::model::ModelFault;
use openclaw_ports::stores::StoredProfile;
use openclaw_types::{AuthProfileId, ProviderId, Secret};

use super::vendors::{ClientName, SignInVendor, SignInWay, gemini_client};
use crate::transport::Transport;

pub use error::LoginError;
pub use token::{api_key_profile, paste_token_profile, setup_token_profile, token_profile_id};

/// Shows things to the person who signs in, and asks them.
#[async_trait]
pub trait LoginPrompt: Send + Sync {
    /// Shows an address to open, and opens it where that is possible. Returns at once.
    async fn show_url(&self, url: &str);

    /// Shows a code and where to type it in. Returns at once.
    async fn show_code(&self, code: &DeviceCode);

    /// Asks for a text. Dropping the future withdraws the question.
    async fn ask(&self, question: &str) -> LoginReply;
}

/// What a person answered.
#[derive(Clone, PartialEq, Eq)]
pub enum LoginReply {
    /// A text, which may be a secret.
    Text(Secret<String>),
    /// Nobody can be asked here.
    Nobody,
    /// They do not want to go on.
    Cancelled,
}

/// A code to type in on any device. The code itself is meant to be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceCode {
    /// Where to type it in.
    pub url: String,
    /// The same with the code filled in, where the vendor has such an address.
    pub complete_url: Option<String>,
    /// The code.
    pub code: String,
    /// How long it is good.
    pub good_for: std::time::Duration,
}

/// What a sign-in stands on.
#[derive(Clone, Copy)]
pub struct LoginContext<'a> {
    /// Makes the calls.
    pub transport: &'a Transport,
    /// Tells the time and waits.
    pub clock: &'a dyn Clock,
    /// The variables, and where programs are installed.
    pub environment: &'a Environment,
}

/// Signs a person in at a vendor. The profile is not stored yet.
///
/// # Errors
/// Says what to do next. Dropping the future ends the sign-in and closes its port.
pub async fn login(
    vendor: &SignInVendor,
    context: LoginContext<'_>,
    prompt: &dyn LoginPrompt,
) -> Result<StoredProfile, LoginError> {
    match vendor.way {
        Some(SignInWay::Browser { callback_path, extra }) => {
            browser::login(vendor, (callback_path, extra), context, prompt).await
        }
        Some(SignInWay::Device { proof }) => device::login(vendor, proof, context, prompt).await,
        None => Err(LoginError::NoSuchWay { provider: vendor.provider.to_owned() }),
    }
}

/// The name we go by at a vendor, and the secret that belongs to it where there is one.
fn client(
    vendor: &SignInVendor,
    environment: &Environment,
) -> Result<(String, Option<Secret<String>>), ModelFault> {
    match vendor.client {
        ClientName::Public(name) => Ok((name.to_owned(), None)),
        ClientName::GeminiCli => gemini_client(environment),
    }
}

/// The ids of a new profile: the vendor, and the account or a name that stands for it.
fn named(provider: &str, account: &str) -> Result<(AuthProfileId, ProviderId), LoginError> {
    let id = AuthProfileId::new(format!("{provider}:{account}"));
    let provider = ProviderId::new(provider);
    match (id, provider) {
        (Ok(id), Ok(provider)) => Ok((id, provider)),
        (Err(error), _) | (_, Err(error)) => Err(LoginError::Unusable { problem: error.to_string() }),
    }
}
