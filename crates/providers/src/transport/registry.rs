//! The protocols there are, by name. A new protocol is one folder in `apis` and one line here.

use openclaw_ports::model::{ApiName, ModelApi};

use crate::apis::{
    AnthropicMessages, BedrockConverseStream, GithubCopilot, GoogleGenerativeAi, Ollama, OpenaiCompletions,
    OpenaiResponses,
};

/// The codec of a protocol.
#[must_use]
pub fn codec(api: ApiName) -> &'static dyn ModelApi {
    match api {
        ApiName::AnthropicMessages => &AnthropicMessages,
        ApiName::OpenaiCompletions => &OpenaiCompletions,
        ApiName::OpenaiResponses => &OpenaiResponses,
        ApiName::GoogleGenerativeAi => &GoogleGenerativeAi,
        ApiName::BedrockConverseStream => &BedrockConverseStream,
        ApiName::Ollama => &Ollama,
        ApiName::GithubCopilot => &GithubCopilot,
    }
}
