//! One folder for each wire protocol.

mod blocks;
mod shared;

mod anthropic_messages;
mod github_copilot;
mod openai_completions;
mod openai_responses;
mod bedrock_converse_stream;
mod google_generative_ai;
mod ollama;

#[cfg(test)]
mod conformance;

pub use anthropic_messages::AnthropicMessages;
pub use github_copilot::{CopilotExchange, CopilotToken, GithubCopilot};
pub use openai_completions::OpenaiCompletions;
pub use openai_responses::OpenaiResponses;
pub use bedrock_converse_stream::BedrockConverseStream;
pub use google_generative_ai::GoogleGenerativeAi;
pub use ollama::{Ollama, OllamaModel, OllamaModelDetails, read_ollama_model, read_ollama_models};
