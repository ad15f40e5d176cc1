//! Accounts in trouble, with the real gateway: they say what is wrong, and the others do not notice.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where something is wrong")]

mod gateway_world;
mod outside;

use gateway_world::{Operator, PATIENCE, configure, options};
use openclaw_app::{ExitRequest, RunOptions, shutdown, start};
use openclaw_providers::Scripts;
use openclaw_testkit::{ScriptedModelServer, TempHome};
use outside::{Platform, Repeats, TestMessage};
use serde_json::{Value, json};

async fn account(client: &Operator, id: &str) -> Value {
    let status = client.request("channels.status", &json!({})).await.unwrap();
    let all = status["channelAccounts"]["outside"].as_array().unwrap().clone();
    all.into_iter().find(|one| one["accountId"] == id).unwrap()
}

/// Waits until an account is as wanted.
async fn until(client: &Operator, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let settled = async {
        loop {
            let one = account(client, id).await;
            if wanted(&one) {
                return one;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, settled).await.expect("it settles")
}

fn letter(number: usize) -> TestMessage {
    TestMessage { event: format!("e{number}"), from: "ana".to_owned(), text: format!("#{number};") }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accounts_in_trouble_leave_the_others_alone_and_say_what_is_wrong() {
    let home = TempHome::new();
    let vendor = ScriptedModelServer::start(Scripts::new().otherwise_echo()).await;
    let platform = Platform::start(Repeats::Dropped).await;
    configure(&home, &vendor, "followup");
    let file = home.path("openclaw.json");
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    config["channels"] = json!({ "outside": { "address": platform.address(), "accounts": {
        "good": { "token": "good" }, "revoked": { "token": "revoked" }, "crashes": { "token": "breaks" },
    } } });
    std::fs::write(&file, config.to_string()).unwrap();
    let parent = home.state_dir().parent().unwrap().to_owned();
    let running = start(RunOptions { platforms: outside::platforms, ..options(&parent) }).await.unwrap();
    let client = Operator::connect(running.addresses()[0].port()).await;
    let good = until(&client, "good", |one| one["connected"] == json!(true)).await;
    platform.write("good", letter(1));
    tokio::time::timeout(PATIENCE, platform.until_shown(1)).await.expect("it answers");

    let revoked = until(&client, "revoked", |one| one["statusMessage"].is_string()).await;
    let said = revoked["statusMessage"].as_str().unwrap();
    for part in
        ["does not accept the credentials", "the token was revoked", "channels add", "not tried again"]
    {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(["connected", "running", "linked"].map(|flag| &revoked[flag]), [&json!(false); 3]);

    let crashes = until(&client, "crashes", |one| one["statusMessage"].is_string()).await;
    let said = crashes["statusMessage"].as_str().unwrap();
    assert!(said.contains("the channel's own code failed") && said.contains("follows in"), "{said}");
    assert!(crashes["reconnectAttempts"].as_u64().unwrap() >= 1);
    assert_eq!(crashes["connected"], json!(false));

    platform.write("good", letter(2));
    tokio::time::timeout(PATIENCE, platform.until_shown(2)).await.expect("it still answers");
    let after = account(&client, "good").await;
    assert_eq!(after["lastConnectedAt"], good["lastConnectedAt"], "its line was never made again");
    assert_eq!((platform.connects("good"), platform.connects("revoked")), (1, 1));
    assert_eq!((&after["statusMessage"], &after["reconnectAttempts"]), (&Value::Null, &json!(0)));
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_in_a_file_of_its_own_is_taken_when_secrets_are_read_anew() {
    let home = TempHome::new();
    let vendor = ScriptedModelServer::start(Scripts::new().otherwise_echo()).await;
    let platform = Platform::start(Repeats::Dropped).await;
    configure(&home, &vendor, "followup");
    let (file, token) = (home.path("openclaw.json"), home.path("token"));
    std::fs::write(&token, "revoked").unwrap();
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    config["channels"] = json!({ "outside": { "address": platform.address(), "accounts": {
        "good": { "tokenFile": token },
    } } });
    std::fs::write(&file, config.to_string()).unwrap();
    let parent = home.state_dir().parent().unwrap().to_owned();
    let running = start(RunOptions { platforms: outside::platforms, ..options(&parent) }).await.unwrap();
    let client = Operator::connect(running.addresses()[0].port()).await;
    until(&client, "good", |one| one["statusMessage"].is_string()).await;

    let (channel, again) = (json!("outside"), platform.connects("good") + 1);
    client.request("channels.start", &json!({ "channel": channel, "accountId": "good" })).await.unwrap();
    let tried = |one: &Value| platform.connects("good") == again && one["statusMessage"].is_string();
    until(&client, "good", tried).await;

    std::fs::write(&token, "good").unwrap();
    client.request("secrets.reload", &json!({})).await.unwrap();
    until(&client, "good", |one| one["connected"] == json!(true)).await;
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_file_brings_accounts_up_and_down_and_leaves_the_others_alone() {
    let home = TempHome::new();
    let vendor = ScriptedModelServer::start(Scripts::new().otherwise_echo()).await;
    let platform = Platform::start(Repeats::Dropped).await;
    configure(&home, &vendor, "followup");
    let file = home.path("openclaw.json");
    let write = |accounts: Value| {
        let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        config["channels"] = json!({ "outside": { "address": platform.address(), "accounts": accounts } });
        std::fs::write(&file, config.to_string()).unwrap();
    };
    write(json!({ "stays": { "token": "good" }, "goes": { "token": "good" } }));
    let parent = home.state_dir().parent().unwrap().to_owned();
    let running = start(RunOptions { platforms: outside::platforms, ..options(&parent) }).await.unwrap();
    let client = Operator::connect(running.addresses()[0].port()).await;
    for id in ["stays", "goes"] {
        until(&client, id, |one| one["connected"] == json!(true)).await;
    }
    write(json!({ "stays": { "token": "good" }, "comes": { "token": "good" } }));
    let settled = async {
        loop {
            let status = client.request("channels.status", &json!({})).await.unwrap();
            let all = status["channelAccounts"]["outside"].as_array().unwrap().clone();
            let up: Vec<_> = all
                .iter()
                .filter(|one| one["connected"] == true)
                .map(|one| one["accountId"].clone())
                .collect();
            if up == ["comes", "stays"] && all.len() == 2 {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, settled).await.expect("the accounts follow the file");
    assert_eq!((platform.connects("stays"), platform.connects("comes")), (1, 1));
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}
