//! One folder for each wire protocol.

mod answer;
mod blocks;
mod claude;
mod shared;

mod anthropic_messages;
mod github_copilot;
mod openai_completions;
mod openai_responses;
mod bedrock_converse_stream;
mod google_generative_ai;

#[cfg(test)]
mod conformance;

pub use anthropic_messages::AnthropicMessages;
pub use github_copilot::{
    ExchangeCall, ExchangedToken, GithubCopilot, base_url_of, exchange_call, exchange_fault, read_exchange,
};
pub use openai_completions::OpenaiCompletions;
pub use openai_responses::OpenaiResponses;
pub use bedrock_converse_stream::BedrockConverseStream;
pub use google_generative_ai::GoogleGenerativeAi;
