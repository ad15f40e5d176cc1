//! Models: wire protocols as codecs without sockets.
//!
//! `framing` cuts bytes into frames, `history` makes a conversation fit for a target, `apis` holds one folder for each
//! protocol, `sigv4` signs calls to AWS. A codec turns a neutral request into one HTTP call and the answer's bytes into
//! events; it knows no socket and no clock, and no other codec, except that of GitHub Copilot, which is made of two.

mod apis;
mod auth;
mod catalog;
pub mod framing;
mod history;
mod quota;
mod scripted;
mod sigv4;
mod transport;
mod web;

pub use apis::GoogleGenerativeAi;
pub use apis::{AnthropicMessages, BedrockConverseStream};
pub use apis::{CopilotExchange, CopilotToken, GithubCopilot, OpenaiCompletions, OpenaiResponses};
pub use apis::{Ollama, OllamaModel, OllamaModelDetails, read_ollama_model, read_ollama_models};
pub use auth::{
    AuthFile, ClientName, DeviceCode, DeviceProof, FileRest, ImportError, ImportProblem, LoginContext,
    LoginError, LoginPrompt, LoginReply, OtherProgram, Renewal, SignInInputs, SignInVendor, SignInVendors,
    SignInWay, SignIns, SignInsParts, VendorUrls, api_key_profile, find_other_sign_ins, login,
    paste_token_profile, read_auth_map, read_auth_profiles, read_oauth_file, setup_token_profile,
    token_profile_id, write_auth_profiles,
};
pub use catalog::{
    BedrockQuestion, Catalog, CatalogInputs, Demonstration, FoundModel, FoundServer, LocalServer,
    LocalServerKind, LocalServers, NotARegistry, Offers, Quirk, RegistryFile, RouterModel, Vendor,
    VendorModel, ask_bedrock, ask_openrouter, find_local, read_openrouter, read_registry_file,
    resolve_unlisted, vendor,
};
pub use quota::{QuotaParts, VendorQuotas};
pub use scripted::{
    AnswerPart, Asked, Beat, DEMO_MODEL, DEMO_PROVIDER, DemoLine, Finish, Gate, LastTurn, Rejection,
    SCRIPTED_USAGE, Script, ScriptedLine, Scripts, Stop, demo_provider,
};
pub use sigv4::{AwsCredentials, AwsRequest, AwsScope, aws_region, sign_aws};
pub use transport::{CallMethod, JsonAnswer, JsonBody, JsonCall, Transport, TransportLimits, codec};
pub use web::Web;
