//! The whole line to a model, put together as the gateway does: configuration file, SQLite, real sockets.
//!
//! Only the vendor is scripted. What single parts decide is tested where they are.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use futures_util::StreamExt as _;
use openclaw_agent::{CallDone, CallEvent, CallFailed, FailureCause, ModelCall, Purpose, Selection};
use openclaw_app::observe::ConsoleOutput;
use openclaw_app::{
    Demonstration, ExitRequest, ModelRuntime, ModelRuntimeParts, RemoteMode, RunOptions, shutdown, start,
};
use openclaw_client::{
    ClientNotice, ClientProfile, ConnectOptions, EventStream, GatewayAddress, Security, connect,
};
use openclaw_config::{ConfigFile, Environment, Locations, Overrides, ProfileChoice};
use openclaw_ports::model::{ApiName, Credentials as _, ModelRequest};
use openclaw_ports::stores::{OauthTokens, StoredCredential, StoredProfile, StoredSecret};
use openclaw_ports::{SystemClock, TaskScope};
use openclaw_protocol::events::{ModelTried, ModelsSwitchPayload};
use openclaw_providers::{Script, Scripts};
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_testkit::{ScriptedModelServer, TempHome, planted_secret};
use openclaw_types::{AgentId, Content, ProviderId, RunId, Scope, Secret, UnixMillis};
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

    async fn desk(&self, demonstration: Demonstration) -> ModelRuntime {
        let parent = self.home.state_dir().parent().unwrap();
        let environment = Environment::fake(self.variables.clone(), parent);
        let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
        let snapshot = Arc::new(ConfigFile::new(locations.clone(), environment).read());
        assert!(snapshot.valid, "{:?}", snapshot.issues);
        let clock = Arc::new(SystemClock::new());
        let store =
            StateDatabase::open(StateLocation::within(self.home.state_dir()), clock.clone()).await.unwrap();
        ModelRuntime::open(ModelRuntimeParts {
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
    ModelCall {
        agent: AgentId::main(),
        session: Some("agent:main:main".to_owned()),
        run: RunId::new("run-1").unwrap(),
        selection,
        pin: None,
        thinking: None,
        purpose: Purpose::Answer,
        request: Arc::new(ModelRequest {
            system: vec!["Be kind.".to_owned()].into(),
            max_output_tokens: Some(1000),
            ..ModelRequest::asking("Hello there")
        }),
    }
}

async fn end(desk: &ModelRuntime, call: ModelCall) -> (Vec<String>, Result<CallDone, CallFailed>) {
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
    assert_eq!(
        (words(&done.unwrap()).as_str(), switches),
        ("From the second.", vec!["own/second".to_owned()])
    );
    let seen = server.requests().len();
    drop(desk);
    let desk = world.desk(Demonstration::Absent).await;
    let (_, done) = end(&desk, call(Selection::Default)).await;
    assert_eq!(words(&done.unwrap()), "From the second.");
    let asked: Vec<Value> =
        server.requests()[seen..].iter().map(|request| request.body["model"].clone()).collect();
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
    world.variables =
        vec![("OLLAMA_HOST".to_owned(), server.root().trim_start_matches("http://").to_owned())];
    let desk = world.desk(Demonstration::Absent).await;
    desk.find_local_servers().await;
    desk.choose_stand_in().await;
    assert_eq!(desk.models.primary(&AgentId::main()).to_string(), "ollama/tiny:latest");
    // Its context is too small for an agent, so it is only probed here.
    let (_, done) = end(&desk, ModelCall { purpose: Purpose::Probe, ..call(Selection::Default) }).await;
    assert_eq!(words(&done.unwrap()), "Local.");
    // As soon as a person signs in anywhere, be it not at the usual vendor, it no longer does.
    world.variables.push(("GROQ_API_KEY".to_owned(), planted_secret("stand-in")));
    let desk = world.desk(Demonstration::Absent).await;
    desk.find_local_servers().await;
    desk.choose_stand_in().await;
    assert_eq!(desk.models.primary(&AgentId::main()).provider().as_str(), "anthropic");
}

#[tokio::test]
async fn a_list_that_others_may_write_is_left_out() {
    for (mode, is_listed) in [(0o600, true), (0o666, false)] {
        let world = World::new(&json!({}));
        let folder = world.home.path("agents/main/agent");
        fs::create_dir_all(&folder).unwrap();
        let list = json!({ "providers": { "old": { "baseUrl": "https://old.example/v1", "models": [{ "id": "m" }] } } });
        let file = folder.join("models.json");
        fs::write(&file, list.to_string()).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let desk = world.desk(Demonstration::Absent).await;
        let old = ProviderId::new("old").unwrap();
        assert_eq!(desk.catalog().provider(&old).is_some(), is_listed, "{mode:o}");
    }
}

#[tokio::test]
async fn sign_ins_and_models_are_taken_over_from_the_folder_that_an_agent_was_given() {
    let world = World::new(&json!({ "agents": { "list": [
        { "id": "main", "agentDir": "~/.openclaw/given/main" }, { "id": "work", "agentDir": "~/.openclaw/given/work" },
    ] } }));
    let [main, shared, work, unused] =
        ["given-main", "given-shared", "given-work", "given-unused"].map(planted_secret);
    let put = |folder: &str, key: &str| {
        fs::create_dir_all(world.home.path(folder)).unwrap();
        fs::write(world.home.path(folder).join("auth-profiles.json"), key_file(key)).unwrap();
    };
    put("given/main", &main);
    put("given/work", &work);
    // Every agent of the original may use what is here, but what `main` was given comes first.
    put("agents/main/agent", &shared);
    put("agents/work/agent", &unused);
    let list =
        json!({ "providers": { "old": { "baseUrl": "https://old.example/v1", "models": [{ "id": "m" }] } } });
    let file = world.home.path("given/main/models.json");
    fs::write(&file, list.to_string()).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let desk = world.desk(Demonstration::Absent).await;
    assert_eq!(take_over(&desk).await, [1, 0, 1]);
    let one = |key: &str| vec![("openai:default".to_owned(), api_key(key))];
    assert_eq!(stored(&desk, &AgentId::main()).await, one(&main));
    assert_eq!(stored(&desk, &AgentId::new("work").unwrap()).await, one(&work));
    assert!(desk.catalog().provider(&ProviderId::new("old").unwrap()).is_some());
}

/// The next switch a client is told of.
async fn next_switch(events: &mut EventStream) -> ModelsSwitchPayload {
    loop {
        if let ClientNotice::Event(event) = events.next().await.unwrap()
            && event.event == "models.switch"
        {
            return serde_json::from_str(event.payload.as_ref().unwrap().get()).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_switch_is_told_to_clients_and_seen_by_other_processes() {
    let server =
        ScriptedModelServer::start(Scripts::new().otherwise(Script::new().say("From the second."))).await;
    server.push_for("first", Script::new().status_after(429, std::time::Duration::from_secs(60)));
    let (key, token) = (planted_secret("switch-key"), planted_secret("switch-token"));
    let mut world = World::new(&json!({
        "gateway": { "auth": { "token": token } },
        "agents": { "defaults": { "model": { "primary": "own/first", "fallbacks": ["own/second"] } } },
        "models": { "providers": { "own": provider(&server, ApiName::OpenaiCompletions, &key, &["first", "second"]) } },
    }));
    world.variables.push(("TMPDIR".to_owned(), world.home.path("tmp").display().to_string()));
    let environment = Environment::fake(world.variables.clone(), world.home.state_dir().parent().unwrap());
    let running = start(RunOptions {
        locations: Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap(),
        environment,
        overrides: Overrides { port: Some(0), ..Overrides::default() },
        remote_mode: RemoteMode::Refuse,
        console: ConsoleOutput::Silent,
        demonstration: Demonstration::Absent,
        version: "0.0.0-test".to_owned(),
        platforms: openclaw_app::platforms,
    })
    .await
    .unwrap();
    let address = GatewayAddress::local(running.addresses()[0].port(), Security::Plaintext);
    let profile = ClientProfile {
        id: "gateway-client".to_owned(),
        mode: "backend".to_owned(),
        ..ClientProfile::command_line("0.0.0-test")
    };
    let mut options = ConnectOptions::new(address, profile);
    options.scopes = vec![Scope::Read];
    options.credentials.token = Some(Secret::new(token));
    let tasks = TaskScope::root("client");
    let session = connect(&options, Arc::new(SystemClock::new()), &tasks).await.unwrap();
    let mut events = session.events();
    let (_, done) = end(running.models(), call(Selection::Default)).await;
    assert_eq!(words(&done.unwrap()), "From the second.");
    let told = next_switch(&mut events).await;
    let profile = told.from.profile.clone();
    let tried = |model: &str| ModelTried { model: model.to_owned(), profile: profile.clone() };
    let expected = ModelsSwitchPayload {
        ts: told.ts,
        agent_id: "main".to_owned(),
        session_key: Some("agent:main:main".to_owned()),
        from: tried("own/first"),
        to: tried("own/second"),
        reason: "rate_limit".to_owned(),
        message: told.message.clone(),
    };
    assert_eq!(told, expected);
    assert!(told.message.contains("own/first") && told.message.contains("own/second"), "{}", told.message);
    assert!(!json!(told).to_string().contains(&key), "a secret is in the event");
    // Another process looks while the gateway runs.
    let desk = world.desk(Demonstration::Absent).await;
    let known = desk.recent_switches().await.unwrap();
    assert_eq!(known, std::slice::from_ref(&told));
    drop(session);
    tasks.cancel();
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
    assert_eq!(world.desk(Demonstration::Absent).await.recent_switches().await.unwrap(), [told]);
}

fn key_file(key: &str) -> String {
    json!({ "version": 1, "profiles": {
        "openai:default": { "type": "api_key", "provider": "openai", "key": key },
    } })
    .to_string()
}

fn api_key(key: &str) -> StoredCredential {
    StoredCredential::ApiKey { key: StoredSecret::Text(Secret::new(key.to_owned())) }
}

fn tokens(access: &str, refresh: &str, expires: i64) -> StoredCredential {
    StoredCredential::Oauth(OauthTokens {
        access: Secret::new(access.to_owned()),
        refresh: Some(Secret::new(refresh.to_owned())),
        expires: UnixMillis(expires),
        account_id: None,
        project_id: None,
        enterprise_url: None,
        client_id: None,
    })
}

async fn take_over(desk: &ModelRuntime) -> Vec<usize> {
    let reports = desk.import_sign_ins().await.unwrap();
    for report in &reports {
        assert!(report.fault.is_none() && report.problems.is_empty(), "{report:?}");
    }
    reports.iter().map(|report| report.taken).collect()
}

async fn stored(desk: &ModelRuntime, agent: &AgentId) -> Vec<(String, StoredCredential)> {
    let profiles = desk.profiles().list(agent).await.unwrap();
    profiles.into_iter().map(|profile| (profile.id.to_string(), profile.credential)).collect()
}

async fn only(desk: &ModelRuntime) -> StoredProfile {
    let profiles = desk.profiles().list(&AgentId::main()).await.unwrap();
    let [profile] = <[StoredProfile; 1]>::try_from(profiles).unwrap();
    profile
}

#[tokio::test]
async fn a_key_stored_here_is_not_replaced_when_the_original_writes_its_file_again() {
    let world = World::new(&json!({}));
    let folder = world.home.path("agents/main/agent");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("auth-profiles.json");
    let [first, second, own, third] = ["first", "second-", "own", "third--"].map(planted_secret);
    let desk = world.desk(Demonstration::Absent).await;
    let main = AgentId::main();
    fs::write(&file, key_file(&first)).unwrap();
    assert_eq!(take_over(&desk).await, [1]);
    // Nobody touched it here, so what the original has now is taken over, also by the next process.
    fs::write(&file, key_file(&second)).unwrap();
    let desk_after_restart = world.desk(Demonstration::Absent).await;
    assert_eq!(take_over(&desk_after_restart).await, [1]);
    assert_eq!(only(&desk).await.credential, api_key(&second));
    // A person stores a new key here; the original writes its file with the old one, and then with another.
    let changed = StoredProfile { credential: api_key(&own), ..only(&desk).await };
    desk.credentials.keep(&main, changed.clone()).await.unwrap();
    fs::write(&file, format!("{}\n", key_file(&second))).unwrap();
    assert_eq!(take_over(&desk).await, [0]);
    fs::write(&file, format!("{}\n\n", key_file(&third))).unwrap();
    assert_eq!(take_over(&desk).await, [0]);
    assert_eq!(only(&desk).await, changed);
    // The same when what is here is of another kind.
    let token = StoredCredential::Token { token: StoredSecret::Text(Secret::new(own)), expires: None };
    let changed = StoredProfile { credential: token, ..changed };
    desk.credentials.keep(&main, changed.clone()).await.unwrap();
    fs::write(&file, format!("{}\n\n\n", key_file(&first))).unwrap();
    assert_eq!(take_over(&desk).await, [0]);
    assert_eq!(only(&desk).await, changed);
}

#[tokio::test]
async fn a_renewed_sign_in_of_the_original_is_taken_over_unless_another_one_was_made_here() {
    let world = World::new(&json!({}));
    let folder = world.home.path("credentials");
    fs::create_dir_all(&folder).unwrap();
    let write = |access: &str, refresh: &str, expires: i64| {
        let file = json!({ "anthropic": { "access": access, "refresh": refresh, "expires": expires } });
        fs::write(folder.join("oauth.json"), file.to_string()).unwrap();
    };
    let desk = world.desk(Demonstration::Absent).await;
    let main = AgentId::main();
    write("a-1", "r-1", 1_000);
    assert_eq!(take_over(&desk).await, [1]);
    assert_eq!(only(&desk).await.credential, tokens("a-1", "r-1", 1_000));
    write("a-22", "r-22", 2_000);
    assert_eq!(take_over(&desk).await, [1]);
    // Renewed on both sides with one refresh token: the later one is the good one.
    let renewed = StoredProfile { credential: tokens("a-333", "r-22", 3_000), ..only(&desk).await };
    desk.credentials.keep(&main, renewed).await.unwrap();
    write("a-4444", "r-22", 2_500);
    assert_eq!(take_over(&desk).await, [0]);
    write("a-55555", "r-22", 4_000);
    assert_eq!(take_over(&desk).await, [1]);
    assert_eq!(only(&desk).await.credential, tokens("a-55555", "r-22", 4_000));
    // Signed in anew here: what the original renews is another sign-in.
    let anew = StoredProfile { credential: tokens("b-1", "s-1", 4_500), ..only(&desk).await };
    desk.credentials.keep(&main, anew.clone()).await.unwrap();
    write("a-666666", "r-22", 9_000);
    assert_eq!(take_over(&desk).await, [0]);
    assert_eq!(only(&desk).await, anew);
}

#[tokio::test]
async fn every_kind_of_old_file_and_every_agent_is_taken_over() {
    let world =
        World::new(&json!({ "agents": { "list": [{ "id": "main", "default": true }, { "id": "work" }] } }));
    for folder in ["agents/main/agent", "agents/work/agent", "credentials"] {
        fs::create_dir_all(world.home.path(folder)).unwrap();
    }
    let [older, work] = ["older-key", "work-key"].map(planted_secret);
    let map = json!({ "groq": { "type": "api_key", "key": older } });
    fs::write(world.home.path("agents/main/agent/auth.json"), map.to_string()).unwrap();
    let oauth = json!({ "anthropic": { "access": "a-1", "refresh": "r-1", "expires": 1_000 } });
    fs::write(world.home.path("credentials/oauth.json"), oauth.to_string()).unwrap();
    fs::write(world.home.path("agents/work/agent/auth-profiles.json"), key_file(&work)).unwrap();
    let desk = world.desk(Demonstration::Absent).await;
    assert_eq!(take_over(&desk).await, [1, 1, 1]);
    assert_eq!(take_over(&desk).await, [0_usize; 0]);
    assert_eq!(
        stored(&desk, &AgentId::main()).await,
        [
            ("anthropic:default".to_owned(), tokens("a-1", "r-1", 1_000)),
            ("groq:default".to_owned(), api_key(&older)),
        ]
    );
    assert_eq!(
        stored(&desk, &AgentId::new("work").unwrap()).await,
        [("openai:default".to_owned(), api_key(&work))]
    );
}
