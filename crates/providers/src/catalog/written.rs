//! Lays what a person wrote about a vendor over what is known of it.
//!
//! Pure. A field that was written wins; a field that was left out keeps what is known, and for a model that nobody
//! knows gets the documented default. Written models come first, in their order. A model on a server of a person's own
//! costs nothing unless a cost is written; at a vendor that the program knows, a price that nobody wrote is unknown.

use std::collections::{BTreeMap, HashSet};

use openclaw_config::sections::{
    ModelApi, ModelCost, ModelDefinition, ModelInput, ModelProvider, ProviderAuth, SecretText,
};
use openclaw_ports::model::{
    ApiName, Compatibility, Endpoint, ModelFacts, Prices, ProviderFacts, ProviderOrigin, ServerReach, SignIn,
};
use openclaw_types::{ProviderId, Secret, ThinkingLevel};

use super::compat;
use super::facts::plain_model;
use super::vendor::Offers;
use super::vendors::vendor;

/// The context of a model whose context nobody wrote.
pub(super) const DEFAULT_CONTEXT: u64 = 200_000;
/// The longest answer of a model for which nobody wrote one.
pub(super) const DEFAULT_OUTPUT: u64 = 8_192;
/// How hard a model can think of which only is known that it can.
pub(super) const USUAL_LEVELS: [ThinkingLevel; 4] =
    [ThinkingLevel::Minimal, ThinkingLevel::Low, ThinkingLevel::Medium, ThinkingLevel::High];

/// Where the words come from, which decides what a cost of zero means, and where addresses may lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    /// A person, in the configuration.
    Person,
    /// An older installation, which wrote zero for whatever it did not know.
    Installation,
}

/// The facts of a vendor as somebody wrote about it; `known` is what was known before.
pub(super) fn lay_over(
    id: &ProviderId,
    known: Option<ProviderFacts>,
    written: &ModelProvider,
    author: Author,
) -> ProviderFacts {
    let place = Place::of(id, known.as_ref(), written, author);
    let mut models = Vec::with_capacity(written.models.len());
    let mut seen = HashSet::new();
    for definition in &written.models {
        let name = definition.id.trim();
        if name.is_empty() || !seen.insert(name.to_owned()) {
            continue;
        }
        let before = known.as_ref().and_then(|known| known.models.iter().find(|model| model.id == name));
        models.push(place.model(definition, before));
    }
    let rest = known.iter().flat_map(|known| &known.models).filter(|model| !seen.contains(&model.id));
    models.extend(rest.map(|model| place.moved(model)));
    ProviderFacts {
        id: id.clone(),
        name: known.as_ref().map_or_else(|| id.to_string(), |known| known.name.clone()),
        origin: match (&known, author) {
            // An older list adds to a known vendor and changes nothing of it.
            (Some(known), Author::Installation) => known.origin,
            _ => ProviderOrigin::Configured,
        },
        reach: place.reach(known.as_ref()),
        sign_in: sign_in(written, known.as_ref()),
        key_variables: known.as_ref().map(|known| known.key_variables.clone()).unwrap_or_default(),
        endpoint: Some(Endpoint { api: place.api, base_url: place.base_url.clone() }),
        models,
    }
}

/// The protocol of a name in the configuration.
pub(super) fn api_name(written: ModelApi) -> ApiName {
    match written {
        ModelApi::OpenaiCompletions => ApiName::OpenaiCompletions,
        // One codec speaks both; it knows the subscription's endpoint by its address.
        ModelApi::OpenaiResponses | ModelApi::OpenaiCodexResponses => ApiName::OpenaiResponses,
        ModelApi::AnthropicMessages => ApiName::AnthropicMessages,
        ModelApi::GoogleGenerativeAi => ApiName::GoogleGenerativeAi,
        ModelApi::GithubCopilot => ApiName::GithubCopilot,
        ModelApi::BedrockConverseStream => ApiName::BedrockConverseStream,
        ModelApi::Ollama => ApiName::Ollama,
    }
}

/// What holds for all models of a written vendor.
struct Place<'a> {
    id: &'a ProviderId,
    author: Author,
    api: ApiName,
    /// Whether the protocol was written, so that it also holds for models that are known with another.
    api_written: bool,
    base_url: String,
    base_written: bool,
    headers: BTreeMap<String, Secret<String>>,
    key_as_bearer: Option<bool>,
}

impl<'a> Place<'a> {
    fn of(
        id: &'a ProviderId,
        known: Option<&ProviderFacts>,
        written: &ModelProvider,
        author: Author,
    ) -> Self {
        let endpoint = known.and_then(|known| known.endpoint.as_ref());
        let address = written.base_url.trim();
        let base_url = if address.is_empty() {
            endpoint.map(|endpoint| endpoint.base_url.clone()).unwrap_or_default()
        } else {
            address.to_owned()
        };
        let api = written
            .api
            .map(api_name)
            .or_else(|| endpoint.map(|endpoint| endpoint.api))
            .unwrap_or_else(|| likely_api(&base_url));
        Self {
            id,
            author,
            api,
            api_written: written.api.is_some(),
            base_written: !address.is_empty(),
            base_url,
            headers: headers(&written.headers),
            key_as_bearer: written.auth_header,
        }
    }

    fn reach(&self, known: Option<&ProviderFacts>) -> ServerReach {
        match (known, self.author) {
            (Some(known), _) if !self.base_written => known.reach,
            // An address that a person wrote may lie anywhere.
            (_, Author::Person) => ServerReach::Anywhere,
            // Whatever runs as this user could have written the other.
            (_, Author::Installation) => ServerReach::Public,
        }
    }

    /// A written model.
    fn model(&self, written: &ModelDefinition, known: Option<&ModelFacts>) -> ModelFacts {
        let base = match known {
            Some(known) => self.moved(known),
            None => self.unknown(written.id.trim()),
        };
        let api = written.api.map_or(base.api, api_name);
        let context = tokens(written.context_window).unwrap_or(base.context_window);
        let output = tokens(written.max_tokens).unwrap_or(base.max_output_tokens).min(context);
        let mut compatibility =
            if api == base.api { base.compatibility } else { self.told(api, &base.base_url) };
        if let Some(compat) = &written.compat {
            compat::correct(&mut compatibility, compat);
        }
        let mut all_headers = base.headers;
        all_headers.extend(headers(&written.headers));
        ModelFacts {
            id: written.id.trim().to_owned(),
            name: if written.name.trim().is_empty() { base.name } else { written.name.trim().to_owned() },
            api,
            base_url: base.base_url,
            context_window: context,
            max_output_tokens: output,
            sees_images: written
                .input
                .as_ref()
                .map_or(base.sees_images, |input| input.contains(&ModelInput::Image)),
            thinking: match written.reasoning {
                Some(false) => Vec::new(),
                Some(true) if base.thinking.is_empty() => USUAL_LEVELS.to_vec(),
                _ => base.thinking,
            },
            prices: prices(written.cost.as_ref(), base.prices, self.author),
            headers: all_headers,
            compatibility,
        }
    }

    /// A known model at the written place.
    fn moved(&self, known: &ModelFacts) -> ModelFacts {
        let mut model = known.clone();
        if self.api_written {
            model.api = self.api;
        }
        if self.base_written {
            model.base_url = self.base_url.clone();
        }
        // Another server has other habits; what was known of the vendor's own no longer tells.
        if model.api != known.api || model.base_url != known.base_url {
            let keeps_effort = model.compatibility.reasoning_effort;
            model.compatibility = self.told(model.api, &model.base_url);
            model.compatibility.reasoning_effort &= keeps_effort;
        } else if let Some(bearer) = self.key_as_bearer {
            model.compatibility.key_as_bearer = bearer;
        }
        model.headers.extend(self.headers.iter().map(|(name, value)| (name.clone(), value.clone())));
        model
    }

    fn unknown(&self, id: &str) -> ModelFacts {
        ModelFacts {
            prices: self.usual_prices(),
            headers: self.headers.clone(),
            compatibility: self.told(self.api, &self.base_url),
            ..plain_model(id, self.api, &self.base_url, (DEFAULT_CONTEXT, DEFAULT_OUTPUT))
        }
    }

    /// What a model costs of which nobody wrote a cost: nothing on a person's own server, as documented.
    fn usual_prices(&self) -> Option<Prices> {
        let own = vendor(self.id.as_str()).is_none_or(|known| known.offers == Offers::OwnModels);
        (own && self.author == Author::Person).then(Prices::default)
    }

    fn told(&self, api: ApiName, base_url: &str) -> Compatibility {
        Compatibility {
            key_as_bearer: self.key_as_bearer.unwrap_or(false),
            ..compat::detect(self.id.as_str(), api, base_url)
        }
    }
}

/// The protocol of a server of which only the address is known.
fn likely_api(base_url: &str) -> ApiName {
    let path = base_url.trim_end_matches('/').to_ascii_lowercase();
    if path.ends_with("/anthropic") || path.contains("api.anthropic.com") {
        ApiName::AnthropicMessages
    } else {
        ApiName::OpenaiCompletions
    }
}

fn sign_in(written: &ModelProvider, known: Option<&ProviderFacts>) -> SignIn {
    match (written.auth, known) {
        (Some(ProviderAuth::AwsSdk), _) => SignIn::Aws,
        (Some(ProviderAuth::Oauth), _) => SignIn::Oauth,
        (Some(ProviderAuth::ApiKey | ProviderAuth::Token), _) => SignIn::Key,
        (None, Some(known)) => known.sign_in,
        (None, None) if written.api_key.is_some() => SignIn::Key,
        (None, None) => SignIn::OptionalKey,
    }
}

fn headers(written: &BTreeMap<String, SecretText>) -> BTreeMap<String, Secret<String>> {
    written
        .iter()
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.secret().clone()))
        .filter(|(name, _)| !name.is_empty())
        .collect()
}

/// A written number of tokens, where it is one.
fn tokens(written: Option<f64>) -> Option<u64> {
    let whole = written.filter(|count| count.is_finite() && *count >= 1.0)?.floor();
    // A cast of a float saturates, and no model has so many tokens.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, whole, and saturating"
    )]
    Some(whole as u64)
}

/// The written prices. What is left out keeps what is known of the model, and costs nothing where nothing is known.
fn prices(written: Option<&ModelCost>, known: Option<Prices>, author: Author) -> Option<Prices> {
    let Some(written) = written else { return known };
    let before = known.unwrap_or_default();
    let price = |price: Option<f64>, before: f64| {
        price.filter(|price| price.is_finite() && *price >= 0.0).unwrap_or(before)
    };
    let says_nothing = author == Author::Installation
        && [written.input, written.output, written.cache_read, written.cache_write]
            .iter()
            .all(|price| price.is_none_or(|price| price == 0.0));
    if says_nothing {
        return known;
    }
    Some(Prices {
        input: price(written.input, before.input),
        output: price(written.output, before.output),
        cache_read: price(written.cache_read, before.cache_read),
        cache_write: price(written.cache_write, before.cache_write),
    })
}
