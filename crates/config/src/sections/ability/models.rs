//! The `models` section: models and vendors beyond the built-in ones.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Count, Positive, SecretInput, SecretText};

/// Models and vendors beyond the built-in ones.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelsSection {
    /// Whether they join the built-in ones or replace them.
    pub mode: Option<ModelsMode>,
    /// Vendors by name.
    #[serde(default)]
    pub providers: BTreeMap<String, ModelProvider>,
    /// Asking AWS which models there are.
    pub bedrock_discovery: Option<BedrockDiscovery>,
    /// The most that may be spent.
    pub budgets: Option<BudgetsSection>,
}

/// The most that may be spent on models. Calls that would pass a limit are not sent.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BudgetsSection {
    /// By all agents in a day, in dollars.
    #[schemars(extend("minimum" = 0))]
    pub daily: Option<f64>,
    /// By all agents in a month, in dollars.
    #[schemars(extend("minimum" = 0))]
    pub monthly: Option<f64>,
    /// By single agents, by their ids.
    #[serde(default)]
    pub agents: BTreeMap<String, AgentBudget>,
}

/// The most that one agent may spend.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentBudget {
    /// In a day, in dollars.
    #[schemars(extend("minimum" = 0))]
    pub daily: Option<f64>,
    /// In a month, in dollars.
    #[schemars(extend("minimum" = 0))]
    pub monthly: Option<f64>,
}

/// One vendor or model server.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelProvider {
    /// The address of its interface.
    #[schemars(length(min = 1))]
    pub base_url: String,
    /// Its key, or where the key is kept.
    pub api_key: Option<SecretInput>,
    /// How requests are signed.
    pub auth: Option<ProviderAuth>,
    /// The protocol it speaks.
    pub api: Option<ModelApi>,
    /// Headers sent with every request.
    #[serde(default)]
    pub headers: BTreeMap<String, SecretText>,
    /// Whether the key goes into the `Authorization` header.
    pub auth_header: Option<bool>,
    /// Its models.
    pub models: Vec<ModelDefinition>,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelDefinition {
    /// The vendor's name for it.
    #[schemars(length(min = 1))]
    pub id: String,
    /// Its name for people.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The protocol it speaks, when not the vendor's.
    pub api: Option<ModelApi>,
    /// Whether it can think before it answers.
    pub reasoning: Option<bool>,
    /// What it can read.
    pub input: Option<Vec<ModelInput>>,
    /// What it costs, for each million tokens.
    pub cost: Option<ModelCost>,
    /// How many tokens fit into a request and its answer.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub context_window: Option<f64>,
    /// The longest answer in tokens.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_tokens: Option<f64>,
    /// Headers sent with its requests.
    #[serde(default)]
    pub headers: BTreeMap<String, SecretText>,
    /// Where its server differs from the protocol.
    pub compat: Option<ModelCompat>,
}

/// Prices for each million tokens.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelCost {
    /// What is sent.
    pub input: Option<f64>,
    /// What is answered.
    pub output: Option<f64>,
    /// What is read from the cache.
    pub cache_read: Option<f64>,
    /// What is put into the cache.
    pub cache_write: Option<f64>,
}

/// Where a server differs from its protocol.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelCompat {
    /// Whether it knows the `store` option.
    pub supports_store: Option<bool>,
    /// Whether it knows the developer role.
    pub supports_developer_role: Option<bool>,
    /// Whether it knows the effort option.
    pub supports_reasoning_effort: Option<bool>,
    /// Whether it counts tokens in streams.
    pub supports_usage_in_streaming: Option<bool>,
    /// Whether it knows strict tool schemas.
    pub supports_strict_mode: Option<bool>,
    /// The field that limits the answer.
    pub max_tokens_field: Option<MaxTokensField>,
    /// How thinking is asked for.
    pub thinking_format: Option<ThinkingFormat>,
    /// Whether tool results must repeat the tool's name.
    pub requires_tool_result_name: Option<bool>,
    /// Whether a tool result must be followed by an assistant message.
    pub requires_assistant_after_tool_result: Option<bool>,
    /// Whether earlier thinking must be sent as plain text.
    pub requires_thinking_as_text: Option<bool>,
    /// Whether tool call ids must have nine letters or digits.
    pub requires_mistral_tool_ids: Option<bool>,
}

/// Asking AWS which models there are.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BedrockDiscovery {
    /// Whether it is asked.
    pub enabled: Option<bool>,
    /// The AWS region.
    pub region: Option<String>,
    /// The only model makers that are listed.
    pub provider_filter: Option<Vec<String>>,
    /// How often the list is renewed, in seconds.
    pub refresh_interval: Option<Count>,
    /// The context of models that do not say.
    pub default_context_window: Option<Positive>,
    /// The longest answer of models that do not say.
    pub default_max_tokens: Option<Positive>,
}

/// How own models and built-in ones go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ModelsMode {
    /// Own ones join and win.
    Merge,
    /// Own ones join and win; what an older installation left in `models.json` is forgotten.
    Replace,
}

/// How requests to a vendor are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderAuth {
    /// With a key.
    ApiKey,
    /// With AWS credentials.
    AwsSdk,
    /// With a browser sign-in.
    Oauth,
    /// With a fixed token.
    Token,
}

/// The protocol of a model server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModelApi {
    /// Chat completions.
    OpenaiCompletions,
    /// Responses.
    OpenaiResponses,
    /// Responses with a subscription sign-in.
    OpenaiCodexResponses,
    /// Messages.
    AnthropicMessages,
    /// Generative Language.
    GoogleGenerativeAi,
    /// Copilot.
    GithubCopilot,
    /// Bedrock Converse.
    BedrockConverseStream,
    /// Ollama's own protocol.
    Ollama,
}

/// What a model can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ModelInput {
    /// Text.
    Text,
    /// Pictures.
    Image,
}

/// The field that limits an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    /// The newer name.
    MaxCompletionTokens,
    /// The older name.
    MaxTokens,
}

/// How thinking is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ThinkingFormat {
    /// With an effort.
    Openai,
    /// With a thinking object.
    Zai,
    /// With a switch.
    Qwen,
}
