//! No secret in anything that is printed.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::model::{ModelRoute, Reach};
use openclaw_types::Secret;
use serde_json::json;

use super::server::{Server, Step, refuse};
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
        (server.address(), Reach::Anywhere),
        (server.address(), Reach::Anywhere),
        ("127.0.0.1:1", Reach::Anywhere),
        ("10.0.0.1", Reach::Public),
        ("169.254.169.254", Reach::Anywhere),
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
        reach: Reach::Anywhere,
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
