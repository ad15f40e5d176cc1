//! The original's files, read and written back.

use openclaw_ports::stores::{
    HealthKey, HealthRecord, OauthTokens, StoredCredential, StoredProfile, StoredSecret,
};
use openclaw_testkit::planted_secret;
use openclaw_types::{AgentId, AuthProfileId, ProviderId, Secret, UnixMillis};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    ImportError, ImportProblem, read_auth_map, read_auth_profiles, read_oauth_file, write_auth_profiles,
};

fn sample() -> Value {
    json!({
        "version": 1,
        "profiles": {
            "anthropic:default": { "type": "api_key", "provider": "anthropic", "key": planted_secret("sk-ant"), "email": "a@example.org", "metadata": { "accountId": "x" } },
            "anthropic:setup": { "type": "token", "provider": "anthropic", "token": planted_secret("sk-ant-oat01") },
            "azure:ref": { "type": "token", "provider": "azure", "tokenRef": { "source": "exec", "provider": "vault", "id": "t" }, "expires": 1_800_000_000_000_i64 },
            "openai-codex:b@example.org": {
                "type": "oauth", "provider": "openai-codex", "access": planted_secret("access"), "refresh": planted_secret("refresh"), "expires": 1_700_000_000_000_i64,
                "accountId": "account", "email": "b@example.org", "plan": "pro",
            },
            "openai:ref": { "type": "api_key", "provider": "openai", "keyRef": { "source": "env", "provider": "default", "id": "OPENAI_API_KEY" } },
        },
        "order": { "anthropic": ["anthropic:setup", "anthropic:default"] },
        "lastGood": { "anthropic": "anthropic:setup" },
        "usageStats": {
            "anthropic:default": { "lastUsed": 1_699_999_999_999_i64, "cooldownUntil": 1_700_000_060_000_i64, "errorCount": 2, "lastFailureAt": 1_700_000_000_000_i64, "failureCounts": { "rate_limit": 2 } },
            "anthropic:setup": { "lastUsed": 1_700_000_000_001_i64 },
            "openai:ref": { "disabledUntil": 1_700_018_000_000_i64, "disabledReason": "billing", "errorCount": 1, "failureCounts": { "billing": 1, "timeout": 3 } },
        },
    })
}

fn main_agent() -> AgentId {
    AgentId::main()
}

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

/// Nothing that was planted is shown to whoever prints this for developers.
fn assert_hidden(value: &impl std::fmt::Debug) {
    let shown = format!("{value:?}");
    assert!(!shown.contains("planted-"), "{shown}");
}

fn profile(id: &str, provider: &str, credential: StoredCredential) -> StoredProfile {
    StoredProfile {
        id: AuthProfileId::new(id).unwrap(),
        provider: ProviderId::new(provider).unwrap(),
        email: None,
        credential,
        extra: Default::default(),
    }
}

fn tokens(access: &str, refresh: &str, expires: i64) -> OauthTokens {
    OauthTokens {
        access: secret(access),
        refresh: Some(secret(refresh)),
        expires: UnixMillis(expires),
        account_id: None,
        project_id: None,
        enterprise_url: None,
        client_id: None,
    }
}

#[test]
fn a_file_comes_back_as_it_was() {
    let read = read_auth_profiles(&sample().to_string(), &main_agent()).unwrap();
    assert_eq!(read.problems, []);
    assert_hidden(&read);
    let written: Value = serde_json::from_str(write_auth_profiles(&read).reveal()).unwrap();
    assert_eq!(written, sample());
    assert_hidden(&write_auth_profiles(&read));
    let again = read_auth_profiles(write_auth_profiles(&read).reveal(), &main_agent()).unwrap();
    assert_eq!(again, read);
}

#[test]
fn every_kind_of_credential_is_understood() {
    let read = read_auth_profiles(&sample().to_string(), &main_agent()).unwrap();
    let reference = json!({ "source": "env", "provider": "default", "id": "OPENAI_API_KEY" });
    assert_eq!(
        read.profiles[4],
        profile("openai:ref", "openai", StoredCredential::ApiKey { key: StoredSecret::Reference(reference) })
    );
    let mut codex = profile(
        "openai-codex:b@example.org",
        "openai-codex",
        StoredCredential::Oauth(OauthTokens {
            account_id: Some("account".to_owned()),
            ..tokens(&planted_secret("access"), &planted_secret("refresh"), 1_700_000_000_000)
        }),
    );
    codex.email = Some("b@example.org".to_owned());
    codex.extra.insert("plan".to_owned(), json!("pro"));
    assert_eq!(read.profiles[3], codex);
    let key =
        HealthKey { agent: main_agent(), profile: AuthProfileId::new("openai:ref").unwrap(), model: None };
    assert_eq!(
        read.health[2],
        HealthRecord {
            reason: Some("billing".to_owned()),
            failures: 1,
            billing_failures: 1,
            disabled_until: Some(UnixMillis(1_700_018_000_000)),
            ..HealthRecord::new(key)
        }
    );
    assert_eq!(read.health[1].last_good, Some(UnixMillis(1_700_000_000_001)));
}

#[test]
fn common_slips_are_forgiven_and_the_rest_is_reported() {
    let file = json!({ "profiles": {
        "a:1": { "mode": "api_key", "provider": "a", "apiKey": planted_secret("slip") },
        "b:1": { "type": "api_key", "provider": "b", "key": planted_secret("leftover"), "keyRef": { "source": "file", "id": "/b" } },
        "c:1": { "type": "magic", "provider": "c", "key": planted_secret("unseen-1") },
        "d:1": { "type": "api_key", "key": planted_secret("unseen-2") },
        "e:1": { "type": "api_key", "provider": "e" },
        "f:1": planted_secret("unseen-3"),
        "g:1": { "type": "oauth", "provider": "g", "refresh": planted_secret("only"), "idToken": planted_secret("unseen-4") },
    } });
    let read = read_auth_profiles(&file.to_string(), &main_agent()).unwrap();
    let reference = json!({ "source": "file", "id": "/b" });
    assert_eq!(
        read.profiles,
        [
            profile(
                "a:1",
                "a",
                StoredCredential::ApiKey { key: StoredSecret::Text(secret(&planted_secret("slip"))) }
            ),
            profile("b:1", "b", StoredCredential::ApiKey { key: StoredSecret::Reference(reference) }),
            profile("g:1", "g", StoredCredential::Oauth(tokens("", &planted_secret("only"), 0))),
        ]
    );
    let problem = |entry: &str, problem| ImportProblem { entry: entry.to_owned(), problem };
    assert_eq!(
        read.problems,
        [
            problem("c:1", "has a type nobody knows"),
            problem("d:1", "names no provider"),
            problem("e:1", "holds no key"),
            problem("f:1", "is not an object"),
        ]
    );
    assert_hidden(&read);
}

#[test]
fn the_older_files_become_default_profiles() {
    let (access, refresh, key) = (planted_secret("access"), planted_secret("refresh"), planted_secret("key"));
    let map = json!({
        "anthropic": { "type": "oauth", "access": access, "refresh": refresh, "expires": 5 },
        "openai": { "type": "api_key", "key": key },
        "broken": { "access": access },
    });
    let read = read_auth_map(&map.to_string()).unwrap();
    assert_eq!(
        read.profiles,
        [
            profile("anthropic:default", "anthropic", StoredCredential::Oauth(tokens(&access, &refresh, 5))),
            profile(
                "openai:default",
                "openai",
                StoredCredential::ApiKey { key: StoredSecret::Text(secret(&key)) }
            ),
        ]
    );
    assert_eq!(read.problems, [ImportProblem { entry: "broken".to_owned(), problem: "has no type" }]);
    let oauth = json!({ "github-copilot": { "access": access, "refresh": refresh, "expires": 5.0, "enterpriseUrl": "c.ghe.com" } });
    let read = read_oauth_file(&oauth.to_string()).unwrap();
    let tokens = OauthTokens { enterprise_url: Some("c.ghe.com".to_owned()), ..tokens(&access, &refresh, 5) };
    assert_eq!(
        read.profiles,
        [profile("github-copilot:default", "github-copilot", StoredCredential::Oauth(tokens))]
    );
}

#[test]
fn what_is_no_file_of_sign_ins_is_said_without_quoting_it() {
    let agent = main_agent();
    let planted = planted_secret("torn");
    for (text, expected) in [
        (format!("{{\"profiles\": {planted}"), ImportError::NotJson),
        (format!("[\"{planted}\"]"), ImportError::NoSignIns),
        ("{}".to_owned(), ImportError::NoSignIns),
        (format!("{{\"profiles\": \"{planted}\"}}"), ImportError::NoSignIns),
    ] {
        let error = read_auth_profiles(&text, &agent).unwrap_err();
        assert_eq!(error, expected, "{text}");
        assert!(!format!("{error} {error:?}").contains(&planted));
    }
    assert_eq!(read_auth_map(&sample().to_string()), Err(ImportError::NoSignIns));
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,200}") {
        let agent = AgentId::main();
        let all = [read_auth_profiles(&text, &agent), read_auth_map(&text), read_oauth_file(&text)];
        for read in all.into_iter().flatten() {
            prop_assert!(!write_auth_profiles(&read).reveal().is_empty());
        }
    }
}
