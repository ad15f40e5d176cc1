//! Asks AWS which models an account may use there.
//!
//! The question is signed by the caller's keys and goes to the management interface of the region, which is not the one
//! that runs the models. How often it is asked is the caller's business.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_config::sections::BedrockDiscovery;
use openclaw_ports::model::{AwsKeys, FaultReason, ModelFault, ServerReach};
use openclaw_types::UnixMillis;
use serde::Deserialize;

use super::answers::{Asker, read};
use super::found::{FoundModel, FoundServer};
use crate::catalog::places::is_plain;
use crate::sigv4::{AwsCredentials, AwsRequest, AwsScope, sign_aws};
use crate::transport::Transport;

/// How long AWS may take.
const PATIENCE: Duration = Duration::from_secs(15);
/// The context of models, which the list does not tell.
const CONTEXT: u64 = 32_000;
/// The longest answer of models, which the list does not tell.
const OUTPUT: u64 = 4_096;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct BedrockQuestion<'a> {
    /// Signs the question; its region is the one that is asked unless the settings name another.
    pub keys: &'a AwsKeys,
    /// What the configuration says about it.
    pub settings: Option<&'a BedrockDiscovery>,
    /// The moment, for the signature.
    pub at: UnixMillis,
}

/// Asks which models there are: active ones that write text and stream it.
///
/// # Errors
/// What the transport says, `Auth` when the keys are not good for it, `Format` when the region is none, `Malformed` when
/// the answer is no list.
pub async fn ask_bedrock(
    transport: &Transport,
    question: &BedrockQuestion<'_>,
) -> Result<Option<FoundServer>, ModelFault> {
    let settings = question.settings.cloned().unwrap_or_default();
    let region = settings.region.as_deref().map(str::trim).filter(|region| !region.is_empty());
    let region = region.unwrap_or(&question.keys.region).to_owned();
    if !is_plain(&region) {
        return Err(ModelFault::new(FaultReason::Format, "models.bedrockDiscovery.region is no AWS region"));
    }
    let url = format!("https://bedrock.{region}.amazonaws.com/foundation-models");
    let credentials = AwsCredentials {
        access_key: question.keys.access_key_id.clone(),
        secret_key: question.keys.secret_access_key.clone(),
        session_token: question.keys.session_token.clone(),
    };
    let mut headers = BTreeMap::new();
    let request = AwsRequest { method: "GET", url: &url, headers: &headers, body: &[] };
    let scope = AwsScope { region: &region, service: "bedrock", at: question.at };
    let signed = sign_aws(&request, &credentials, &scope)?;
    headers.extend(signed);
    let asker = Asker::new(transport, None, ServerReach::Public).patient(PATIENCE, headers);
    let models = read_models(&asker.get(url).await?, &settings)?;
    let runtime = format!("https://bedrock-runtime.{region}.amazonaws.com");
    Ok(FoundServer::new("amazon-bedrock", runtime, models))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    model_summaries: Vec<Summary>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Summary {
    model_id: String,
    model_name: Option<String>,
    provider_name: Option<String>,
    input_modalities: Vec<String>,
    output_modalities: Vec<String>,
    response_streaming_supported: Option<bool>,
    model_lifecycle: Option<Lifecycle>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Lifecycle {
    status: String,
}

/// The models of the list that can be used, by their names.
pub(super) fn read_models(body: &[u8], settings: &BedrockDiscovery) -> Result<Vec<FoundModel>, ModelFault> {
    let list: List = read(body)?;
    let wanted: Vec<String> = settings
        .provider_filter
        .iter()
        .flatten()
        .map(|maker| maker.trim().to_ascii_lowercase())
        .filter(|maker| !maker.is_empty())
        .collect();
    let mut models: Vec<FoundModel> = list
        .model_summaries
        .iter()
        .filter(|summary| summary.is_usable() && (wanted.is_empty() || wanted.contains(&summary.maker())))
        .filter_map(|summary| {
            let text = format!("{} {}", summary.model_id, summary.model_name.as_deref().unwrap_or_default());
            let text = text.to_ascii_lowercase();
            let name = summary.model_name.as_deref().and_then(FoundModel::named).map(|named| named.id);
            Some(FoundModel {
                name,
                context: Some(settings.default_context_window.map_or(CONTEXT, |tokens| tokens.get())),
                output: Some(settings.default_max_tokens.map_or(OUTPUT, |tokens| tokens.get())),
                sees_images: has(&summary.input_modalities, "image"),
                thinks: text.contains("reasoning") || text.contains("thinking"),
                ..FoundModel::named(&summary.model_id)?
            })
        })
        .collect();
    models.sort_by(|one, other| one.name.cmp(&other.name).then_with(|| one.id.cmp(&other.id)));
    Ok(models)
}

impl Summary {
    fn is_usable(&self) -> bool {
        let active =
            self.model_lifecycle.as_ref().is_some_and(|life| life.status.eq_ignore_ascii_case("active"));
        active && self.response_streaming_supported == Some(true) && has(&self.output_modalities, "text")
    }

    fn maker(&self) -> String {
        let from_id = self.model_id.split('.').next().unwrap_or_default();
        self.provider_name.as_deref().unwrap_or(from_id).trim().to_ascii_lowercase()
    }
}

fn has(modalities: &[String], wanted: &str) -> bool {
    modalities.iter().any(|modality| modality.eq_ignore_ascii_case(wanted))
}
