//! `openclaw message` and `agent --deliver` on a platform: the real binary, a real gateway, a Bot API that follows the
//! published one.

use openclaw_providers::Script;
use openclaw_testkit::{ScriptedModelServer, TelegramFake};
use serde_json::json;

use crate::world::World;

fn world(fake: &TelegramFake, server: &ScriptedModelServer) -> World {
    let world = World::new();
    let config = json!({
        "gateway": { "mode": "local" },
        "agents": { "defaults": { "model": "box/small" } },
        "models": { "providers": { "box": {
            "baseUrl": format!("{}/v1", server.root()), "api": "openai-completions", "apiKey": "k",
            "models": [{ "id": "small", "name": "Small", "contextWindow": 64000, "maxTokens": 4000 }],
        } } },
        "channels": { "telegram": {
            "botToken": fake.token(), "apiRoot": fake.root(), "dmPolicy": "open", "allowFrom": ["*"],
        } },
    });
    world.write("openclaw.json", &config.to_string());
    world
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_are_written_changed_and_taken_back_on_the_only_channel() {
    let (fake, server) = (TelegramFake::start().await, ScriptedModelServer::start([]).await);
    let world = world(&fake, &server);
    let _gateway = world.start_gateway(&[]);
    fake.called("getUpdates", 1).await;
    let run = |line: &[&str]| world.run(&[&["message"], line].concat());
    let sent = run(&["send", "-t", "7001", "-m", "**hi**", "--json"]).ok_json();
    assert_eq!(
        (&sent["channel"], &sent["payload"]["channel"]),
        (&json!("telegram"), &json!("telegram")),
        "{sent}"
    );
    let id = sent["payload"]["result"]["messageId"].as_str().unwrap().to_owned();
    let written = fake.called("sendMessage", 1).await;
    assert_eq!((&written.fields["chat_id"], &written.fields["text"]), (&json!(7001), &json!("<b>hi</b>")));
    let done = run(&["react", "-t", "7001", "--message-id", &id, "--emoji", "👍"]).ok();
    assert_eq!(done, "Done: react\n");
    assert_eq!(fake.called("setMessageReaction", 1).await.fields["chat_id"], json!(7001));
    run(&["edit", "-t", "7001", "--message-id", &id, "-m", "ho"]).ok();
    assert_eq!(fake.called("editMessageText", 1).await.fields["text"], json!("ho"));
    run(&["send", "-t", "7001", "-m", "yes", "--reply-to", &id]).ok();
    let reply = fake.called("sendMessage", 2).await;
    assert_eq!(reply.fields["reply_parameters"]["message_id"].to_string(), id);
    let poll =
        ["poll", "-t", "7001", "--poll-question", "Tea?", "--poll-option", "yes", "--poll-option", "no"];
    run(&[&poll[..], &["--poll-multi", "--poll-public", "--json"]].concat()).ok();
    let asked = fake.called("sendPoll", 1).await;
    assert_eq!(
        (&asked.fields["allows_multiple_answers"], &asked.fields["is_anonymous"]),
        (&json!(true), &json!(false))
    );
    run(&["delete", "-t", "7001", "--message-id", &id, "--channel", "telegram", "--account", "Default"]).ok();
    fake.called("deleteMessage", 1).await;
    let refused = run(&["kick", "--guild-id", "1", "--user-id", "2"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    assert!(refused.stderr.contains("telegram"), "{}", refused.stderr);
    let dry = run(&["pin", "-t", "7001", "--message-id", &id, "--dry-run", "--json"]).ok_json();
    assert_eq!((&dry["handledBy"], &dry["payload"]["params"]["messageId"]), (&json!("dry-run"), &json!(id)));
    let card = run(&["send", "-t", "7001", "-m", "x", "--card", "{}"]);
    assert!(card.code == Some(1) && card.stderr.contains("card"), "{}", card.stderr);
    assert_eq!(fake.complaints(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_of_an_agent_is_sent_to_a_channel() {
    let fake = TelegramFake::start().await;
    let server = ScriptedModelServer::start([Script::new().say("Soup is ready.")]).await;
    let world = world(&fake, &server);
    let _gateway = world.start_gateway(&[]);
    fake.called("getUpdates", 1).await;
    let line = ["agent", "--agent", "main", "-m", "What is there?", "--deliver", "--channel", "telegram"];
    assert_eq!(world.run(&[&line[..], &["--reply-to", "7001"]].concat()).ok(), "Soup is ready.\n");
    let told = fake.called("sendMessage", 1).await;
    assert_eq!((&told.fields["chat_id"], &told.fields["text"]), (&json!(7001), &json!("Soup is ready.")));
}
