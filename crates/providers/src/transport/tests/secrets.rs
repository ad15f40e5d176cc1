//! No secret in anything that is printed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use openclaw_ports::model::{ApiName, AwsKeys, ModelRoute, ServerReach};
use openclaw_types::Secret;
use serde_json::json;

use super::server::{Server, Step, refuse, stream, words};
use super::{fault_of, greet, route, soon, steered, transport, while_time_passes};
use crate::apis::samples;
use crate::transport::{CallMethod, JsonBody, JsonCall, TransportLimits};

const PLANTED: &str = "sk-planted-0123456789";

#[tokio::test]
async fn faults_of_every_kind_hold_no_secret() {
    let answer = format!("{{\"error\":{{\"message\":\"bad key {PLANTED}\"}}}}");
    let server = Server::start(vec![refuse(401, "", &answer), vec![Step::Close]]).await;
    let (clock, transport) = steered(TransportLimits::default());
    let with_secrets = |address: &str, reach| {
        let base = format!("http://ann:{PLANTED}@{address}/v1?key={PLANTED}");
        let mut target = samples::target("model", &base);
        target.credential = samples::credential(PLANTED);
        target.headers.insert("x-key".to_owned(), Secret::new(PLANTED.to_owned()));
        ModelRoute { target, reach, ..route("") }
    };
    for (address, reach) in [
        (server.address(), ServerReach::Anywhere),
        (server.address(), ServerReach::Anywhere),
        ("127.0.0.1:1", ServerReach::Anywhere),
        ("10.0.0.1", ServerReach::Public),
        ("169.254.169.254", ServerReach::Anywhere),
    ] {
        let fault =
            while_time_passes(&clock, fault_of(greet(&transport, with_secrets(address, reach)))).await;
        assert!(!format!("{fault:?} {fault}").contains("planted"), "{fault:?}");
    }
}

#[tokio::test]
async fn side_calls_and_their_answers_print_no_secret() {
    let server = Server::start(vec![refuse(200, &format!("x-token: {PLANTED}\r\n"), PLANTED)]).await;
    let call = |body| JsonCall {
        method: CallMethod::Post,
        url: format!("{}?token={PLANTED}", server.url("/token")),
        headers: BTreeMap::from([("authorization".to_owned(), Secret::new(PLANTED.to_owned()))]),
        body,
        reach: ServerReach::Anywhere,
        deadline: Duration::from_secs(5),
    };
    let form = call(JsonBody::Form(vec![("code".to_owned(), Secret::new(PLANTED.to_owned()))]));
    let json = call(JsonBody::Json(json!({ "code": PLANTED })));
    let transport = transport(&[("HTTP_PROXY", "http://u:planted@127.0.0.1:9")]);
    let shown = format!("{form:?} {json:?} {:?} {:?} {transport:?}", form.body, json.body);
    let answer = soon(transport.json(form)).await.unwrap();
    let shown = format!("{shown} {answer:?}");
    assert!(!shown.contains("planted"), "{shown}");
}

/// Keys that begin like no vendor's: hexadecimal, dotted, and dotted around what looks like a token.
const UNKNOWN: [&str; 3] =
    ["9f8e7d6c5b4a39281706f5e4d3c2b1a0", "a1b2c3d4.e5f60718.293a4b5c", "front-a1b2c3.sk-0123456789:back-99"];

/// Everything that is logged, down to the least.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Any six letters in a row of a secret.
fn shows(text: &str, secret: &str) -> bool {
    secret.as_bytes().windows(6).any(|piece| text.contains(std::str::from_utf8(piece).unwrap()))
}

#[tokio::test]
async fn a_server_that_repeats_a_key_does_not_spread_it() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    for secret in UNKNOWN {
        let told = json!({"error": {"message": format!("Bearer {secret} is bad, so is {secret}")}});
        // Cut by length in the middle of the key.
        let long = json!({"error": {"message": format!("{} {secret}{secret}", "x".repeat(285))}});
        let echo =
            format!("x-key: {secret}\r\nretry-after: {secret}\r\nwww-authenticate: Bearer {secret}\r\n");
        let frame =
            |told: &serde_json::Value| stream(vec![Step::Send(format!("data: {told}\n\n")), Step::Close]);
        let late = stream(vec![Step::Send(format!("{}data: {told}\n\n", words("hi"))), Step::Close]);
        let scripts = [
            refuse(401, &echo, &told.to_string()),
            refuse(429, &echo, &long.to_string()),
            refuse(500, &echo, &format!("no JSON at all: {secret}")),
            frame(&told),
            frame(&long),
            late,
        ];
        for script in scripts {
            let server = Server::start(vec![script]).await;
            let (clock, transport) = steered(TransportLimits::default());
            for place in [Carried::Credential, Carried::Header, Carried::Userinfo] {
                let route = place.route(server.address(), secret);
                let fault = while_time_passes(&clock, fault_of(greet(&transport, route))).await;
                let shown = format!("{fault:?} {fault}");
                assert!(!shows(&shown, secret) && shown.contains("[secret]"), "{shown}");
            }
        }
        let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        assert!(!logged.is_empty() && !shows(&logged, secret), "{logged}");
    }
}

#[tokio::test]
async fn keys_that_sign_are_not_spread_either() {
    let [secret, token, _] = UNKNOWN;
    let told = json!({"message": format!("{secret} and {token}")});
    let server = Server::start(vec![refuse(403, "", &told.to_string())]).await;
    let keys = AwsKeys {
        access_key_id: "AKIDEXAMPLE".to_owned(),
        secret_access_key: Secret::new(secret.to_owned()),
        session_token: Some(Secret::new(token.to_owned())),
        region: "us-east-1".to_owned(),
    };
    let mut route =
        ModelRoute { api: ApiName::BedrockConverseStream, aws: Some(keys), ..route(&server.url("")) };
    route.target.credential = None;
    let fault = soon(fault_of(greet(&transport(&[]), route))).await;
    assert_eq!(fault.message, "[secret] and [secret]");
}

/// Where a call carries a key.
#[derive(Clone, Copy)]
enum Carried {
    Credential,
    Header,
    Userinfo,
}

impl Carried {
    fn route(self, address: &str, secret: &str) -> ModelRoute {
        let mut route = route(&format!("http://{address}/v1"));
        route.target.credential = None;
        match self {
            Self::Credential => route.target.credential = samples::credential(secret),
            Self::Header => {
                route.target.headers.insert("x-key".to_owned(), Secret::new(secret.to_owned()));
            }
            Self::Userinfo => {
                let escaped = secret.replace(':', "%3A");
                route.target.base_url = format!("http://ann:{escaped}@{address}/v1");
            }
        }
        route
    }
}
