//! The cases, under the names they have in the suite of the platforms.

use std::time::Duration;

use super::*;

/// A picture of one dot.
const DOT: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A message that comes again, from whichever program, is the same message; everybody sees one answer.
pub(super) async fn recorded_events_have_ids_that_last() {
    let world = World::new(Scripts::new().otherwise_echo()).await;
    let (running, mut client) = world.start().await;
    let port = running.addresses()[0].port();
    let mut other = Operator::as_program(port, "cli").await;
    for sender in [&client, &client, &other] {
        sender.send(KEY, "run-1", "only once").await.unwrap();
    }
    assert_eq!(client.send(KEY, "run-2", "and this").await.unwrap()["status"], "started");
    for watcher in [&mut client, &mut other] {
        // The second run ends after the first: whatever the first said stands before it.
        let mut ended = Vec::new();
        while ended.last().is_none_or(|(run, _)| run != "run-2") {
            ended.push(next_end(watcher).await);
        }
        assert_eq!(ended, [end("run-1", "final"), end("run-2", "final")]);
    }
    let said = history(&client).await;
    assert_eq!(said.iter().filter(|(who, _)| who == "user").count(), 2, "{said:?}");
    assert_eq!(said.iter().filter(|(who, _)| who == "assistant").count(), 2, "{said:?}");
    drop((client, other));
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

/// All that a client can bring: words, words with a picture, a command, a note from outside, a stop.
pub(super) async fn what_can_come_in_is_recorded() {
    let world = World::new(Scripts::new().otherwise_echo()).await;
    let (running, mut client) = world.start().await;
    let picture = json!({ "type": "image", "mimeType": "image/png", "content": DOT });
    let kinds = [
        ("words", json!({ "message": "hello" })),
        ("a picture", json!({ "message": "see", "attachments": [picture] })),
        ("a command", json!({ "message": "/status" })),
        ("a setting inside words", json!({ "message": "/think low what is it?" })),
    ];
    for (at, (kind, mut params)) in kinds.into_iter().enumerate() {
        let run = format!("run-{at}");
        params["sessionKey"] = json!(KEY);
        params["idempotencyKey"] = json!(run);
        let taken = client.request("chat.send", &params).await.unwrap();
        assert_eq!((&taken["runId"], &taken["status"]), (&json!(run), &json!("started")), "{kind}");
        assert_eq!(next_end(&mut client).await, end(&run, "final"), "{kind}");
    }
    let note = json!({ "sessionKey": KEY, "message": "a note", "label": "tester" });
    assert_eq!(client.request("chat.inject", &note).await.unwrap()["ok"], true);
    let said = history(&client).await;
    assert!(said.last().unwrap().1.contains("a note"), "{said:?}");
    let stop = json!({ "sessionKey": KEY });
    assert_eq!(client.request("chat.abort", &stop).await.unwrap()["aborted"], false, "nothing runs");
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

/// Clients read Markdown: whatever stands in an answer reaches them letter for letter.
pub(super) async fn written_markup_is_accepted() {
    let answer = "# A **bold** _claim_ <b>&amp;</b>\n\n| a | b |\n|---|---|\n| `x|y` | [z](https://a.example/?q=1&r=2) |\n\n```rust\nlet x = \"<i>\";\n```\n\n> \u{5e9}\u{5dc}\u{5d5}\u{5dd} 👩‍👩‍👧 *unbalanced";
    let world = World::new(Scripts::new().otherwise(Script::new().say(answer).in_pieces_of(3))).await;
    let (running, mut client) = world.start().await;
    client.send(KEY, "run-1", "write").await.unwrap();
    assert_eq!(next_final(&mut client).await, answer);
    assert_eq!(history(&client).await.last().unwrap().1, answer);
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

/// What the gateway announces of the chat is answered by it; what it does not announce is no method.
pub(super) async fn declared_capabilities_are_the_filled_slots() {
    let world = World::new(Scripts::new().otherwise_echo()).await;
    let (running, client) = world.start().await;
    let announced = client.hello().methods().to_vec();
    for method in ["chat.send", "chat.history", "chat.abort"] {
        assert!(announced.iter().any(|each| each == method), "{method} is not announced");
    }
    for method in announced.iter().filter(|method| method.starts_with("chat.")) {
        let said = refusal(client.request(method, &json!({})).await);
        assert!(said.contains("sessionKey"), "{method} says what it lacks: {said}");
    }
    let said = refusal(client.request("chat.pin", &json!({ "sessionKey": KEY })).await);
    assert!(said.contains("unknown method"), "{said}");
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

/// A message gets a receipt with its name, and its answer is seen, once.
pub(super) async fn a_piece_gets_a_receipt_and_is_seen() {
    let world = World::new(Scripts::new().otherwise_echo()).await;
    let (running, mut client) = world.start().await;
    for (run, text) in [("run-1", "first words"), ("run-2", "second: wörter <b>&amp; *more*")] {
        let receipt = client.send(KEY, run, text).await.unwrap();
        assert_eq!(receipt, json!({ "runId": run, "status": "started" }));
        assert!(next_final(&mut client).await.contains(text));
        let said = history(&client).await;
        let seen = said.iter().filter(|(who, words)| who == "assistant" && words.contains(text)).count();
        assert_eq!(seen, 1, "{said:?}");
    }
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

/// A client is told what to do about trouble by its kind, and nothing of it is left behind.
pub(super) async fn trouble_becomes_typed_errors() {
    let world = World::new(Scripts::new().otherwise_echo()).await;
    let (running, client) = world.start().await;
    let wrong = Operator::with_token(running.addresses()[0].port(), "planted-secret-wrong", "cli").await;
    let Err(ConnectError::Refused(refused)) = wrong else { panic!("a wrong token is let in") };
    assert_eq!(refused.kind, RefusalKind::Unauthorized);
    assert!(!format!("{refused} {refused:?}").contains("planted-"), "an error tells a secret: {refused:?}");
    let cases = [
        ("chat.send", json!({ "sessionKey": KEY, "message": "hello" })),
        ("chat.send", json!({ "sessionKey": KEY, "message": " ", "idempotencyKey": "a" })),
        ("chat.abort", json!({ "sessionKey": 5 })),
        ("config.set", json!({ "raw": "{}" })),
    ];
    for (method, params) in cases {
        let said = refusal(client.request(method, &params).await);
        assert!(said.contains("InvalidRequest"), "{method} {params}: {said}");
    }
    assert_eq!(history(&client).await, []);
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

/// A client that heard nothing of its message sends it again over the next line: one answer. (`kill9`: to the next process.)
pub(super) async fn what_was_not_kept_comes_again() {
    let world = World::new(Scripts::new().otherwise_echo()).await;
    let (running, mut client) = world.start().await;
    for _ in 0..3 {
        client.send(KEY, "run-1", "keep this").await.unwrap();
        client = Operator::connect(running.addresses()[0].port()).await;
    }
    client.send(KEY, "run-2", "and the next").await.unwrap();
    while next_end(&mut client).await != end("run-2", "final") {}
    let said: Vec<(String, String)> = history(&client).await;
    let count = |role: &str, text: &str| {
        said.iter().filter(|(who, words)| who == role && words.contains(text)).count()
    };
    assert_eq!((count("user", "keep this"), count("assistant", "keep this")), (1, 1), "{said:?}");
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

/// A gateway that is told to stop ends its lines, though nothing happens on them; clients see the end.
pub(super) async fn a_line_that_is_cancelled_ends_at_once() {
    let world = World::new(Scripts::new().otherwise_echo()).await;
    let (running, mut client) = world.start().await;
    client.send(KEY, "run-1", "are you there?").await.unwrap();
    assert_eq!(next_end(&mut client).await, end("run-1", "final"));
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
    let ended = async { while client.event().await.is_some() {} };
    tokio::time::timeout(Duration::from_secs(3), ended).await.expect("the line ends at once");
}

/// A picture beside the words reaches the model.
pub(super) async fn what_is_sent_beside_words_is_taken() {
    let world = World::new(Scripts::new().otherwise_echo()).await;
    let (running, mut client) = world.start().await;
    let picture = json!({ "type": "image", "mimeType": "image/png", "fileName": "dot.png", "content": DOT });
    send_with(&client, "run-1", &picture).await.unwrap();
    assert_eq!(next_end(&mut client).await, end("run-1", "final"));
    let asked = world.vendor.requests();
    assert!(
        asked.iter().any(|request| request.body.to_string().contains(DOT)),
        "the model is shown the picture"
    );
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

/// Words are shown while the rest is still being made.
pub(super) async fn writing_is_shown_while_it_goes_on() {
    let gate = Gate::new();
    let script = Script::new().say("The beginning").hold(&gate).say(" and the end");
    let world = World::new(Scripts::new().otherwise(script)).await;
    let (running, mut client) = world.start().await;
    client.send(KEY, "run-1", "go").await.unwrap();
    let begun = async {
        loop {
            let (name, payload) = client.event().await.expect("the gateway is there");
            if name == "chat" && payload["state"] != "status" {
                assert_eq!(payload["state"], "delta", "the answer is not whole yet");
                return words(&payload["message"]);
            }
        }
    };
    let shown = tokio::time::timeout(PATIENCE, begun).await.expect("it shows");
    assert!(!shown.is_empty() && "The beginning".starts_with(&shown), "{shown}");
    gate.open();
    assert_eq!(next_final(&mut client).await, "The beginning and the end");
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

/// What is too large, or no file at all, is refused before anything is kept.
pub(super) async fn a_file_is_fetched_as_far_as_the_limit() {
    let world = World::new(Scripts::new().otherwise_echo()).await;
    let (running, client) = world.start().await;
    // Four letters are three bytes.
    let content = DOT[..80].to_owned() + &"AAAA".repeat(5_000_000 / 3);
    let large = json!({ "type": "image", "mimeType": "image/png", "content": content });
    let said = refusal(send_with(&client, "run-1", &large).await);
    assert!(said.contains("exceeds size limit") && said.contains("InvalidRequest"), "{said}");
    let broken = json!({ "type": "image", "mimeType": "image/png", "content": "!!!" });
    let said = refusal(send_with(&client, "run-2", &broken).await);
    assert!(said.contains("InvalidRequest"), "{said}");
    assert_eq!(history(&client).await, []);
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

async fn send_with(client: &Operator, run: &str, picture: &Value) -> Result<Value, RequestError> {
    let params =
        json!({ "sessionKey": KEY, "message": "see this", "idempotencyKey": run, "attachments": [picture] });
    client.request("chat.send", &params).await
}

fn refusal(answer: Result<Value, RequestError>) -> String {
    match answer {
        Err(RequestError::Refused(refusal)) => format!("{refusal:?}"),
        other => panic!("this was not refused: {other:?}"),
    }
}

/// The words of the next answer that is whole.
async fn next_final(client: &mut Operator) -> String {
    let whole = async {
        loop {
            let (name, payload) = client.event().await.expect("the gateway is there");
            if name == "chat" && payload["state"] == "final" {
                return words(&payload["message"]);
            }
        }
    };
    tokio::time::timeout(PATIENCE, whole).await.expect("an answer comes")
}
