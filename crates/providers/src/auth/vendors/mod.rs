//! What is known about signing in at each vendor: data, one file each.
//!
//! Addresses can be replaced, which tests do, and so can a person's own proxy of a vendor. Client names are public;
//! a client secret is never written here.

mod anthropic;
mod gemini_cli;
mod github_copilot;
mod openai_codex;
mod qwen_portal;

use openclaw_ports::model::{ServerReach, normal_provider};
use openclaw_types::ProviderId;

pub(super) use gemini_cli::client as gemini_client;

/// How people sign in at one vendor, and how the sign-in is renewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInVendor {
    /// The vendor.
    pub provider: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// The name we go by at the vendor.
    pub client: ClientName,
    /// What we ask for.
    pub scope: &'static str,
    /// How people sign in; nothing for sign-ins that are only renewed.
    pub way: Option<SignInWay>,
    /// How a sign-in is renewed.
    pub renewal: Renewal,
    /// Where all of that happens.
    pub urls: VendorUrls,
}

/// The name we go by at a vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientName {
    /// A public name.
    Public(&'static str),
    /// That of the Gemini command line: from variables, or from where it is installed.
    GeminiCli,
}

/// How people sign in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInWay {
    /// In a browser that comes back to a port of this machine, or with a pasted address.
    Browser {
        /// The path it comes back to.
        callback_path: &'static str,
        /// What is added to the address that is opened.
        extra: &'static [(&'static str, &'static str)],
    },
    /// With a code that is typed in on any device.
    Device {
        /// Whether the vendor wants a proof with it.
        proof: DeviceProof,
    },
}

/// Whether a device sign-in carries a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceProof {
    /// It does (PKCE).
    Challenge,
    /// It does not.
    None,
}

/// How a sign-in is renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewal {
    /// With a form.
    Form,
    /// With JSON.
    Json,
    /// By trading the GitHub token again.
    CopilotExchange,
}

/// Where a vendor's sign-in happens. Empty texts are steps the vendor does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorUrls {
    /// The page for the person.
    pub authorize: String,
    /// Where codes and renewal tokens are redeemed.
    pub token: String,
    /// Where a code for the person is asked for.
    pub device: String,
    /// Who the account is.
    pub account: String,
    /// Where a token is traded for one of the service.
    pub exchange: String,
    /// Where the account's project is asked for, tried in order.
    pub project: Vec<String>,
    /// The port of this machine that the browser comes back to.
    pub callback_port: u16,
    /// Where these addresses may lie.
    pub reach: ServerReach,
}

impl Default for VendorUrls {
    fn default() -> Self {
        Self {
            authorize: String::new(),
            token: String::new(),
            device: String::new(),
            account: String::new(),
            exchange: String::new(),
            project: Vec::new(),
            callback_port: 0,
            reach: ServerReach::Public,
        }
    }
}

/// The vendors people can sign in at.
#[derive(Debug, Clone)]
pub struct SignInVendors(Vec<SignInVendor>);

impl SignInVendors {
    /// Those the program knows.
    #[must_use]
    pub fn known() -> Self {
        Self(vec![
            openai_codex::vendor(),
            gemini_cli::vendor(),
            qwen_portal::vendor(),
            github_copilot::vendor(),
            anthropic::vendor(),
        ])
    }

    /// The same with other addresses for one vendor.
    #[must_use]
    pub fn with_urls(mut self, provider: &str, urls: VendorUrls) -> Self {
        for vendor in self.0.iter_mut().filter(|vendor| vendor.provider == provider) {
            vendor.urls = urls.clone();
        }
        self
    }

    /// A vendor by its name in references.
    #[must_use]
    pub fn get(&self, provider: &ProviderId) -> Option<&SignInVendor> {
        let meant = normal_provider(provider.as_str());
        self.0.iter().find(|vendor| vendor.provider == meant)
    }

    /// The vendors a person can sign in at, in the order to show them.
    pub fn offered(&self) -> impl Iterator<Item = &SignInVendor> {
        self.0.iter().filter(|vendor| vendor.way.is_some())
    }
}
