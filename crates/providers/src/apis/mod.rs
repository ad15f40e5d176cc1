//! One folder for each wire protocol, and what several of them share.
//!
//! `shared` serves all, `blocks` the two that speak in content blocks, `openai_dialect` the family of OpenAI. No
//! protocol reads another one's folder, except `github_copilot`, which is made of two others.

mod blocks;
mod openai_dialect;
mod shared;

mod anthropic_messages;
mod bedrock_converse_stream;
mod github_copilot;
mod google_generative_ai;
mod ollama;
mod openai_completions;
mod openai_responses;

#[cfg(test)]
mod conformance;
#[cfg(test)]
pub(crate) mod samples;

pub use anthropic_messages::AnthropicMessages;
pub use bedrock_converse_stream::BedrockConverseStream;
pub use github_copilot::{CopilotExchange, CopilotToken, GithubCopilot};
pub use google_generative_ai::GoogleGenerativeAi;
pub use ollama::{Ollama, OllamaModel, OllamaModelDetails, read_ollama_model, read_ollama_models};
pub use openai_completions::OpenaiCompletions;
pub use openai_responses::OpenaiResponses;
pub(crate) use shared::Secrets;
