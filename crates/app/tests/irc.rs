//! A message on IRC is answered by the whole gateway, also after the server was away: real ngircd, scripted vendor.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where something is wrong")]

mod gateway_world;
#[path = "../../channels/tests/ngircd/mod.rs"]
#[expect(dead_code, reason = "the adapter's own tests use more of it")]
mod ngircd;

use std::fs;

use gateway_world::{configure, options};
use ngircd::{Client, Server};
use openclaw_app::{ExitRequest, shutdown, start};
use openclaw_providers::{Script, Scripts};
use openclaw_testkit::{ScriptedModelServer, TempHome};
use serde_json::{Value, json};

/// Looks into the room until we are in it.
async fn until_claw_is_there(ana: &mut Client) {
    loop {
        ana.say("NAMES #room").await;
        if ana.until(" 353 ").await.contains("claw") {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_was_away_is_joined_again_and_people_there_are_answered() {
    let mut server = Server::start(None).await;
    let home = TempHome::new();
    let vendor =
        ScriptedModelServer::start(Scripts::new().otherwise(Script::new().say("**Hello** there"))).await;
    configure(&home, &vendor, "collect");
    let mut config: Value =
        serde_json::from_str(&fs::read_to_string(home.path("openclaw.json")).unwrap()).unwrap();
    config["channels"] = json!({ "irc": {
        "host": "127.0.0.1", "port": server.port, "tls": false, "nick": "claw", "channels": ["#room"],
        "groupPolicy": "open", "dmPolicy": "open", "allowFrom": ["*"]
    } });
    fs::write(home.path("openclaw.json"), config.to_string()).unwrap();
    let mut ana = Client::join(&server, "ana", "#room").await;
    let running = start(options(home.state_dir().parent().unwrap())).await.unwrap();
    until_claw_is_there(&mut ana).await;
    ana.say("PRIVMSG #room :claw: hello?").await;
    assert!(ana.until("PRIVMSG #room").await.ends_with(":\u{2}Hello\u{2} there"));
    server.stop();
    server.start_again().await;
    let mut ana = Client::join(&server, "ana", "#room").await;
    until_claw_is_there(&mut ana).await;
    ana.say("PRIVMSG #room :claw: still there?").await;
    assert!(ana.until("PRIVMSG #room").await.ends_with(":\u{2}Hello\u{2} there"));
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}
