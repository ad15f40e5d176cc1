//! Models behind encrypted lines, as vendors serve them: trusted or not, over HTTP/1.1 and HTTP/2.
//!
//! The servers are real sockets with certificates of an authority made for the test; the binary trusts it when
//! `SSL_CERT_FILE` names it, as it would an authority of a company.

use openclaw_providers::Script;
use openclaw_testkit::{HttpVersion, ScriptedModelServer, TestAuthority, planted_secret};
use serde_json::{Value, json};

use crate::world::{Outcome, World};

/// A home whose configuration names this server `box`, and a file with the root of this authority.
fn world(server: &ScriptedModelServer, trusted: &TestAuthority) -> World {
    let world = World::new();
    std::fs::write(world.home().join("roots.pem"), trusted.root_pem()).unwrap();
    let config = json!({ "models": { "providers": { "box": {
        "baseUrl": format!("{}/v1", server.root()),
        "api": "openai-completions",
        "apiKey": planted_secret("tls"),
        "models": [{ "id": "small", "name": "Small", "contextWindow": 32000, "maxTokens": 4000 }],
    } } } });
    world.write("openclaw.json", &config.to_string());
    world
}

/// Runs a command that trusts the roots in the file.
fn run(world: &World, arguments: &[&str]) -> Outcome {
    let roots = world.home().join("roots.pem");
    let outcome = world.run_with(arguments, &[("SSL_CERT_FILE", roots.to_str().unwrap())]);
    let all = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(!all.contains(&planted_secret("tls")), "the key was printed: {all}");
    outcome
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_behind_a_trusted_certificate_answers_over_each_version_of_http() {
    for version in [HttpVersion::One, HttpVersion::Two] {
        let authority = TestAuthority::new();
        let words = "A long answer, in many pieces. ".repeat(400);
        let scripts = [Script::new().say("Good morning."), Script::new().say(&words)];
        let server = ScriptedModelServer::start_encrypted(scripts, &authority, version).await;
        let world = world(&server, &authority);
        let text = run(&world, &["models", "test", "box/small", "--prompt", "Greet me."]).ok();
        assert!(text.starts_with("Good morning.\n\n"), "{text}");
        let asked = server.next_request().await;
        assert_eq!(
            (asked.version, asked.header("authorization"), &asked.body["messages"][0]["content"]),
            (version, format!("Bearer {}", planted_secret("tls")).as_str(), &json!("Greet me."))
        );
        let long = run(&world, &["models", "test", "box/small", "--json"]).ok_json();
        assert_eq!((&long["ok"], &long["text"]), (&json!(true), &json!(words)));
        assert_eq!(server.next_request().await.version, version);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_of_an_unknown_authority_is_told_with_what_to_do_and_nothing_is_sent() {
    let server = ScriptedModelServer::start_encrypted([], &TestAuthority::new(), HttpVersion::One).await;
    let world = world(&server, &TestAuthority::new());
    let failed = run(&world, &["models", "test", "box/small"]);
    assert_eq!((failed.code, failed.stdout.as_str()), (Some(1), ""));
    for words in
        ["127.0.0.1 was not called", "an authority that this machine does not trust", "SSL_CERT_FILE"]
    {
        assert!(failed.stderr.contains(words), "{words}: {}", failed.stderr);
    }
    let failed = run(&world, &["models", "test", "box/small", "--json"]);
    let json: Value = serde_json::from_str(&failed.stdout).unwrap();
    assert_eq!((failed.code, &json["ok"], &json["reason"]), (Some(1), &json!(false), &json!("format")));
    // The line broke before anything was said, and a sign-in is not to blame for it.
    assert_eq!(server.requests(), []);
    let status = run(&world, &["models", "status", "--json"]).ok_json();
    assert_eq!(status["auth"]["unusableProfiles"], json!([]));
}
