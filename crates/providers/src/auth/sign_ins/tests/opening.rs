//! Keys and tokens, opened from where they are; and what is said when they are not there.

use std::os::unix::fs::PermissionsExt;

use openclaw_ports::model::{AwsKeys, CallCredential, Credentials, FaultReason, ModelFault};
use openclaw_ports::stores::{StoredCredential, StoredSecret};
use openclaw_testkit::planted_secret;
use openclaw_types::AgentId;
use serde_json::json;

use crate::auth::testing::{World, key_profile, profile, provider, secret, sign_in};

/// What the only credential of a vendor opens to.
async fn opened(world: &World, name: &str) -> Result<CallCredential, String> {
    let sign_ins = world.sign_ins();
    let known = sign_ins.profiles(&AgentId::main(), &provider(name)).await.unwrap();
    assert_eq!(known.len(), 1, "{known:?}");
    sign_ins.unlock(&AgentId::main(), &known[0]).await.map_err(|fault| fault.to_string())
}

fn key(text: &str) -> CallCredential {
    CallCredential { secret: Some(secret(text)), ..CallCredential::default() }
}

#[tokio::test]
async fn a_stored_key_is_given_without_what_pasting_left_in_it() {
    let world = World::new().with(key_profile("openai:a", StoredSecret::Text(secret(" ab\r\nc \n")))).await;
    assert_eq!(opened(&world, "openai").await, Ok(key("abc")));
    let world = World::new().with(key_profile("openai:a", StoredSecret::Text(secret(" \n")))).await;
    assert_eq!(
        opened(&world, "openai").await,
        Err("auth: the credential openai:a is empty; enter it again".to_owned())
    );
}

#[tokio::test]
async fn a_reference_is_followed_at_use_and_never_stored() {
    let reference = json!({ "source": "env", "provider": "default", "id": "SOMEWHERE" });
    for secret_or in [StoredSecret::Reference(reference.clone()), StoredSecret::Text(secret("${SOMEWHERE}"))]
    {
        let world = World::new()
            .variable("SOMEWHERE", "found")
            .with(key_profile("openai:a", secret_or.clone()))
            .await;
        assert_eq!(opened(&world, "openai").await, Ok(key("found")));
        assert_eq!(world.stored("openai:a").await, key_profile("openai:a", secret_or));
    }
    let world = World::new().with(key_profile("openai:a", StoredSecret::Reference(reference))).await;
    assert_eq!(
        opened(&world, "openai").await,
        Err("unknown: the credential openai:a: the variable SOMEWHERE is not set or blank; set it where the gateway \
             starts, or in the env section"
            .to_owned())
    );
    let world =
        World::new().with(key_profile("openai:a", StoredSecret::Reference(json!({ "odd": 1 })))).await;
    assert_eq!(
        opened(&world, "openai").await,
        Err("auth: the credential openai:a refers to a secret in a way nobody understands; enter it again"
            .to_owned())
    );
}

#[tokio::test]
async fn files_and_programs_are_asked_at_use_and_what_they_say_is_never_stored() {
    let planted = planted_secret("referred-to");
    let rows = [
        ("file", "value", json!({ "source": "file", "path": "~/planted-key", "mode": "singleValue" })),
        ("exec", "value", json!({ "source": "exec", "command": "~/planted-program" })),
    ];
    for (source, id, settings) in rows {
        let reference = json!({ "source": source, "provider": "vault", "id": id });
        let stored = key_profile("openai:a", StoredSecret::Reference(reference));
        let world = World::new()
            .config(json!({ "secrets": { "providers": { "vault": settings } } }))
            .with(stored.clone())
            .await;
        let missing = opened(&world, "openai").await.unwrap_err();
        assert!(missing.starts_with("unknown: the credential openai:a: cannot read "), "{missing}");
        let answer = json!({ "protocolVersion": 1, "values": { id: planted } });
        let script = format!("#!/bin/sh\necho '{answer}'\n");
        for (name, text, mode) in
            [("planted-key", planted.as_str(), 0o600), ("planted-program", &script, 0o700)]
        {
            let path = world.home.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        assert_eq!(opened(&world, "openai").await, Ok(key(&planted)), "{source}");
        assert_eq!(world.stored("openai:a").await, stored, "{source}");
    }
}

#[tokio::test]
async fn trouble_of_this_machine_blames_neither_the_credential_nor_the_vendor() {
    let world = World::new().variable("OPENAI_API_KEY", "k");
    let known = world.sign_ins().profiles(&AgentId::main(), &provider("openai")).await.unwrap();
    // The next process starts without the variable.
    let world = World { variables: Vec::new(), ..world };
    let unset = world.sign_ins().unlock(&AgentId::main(), &known[0]).await.unwrap_err();
    assert_eq!(
        unset,
        ModelFault::new(
            FaultReason::Unknown,
            "the variable OPENAI_API_KEY is not set any more; set it and try again"
        )
    );
    // A file stands where the locks are kept.
    let world = World::new();
    let expires = world.in_seconds(-1);
    let world = world.with(sign_in("openai-codex:default", "old", expires)).await;
    std::fs::write(world.home.path().join("locks"), "").unwrap();
    let locked = opened(&world, "openai-codex").await.unwrap_err();
    assert!(locked.starts_with("unknown: the lock "), "{locked}");
}

#[tokio::test]
async fn a_refused_secret_is_looked_up_again() {
    let world = World::new();
    let path = world.home.path().join("key");
    let write = |text: &str| {
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    };
    write("first");
    let world = world.config(json!({
        "secrets": { "providers": { "disk": { "source": "file", "path": "~/key", "mode": "singleValue" } } },
        "models": { "providers": { "openai": {
            "baseUrl": "http://127.0.0.1:9", "models": [],
            "apiKey": { "source": "file", "provider": "disk", "id": "value" },
        } } },
    }));
    let sign_ins = world.sign_ins();
    let known = sign_ins.profiles(&AgentId::main(), &provider("openai")).await.unwrap();
    assert_eq!(sign_ins.unlock(&AgentId::main(), &known[0]).await.unwrap(), key("first"));
    write("second");
    assert_eq!(sign_ins.unlock(&AgentId::main(), &known[0]).await.unwrap(), key("first"));
    sign_ins.refused(&AgentId::main(), &known[0], &key("first")).await;
    assert_eq!(sign_ins.unlock(&AgentId::main(), &known[0]).await.unwrap(), key("second"));
    write("third");
    sign_ins.refused(&AgentId::main(), &known[0], &key("first")).await;
    assert_eq!(sign_ins.unlock(&AgentId::main(), &known[0]).await.unwrap(), key("second"));
    sign_ins.reload();
    assert_eq!(sign_ins.unlock(&AgentId::main(), &known[0]).await.unwrap(), key("third"));
}

#[tokio::test]
async fn a_token_that_ran_out_asks_for_a_new_one() {
    let world = World::new();
    let token = |expires| StoredCredential::Token { token: StoredSecret::Text(secret("tok")), expires };
    let (past, future) = (world.in_seconds(-1), world.in_seconds(60));
    let world = world.with(profile("anthropic:manual", token(Some(past)))).await;
    assert_eq!(
        opened(&world, "anthropic").await,
        Err("auth: the token anthropic:manual has run out; paste a new one: openclaw models auth paste-token \
             --provider anthropic"
            .to_owned())
    );
    for expires in [None, Some(future)] {
        let world = World::new().with(profile("anthropic:manual", token(expires))).await;
        assert_eq!(opened(&world, "anthropic").await, Ok(key("tok")));
    }
}

#[tokio::test]
async fn configured_keys_may_be_written_named_or_referred_to() {
    let entry = |key: serde_json::Value| json!({ "models": { "providers": { "my-server": { "baseUrl": "http://127.0.0.1:9", "models": [], "apiKey": key } } } });
    let rows = [
        (json!("plain"), "plain"),
        (json!("MY_VARIABLE"), "of-variable"),
        (json!("NOT_A_VARIABLE"), "NOT_A_VARIABLE"),
        (json!({ "source": "env", "provider": "default", "id": "MY_VARIABLE" }), "of-variable"),
    ];
    for (written, expected) in rows {
        let world = World::new().variable("MY_VARIABLE", "of-variable").config(entry(written.clone()));
        assert_eq!(opened(&world, "my-server").await, Ok(key(expected)), "{written}");
    }
}

#[tokio::test]
async fn nothing_is_given_where_nothing_is_needed_and_what_is_gone_is_said_to_be() {
    assert_eq!(opened(&World::new(), "ollama").await, Ok(CallCredential::default()));
    let world = World::new().with(key_profile("openai:a", StoredSecret::Text(secret("k")))).await;
    let sign_ins = world.sign_ins();
    let known = sign_ins.profiles(&AgentId::main(), &provider("openai")).await.unwrap();
    world.store.remove(&AgentId::main(), &known[0].id).await.unwrap();
    let fault = sign_ins.unlock(&AgentId::main(), &known[0]).await.unwrap_err();
    assert_eq!(fault.reason, FaultReason::Auth);
    assert_eq!(fault.message, "the credential openai:a is gone; see which there are: openclaw models status");
}

#[tokio::test]
async fn aws_keys_of_variables_carry_their_region() {
    let world = World::new()
        .variable("AWS_ACCESS_KEY_ID", "id")
        .variable("AWS_SECRET_ACCESS_KEY", "key")
        .variable("AWS_SESSION_TOKEN", "session")
        .variable("AWS_REGION", "eu-west-1");
    let keys = AwsKeys {
        access_key_id: "id".to_owned(),
        secret_access_key: secret("key"),
        session_token: Some(secret("session")),
        region: "eu-west-1".to_owned(),
    };
    assert_eq!(
        opened(&world, "amazon-bedrock").await,
        Ok(CallCredential { aws: Some(keys), ..CallCredential::default() })
    );
    let world = World::new().variable("AWS_BEARER_TOKEN_BEDROCK", "bearer");
    assert_eq!(opened(&world, "amazon-bedrock").await, Ok(key("bearer")));
}
