//! The whole line to a model, put together as the gateway does: configuration file, SQLite, real sockets.
//!
//! Only the vendor is scripted. What single parts decide is tested where they are.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use std::fs;
use std::sync::Arc;

use futures_util::StreamExt as _;
use openclaw_agent::{CallDone, CallEvent, CallFailed, FailureCause, ModelCall, Purpose, Selection};
use openclaw_app::{Demonstration, ModelDesk, ModelDeskParts};
use openclaw_config::{ConfigFile, Environment, Locations, ProfileChoice};
use openclaw_ports::model::{ApiName, CacheLifetime, Credentials as _, ModelRequest, ToolChoice};
use openclaw_ports::stores::{StoredCredential, StoredSecret};
use openclaw_ports::{SystemClock, TaskScope};
use openclaw_providers::{Script, Scripts};
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_testkit::{ScriptedModelServer, TempHome, planted_secret};
use openclaw_types::{AgentId, Content, Message, ProviderId, RunId, Text, ThinkingLevel, UserMessage};
use serde_json::{Value, json};

struct World {
    home: TempHome,
    variables: Vec<(String, String)>,
}

impl World {
    fn new(config: &Value) -> Self {
        let home = TempHome::new();
        fs::write(home.path("openclaw.json"), config.to_string()).unwrap();
        // Nothing of this machine may be found where a test does not say so.
        let variables = vec![("OLLAMA_HOST".to_owned(), "127.0.0.1:1".to_owned())];
        Self { home, variables }
    }

    async fn desk(&self, demonstration: Demonstration) -> ModelDesk {
        let parent = self.home.state_dir().parent().unwrap();
        let environment = Environment::fake(self.variables.clone(), parent);
        let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
        let snapshot = Arc::new(ConfigFile::new(locations.clone(), environment).read());
        assert!(snapshot.valid, "{:?}", snapshot.issues);
        let clock = Arc::new(SystemClock::new());
        let store =
            StateDatabase::open(StateLocation::within(self.home.state_dir()), clock.clone()).await.unwrap();
        ModelDesk::open(ModelDeskParts {
            settings: Arc::new(move || Arc::clone(&snapshot)),
            locations,
            store: Arc::new(store),
            clock,
            tasks: TaskScope::root("test"),
            demonstration,
        })
        .await
        .unwrap()
    }
}

fn call(selection: Selection) -> ModelCall {
    let said = Message::User(UserMessage {
        content: vec![Content::Text(Text { text: "Hello there".to_owned(), signature: None })],
        at: None,
        provenance: None,
        idempotency_key: None,
    });
    ModelCall {
        agent: AgentId::main(),
        session: Some("agent:main:main".to_owned()),
        run: RunId::new("run-1").unwrap(),
        selection,
        pin: None,
        thinking: None,
        purpose: Purpose::Answer,
        request: Arc::new(ModelRequest {
            system: vec!["Be kind.".to_owned()],
            messages: vec![said],
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            thinking: ThinkingLevel::Off,
            max_output_tokens: Some(1000),
            temperature: None,
            cache: CacheLifetime::Off,
            session: None,
        }),
    }
}

async fn end(desk: &ModelDesk, call: ModelCall) -> (Vec<String>, Result<CallDone, CallFailed>) {
    let mut stream = desk.models.call(call);
    let mut switches = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            CallEvent::Switched { to, .. } => switches.push(to.model.to_string()),
            CallEvent::Done(done) => return (switches, Ok(*done)),
            CallEvent::Failed(failed) => return (switches, Err(*failed)),
            CallEvent::Trying { .. } | CallEvent::Model(_) => {}
        }
    }
    panic!("the stream ended without an end");
}

fn words(done: &CallDone) -> String {
    let text = |content: &Content| match content {
        Content::Text(text) => Some(text.text.clone()),
        _ => None,
    };
    done.completion.content.iter().filter_map(text).collect()
}

fn provider(server: &ScriptedModelServer, api: ApiName, key: &str, models: &[&str]) -> Value {
    let models: Vec<Value> = models
        .iter()
        .map(|id| json!({ "id": id, "name": id, "cost": { "input": 1.0, "output": 1000.0 } }))
        .collect();
    json!({ "baseUrl": server.base_url(api), "api": api.as_str(), "apiKey": key, "models": models })
}

#[tokio::test]
async fn a_configured_vendor_answers_and_what_it_cost_is_in_the_books() {
    let server = ScriptedModelServer::start(Script::new().say("Good morning.")).await;
    let key = planted_secret("app-models");
    server.require_key(key.clone());
    let world = World::new(&json!({
        "agents": { "defaults": { "model": "own/small" } },
        "models": { "providers": { "own": provider(&server, ApiName::OpenaiCompletions, &key, &["small"]) } },
    }));
    let desk = world.desk(Demonstration::Absent).await;
    let (switches, done) = end(&desk, call(Selection::Default)).await;
    let done = done.unwrap();
    assert_eq!((words(&done).as_str(), switches.len()), ("Good morning.", 0));
    let records = desk.ledger().records(Default::default(), 10).await.unwrap();
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_eq!((record.model.to_string().as_str(), record.outcome.as_str()), ("own/small", "done"));
    assert_eq!(record.cost.map(|cost| cost.dollars() > 0.0), Some(true));
    assert_eq!(record.usage, done.usage);
}

#[tokio::test]
async fn a_failing_model_is_left_for_its_fallback_and_remembered_after_a_restart() {
    let scripts = Scripts::new().otherwise(Script::new().say("From the second."));
    let server = ScriptedModelServer::start(scripts).await;
    server.push_for("first", Script::new().status_after(429, std::time::Duration::from_secs(60)));
    let world = World::new(&json!({
        "agents": { "defaults": { "model": { "primary": "own/first", "fallbacks": ["own/second"] } } },
        "models": { "providers": { "own": provider(&server, ApiName::AnthropicMessages, "key-1", &["first", "second"]) } },
    }));
    let desk = world.desk(Demonstration::Absent).await;
    let (switches, done) = end(&desk, call(Selection::Default)).await;
    assert_eq!((words(&done.unwrap()).as_str(), switches), ("From the second.", vec!["own/second".to_owned()]));
    let seen = server.requests().len();
    drop(desk);
    let desk = world.desk(Demonstration::Absent).await;
    let (_, done) = end(&desk, call(Selection::Default)).await;
    assert_eq!(words(&done.unwrap()), "From the second.");
    let asked: Vec<Value> = server.requests()[seen..].iter().map(|request| request.body["model"].clone()).collect();
    assert_eq!(asked, [json!("second")], "the first one rests, also after a restart");
}

#[tokio::test]
async fn a_call_that_would_pass_the_budget_is_not_sent() {
    let server = ScriptedModelServer::start(Script::new().say("never")).await;
    let world = World::new(&json!({
        "agents": { "defaults": { "model": "own/small" } },
        "models": {
            "budgets": { "daily": 0.5 },
            "providers": { "own": provider(&server, ApiName::OpenaiCompletions, "key-1", &["small"]) },
        },
    }));
    let desk = world.desk(Demonstration::Absent).await;
    let (_, done) = end(&desk, call(Selection::Default)).await;
    let failed = done.unwrap_err();
    assert!(matches!(failed.cause, FailureCause::Budget(_)), "{failed:?}");
    assert!(failed.message.contains("models.budgets.daily"), "{}", failed.message);
    assert_eq!(server.requests().len(), 0);
    assert_eq!(desk.ledger().records(Default::default(), 10).await.unwrap(), []);
}

#[tokio::test]
async fn sign_ins_of_an_earlier_installation_are_taken_over_once_and_sealed() {
    let key = planted_secret("imported-key");
    let world = World::new(&json!({}));
    let folder = world.home.path("agents/main/agent");
    fs::create_dir_all(&folder).unwrap();
    let file = json!({ "version": 1, "profiles": {
        "openai:default": { "type": "api_key", "provider": "openai", "key": key },
    } });
    fs::write(folder.join("auth-profiles.json"), file.to_string()).unwrap();
    let desk = world.desk(Demonstration::Absent).await;
    let reports = desk.import_sign_ins().await.unwrap();
    assert_eq!(reports.iter().map(|report| report.taken).collect::<Vec<_>>(), [1]);
    assert!(desk.import_sign_ins().await.unwrap().is_empty(), "an unchanged file is not read again");
    let main = AgentId::main();
    let stored = desk.profiles().list(&main).await.unwrap();
    let [profile] = &stored[..] else { panic!("{stored:?}") };
    let StoredCredential::ApiKey { key: StoredSecret::Text(found) } = &profile.credential else { panic!() };
    assert_eq!(found.reveal(), &key);
    let openai = ProviderId::new("openai").unwrap();
    let known = desk.credentials.profiles(&main, &openai).await.unwrap();
    assert_eq!(known.iter().map(|facts| facts.id.as_str()).collect::<Vec<_>>(), ["openai:default"]);
    // Removed here, it stays removed, also when the other program writes its file again.
    assert!(desk.profiles().remove(&main, &profile.id).await.unwrap());
    fs::write(folder.join("auth-profiles.json"), format!("{file}\n")).unwrap();
    let reports = desk.import_sign_ins().await.unwrap();
    assert_eq!(reports.iter().map(|report| report.taken).collect::<Vec<_>>(), [0]);
    assert!(desk.profiles().list(&main).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_demonstration_answers_without_any_set_up_and_says_what_it_is() {
    let world = World::new(&json!({ "agents": { "defaults": { "model": "anthropic/claude-opus-4-6" } } }));
    let desk = world.desk(Demonstration::Present).await;
    let (_, done) = end(&desk, call(Selection::Default)).await;
    let done = done.unwrap();
    assert_eq!(done.model.to_string(), "demo/scripted");
    assert!(words(&done).to_lowercase().contains("not an ai"), "{}", words(&done));
}

#[tokio::test]
async fn a_model_server_on_this_machine_stands_in_while_nothing_is_set_up() {
    let server = ScriptedModelServer::start(Scripts::new().otherwise(Script::new().say("Local."))).await;
    server.set_models(["tiny:latest"]);
    let mut world = World::new(&json!({}));
    world.variables = vec![("OLLAMA_HOST".to_owned(), server.root().trim_start_matches("http://").to_owned())];
    let desk = world.desk(Demonstration::Absent).await;
    desk.find_local_servers().await;
    desk.choose_stand_in().await;
    assert_eq!(desk.models.primary(&AgentId::main()).to_string(), "ollama/tiny:latest");
    // Its context is too small for an agent, so it is only probed here.
    let (_, done) = end(&desk, ModelCall { purpose: Purpose::Probe, ..call(Selection::Default) }).await;
    assert_eq!(words(&done.unwrap()), "Local.");
    // As soon as a person signs in at the usual vendor, that one answers.
    world.variables.push(("ANTHROPIC_API_KEY".to_owned(), planted_secret("stand-in")));
    let desk = world.desk(Demonstration::Absent).await;
    desk.find_local_servers().await;
    desk.choose_stand_in().await;
    assert_eq!(desk.models.primary(&AgentId::main()).provider().as_str(), "anthropic");
}
