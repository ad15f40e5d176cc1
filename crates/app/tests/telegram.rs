//! A message on Telegram is answered by the whole gateway: fake Bot API, real sockets, real stores, scripted vendor.
#![expect(clippy::unwrap_used, reason = "a test fails where something is wrong")]

mod gateway_world;

use std::fs;

use gateway_world::{PATIENCE, configure, options};
use openclaw_app::{ExitRequest, shutdown, start};
use openclaw_providers::{Script, Scripts};
use openclaw_testkit::{ScriptedModelServer, TelegramFake, TempHome};
use serde_json::{Value, json};

fn person(id: i64) -> (Value, Value) {
    let chat = json!({ "id": id, "type": "private", "first_name": "Ana" });
    (chat, json!({ "id": id, "is_bot": false, "first_name": "Ana" }))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_is_answered_in_its_markup_and_a_stranger_gets_a_code() {
    let fake = TelegramFake::start().await;
    let home = TempHome::new();
    let vendor =
        ScriptedModelServer::start(Scripts::new().otherwise(Script::new().say("**Hello** Ana & co"))).await;
    configure(&home, &vendor, "collect");
    let mut config: Value =
        serde_json::from_str(&fs::read_to_string(home.path("openclaw.json")).unwrap()).unwrap();
    config["channels"] = json!({ "telegram": {
        "botToken": fake.token(), "apiRoot": fake.root(), "dmPolicy": "pairing", "allowFrom": [7001]
    } });
    fs::write(home.path("openclaw.json"), config.to_string()).unwrap();
    let running = start(options(home.state_dir().parent().unwrap())).await.unwrap();
    let conversation = async {
        fake.called("getUpdates", 1).await;
        let (chat, ana) = person(7001);
        fake.write(&chat, &ana, "hi");
        let answer = fake.called("sendMessage", 1).await;
        assert_eq!(
            (&answer.fields["chat_id"], &answer.fields["text"], &answer.fields["parse_mode"]),
            (&json!(7001), &json!("<b>Hello</b> Ana &amp; co"), &json!("HTML"))
        );
        let (chat, stranger) = person(7009);
        fake.write(&chat, &stranger, "let me in");
        let code = fake.called("sendMessage", 2).await;
        assert_eq!(code.fields["chat_id"], json!(7009));
        assert!(code.fields["text"].as_str().unwrap().contains("7009"), "{:?}", code.fields["text"]);
    };
    tokio::time::timeout(PATIENCE, conversation).await.unwrap();
    assert_eq!(fake.complaints(), Vec::<String>::new());
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}
