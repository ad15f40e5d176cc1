//! Reads the public list of OpenRouter, which people search for models that cost nothing.
//!
//! Asking needs no key. The list is where calls to the vendor go, so that a proxy that a person named is asked instead.
//! It holds hundreds of models; what of them is shown, and whether they are tried, is the caller's business.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::model::{FaultReason, ModelFault, Prices, ProviderFacts};
use serde::Deserialize;
use serde_json::Value;

use super::answers::{Asker, read};
use super::found::FoundModel;
use crate::transport::Transport;

/// Where the list is, below the root of the interface.
const LIST: &str = "/models";
/// How long the list may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// More models than this are not read.
const MOST: usize = 5_000;

/// One model of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct RouterModel {
    /// Its name in calls.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The most it can read and write together.
    pub context: Option<u64>,
    /// The most it can write.
    pub output: Option<u64>,
    /// Whether it can see pictures.
    pub sees_images: bool,
    /// Whether it can call tools.
    pub calls_tools: bool,
    /// Whether it can think.
    pub thinks: bool,
    /// How many parameters it has, in billions, where its name tells.
    pub billions: Option<f64>,
    /// When it came into the list, in seconds.
    pub created: Option<i64>,
    /// What it costs, where the list says so.
    pub prices: Option<Prices>,
}

impl RouterModel {
    /// Whether calls cost nothing.
    #[must_use]
    pub fn is_free(&self) -> bool {
        let gratis = |prices: &Prices| prices.input == 0.0 && prices.output == 0.0;
        self.id.ends_with(":free") || self.prices.as_ref().is_some_and(gratis)
    }
}

/// Asks for the list of today, where the catalog says that the vendor is, with the headers that its calls carry.
///
/// # Errors
/// What the transport says, `Format` when the vendor has no address, or `Malformed` when the answer is no list.
pub async fn ask_openrouter(
    transport: &Transport,
    router: &ProviderFacts,
) -> Result<Vec<RouterModel>, ModelFault> {
    let Some(endpoint) = &router.endpoint else {
        let text = format!("{} has no address; set models.providers.{}.baseUrl", router.name, router.id);
        return Err(ModelFault::new(FaultReason::Format, text));
    };
    let same_place = router.models.iter().find(|model| model.base_url == endpoint.base_url);
    let headers = same_place.map(|model| model.headers.clone()).unwrap_or_default();
    let asker = Asker::new(transport, None, router.reach).patient(PATIENCE, headers);
    read_openrouter(&asker.get(list_below(&endpoint.base_url)).await?)
}

/// The address of the list; parameters that a person wrote stay behind it.
fn list_below(base_url: &str) -> String {
    let (root, parameters) = base_url.trim().split_once('?').unwrap_or((base_url.trim(), ""));
    let mark = if parameters.is_empty() { "" } else { "?" };
    format!("{}{LIST}{mark}{parameters}", root.trim_end_matches('/'))
}

/// Reads the list. Entries without a name are left out, and what an entry says in an unknown form is not known.
///
/// # Errors
/// `Malformed` when it is no list.
pub fn read_openrouter(body: &[u8]) -> Result<Vec<RouterModel>, ModelFault> {
    let list: List = read(body)?;
    Ok(list
        .data
        .into_iter()
        .take(MOST)
        .filter_map(|entry| serde_json::from_value(entry).ok())
        .filter_map(model)
        .collect())
}

#[derive(Debug, Deserialize)]
struct List {
    data: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Listed {
    id: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    context_length: Option<f64>,
    #[serde(default)]
    created: Option<i64>,
    #[serde(default)]
    supported_parameters: Option<Vec<String>>,
    #[serde(default)]
    architecture: Option<Architecture>,
    #[serde(default)]
    top_provider: Option<TopProvider>,
    #[serde(default)]
    pricing: Option<BTreeMap<String, Value>>,
}

#[derive(Debug, Deserialize)]
struct Architecture {
    #[serde(default)]
    modality: Option<String>,
    #[serde(default)]
    input_modalities: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct TopProvider {
    #[serde(default)]
    max_completion_tokens: Option<f64>,
}

fn model(listed: Listed) -> Option<RouterModel> {
    let id = FoundModel::named(&listed.id)?.id;
    let name =
        listed.name.and_then(|name| FoundModel::named(&name)).map_or_else(|| id.clone(), |named| named.id);
    let can = |what: &str| {
        listed.supported_parameters.as_ref().is_some_and(|all| all.iter().any(|one| one == what))
    };
    let sees_images = listed.architecture.as_ref().is_some_and(|architecture| {
        let listed =
            architecture.input_modalities.as_ref().map(|kinds| kinds.iter().any(|kind| kind == "image"));
        let drawn = architecture.modality.as_deref().and_then(|shape| shape.split("->").next());
        listed.unwrap_or_else(|| drawn.is_some_and(|reads| reads.contains("image")))
    });
    Some(RouterModel {
        billions: billions(&format!("{id} {name}")),
        context: tokens(listed.context_length),
        output: tokens(listed.top_provider.and_then(|top| top.max_completion_tokens)),
        sees_images,
        calls_tools: can("tools"),
        thinks: can("reasoning"),
        created: listed.created,
        prices: listed.pricing.as_ref().and_then(prices),
        id,
        name,
    })
}

/// The largest number of billions in a name: `70b`, `8x22b` counts as 22, `a3b` as 3.
fn billions(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.');
    let numbers = words.filter_map(|word| {
        let digits = word.strip_suffix('b')?;
        let digits = digits.strip_prefix(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(digits);
        let count: f64 = digits.parse().ok()?;
        (count.is_finite() && count > 0.0).then_some(count)
    });
    numbers.fold(None, |most, count| Some(most.map_or(count, |most: f64| most.max(count))))
}

fn tokens(count: Option<f64>) -> Option<u64> {
    let count = count.filter(|count| count.is_finite() && *count >= 1.0)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and a cast saturates"
    )]
    Some(count as u64)
}

/// Prices are texts in dollars for one token. A price below zero means that it depends on the model chosen.
fn prices(written: &BTreeMap<String, Value>) -> Option<Prices> {
    let price = |name: &str| -> Option<f64> {
        let value = written.get(name)?;
        let dollars = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
        (dollars.is_finite() && dollars >= 0.0).then_some(dollars * 1e6)
    };
    Some(Prices {
        input: price("prompt")?,
        output: price("completion")?,
        cache_read: price("input_cache_read").unwrap_or(0.0),
        cache_write: price("input_cache_write").unwrap_or(0.0),
    })
}
