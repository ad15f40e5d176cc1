//! What proxies are handed, and which hosts are asked on the way to a page.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use openclaw_ports::SystemClock;
use openclaw_ports::tool::{HostList, NamedBy, WebClient, WebFault, WebRequest};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::{answer, asked, configured, is_refused, redirect};
use crate::transport::tests::server::Server;
use crate::transport::tests::soon;
use crate::{Transport, Web};

/// A web behind a proxy for all calls, in which names lead where `lookup` says.
fn behind(proxy: &str, lookup: impl Fn(&str) -> Vec<SocketAddr> + Send + Sync + 'static) -> Web {
    Web::new(transport(proxy, lookup), || false)
}

/// The same for a person who trusts the proxy.
fn trusting(proxy: &str, lookup: impl Fn(&str) -> Vec<SocketAddr> + Send + Sync + 'static) -> Web {
    Web::new(transport(proxy, lookup), || true)
}

fn transport(proxy: &str, lookup: impl Fn(&str) -> Vec<SocketAddr> + Send + Sync + 'static) -> Transport {
    Transport::looking_up_behind(Arc::new(SystemClock::new()), &[("ALL_PROXY", proxy)], lookup)
}

fn at(address: &str) -> Vec<SocketAddr> {
    vec![address.parse().unwrap()]
}

/// Names that begin with `page` are public and those that begin with `inside` private; no others are known.
fn names(name: &str) -> Vec<SocketAddr> {
    match name.split('.').next() {
        Some("page") => at("93.184.216.34:0"),
        Some("inside") => at("10.0.0.7:0"),
        _ => Vec::new(),
    }
}

/// Everything that is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_proxy_that_looks_names_up_itself_is_not_asked_for_what_others_name() {
    let proxy = Server::start(vec![answer("200 OK", "through")]).await;
    for scheme in ["", "http://", "socks5h://", "socks4a://"] {
        let web = behind(&format!("{scheme}{}", proxy.address()), names);
        for url in ["http://unknown.example.com/", "https://unknown.example.com/"] {
            // Where nothing should leave beside the proxy, nothing does.
            let why = match soon(web.fetch(asked(url))).await.unwrap_err() {
                WebFault::Unreachable(why) if !scheme.starts_with("socks") => why,
                WebFault::Refused(why) if scheme.starts_with("socks") => why,
                fault => panic!("{scheme}: {fault:?}"),
            };
            assert!(why.contains("tools.web.fetch.useTrustedEnvProxy"), "{why}");
            assert!(!why.contains("127.0.0.1"), "{why}");
        }
        assert!(is_refused(soon(web.fetch(asked("http://inside.example.com/"))).await), "{scheme}");
        assert!(is_refused(soon(web.fetch(asked("http://10.0.0.7/"))).await), "{scheme}");
    }
    assert_eq!(proxy.connections(), 0);
}

#[tokio::test]
async fn a_host_that_is_called_without_proxies_is_not_refused_beside_one_that_keeps_names() {
    let variables = [("ALL_PROXY", "socks5h://127.0.0.1:1"), ("NO_PROXY", "example.com")];
    let transport = Transport::looking_up_behind(Arc::new(SystemClock::new()), &variables, names);
    let fault =
        soon(Web::new(transport, || false).fetch(asked("http://unknown.example.com/"))).await.unwrap_err();
    let WebFault::Unreachable(why) = &fault else { panic!("{fault:?}") };
    assert!(!why.contains("useTrustedEnvProxy"), "{why}");
}

#[test]
fn a_fetch_that_took_too_long_names_the_proxy_that_was_not_asked() {
    let told = |proxy: &str, named_by, trusts_proxy| {
        transport(proxy, names).web_timed_out("http://page.example.com/", named_by, trusts_proxy)
    };
    let fault = told("http://127.0.0.1:1", NamedBy::Others, false);
    let WebFault::Unreachable(why) = &fault else { panic!("{fault:?}") };
    assert!(why.starts_with("the server did not answer in time; the proxy of HTTPS_PROXY"), "{why}");
    assert_eq!(told("http://127.0.0.1:1", NamedBy::Others, true), WebFault::TimedOut);
    assert_eq!(told("http://127.0.0.1:1", NamedBy::Us, false), WebFault::TimedOut);
    assert_eq!(told("socks5://127.0.0.1:1", NamedBy::Others, false), WebFault::TimedOut);
}

#[tokio::test]
async fn that_a_proxy_is_not_asked_is_logged_once_and_without_its_address() {
    let log = Log::default();
    let sink = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || sink.clone()).finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let web = behind("http://ann:planted-pass@proxy.test:1", names);
    for _ in 0..2 {
        soon(web.fetch(asked("http://unknown.example.com/"))).await.unwrap_err();
    }
    let text = log.text();
    assert_eq!(text.matches("tools.web.fetch.useTrustedEnvProxy").count(), 1, "{text}");
    assert!(!text.contains("planted-pass") && !text.contains("proxy.test"), "{text}");
}

#[tokio::test]
async fn a_proxy_that_takes_addresses_is_handed_the_one_that_was_checked() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let lookups = Arc::new(AtomicUsize::new(0));
    let counted = lookups.clone();
    // The name turns private as soon as it was checked.
    let lookup = move |_name: &str| match counted.fetch_add(1, Ordering::SeqCst) {
        0 => at("93.184.216.34:0"),
        _ => at("127.0.0.1:0"),
    };
    let web = behind(&format!("socks5://{}", listener.local_addr().unwrap()), lookup);
    let both = async { tokio::join!(web.fetch(asked("http://page.example.com/")), serve_socks(&listener)) };
    let (found, (order, request)) = soon(both).await;
    // Version, connect, reserved, an address of four bytes, port 80.
    assert_eq!(order, [5, 1, 0, 1, 93, 184, 216, 34, 0, 80]);
    assert!(request.starts_with("GET / HTTP/1.1\r\n"), "{request}");
    assert!(request.to_lowercase().contains("\r\nhost: page.example.com\r\n"), "{request}");
    assert_eq!((found.unwrap().body, lookups.load(Ordering::SeqCst)), (b"fine".to_vec(), 1));
}

/// Speaks SOCKS 5 with one client and answers in place of the server. Gives back where it was to connect to, and what was
/// asked there.
async fn serve_socks(listener: &TcpListener) -> ([u8; 10], String) {
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut greeting = [0; 3];
    socket.read_exact(&mut greeting).await.unwrap();
    socket.write_all(&[5, 0]).await.unwrap();
    let mut order = [0; 10];
    socket.read_exact(&mut order).await.unwrap();
    socket.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
    let mut request: Vec<u8> = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(socket.read_u8().await.unwrap());
    }
    socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine").await.unwrap();
    (order, String::from_utf8(request).unwrap())
}

#[tokio::test]
async fn a_proxy_that_takes_addresses_is_handed_no_private_ones_and_no_names() {
    let proxy = Server::start(vec![answer("200 OK", "through")]).await;
    let web = behind(&format!("socks5://{}", proxy.address()), names);
    assert!(is_refused(soon(web.fetch(asked("http://inside.example.com/"))).await));
    let unknown = soon(web.fetch(asked("http://unknown.example.com/"))).await.unwrap_err();
    assert!(matches!(unknown, WebFault::Unreachable(_)), "{unknown:?}");
    assert_eq!(proxy.connections(), 0);
}

#[tokio::test]
async fn a_trusted_proxy_is_handed_names_that_are_public_for_this_machine_too() {
    let proxy = Server::start(vec![answer("200 OK", "through")]).await;
    let web = trusting(proxy.address(), names);
    let found = soon(web.fetch(asked("http://page.example.com/a"))).await.unwrap();
    assert_eq!(found.body, b"through");
    assert!(proxy.requests()[0].starts_with("GET http://page.example.com/a HTTP/1.1\r\n"));
    let closed = ["http://inside.example.com/", "http://10.0.0.7/", "http://2130706433/", "http://[::1]/"];
    for url in closed {
        assert!(is_refused(soon(web.fetch(asked(url))).await), "{url}");
    }
    let unknown = soon(web.fetch(asked("https://unknown.example.com/"))).await.unwrap_err();
    assert_eq!(
        unknown,
        WebFault::Refused(
            "unknown.example.com was not fetched: this machine cannot look the name up (the name leads nowhere), and \
             one that only the proxy knows may lead into a private network. Correct the name, or make DNS work on \
             this machine"
                .to_owned()
        )
    );
    assert_eq!(proxy.connections(), 1);
}

#[tokio::test]
async fn what_we_or_the_person_named_goes_through_the_proxy_and_what_it_leads_to_does_not() {
    for named_by in [NamedBy::Us, NamedBy::Owner] {
        let script = vec![answer("200 OK", "through"), redirect("302", "http://unknown.example.net/")];
        let proxy = Server::start(script).await;
        let web = behind(proxy.address(), names);
        let request = WebRequest { named_by, ..configured("http://unknown.example.com/") };
        assert_eq!(soon(web.fetch(request.clone())).await.unwrap().body, b"through");
        let led_on = soon(web.fetch(request)).await.unwrap_err();
        assert!(matches!(led_on, WebFault::Unreachable(_)), "{led_on:?}");
        assert_eq!(proxy.requests().len(), 2, "{named_by:?}");
    }
}

#[tokio::test]
async fn every_host_on_the_way_must_be_listed_before_it_is_asked() {
    let script = vec![
        redirect("302", "http://page.example.net/between"),
        redirect("302", "http://page.example.com/end"),
        answer("200 OK", "there"),
    ];
    let fetch = async |listed: &[&str]| {
        let proxy = Server::start(script.clone()).await;
        let listed: Vec<String> = listed.iter().map(|host| (*host).to_owned()).collect();
        let hosts = HostList::of("some.urlAllowlist", &listed);
        let request = WebRequest { hosts, ..asked("http://page.example.com/") };
        let body = soon(trusting(proxy.address(), names).fetch(request)).await.map(|found| found.body);
        (body, proxy.requests().len())
    };
    let refused = |host: &str| Err(WebFault::Refused(format!("the host {host} is not in some.urlAllowlist")));
    assert_eq!(fetch(&[]).await, (Ok(b"there".to_vec()), 3));
    assert_eq!(fetch(&["page.example.com", "*.example.net"]).await, (Ok(b"there".to_vec()), 3));
    assert_eq!(fetch(&["page.example.com"]).await, (refused("page.example.net"), 1));
    assert_eq!(fetch(&["page.example.net"]).await, (refused("page.example.com"), 0));
}
