//! Fetching through real sockets.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use openclaw_ports::SystemClock;
use openclaw_ports::tool::{NamedBy, WebClient, WebFault, WebRequest};
use openclaw_testkit::SimClock;
use openclaw_types::Secret;

use super::super::follow::Journey;
use super::{answer, asked, configured, is_refused, redirect};
use crate::transport::tests::server::{Server, Step};
use crate::{Transport, Web};

/// A web in which every name leads where `lookup` says.
fn web(lookup: impl Fn(&str) -> Vec<SocketAddr> + Send + Sync + 'static) -> Web {
    Web::new(Transport::looking_up(Arc::new(SystemClock::new()), lookup), || false)
}

fn nowhere() -> Web {
    web(|_name| Vec::new())
}

#[tokio::test]
async fn a_page_comes_with_its_type_and_is_cut_at_the_limit() {
    let server =
        Server::start(vec![answer("200 OK\r\ncontent-type: text/plain\r\nX-Odd: 1", "0123456789")]).await;
    let found = nowhere().fetch(WebRequest { most_bytes: 4, ..configured(&server.url("/a")) }).await.unwrap();
    assert_eq!(found.url, server.url("/a"));
    assert_eq!((found.status, found.content_type.as_deref(), found.cut), (200, Some("text/plain"), true));
    assert_eq!(found.body, b"0123");
    assert_eq!(found.headers["x-odd"], "1");
}

#[tokio::test]
async fn this_machine_is_never_reached_by_an_address_somebody_asked_for() {
    let server = Server::start(vec![answer("200 OK", "secret")]).await;
    let port = server.address().rsplit_once(':').unwrap().1.to_owned();
    let spellings =
        ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0"];
    for host in spellings {
        assert!(is_refused(nowhere().fetch(asked(&format!("http://{host}:{port}/"))).await), "{host}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_name_that_leads_to_this_machine_is_refused_when_it_is_looked_up() {
    let server = Server::start(vec![answer("200 OK", "secret")]).await;
    let address: SocketAddr = server.address().parse().unwrap();
    let url = format!("http://rebind.example.com:{}/", address.port());
    let local = address;
    let result = web(move |_name| vec![local]).fetch(asked(&url)).await;
    assert!(is_refused(result));
    // One good address among bad ones is how guards are fooled.
    let mixed = web(move |_name| vec!["93.184.216.34:0".parse().unwrap(), local]).fetch(asked(&url)).await;
    assert!(is_refused(mixed));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_name_is_looked_up_once_so_a_second_answer_changes_nothing() {
    let server = Server::start(vec![answer("200 OK", "fine")]).await;
    let address: SocketAddr = server.address().parse().unwrap();
    let lookups = Arc::new(AtomicUsize::new(0));
    let counted = lookups.clone();
    let web = web(move |_name| {
        // The first answer is the one that is checked; any later one leads to a port where nobody listens.
        match counted.fetch_add(1, Ordering::SeqCst) {
            0 => vec![address],
            _ => vec!["127.0.0.1:1".parse().unwrap()],
        }
    });
    let url = format!("http://once.example.com:{}/", address.port());
    let found = web.fetch(configured(&url)).await.unwrap();
    assert_eq!((found.body.as_slice(), lookups.load(Ordering::SeqCst)), (b"fine".as_slice(), 1));
}

#[tokio::test]
async fn a_name_that_turns_private_between_two_requests_is_refused_then() {
    let server = Server::start(vec![answer("200 OK", "secret")]).await;
    let address: SocketAddr = server.address().parse().unwrap();
    let answers = Arc::new(Mutex::new(vec![address, address]));
    let web = web(move |_name| answers.lock().unwrap().pop().into_iter().collect());
    let url = format!("http://turns.example.com:{}/", address.port());
    for _request in 0..2 {
        assert!(is_refused(web.fetch(asked(&url)).await));
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_redirect_into_the_private_network_is_refused() {
    let private = Server::start(vec![answer("200 OK", "secret")]).await;
    let spellings = [
        private.url("/"),
        private.url("/").replace("127.0.0.1", "2130706433"),
        "http://169.254.169.254/".to_owned(),
    ];
    for to in spellings {
        let front = Server::start(vec![redirect("302", &to)]).await;
        let result = nowhere().fetch(configured(&front.url("/"))).await;
        assert!(is_refused(result), "{to}");
    }
    assert_eq!(private.connections(), 0);
}

#[tokio::test]
async fn redirects_are_followed_on_the_same_server_up_to_the_limit() {
    let script = vec![redirect("301", "/b"), redirect("302", "c"), answer("200 OK", "there")];
    let server = Server::start(script.clone()).await;
    let found = nowhere().fetch(configured(&server.url("/a"))).await.unwrap();
    assert_eq!((found.url, found.body), (server.url("/c"), b"there".to_vec()));
    let server = Server::start(script).await;
    let result = nowhere().fetch(WebRequest { redirects: 1, ..configured(&server.url("/a")) }).await;
    assert_eq!(result.unwrap_err(), WebFault::TooManyRedirects);
}

#[tokio::test]
async fn secret_headers_stay_on_the_server_they_are_meant_for() {
    let server = Server::start(vec![redirect("302", "/next"), answer("200 OK", "ok")]).await;
    let mut request = configured(&server.url("/"));
    request.secret_headers.insert("x-key".to_owned(), Secret::new("planted-key".to_owned()));
    request.headers.insert("x-open".to_owned(), "1".to_owned());
    nowhere().fetch(request).await.unwrap();
    let keys: Vec<bool> = server.requests().iter().map(|text| text.contains("planted-key")).collect();
    assert_eq!(keys, [true, true]);
}

#[test]
fn secret_headers_and_the_trust_in_a_place_end_where_another_host_begins() {
    for to in ["https://other.example.com/", "http://one.example.com/", "https://one.example.com:8443/"] {
        let mut request = configured("https://one.example.com/");
        request.secret_headers.insert("authorization".to_owned(), Secret::new("planted-key".to_owned()));
        let mut journey = Journey::start(request).unwrap();
        journey.go(302, to.parse().unwrap()).unwrap();
        let kept = (journey.request.secret_headers.len(), journey.request.named_by);
        assert_eq!(kept, (0, NamedBy::Others), "{to}");
    }
}

#[tokio::test]
async fn a_body_is_not_sent_on_to_another_host_and_a_post_becomes_a_get_where_it_must() {
    let other = Server::start(vec![answer("200 OK", "ok")]).await;
    let server = Server::start(vec![redirect("307", &other.url("/"))]).await;
    let post = |url: &str| WebRequest { method: "POST", body: Some(b"secret".to_vec()), ..configured(url) };
    assert!(is_refused(nowhere().fetch(post(&server.url("/"))).await));
    assert_eq!(other.connections(), 0);
    let server = Server::start(vec![redirect("303", "/done"), answer("200 OK", "ok")]).await;
    nowhere().fetch(post(&server.url("/"))).await.unwrap();
    let lines: Vec<String> =
        server.requests().iter().map(|text| text.lines().next().unwrap().to_owned()).collect();
    assert_eq!(lines, ["POST / HTTP/1.1", "GET /done HTTP/1.1"]);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up_in_time() {
    let clock = Arc::new(SimClock::new());
    let web = Web::new(Transport::looking_up(clock.clone(), |_name| Vec::new()), || false);
    let server = Server::start(vec![vec![Step::UntilClosed]]).await;
    let request = configured(&server.url("/"));
    let fetching = async { web.fetch(request).await };
    let waiting = async {
        server.until_requests(1).await;
        clock.advance(Duration::from_secs(21)).await;
    };
    let (result, ()) = tokio::join!(fetching, waiting);
    assert_eq!(result.unwrap_err(), WebFault::TimedOut);
}

#[tokio::test]
async fn neither_a_fault_nor_a_request_shows_a_secret() {
    let mut request = configured("http://127.0.0.1:1/?token=planted-query");
    request.secret_headers.insert("x-key".to_owned(), Secret::new("planted-key".to_owned()));
    let shown = format!("{:?}", request.secret_headers);
    let fault = format!("{:?}", nowhere().fetch(request).await.unwrap_err());
    assert!(!shown.contains("planted-key") && !fault.contains("planted"), "{fault}");
}
