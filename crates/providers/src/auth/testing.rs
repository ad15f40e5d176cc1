//! What the tests of this folder stand on: a small vendor on a real socket, a clock that does not wait, and a sign_ins in
//! a home of its own with the real stores.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_config::{ConfigFile, Environment, Locations, ProfileChoice, SecretResolver};
use openclaw_ports::model::{ModelCatalog, ProviderFacts, ProviderOrigin, ServerReach, SignIn};
use openclaw_ports::stores::{OauthTokens, ProfileStore, StoredCredential, StoredProfile, StoredSecret};
use openclaw_ports::{Clock, SystemClock, TaskScope};
use openclaw_stores::memory::MemoryProfileStore;
use openclaw_testkit::planted_secret;
use openclaw_types::{AgentId, AuthProfileId, ProviderId, Secret, UnixMillis};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use super::oauth::field_of;
use super::{SignInInputs, SignInVendors, SignIns, SignInsParts, VendorUrls};
use crate::transport::{Transport, TransportLimits};

/// One request as the vendor saw it.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: String,
}

impl Seen {
    /// A field of its form.
    pub(super) fn field(&self, name: &str) -> Option<String> {
        field_of(&self.body, name)
    }
}

type Answer = dyn Fn(&Seen, usize) -> (u16, Value) + Send + Sync;

/// A vendor on a real socket that answers by a function and remembers what it was asked.
pub(super) struct FakeVendor {
    pub(super) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    gate: Arc<Gate>,
    scope: TaskScope,
}

/// Holds answers back until a test lets them go.
#[derive(Default)]
struct Gate {
    asked: Notify,
    closed: Mutex<bool>,
    opened: Notify,
}

impl FakeVendor {
    /// Starts it. The function gets the request and how many of its path came before.
    pub(super) async fn start(answer: impl Fn(&Seen, usize) -> (u16, Value) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let scope = TaskScope::root("vendor");
        let answer: Arc<Answer> = Arc::new(answer);
        let gate: Arc<Gate> = Arc::default();
        let (log, door, inner) = (Arc::clone(&seen), Arc::clone(&gate), scope.clone());
        scope.start_cancellable("accept", async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (log, door, answer) = (Arc::clone(&log), Arc::clone(&door), Arc::clone(&answer));
                inner.start_cancellable(
                    "serve",
                    async move { serve(socket, &log, &door, answer.as_ref()).await },
                );
            }
        });
        Self { url, seen, gate, scope }
    }

    /// Holds its answers back from now on.
    pub(super) fn hold(&self) {
        *self.gate.closed.lock().unwrap() = true;
    }

    /// Waits until it is asked something.
    pub(super) async fn asked(&self) {
        self.gate.asked.notified().await;
    }

    /// Lets its answers go.
    pub(super) fn release(&self) {
        *self.gate.closed.lock().unwrap() = false;
        self.gate.opened.notify_waiters();
    }

    /// What it was asked so far.
    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// What it was asked at one path.
    pub(super) fn at(&self, path: &str) -> Vec<Seen> {
        self.seen().into_iter().filter(|seen| seen.path == path).collect()
    }

    /// Its addresses.
    pub(super) fn urls(&self) -> VendorUrls {
        let at = |path: &str| format!("{}{path}", self.url);
        VendorUrls {
            authorize: at("/authorize"),
            token: at("/token"),
            device: at("/device"),
            account: at("/account"),
            exchange: at("/exchange"),
            project: vec![self.url.clone()],
            callback_port: 0,
            reach: ServerReach::Anywhere,
        }
    }
}

impl Drop for FakeVendor {
    fn drop(&mut self) {
        self.scope.cancel();
    }
}

async fn serve(mut socket: TcpStream, log: &Mutex<Vec<Seen>>, gate: &Gate, answer: &Answer) {
    let mut bytes = Vec::new();
    loop {
        let Some(seen) = read_request(&mut socket, &mut bytes).await else { return };
        let before = {
            let mut log = log.lock().unwrap();
            let before = log.iter().filter(|earlier| earlier.path == seen.path).count();
            log.push(seen.clone());
            before
        };
        gate.asked.notify_one();
        loop {
            let opened = gate.opened.notified();
            tokio::pin!(opened);
            opened.as_mut().enable();
            if !*gate.closed.lock().unwrap() {
                break;
            }
            opened.await;
        }
        let (status, body) = answer(&seen, before);
        if status == 0 {
            return;
        }
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        if socket.write_all((head + &body).as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read_request(socket: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<Seen> {
    let mut piece = [0; 4096];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|end| end == b"\r\n\r\n") {
            break end;
        }
        match socket.read(&mut piece).await {
            Ok(count) if count > 0 => bytes.extend_from_slice(&piece[..count]),
            _ => return None,
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let request: Vec<&str> = lines.next().unwrap().split(' ').collect();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    while bytes.len() < end + 4 + length {
        match socket.read(&mut piece).await {
            Ok(count) if count > 0 => bytes.extend_from_slice(&piece[..count]),
            _ => return None,
        }
    }
    let body = String::from_utf8(bytes[end + 4..end + 4 + length].to_vec()).unwrap();
    bytes.drain(..end + 4 + length);
    Some(Seen { method: request[0].to_owned(), path: request[1].to_owned(), headers, body })
}

/// A clock that does not wait: sleeping moves it on at once and is remembered.
pub(super) struct HurriedClock {
    elapsed: Mutex<Duration>,
    slept: Mutex<Vec<Duration>>,
}

impl HurriedClock {
    pub(super) fn new() -> Self {
        Self { elapsed: Mutex::default(), slept: Mutex::default() }
    }

    /// How long was waited, in seconds, in order.
    pub(super) fn slept(&self) -> Vec<u64> {
        self.slept.lock().unwrap().iter().map(Duration::as_secs).collect()
    }
}

#[async_trait]
impl Clock for HurriedClock {
    fn now(&self) -> UnixMillis {
        UnixMillis(1_767_225_600_000).plus(self.elapsed())
    }

    fn elapsed(&self) -> Duration {
        *self.elapsed.lock().unwrap()
    }

    async fn sleep(&self, span: Duration) {
        *self.elapsed.lock().unwrap() += span;
        self.slept.lock().unwrap().push(span);
        tokio::task::yield_now().await;
    }
}

/// A sign_ins in a home of its own.
pub(super) struct World {
    pub(super) home: tempfile::TempDir,
    pub(super) store: Arc<dyn ProfileStore>,
    pub(super) clock: Arc<SystemClock>,
    pub(super) scope: TaskScope,
    pub(super) variables: Vec<(&'static str, String)>,
    pub(super) config: Value,
    pub(super) vendors: SignInVendors,
    pub(super) catalog: ModelCatalog,
}

impl World {
    pub(super) fn new() -> Self {
        let providers = [
            facts("anthropic", SignIn::Key, &["ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"]),
            facts("openai", SignIn::Key, &["OPENAI_API_KEY"]),
            facts("openai-codex", SignIn::Oauth, &[]),
            facts("qwen-portal", SignIn::Oauth, &["QWEN_OAUTH_TOKEN"]),
            facts("github-copilot", SignIn::Oauth, &["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"]),
            facts("amazon-bedrock", SignIn::Aws, &[]),
            facts("google-vertex", SignIn::GoogleApplication, &[]),
            facts("ollama", SignIn::OptionalKey, &["OLLAMA_API_KEY"]),
        ];
        Self {
            home: tempfile::tempdir().unwrap(),
            store: Arc::new(MemoryProfileStore::default()),
            clock: Arc::new(SystemClock::new()),
            scope: TaskScope::root("sign_ins"),
            variables: Vec::new(),
            config: json!({}),
            vendors: SignInVendors::known(),
            catalog: ModelCatalog {
                providers: providers.into_iter().map(|facts| (facts.id.clone(), facts)).collect(),
            },
        }
    }

    /// A vendor's addresses lead to this one.
    pub(super) fn at(mut self, provider: &str, vendor: &FakeVendor) -> Self {
        self.vendors = self.vendors.with_urls(provider, vendor.urls());
        self
    }

    pub(super) fn variable(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    pub(super) fn config(mut self, config: Value) -> Self {
        self.config = config;
        self
    }

    pub(super) fn stored_in(mut self, store: Arc<dyn ProfileStore>) -> Self {
        self.store = store;
        self
    }

    pub(super) async fn with(self, profile: StoredProfile) -> Self {
        self.store.put(&AgentId::main(), profile).await.unwrap();
        self
    }

    /// What is stored under an id.
    pub(super) async fn stored(&self, id: &str) -> StoredProfile {
        let all = self.store.list(&AgentId::main()).await.unwrap();
        all.into_iter().find(|profile| profile.id.as_str() == id).unwrap()
    }

    /// A moment so many seconds from now.
    pub(super) fn in_seconds(&self, seconds: i64) -> UnixMillis {
        UnixMillis(self.clock.now().0 + seconds * 1000)
    }

    /// Opens a sign_ins. Each has its own memory; the store and the locks are shared, as between two processes.
    pub(super) fn sign_ins(&self) -> SignIns {
        let home = self.home.path();
        let state = home.join(".openclaw");
        std::fs::create_dir_all(&state).unwrap();
        std::fs::write(state.join("openclaw.json"), self.config.to_string()).unwrap();
        let environment = Environment::fake(self.variables.clone(), home);
        let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
        let snapshot = ConfigFile::new(locations, environment).read();
        assert_eq!(snapshot.issues, []);
        let around = SignInInputs {
            environment: snapshot.environment,
            config: snapshot.config,
            catalog: Arc::new(self.catalog.clone()),
        };
        SignIns::new(SignInsParts {
            store: Arc::clone(&self.store),
            secrets: Arc::new(SecretResolver::new(self.clock.clone())),
            transport: transport(home),
            clock: self.clock.clone(),
            scope: self.scope.clone(),
            lock_dir: home.join("locks"),
            vendors: self.vendors.clone(),
            surroundings: Arc::new(move || around.clone()),
        })
    }
}

pub(super) fn transport(home: &Path) -> Transport {
    let environment = Environment::fake([("NO_PROXY", "*")], home);
    Transport::new(Arc::new(SystemClock::new()), &environment, TransportLimits::default())
}

pub(super) fn provider(name: &str) -> ProviderId {
    ProviderId::new(name).unwrap()
}

pub(super) fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

pub(super) fn key_profile(id: &str, key: StoredSecret) -> StoredProfile {
    profile(id, StoredCredential::ApiKey { key })
}

/// A sign-in with the planted tokens `<name>-access` and `<name>-refresh`.
pub(super) fn sign_in(id: &str, name: &str, expires: UnixMillis) -> StoredProfile {
    let tokens = OauthTokens {
        access: secret(&planted_secret(&format!("{name}-access"))),
        refresh: Some(secret(&planted_secret(&format!("{name}-refresh")))),
        expires,
        account_id: None,
        project_id: None,
        enterprise_url: None,
        client_id: None,
    };
    profile(id, StoredCredential::Oauth(tokens))
}

pub(super) fn profile(id: &str, credential: StoredCredential) -> StoredProfile {
    let name = id.split(':').next().unwrap();
    StoredProfile {
        id: AuthProfileId::new(id).unwrap(),
        provider: provider(name),
        email: None,
        credential,
        extra: Map::new(),
    }
}

/// A web token that nobody signed.
pub(super) fn web_token(claims: &Value) -> String {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    format!("h.{}.s", URL_SAFE_NO_PAD.encode(claims.to_string()))
}

fn facts(id: &str, sign_in: SignIn, variables: &[&str]) -> ProviderFacts {
    ProviderFacts {
        id: provider(id),
        name: id.to_owned(),
        origin: ProviderOrigin::BuiltIn,
        reach: ServerReach::Public,
        sign_in,
        key_variables: variables.iter().map(|name| (*name).to_owned()).collect(),
        endpoint: None,
        models: Vec::new(),
    }
}
