//! Looks for servers on real sockets that answer as the real ones do, or as nobody should.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use openclaw_config::Environment;
use openclaw_config::sections::{BedrockDiscovery, ModelsSection};
use openclaw_ports::model::{FaultReason, ModelFault, Prices, ProviderFacts};
use openclaw_ports::{Clock, SystemClock, TaskScope};
use openclaw_testkit::SimClock;
use openclaw_types::{ProviderId, Secret};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::bedrock::read_models;
use super::{
    FoundModel, FoundServer, LocalServer, LocalServerKind, LocalServers, RouterModel, ask_openrouter,
    find_local, read_openrouter,
};
use crate::catalog::{Catalog, CatalogInputs, Demonstration};
use crate::transport::{Transport, TransportLimits};

/// What a server answers at a path.
#[derive(Clone)]
enum Answer {
    Json(Value),
    Text(u16, &'static str),
    /// A body without an end.
    Endless,
    /// Nothing, until the client goes away.
    Silence,
}

/// A server on a free port of this machine. It ends with the test.
struct Server {
    root: String,
    asked: watch::Sender<Vec<String>>,
    scope: TaskScope,
}

impl Server {
    async fn start(answers: Vec<(&'static str, Answer)>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let root = format!("http://{}", listener.local_addr().unwrap());
        let scope = TaskScope::root("server");
        let asked: watch::Sender<Vec<String>> = watch::Sender::default();
        let answers: Arc<BTreeMap<&str, Answer>> = Arc::new(answers.into_iter().collect());
        let (connections, noted) = (scope.clone(), asked.clone());
        scope.start_cancellable("accept", async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                connections.start_cancellable("connection", serve(socket, answers.clone(), noted.clone()));
            }
        });
        Self { root, asked, scope }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.scope.cancel();
    }
}

async fn serve(
    mut socket: TcpStream,
    answers: Arc<BTreeMap<&str, Answer>>,
    asked: watch::Sender<Vec<String>>,
) {
    while let Some((line, body)) = read_request(&mut socket).await {
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        asked.send_modify(|asked| asked.push(format!("{path}{body}")));
        let answer = answers.get(path.as_str()).cloned().unwrap_or(Answer::Text(404, "not here"));
        let (status, text) = match answer {
            Answer::Json(value) => (200, value.to_string()),
            Answer::Text(status, text) => (status, text.to_owned()),
            Answer::Endless => {
                let mut sent = socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n{\"models\": [").await;
                while sent.is_ok() {
                    sent = socket.write_all(&[b' '; 65_536]).await;
                }
                return;
            }
            Answer::Silence => {
                let mut buffer = [0; 64];
                while socket.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
                return;
            }
        };
        let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n", text.len());
        if socket.write_all(format!("{head}{text}").as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read_request(socket: &mut TcpStream) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return Some((head.lines().next().unwrap_or_default().to_owned(), body.to_owned()));
            }
        }
        let mut buffer = [0; 4096];
        match socket.read(&mut buffer).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&buffer[..read]),
            _ => return None,
        }
    }
}

fn transport(clock: Arc<dyn Clock>) -> Transport {
    let environment = Environment::fake(Vec::<(String, String)>::new(), "/home/ana");
    Transport::new(clock, &environment, TransportLimits::default())
}

fn at(kind: LocalServerKind, root: &str) -> LocalServer {
    LocalServer { kind, root: root.to_owned(), key: None, named: false }
}

async fn look(server: LocalServer) -> Vec<FoundServer> {
    find_local(&transport(Arc::new(SystemClock::new())), &LocalServers { all: vec![server] }).await
}

fn local(id: &str) -> FoundModel {
    FoundModel { id: id.to_owned(), prices: Some(Prices::default()), ..FoundModel::default() }
}

fn found(provider: &str, base_url: String, models: Vec<FoundModel>) -> FoundServer {
    FoundServer { provider: ProviderId::new(provider).unwrap(), base_url, models }
}

#[tokio::test]
async fn ollama_tells_its_models_and_what_they_can_do() {
    let tags = json!({ "models": [
        { "name": "qwen3:8b", "model": "qwen3:8b", "size": 5_200_000_000_u64, "details": { "family": "qwen3" } },
        { "name": "nomic-embed-text", "details": { "family": "nomic-bert" } },
    ] });
    let shown = json!({
        "capabilities": ["completion", "tools", "thinking", "vision"],
        "model_info": { "general.architecture": "qwen3", "qwen3.context_length": 262_144 },
    });
    let server =
        Server::start(vec![("/api/tags", Answer::Json(tags)), ("/api/show", Answer::Json(shown))]).await;
    let qwen = FoundModel { context: Some(131_072), sees_images: true, thinks: true, ..local("qwen3:8b") };
    let expected = found("ollama", server.root.clone(), vec![qwen]);
    assert_eq!(look(at(LocalServerKind::Ollama, &server.root)).await, [expected]);
    assert_eq!(*server.asked.borrow(), ["/api/tags", "/api/show{\"model\":\"qwen3:8b\"}"]);
}

#[tokio::test]
async fn a_model_that_is_not_described_is_listed_by_name() {
    let tags = json!({ "models": [{ "name": "deepseek-r1:7b" }, { "name": "" }, { "name": "llama3" }] });
    let server =
        Server::start(vec![("/api/tags", Answer::Json(tags)), ("/api/show", Answer::Text(500, "no"))]).await;
    let models = vec![FoundModel { thinks: true, ..local("deepseek-r1:7b") }, local("llama3")];
    let expected = found("ollama", server.root.clone(), models);
    assert_eq!(look(at(LocalServerKind::Ollama, &server.root)).await, [expected]);
}

#[tokio::test]
async fn lm_studio_tells_which_models_write() {
    let list = json!({ "object": "list", "data": [
        { "id": "qwen2-vl-7b", "object": "model", "type": "vlm", "state": "not-loaded", "max_context_length": 32_768 },
        { "id": "llama-8b", "object": "model", "type": "llm", "state": "loaded", "max_context_length": 131_072,
          "loaded_context_length": 4_096 },
        { "id": "nomic", "object": "model", "type": "embeddings", "state": "loaded", "max_context_length": 2_048 },
    ] });
    let server = Server::start(vec![("/api/v0/models", Answer::Json(list))]).await;
    let models = vec![
        FoundModel { context: Some(32_768), sees_images: true, ..local("qwen2-vl-7b") },
        FoundModel { context: Some(4_096), ..local("llama-8b") },
    ];
    let expected = found("lmstudio", format!("{}/v1", server.root), models);
    assert_eq!(look(at(LocalServerKind::LmStudio, &server.root)).await, [expected]);
}

#[tokio::test]
async fn lm_studio_without_its_older_interface_is_asked_in_the_newer_one() {
    let list = json!({ "models": [
        { "type": "llm", "key": "qwen/qwen3-4b", "display_name": "Qwen3 4B", "max_context_length": 262_144,
          "loaded_instances": [{ "id": "a", "config": { "context_length": 8_192 } }],
          "capabilities": { "vision": false } },
        { "type": "embedding", "key": "nomic", "loaded_instances": [] },
    ] });
    let server = Server::start(vec![("/api/v1/models", Answer::Json(list))]).await;
    let qwen =
        FoundModel { name: Some("Qwen3 4B".to_owned()), context: Some(8_192), ..local("qwen/qwen3-4b") };
    let expected = found("lmstudio", format!("{}/v1", server.root), vec![qwen]);
    assert_eq!(look(at(LocalServerKind::LmStudio, &server.root)).await, [expected]);
}

#[tokio::test]
async fn vllm_says_that_it_owns_its_models() {
    let list = json!({ "object": "list", "data": [
        { "id": "deepseek-ai/DeepSeek-R1-Distill", "object": "model", "owned_by": "vllm", "max_model_len": 16_384 },
    ] });
    let server = Server::start(vec![("/v1/models", Answer::Json(list))]).await;
    let model =
        FoundModel { context: Some(16_384), thinks: true, ..local("deepseek-ai/DeepSeek-R1-Distill") };
    let expected = found("vllm", format!("{}/v1", server.root), vec![model]);
    assert_eq!(look(at(LocalServerKind::Vllm, &server.root)).await, [expected]);
}

#[tokio::test]
async fn llama_cpp_tells_the_context_it_was_started_with() {
    let list = json!({ "object": "list", "data": [
        { "id": "/models/SmolLM2.Q4.gguf", "object": "model", "owned_by": "llamacpp", "meta": { "n_ctx_train": 8_192 } },
    ] });
    let props =
        json!({ "default_generation_settings": { "n_ctx": 4_096 }, "modalities": { "vision": true } });
    let server =
        Server::start(vec![("/v1/models", Answer::Json(list.clone())), ("/props", Answer::Json(props))])
            .await;
    let model = FoundModel {
        name: Some("SmolLM2.Q4".to_owned()),
        context: Some(4_096),
        sees_images: true,
        ..local("/models/SmolLM2.Q4.gguf")
    };
    let expected = found("llama.cpp", format!("{}/v1", server.root), vec![model.clone()]);
    assert_eq!(look(at(LocalServerKind::LlamaCpp, &server.root)).await, [expected]);
    let older = Server::start(vec![("/v1/models", Answer::Json(list))]).await;
    let model = FoundModel { context: Some(8_192), sees_images: false, ..model };
    let expected = found("llama.cpp", format!("{}/v1", older.root), vec![model]);
    assert_eq!(look(at(LocalServerKind::LlamaCpp, &older.root)).await, [expected]);
}

#[tokio::test]
async fn strangers_on_the_usual_ports_are_no_model_servers() {
    let stranger =
        json!({ "object": "list", "data": [{ "id": "thing", "object": "model", "owned_by": "someone" }] });
    let strangers = [
        Answer::Json(stranger),
        Answer::Json(json!({ "data": [] })),
        Answer::Json(json!({ "hello": "world" })),
        Answer::Json(json!([1, 2, 3])),
        Answer::Json(json!({ "data": [{ "id": 7 }], "models": "many" })),
        Answer::Text(200, "<html>It works!</html>"),
        Answer::Text(200, ""),
        Answer::Text(401, "who are you?"),
        Answer::Text(302, "elsewhere"),
        Answer::Endless,
    ];
    for stranger in strangers {
        let paths = ["/v1/models", "/api/tags", "/api/v0/models", "/api/v1/models", "/props"];
        let server = Server::start(paths.map(|path| (path, stranger.clone())).to_vec()).await;
        for kind in LocalServerKind::ALL {
            assert_eq!(look(at(kind, &server.root)).await, [], "{kind:?}");
        }
    }
}

#[tokio::test]
async fn a_named_address_may_hold_any_server_of_the_protocol() {
    let list =
        json!({ "data": [{ "id": "m", "owned_by": "someone" }, { "id": "bad\u{7}name" }, { "id": "m" }] });
    let server = Server::start(vec![("/v1/models", Answer::Json(list))]).await;
    let named = LocalServer { named: true, ..at(LocalServerKind::Vllm, &server.root) };
    let expected = found("vllm", format!("{}/v1", server.root), vec![local("m")]);
    assert_eq!(look(named).await, [expected]);
}

#[tokio::test]
async fn a_silent_server_holds_nobody_up() {
    let silent = Server::start(vec![("/api/tags", Answer::Silence)]).await;
    let list = json!({ "data": [{ "id": "m", "owned_by": "vllm" }] });
    let quick = Server::start(vec![("/v1/models", Answer::Json(list))]).await;
    let clock = Arc::new(SimClock::new());
    let transport = transport(clock.clone());
    let servers = LocalServers {
        all: vec![at(LocalServerKind::Ollama, &silent.root), at(LocalServerKind::Vllm, &quick.root)],
    };
    let (found, ()) = tokio::join!(find_local(&transport, &servers), async {
        silent.asked.subscribe().wait_for(|asked| !asked.is_empty()).await.unwrap();
        quick.asked.subscribe().wait_for(|asked| !asked.is_empty()).await.unwrap();
        // Lets the quick one's answer arrive before time runs out.
        clock.advance(Duration::from_millis(1)).await;
        clock.advance(Duration::from_secs(3)).await;
    });
    assert_eq!(found.iter().map(|server| server.provider.as_str()).collect::<Vec<_>>(), ["vllm"]);
}

#[tokio::test]
async fn looking_can_be_a_task() {
    let scope = TaskScope::root("test");
    let (done, found) = tokio::sync::oneshot::channel();
    scope.start("look", async move {
        let servers = LocalServers { all: Vec::new() };
        done.send(find_local(&transport(Arc::new(SystemClock::new())), &servers).await).unwrap();
    });
    assert_eq!(found.await.unwrap(), []);
}

#[tokio::test]
async fn a_port_where_nothing_listens_is_left_out_at_once() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let root = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    assert_eq!(look(at(LocalServerKind::Ollama, &root)).await, []);
}

#[test]
fn configured_addresses_stand_in_for_the_usual_ones() {
    let environment =
        Environment::fake([("OLLAMA_HOST", "0.0.0.0:9999"), ("OLLAMA_API_KEY", "from-env")], "/home/ana");
    let models: ModelsSection = serde_json::from_value(json!({ "providers": {
        "lm-studio": { "baseUrl": "http://box:1234/v1/", "apiKey": "written", "models": [] },
    } }))
    .unwrap();
    let server = |kind, root: &str, key: Option<&str>, named| LocalServer {
        kind,
        root: root.to_owned(),
        key: key.map(|key| Secret::new(key.to_owned())),
        named,
    };
    let expected = vec![
        server(LocalServerKind::Ollama, "http://127.0.0.1:9999", Some("from-env"), true),
        server(LocalServerKind::LmStudio, "http://box:1234", Some("written"), true),
        server(LocalServerKind::Vllm, "http://127.0.0.1:8000", None, false),
        server(LocalServerKind::LlamaCpp, "http://127.0.0.1:8080", None, false),
    ];
    assert_eq!(LocalServers::of(Some(&models), &environment), LocalServers { all: expected });
}

#[test]
fn a_key_goes_only_to_an_address_that_a_person_named() {
    let environment = Environment::fake(
        [("OLLAMA_API_KEY", "k"), ("LMSTUDIO_API_KEY", "k"), ("VLLM_API_KEY", "k")],
        "/home/ana",
    );
    let usual = LocalServers::of(None, &environment);
    assert_eq!(
        usual.all.iter().map(|server| (server.named, server.key.is_some())).collect::<Vec<_>>(),
        [(false, false); 4]
    );
    let models: ModelsSection = serde_json::from_value(json!({ "providers": {
        "vllm": { "baseUrl": "http://127.0.0.1:8000/v1", "models": [] },
    } }))
    .unwrap();
    let named = LocalServers::of(Some(&models), &environment);
    let keys: Vec<bool> = named.all.iter().map(|server| server.key.is_some()).collect();
    assert_eq!(keys, [false, false, true, false]);
}

#[test]
fn the_list_of_a_router_is_read_leniently() {
    let list = json!({ "data": [
        {
            "id": "maker/model-70b-a3b:free", "name": "Model", "created": 1_760_000_000, "context_length": 131_072,
            "architecture": { "modality": "text+image->text", "input_modalities": ["text", "image"] },
            "top_provider": { "max_completion_tokens": 8_192 },
            "pricing": { "prompt": "0", "completion": "0" },
            "supported_parameters": ["tools", "reasoning"],
        },
        { "id": "maker/paid", "pricing": { "prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003" },
          "architecture": { "modality": "text->text" } },
        { "id": "openrouter/auto", "pricing": { "prompt": "-1", "completion": "-1" }, "context_length": null },
        { "name": "no id" },
        "nonsense",
    ] });
    let read = read_openrouter(list.to_string().as_bytes()).unwrap();
    let free = RouterModel {
        id: "maker/model-70b-a3b:free".to_owned(),
        name: "Model".to_owned(),
        context: Some(131_072),
        output: Some(8_192),
        sees_images: true,
        calls_tools: true,
        thinks: true,
        billions: Some(70.0),
        created: Some(1_760_000_000),
        prices: Some(Prices::default()),
    };
    assert_eq!((read.len(), &read[0]), (3, &free));
    assert_eq!(read.iter().map(RouterModel::is_free).collect::<Vec<_>>(), [true, false, false]);
    let paid = read[1].prices.unwrap();
    assert!((paid.input - 3.0).abs() < 1e-9 && (paid.output - 15.0).abs() < 1e-9);
    assert_eq!((read[2].prices, read[2].billions), (None, None));
    let reason = |fault: ModelFault| fault.reason;
    assert_eq!(read_openrouter(b"<html>").map_err(reason), Err(FaultReason::Malformed));
}

#[tokio::test]
async fn the_list_of_a_router_is_asked_where_a_person_says_that_it_is() {
    let list = json!({ "data": [{ "id": "maker/model:free" }] });
    let server = Server::start(vec![("/router/v1/models?team=blue", Answer::Json(list))]).await;
    let transport = transport(Arc::new(SystemClock::new()));
    let written: ModelsSection = serde_json::from_value(json!({ "providers": {
        "openrouter": { "baseUrl": format!("{}/router/v1/?team=blue", server.root), "models": [] },
    } }))
    .unwrap();
    let environment = Environment::fake(Vec::<(String, String)>::new(), "/home/ana");
    let inputs = CatalogInputs {
        environment: &environment,
        models: Some(&written),
        registry: None,
        found: &[],
        demonstration: Demonstration::Absent,
    };
    let catalog = Catalog::build(&inputs);
    let router = catalog.provider(&ProviderId::new("openrouter").unwrap()).unwrap();
    let models = ask_openrouter(&transport, router).await.unwrap();
    assert_eq!(models.iter().map(|model| model.id.as_str()).collect::<Vec<_>>(), ["maker/model:free"]);
    assert_eq!(*server.asked.borrow(), ["/router/v1/models?team=blue"]);
    let nowhere = ProviderFacts { endpoint: None, ..router.clone() };
    let fault = ask_openrouter(&transport, &nowhere).await.unwrap_err();
    assert!(fault.message.contains("models.providers.openrouter.baseUrl"), "{}", fault.message);
}

#[test]
fn bedrock_lists_active_models_that_stream_text() {
    let summary = |id: &str, status: &str, streams: bool, output: &str| {
        json!({ "modelId": id, "modelName": id.to_uppercase(), "providerName": "Anthropic",
            "inputModalities": ["TEXT", "IMAGE"], "outputModalities": [output],
            "responseStreamingSupported": streams, "modelLifecycle": { "status": status } })
    };
    let list = json!({ "modelSummaries": [
        summary("anthropic.b-thinking", "ACTIVE", true, "TEXT"),
        summary("anthropic.a", "ACTIVE", true, "TEXT"),
        summary("anthropic.old", "LEGACY", true, "TEXT"),
        summary("anthropic.whole", "ACTIVE", false, "TEXT"),
        summary("anthropic.draws", "ACTIVE", true, "IMAGE"),
    ] })
    .to_string();
    let model = |id: &str, thinks| FoundModel {
        id: id.to_owned(),
        name: Some(id.to_uppercase()),
        context: Some(32_000),
        output: Some(4_096),
        sees_images: true,
        thinks,
        prices: None,
    };
    let expected = vec![model("anthropic.a", false), model("anthropic.b-thinking", true)];
    assert_eq!(read_models(list.as_bytes(), &BedrockDiscovery::default()), Ok(expected));
    let others =
        BedrockDiscovery { provider_filter: Some(vec![" Amazon ".to_owned()]), ..Default::default() };
    assert_eq!(read_models(list.as_bytes(), &others), Ok(Vec::new()));
}
