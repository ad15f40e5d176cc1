//! Forms, proofs, token answers and claims, by table.

use std::time::Duration;

use openclaw_types::{Secret, UnixMillis};
use serde_json::{Value, json};

use super::{Denied, Proof, claim, email_of, expiry_of, field_of, random_text, read_grant, with_query};
use crate::auth::testing::web_token;
use crate::transport::JsonAnswer;

#[test]
fn queries_are_written_and_read_back() {
    let url = with_query("https://a.example/x", &[("scope", "openid profile"), ("state", "a+b&c=d/ü")]);
    assert_eq!(url, "https://a.example/x?scope=openid%20profile&state=a%2Bb%26c%3Dd%2F%C3%BC");
    let query = url.split_once('?').unwrap().1;
    assert_eq!(field_of(query, "state").as_deref(), Some("a+b&c=d/ü"));
    assert_eq!(field_of("a=1&code=x+y%20z&code=second", "code").as_deref(), Some("x y z"));
    for broken in ["code=%4", "code=%zz", "code=%FF", "other=1", ""] {
        assert_eq!(field_of(broken, "code"), None, "{broken}");
    }
    assert_eq!(with_query("https://a.example/?alt=json", &[("a", "b")]), "https://a.example/?alt=json&a=b");
}

#[test]
fn the_proof_is_that_of_the_standard() {
    // The example of RFC 7636, appendix B.
    let proof = Proof::of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned());
    assert_eq!(proof.challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    let (one, other) = (Proof::new().unwrap(), Proof::new().unwrap());
    assert_eq!(one.verifier.reveal().len(), 43);
    assert_ne!(one.verifier, other.verifier);
    assert_ne!(random_text(24).unwrap(), random_text(24).unwrap());
}

fn answered(status: u16, body: &str) -> Result<(String, Option<Duration>), Denied> {
    let answer = JsonAnswer { status, headers: Default::default(), body: body.to_owned().into() };
    read_grant(&answer).map(|granted| (granted.access.reveal().clone(), granted.lifetime))
}

#[test]
fn every_answer_of_a_token_endpoint_is_understood() {
    let tokens = |lifetime: Value| json!({ "access_token": "a", "expires_in": lifetime }).to_string();
    let good = |seconds: Option<u64>| Ok(("a".to_owned(), seconds.map(Duration::from_secs)));
    let error = |code: &str| json!({ "error": code }).to_string();
    let rows = [
        (200, tokens(json!(60)), good(Some(60))),
        (200, tokens(json!("60")), good(Some(60))),
        (200, tokens(json!(-1)), good(None)),
        (200, tokens(Value::Null), good(None)),
        (200, "{}".to_owned(), Err(Denied::Malformed)),
        (200, "<html>".to_owned(), Err(Denied::Malformed)),
        (200, error("authorization_pending"), Err(Denied::Pending)),
        (400, error("slow_down"), Err(Denied::SlowDown)),
        (400, error("access_denied"), Err(Denied::ByPerson)),
        (400, error("expired_token"), Err(Denied::CodeExpired)),
        (400, error("invalid_grant"), Err(Denied::InvalidGrant)),
        (400, error("invalid_scope"), Err(Denied::Other("invalid_scope".to_owned()))),
        (400, error("My Secret!"), Err(Denied::Other("an error without a code".to_owned()))),
        (401, error("odd"), Err(Denied::InvalidGrant)),
        (400, "nothing".to_owned(), Err(Denied::InvalidGrant)),
        (404, String::new(), Err(Denied::Other("404".to_owned()))),
        (429, String::new(), Err(Denied::RateLimit)),
        (502, "<html>".to_owned(), Err(Denied::Overloaded)),
    ];
    for (status, body, expected) in rows {
        assert_eq!(answered(status, &body), expected, "{status} {body}");
    }
}

#[test]
fn claims_are_read_and_nonsense_is_nothing() {
    let token = |claims: Value| Secret::new(web_token(&claims));
    let full = token(json!({ "exp": 5, "a": { "b": " x " }, "email": "ana@example.org" }));
    assert_eq!(claim(&full, &["a", "b"]).as_deref(), Some("x"));
    assert_eq!(email_of(&full).as_deref(), Some("ana@example.org"));
    assert_eq!(expiry_of(&full), Some(UnixMillis(5000)));
    let nested = token(json!({ "https://api.openai.com/profile": { "email": "bo@example.org" } }));
    assert_eq!(email_of(&nested).as_deref(), Some("bo@example.org"));
    for broken in ["", "a.b", "a.b.c", "a.b.c.d", "h.e30.s"] {
        assert_eq!(claim(&Secret::new(broken.to_owned()), &["a"]), None, "{broken}");
    }
}
