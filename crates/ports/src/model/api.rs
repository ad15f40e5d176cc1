//! The contract of a wire protocol: a codec without sockets.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use openclaw_types::Secret;

use super::{ModelEvent, ModelFault, ModelRequest, ModelTarget};

/// A wire protocol that models are spoken to in.
pub trait ModelApi: Send + Sync {
    /// Which protocol it is.
    fn name(&self) -> ApiName;

    /// Turns a request into the one call to make.
    ///
    /// # Errors
    /// A fault of reason `Format` when this protocol cannot say what is asked.
    fn encode(&self, request: &ModelRequest, target: &ModelTarget) -> Result<HttpCall, ModelFault>;

    /// A decoder for one answer with a success status.
    fn decoder(&self) -> Box<dyn StreamDecoder>;

    /// Explains an answer with another status. The body may be cut off.
    fn classify(&self, status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> ModelFault;
}

/// Turns the bytes of one answer into events.
///
/// The host promises: bytes arrive in order, in pieces cut anywhere; `finish` is called once, when the body has
/// ended; nothing is pushed after an end event. The decoder promises: exactly one end event over its life, at the
/// latest in `finish`; no panic and bounded memory on any input.
pub trait StreamDecoder: Send {
    /// Takes the next bytes and adds what they mean to `events`.
    fn push(&mut self, bytes: &[u8], events: &mut Vec<ModelEvent>);

    /// Takes the end of the body.
    fn finish(&mut self, events: &mut Vec<ModelEvent>);
}

/// A POST with a JSON body. Signing, connection and time are the transport's business.
#[derive(Clone, PartialEq)]
pub struct HttpCall {
    /// The whole address.
    pub url: String,
    /// The headers, names in lower case. Values may hold credentials.
    pub headers: BTreeMap<String, Secret<String>>,
    /// The body.
    pub body: Vec<u8>,
}

impl fmt::Debug for HttpCall {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.headers.keys().collect();
        out.debug_struct("HttpCall")
            .field("url", &self.url)
            .field("headers", &names)
            .field("body", &self.body.len())
            .finish()
    }
}

macro_rules! apis {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// The protocols there are.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ApiName { $($(#[$doc])* $name,)* }

        impl ApiName {
            /// Every protocol.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The protocol as the configuration names it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

apis! {
    /// Messages with content blocks over server-sent events.
    AnthropicMessages = "anthropic-messages";
    /// Chat completions over server-sent events; most compatible servers speak it.
    OpenaiCompletions = "openai-completions";
    /// Responses with typed items over server-sent events.
    OpenaiResponses = "openai-responses";
    /// Generated content with parts over server-sent events.
    GoogleGenerativeAi = "google-generative-ai";
    /// Converse over the AWS event stream.
    BedrockConverseStream = "bedrock-converse-stream";
    /// Chat over lines of JSON, for local models.
    Ollama = "ollama";
    /// Completions or responses behind an exchanged token.
    GithubCopilot = "github-copilot";
}

/// A name that is no protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown model protocol {0:?}")]
pub struct UnknownApi(pub String);

impl FromStr for ApiName {
    type Err = UnknownApi;
    fn from_str(text: &str) -> Result<Self, UnknownApi> {
        Self::ALL.iter().copied().find(|api| api.as_str() == text).ok_or_else(|| UnknownApi(text.to_owned()))
    }
}
