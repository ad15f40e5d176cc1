//! A model server on a real socket that speaks all seven protocols and answers with scripts.
//!
//! `serve` accepts and answers, `route` tells paths apart, `read` shows a request to the scripts, `wire` spells the
//! answers as real servers do, `speak` streams them, `door` lets callers in, `tls` encrypts, `captured` remembers what
//! was asked.
//! Scripts come from `openclaw_providers`; none of its codecs is used here.

mod captured;
mod counter;
mod door;
mod line;
mod listings;
mod read;
mod route;
mod serve;
mod speak;
mod tls;
mod wire;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use openclaw_ports::model::{ApiName, AwsKeys, Compatibility, ModelRoute, ModelTarget, ServerReach};
use openclaw_ports::{Clock, SystemClock, TaskScope};
use openclaw_providers::{Script, Scripts};
use openclaw_types::{ProviderId, Secret};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

pub use captured::CapturedRequest;
use captured::Log;
use counter::Counter;
use door::{Door, Signatures};
pub use tls::{HttpVersion, TestAuthority};

/// A model server for tests. It ends with everything it serves when it is dropped.
#[derive(Debug)]
pub struct ScriptedModelServer {
    state: Arc<State>,
}

struct State {
    root: String,
    /// Shows a certificate on every line; nothing where lines are plain.
    encryption: Option<TlsAcceptor>,
    scripts: Scripts,
    clock: Arc<dyn Clock>,
    tasks: TaskScope,
    log: Log,
    door: Mutex<Door>,
    models: Mutex<Vec<String>>,
    list: Mutex<Option<Value>>,
    open_connections: Counter,
    open_streams: Counter,
    connections_made: AtomicU64,
    answers: AtomicU64,
}

impl ScriptedModelServer {
    /// Starts on a free port of this machine, with pauses on the machine's clock.
    pub async fn start(scripts: impl Into<Scripts>) -> Self {
        Self::start_with_clock(scripts, Arc::new(SystemClock::new())).await
    }

    /// Starts with encrypted lines, under a certificate of this authority, speaking this version of HTTP alone. Over
    /// HTTP/2 a script that cuts resets its own stream and leaves the connection.
    pub async fn start_encrypted(
        scripts: impl Into<Scripts>,
        authority: &TestAuthority,
        version: HttpVersion,
    ) -> Self {
        let encryption = Some(authority.acceptor(version));
        Self::open(scripts.into(), Arc::new(SystemClock::new()), encryption).await
    }

    /// Starts with pauses on a clock that the test may steer.
    pub async fn start_with_clock(scripts: impl Into<Scripts>, clock: Arc<dyn Clock>) -> Self {
        Self::open(scripts.into(), clock, None).await
    }

    async fn open(scripts: Scripts, clock: Arc<dyn Clock>, encryption: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a listener has an address");
        let scheme = if encryption.is_some() { "https" } else { "http" };
        let state = Arc::new(State {
            root: format!("{scheme}://{address}"),
            encryption,
            scripts,
            clock,
            tasks: TaskScope::root("scripted model server"),
            log: Log::new(),
            door: Mutex::default(),
            models: Mutex::new(vec!["scripted".to_owned()]),
            list: Mutex::default(),
            open_connections: Counter::new(),
            open_streams: Counter::new(),
            connections_made: AtomicU64::new(0),
            answers: AtomicU64::new(0),
        });
        state.tasks.start_cancellable("accept", serve::accept(state.clone(), listener));
        Self { state }
    }

    /// Adds a script to the end of the queue.
    pub fn push(&self, script: Script) {
        self.state.scripts.push(script);
    }

    /// Adds a script that answers one request for this model, before the queue is asked.
    pub fn push_for(&self, model: impl Into<String>, script: Script) {
        self.state.scripts.push_for(model, script);
    }

    /// The scripts, to add conditions or to see what is left.
    #[must_use]
    pub fn scripts(&self) -> &Scripts {
        &self.state.scripts
    }

    /// The address of the server without a path, `http://127.0.0.1:…` or, where lines are encrypted, `https://…`.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.state.root
    }

    /// What goes into a target's address for this protocol.
    #[must_use]
    pub fn base_url(&self, api: ApiName) -> String {
        let path = match api {
            ApiName::OpenaiCompletions | ApiName::OpenaiResponses => "/v1",
            ApiName::GoogleGenerativeAi => "/v1beta",
            ApiName::AnthropicMessages
            | ApiName::BedrockConverseStream
            | ApiName::Ollama
            | ApiName::GithubCopilot => "",
        };
        format!("{}{path}", self.state.root)
    }

    /// A model on this server that can do everything.
    #[must_use]
    pub fn target(&self, api: ApiName, model: &str) -> ModelTarget {
        ModelTarget {
            model: model.to_owned(),
            base_url: self.base_url(api),
            credential: match api {
                // Calls to AWS are signed instead.
                ApiName::BedrockConverseStream => None,
                _ => Some(Secret::new("scripted-key".to_owned())),
            },
            headers: BTreeMap::new(),
            max_output_tokens: 32_000,
            context_window: 200_000,
            reasoning: true,
            sees_images: true,
            compatibility: Compatibility::default(),
        }
    }

    /// A route to a model on this server, with keys that sign where the protocol wants signatures.
    #[must_use]
    pub fn route(&self, api: ApiName, model: &str) -> ModelRoute {
        let keys = AwsKeys {
            access_key_id: "AKIDSCRIPTED".to_owned(),
            secret_access_key: Secret::new("scripted-secret".to_owned()),
            session_token: None,
            region: "us-east-1".to_owned(),
        };
        ModelRoute {
            provider: ProviderId::new("scripted").expect("a fixed name is a name"),
            api,
            target: self.target(api, model),
            aws: (api == ApiName::BedrockConverseStream).then_some(keys),
            reach: ServerReach::Anywhere,
        }
    }

    /// Names the models that the server lists; `scripted` alone at first. Every model is answered all the same.
    pub fn set_models<const N: usize>(&self, models: [&str; N]) {
        *self.state.models.lock().unwrap_or_else(PoisonError::into_inner) =
            models.map(str::to_owned).to_vec();
    }

    /// Answers whoever asks an OpenAI-like server for its models with this, for vendors that say more than names.
    pub fn set_list(&self, list: Value) {
        *self.state.list.lock().unwrap_or_else(PoisonError::into_inner) = Some(list);
    }

    /// Takes calls with this key from now on, and with others added so; all other keys are rejected.
    pub fn require_key(&self, key: impl Into<String>) {
        self.state.change_door(|door| door.keys.insert(key.into()));
    }

    /// Rejects calls to Bedrock that are not signed.
    pub fn require_signatures(&self) {
        self.state.change_door(|door| door.signatures = Signatures::Required);
    }

    /// Every request so far, first one first.
    #[must_use]
    pub fn requests(&self) -> Vec<CapturedRequest> {
        self.state.log.all()
    }

    /// The first request that was not given out here before; waits for it.
    pub async fn next_request(&self) -> CapturedRequest {
        self.state.log.next().await
    }

    /// How many connections are open, idle ones included.
    #[must_use]
    pub fn open_connections(&self) -> usize {
        self.state.open_connections.now()
    }

    /// How many answers are being given.
    #[must_use]
    pub fn open_streams(&self) -> usize {
        self.state.open_streams.now()
    }

    /// Waits until so many connections are open.
    pub async fn until_open_connections(&self, count: usize) {
        self.state.open_connections.until(|open| *open == count).await;
    }

    /// Waits until so many answers are being given.
    pub async fn until_open_streams(&self, count: usize) {
        self.state.open_streams.until(|open| *open == count).await;
    }
}

impl Drop for ScriptedModelServer {
    fn drop(&mut self) {
        self.state.tasks.cancel();
    }
}

impl State {
    fn door(&self) -> Door {
        self.door.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change_door<T>(&self, change: impl FnOnce(&mut Door) -> T) {
        change(&mut self.door.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn models(&self) -> Vec<String> {
        self.models.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn list(&self) -> Option<Value> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("State")
            .field("root", &self.root)
            .field("scripts", &self.scripts)
            .finish_non_exhaustive()
    }
}
