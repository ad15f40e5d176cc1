//! One story that every client lives through: ours in its tests, and one that others wrote in `cargo xtask peers`.
//!
//! People write words that ask for something; the client does it as a bot would. What was done is looked at here, and
//! the last words say whether all went well. What a client does on which words:
//! `ping` answers `pong` to the message and reacts with 👀; `hello` alone answers `hi`; `ask` sends `May I?` with the
//! buttons `approve:1` and `deny:1`, and a press changes that message to `Approved`; the command `status` is
//! acknowledged, answered with `all well` and then with `and more`; `file` sends `a.txt`; `poll` sends a poll `Tea?`;
//! `thread` makes the thread `Side talk` at the message and writes `over here` into it; `post` posts `How do I?` in the
//! forum; `oops` sends `wrong` and takes it back; `shy` reacts with 👀 and takes that back; `fetch` answers with what is in
//! the file that came with it; `done` and `failed` end it.

use serde_json::{Value, json};

use super::{DiscordFake, Trouble, ids};

/// Plays the story with a client that has connected. The error says what went wrong.
pub async fn play(fake: &DiscordFake) -> Result<(), String> {
    fake.until(|fake| fake.sessions() == 1 && !fake.world().commands.is_empty()).await;
    // A message is answered and reacted to.
    ping(fake).await;
    alone(fake).await;
    buttons(fake).await;
    command(fake).await;
    things(fake).await;
    taken_back(fake).await;
    fetched(fake).await;
    fake.close_lines(4000);
    // A broken line is taken up again.
    ping(fake).await;
    fake.tell_lines(&json!({ "op": 7, "d": null }));
    // A new line is made when the platform asks.
    ping(fake).await;
    let sessions = fake.sessions();
    fake.close_lines(4000);
    fake.forget_sessions();
    fake.until(|fake| fake.sessions() == sessions).await;
    // A session that is over is begun anew.
    ping(fake).await;
    fake.fail(Trouble {
        to: format!("POST /channels/{}/messages", ids::GENERAL),
        status: 429,
        headers: [
            ("retry-after", "1"),
            ("x-ratelimit-bucket", "messages"),
            ("x-ratelimit-limit", "5"),
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset-after", "0.3"),
            ("x-ratelimit-scope", "user"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
        body: json!({ "message": "You are being rate limited.", "retry_after": 0.3, "global": false }),
        lands: false,
    });
    // A limit is waited for.
    ping(fake).await;
    let complaints = fake.complaints();
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

async fn ping(fake: &DiscordFake) {
    let id = fake.say(ids::GENERAL, ids::ANA, "ping");
    let answered = |message: &Value| {
        message["content"] == "pong" && message["message_reference"]["message_id"] == id.as_str()
    };
    fake.until(|fake| fake.messages(ids::GENERAL).iter().any(answered)).await;
    let reacted =
        |message: &Value| message["id"] == id.as_str() && message["reactions"][0]["emoji"]["name"] == "👀";
    fake.until(|fake| fake.messages(ids::GENERAL).iter().any(reacted)).await;
}

async fn alone(fake: &DiscordFake) {
    fake.say(ids::DIRECT, ids::ANA, "hello");
    fake.until(|fake| has(fake, ids::DIRECT, "hi")).await;
}

async fn buttons(fake: &DiscordFake) {
    fake.say(ids::GENERAL, ids::ANA, "ask");
    fake.until(|fake| has(fake, ids::GENERAL, "May I?")).await;
    let found = fake.messages(ids::GENERAL).into_iter().find(|message| message["content"] == "May I?");
    let asked = found.and_then(|message| message["id"].as_str().map(str::to_owned)).unwrap_or_default();
    fake.press(ids::GENERAL, ids::ANA, &asked, "approve:1");
    fake.until(|fake| has(fake, ids::GENERAL, "Approved")).await;
}

async fn command(fake: &DiscordFake) {
    let token = fake.command(ids::GENERAL, ids::ANA, "status", "");
    let words = |fake: &DiscordFake| -> Vec<Value> {
        fake.answers(&token).iter().map(|answer| answer["content"].clone()).collect()
    };
    fake.until(|fake| words(fake) == ["all well", "and more"]).await;
}

async fn things(fake: &DiscordFake) {
    fake.say(ids::GENERAL, ids::ANA, "file");
    let file = ("a.txt".to_owned(), b"some bytes".to_vec());
    fake.until(|fake| fake.requests().iter().any(|request| request.files.contains(&file))).await;
    fake.say(ids::GENERAL, ids::ANA, "poll");
    let polled = |message: &Value| message["poll"]["question"]["text"] == "Tea?";
    fake.until(|fake| fake.messages(ids::GENERAL).iter().any(polled)).await;
    let id = fake.say(ids::GENERAL, ids::ANA, "thread");
    fake.until(|fake| has(fake, &id, "over here")).await;
}

async fn taken_back(fake: &DiscordFake) {
    fake.say(ids::GENERAL, ids::ANA, "post");
    let posted = |room: &Value| room["parent_id"] == ids::FORUM && room["name"] == "How do I?";
    let post = |fake: &DiscordFake| -> Option<String> {
        let world = fake.world();
        world.channels.iter().find(|(_, room)| posted(room)).map(|(id, _)| id.clone())
    };
    fake.until(|fake| post(fake).is_some_and(|post| has(fake, &post, "How do I?"))).await;
    let deletes = |fake: &DiscordFake, end: &str| {
        let fits =
            |request: &&super::DiscordRequest| request.method == "DELETE" && request.path.ends_with(end);
        fake.requests().iter().filter(fits).count()
    };
    let before = deletes(fake, "");
    fake.say(ids::GENERAL, ids::ANA, "oops");
    fake.until(|fake| deletes(fake, "") > before && !has(fake, ids::GENERAL, "wrong")).await;
    let id = fake.say(ids::GENERAL, ids::ANA, "shy");
    let bare = |message: &Value| message["id"] == id.as_str() && message["reactions"] == json!([]);
    fake.until(|fake| deletes(fake, "/@me") > 0 && fake.messages(ids::GENERAL).iter().any(bare)).await;
}

async fn fetched(fake: &DiscordFake) {
    let url = fake.root().replace("/api/v10", "/files/some-words");
    let file = json!({
        "id": "1400000000000000009", "filename": "words.png", "size": 10, "url": url, "proxy_url": url,
        "content_type": "image/png",
    });
    fake.say_more(ids::GENERAL, ids::ANA, &json!({ "content": "fetch", "attachments": [file] }));
    // The bytes of a file are its name here.
    fake.until(|fake| has(fake, ids::GENERAL, "some-words")).await;
}

fn has(fake: &DiscordFake, room: &str, words: &str) -> bool {
    fake.messages(room).iter().any(|message| message["content"] == words)
}
