//! What is known about models before one is called: data, filled by `providers::catalog`, read by selection.

use std::collections::BTreeMap;

use openclaw_types::{Cost, ModelRef, Money, ProviderId, Secret, ThinkingLevel, Usage};

use super::{ApiName, Compatibility};

/// Every model that could be called. A reload or a discovery makes a new one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelCatalog {
    /// The vendors, by name.
    pub providers: BTreeMap<ProviderId, ProviderFacts>,
}

impl ModelCatalog {
    /// A vendor.
    #[must_use]
    pub fn provider(&self, id: &ProviderId) -> Option<&ProviderFacts> {
        self.providers.get(id)
    }

    /// A model of a vendor. Names are compared without regard to case.
    #[must_use]
    pub fn model(&self, model: &ModelRef) -> Option<&ModelFacts> {
        self.provider(model.provider())?.model(model.model())
    }
}

/// One vendor or model server.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderFacts {
    /// Its name in references.
    pub id: ProviderId,
    /// Its name for people.
    pub name: String,
    /// How we know of it.
    pub origin: ProviderOrigin,
    /// Where its addresses may lie.
    pub reach: ServerReach,
    /// What it wants to see before it answers.
    pub sign_in: SignIn,
    /// Variables that may hold its key, the first that is set counts.
    pub key_variables: Vec<String>,
    /// The address and protocol for models that the catalog does not list.
    pub endpoint: Option<Endpoint>,
    /// Its models, in the order people should see them.
    pub models: Vec<ModelFacts>,
}

impl ProviderFacts {
    /// A model by the vendor's name for it, without regard to case when nothing fits exactly.
    #[must_use]
    pub fn model(&self, id: &str) -> Option<&ModelFacts> {
        self.models
            .iter()
            .find(|model| model.id == id)
            .or_else(|| self.models.iter().find(|model| model.id.eq_ignore_ascii_case(id)))
    }
}

/// How a vendor came into the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderOrigin {
    /// It is known to the program.
    BuiltIn,
    /// A person wrote it into the configuration.
    Configured,
    /// A server on this machine was found.
    Discovered,
}

/// Where the addresses of a server may lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerReach {
    /// On the public internet alone: a private address is refused.
    Public,
    /// Anywhere: a person named the address, or it is a server on this machine.
    Anywhere,
}

/// What a vendor wants to see before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignIn {
    /// A key or token.
    Key,
    /// A key where the server asks for one.
    OptionalKey,
    /// AWS credentials.
    Aws,
    /// Google's application credentials.
    GoogleApplication,
    /// A sign-in that is renewed by itself.
    Oauth,
    /// Nothing.
    Nothing,
}

/// Where and how a vendor's models are called.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoint {
    /// The protocol.
    pub api: ApiName,
    /// The root of the interface.
    pub base_url: String,
}

/// One model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFacts {
    /// The vendor's name for it.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The protocol it is spoken to in.
    pub api: ApiName,
    /// The root of the interface.
    pub base_url: String,
    /// The most it can read and write together.
    pub context_window: u64,
    /// The most it can write.
    pub max_output_tokens: u64,
    /// Whether it can see pictures.
    pub sees_images: bool,
    /// How hard it can think, besides not at all. Empty for models that cannot.
    pub thinking: Vec<ThinkingLevel>,
    /// What it costs, where we know.
    pub prices: Option<Prices>,
    /// Headers that are added to each call.
    pub headers: BTreeMap<String, Secret<String>>,
    /// What the server does differently.
    pub compatibility: Compatibility,
}

impl ModelFacts {
    /// Whether it can think before it answers.
    #[must_use]
    pub fn reasons(&self) -> bool {
        !self.thinking.is_empty()
    }
}

/// Prices in dollars for a million tokens each.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Prices {
    /// What is read.
    pub input: f64,
    /// What is written.
    pub output: f64,
    /// What is read from the vendor's cache.
    pub cache_read: f64,
    /// What is put into the vendor's cache.
    pub cache_write: f64,
}

impl Prices {
    /// What an answer cost.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Cost {
        let part = |tokens: u64, price: f64| Self::part(tokens, price).dollars();
        let mut cost = Cost {
            input: part(usage.input, self.input),
            output: part(usage.output, self.output),
            cache_read: part(usage.cache_read, self.cache_read),
            cache_write: part(usage.cache_write, self.cache_write),
            total: 0.0,
        };
        cost.total = cost.input + cost.output + cost.cache_read + cost.cache_write;
        cost
    }

    /// The same as one exact amount.
    #[must_use]
    pub fn amount(&self, usage: &Usage) -> Money {
        [
            Self::part(usage.input, self.input),
            Self::part(usage.output, self.output),
            Self::part(usage.cache_read, self.cache_read),
            Self::part(usage.cache_write, self.cache_write),
        ]
        .into_iter()
        .sum()
    }

    #[expect(clippy::cast_precision_loss, reason = "no answer has 2^52 tokens")]
    fn part(tokens: u64, per_million: f64) -> Money {
        Money::from_dollars(tokens as f64 * per_million / 1e6)
    }
}
