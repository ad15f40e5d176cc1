//! Models: wire protocols as codecs without sockets.
//!
//! `framing` cuts bytes into frames, `history` makes a conversation fit for a target, `apis` holds one folder for each
//! protocol, `sigv4` signs calls to AWS. A codec turns a neutral request into one HTTP call and the answer's bytes into
//! events; it knows no socket and no clock, and no other codec, except that of GitHub Copilot, which is made of two.

mod apis;
mod framing;
mod history;
mod sigv4;

pub use apis::GoogleGenerativeAi;
pub use apis::{AnthropicMessages, BedrockConverseStream};
pub use apis::{CopilotExchange, CopilotToken, GithubCopilot, OpenaiCompletions, OpenaiResponses};
pub use apis::{Ollama, OllamaModel, OllamaModelDetails, read_ollama_model, read_ollama_models};
pub use sigv4::{AwsCredentials, AwsRequest, AwsScope, aws_region, sign_aws};
