//! Proxies from variables.

use openclaw_ports::model::{FaultReason, ModelRoute, ServerReach};

use super::server::{Server, refuse, say};
use super::{all, environment, fault_of, greet, route, soon, steered_behind, transport, while_time_passes};
use crate::transport::proxy::{Proxies, keeps_names, takes_addresses};

#[tokio::test]
async fn plain_calls_go_through_the_proxy_whole() {
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        let proxy = Server::start(vec![say("through")]).await;
        let address = proxy.address().replace("127.0.0.1", "ann:pass@127.0.0.1");
        let transport = transport(&[(variable, &format!("http://{address}"))]);
        let events = soon(all(greet(&transport, route("http://model.test/v1")))).await;
        assert_eq!(super::words(&events), "through");
        let request = proxy.requests()[0].clone();
        assert!(request.starts_with("POST http://model.test/v1/chat/completions HTTP/1.1\r\n"), "{request}");
        assert!(request.to_lowercase().contains("proxy-authorization: basic yw5uonbhc3m="), "{request}");
    }
}

#[tokio::test]
async fn encrypted_calls_ask_the_proxy_for_a_tunnel() {
    let proxy = Server::start(vec![refuse(403, "", "")]).await;
    let (clock, transport) = steered_behind(&[("HTTPS_PROXY", proxy.address())]);
    let route = ModelRoute { reach: ServerReach::Public, ..route("https://api.example.com/v1") };
    let fault = while_time_passes(&clock, fault_of(greet(&transport, route))).await;
    assert_eq!(fault.reason, FaultReason::Network);
    assert!(
        proxy.requests()[0].starts_with("CONNECT api.example.com:443 HTTP/1.1\r\n"),
        "{:?}",
        proxy.requests()
    );
}

#[tokio::test]
async fn a_proxy_does_not_lift_the_guard() {
    let proxy = Server::start(vec![say("through")]).await;
    let transport = transport(&[("ALL_PROXY", proxy.address())]);
    for base in ["https://10.0.0.1/v1", "https://localhost/v1", "https://[::1]/v1", "https://db.internal/v1"]
    {
        let route = ModelRoute { reach: ServerReach::Public, ..route(base) };
        assert_eq!(soon(fault_of(greet(&transport, route))).await.reason, FaultReason::Format);
    }
    let fault = soon(fault_of(greet(&transport, route("http://169.254.169.254/v1")))).await;
    assert_eq!((fault.reason, proxy.connections()), (FaultReason::Format, 0));
}

#[tokio::test]
async fn servers_on_this_machine_are_called_directly() {
    let (proxy, server) = (Server::start(vec![say("proxy")]).await, Server::start(vec![say("server")]).await);
    let transport = transport(&[("HTTP_PROXY", proxy.address()), ("NO_PROXY", "example.com")]);
    let events = soon(all(greet(&transport, route(&server.url("/v1"))))).await;
    assert_eq!((super::words(&events).as_str(), proxy.connections()), ("server", 0));
}

#[tokio::test]
async fn hosts_without_proxy_are_called_directly() {
    let proxy = Server::start(vec![say("proxy")]).await;
    // Nothing listens at a reserved address: the direct call fails, and the proxy is not asked.
    let variables = [("HTTP_PROXY", proxy.address()), ("NO_PROXY", "model.test,0.0.0.0/8")];
    let (clock, transport) = steered_behind(&variables);
    let fault = while_time_passes(&clock, fault_of(greet(&transport, route("http://0.0.0.0:1/v1")))).await;
    assert_eq!((fault.reason, proxy.connections()), (FaultReason::Network, 0));
}

#[tokio::test]
async fn a_proxy_that_is_none_is_said_without_its_text() {
    let (clock, transport) = steered_behind(&[("HTTP_PROXY", "http://planted-pass@")]);
    let fault = while_time_passes(&clock, fault_of(greet(&transport, route("http://127.0.0.1:1/v1")))).await;
    assert_eq!(
        fault.to_string(),
        "network: the variable HTTP_PROXY or ALL_PROXY is not the address of a proxy; correct or unset it"
    );
}

#[test]
fn small_letters_go_before_capitals_and_the_special_before_the_general() {
    let read = |variables: &[(&str, &str)]| {
        let proxies = Proxies::of(&environment(variables));
        let text = |proxy: Option<openclaw_types::Secret<String>>| proxy.map(|proxy| proxy.reveal().clone());
        (text(proxies.https), text(proxies.http), proxies.except)
    };
    let here = "localhost,127.0.0.0/8,::1";
    assert_eq!(read(&[]), (None, None, here.to_owned()));
    let variables = [("HTTPS_PROXY", "a"), ("https_proxy", "b"), ("ALL_PROXY", "c"), ("NO_PROXY", "x, .y")];
    assert_eq!(read(&variables), (Some("b".to_owned()), Some("c".to_owned()), format!("x, .y,{here}")));
    assert_eq!(read(&[("HTTP_PROXY", "  "), ("no_proxy", "")]), (None, None, here.to_owned()));
}

#[test]
fn proxies_that_are_handed_addresses_are_known_by_their_scheme() {
    for proxy in ["socks5://ann:pass@proxy:1080", "SOCKS5://proxy", "socks4://10.0.0.1:1080"] {
        assert!(takes_addresses(proxy), "{proxy}");
    }
    for proxy in ["socks5h://proxy", "socks4a://proxy", "http://proxy", "https://proxy", "proxy:8080", ""] {
        assert!(!takes_addresses(proxy), "{proxy}");
    }
}

#[test]
fn proxies_that_are_written_to_look_names_up_are_known_by_their_scheme() {
    for proxy in ["socks5h://ann:pass@proxy:1080", "SOCKS5H://proxy", "socks4a://10.0.0.1:1080"] {
        assert!(keeps_names(proxy), "{proxy}");
    }
    for proxy in ["socks5://proxy", "socks4://proxy", "http://proxy", "proxy:8080", ""] {
        assert!(!keeps_names(proxy), "{proxy}");
    }
}

#[test]
fn hosts_without_proxy_are_those_that_are_listed_and_what_is_below_them() {
    let excepts = |list: &str, host: &str| Proxies::of(&environment(&[("NO_PROXY", list)])).excepts(host);
    for (list, host) in
        [("a.test, b.test", "b.test"), (".b.test", "x.B.test"), ("b.test", "x.b.test"), ("*", "any")]
    {
        assert!(excepts(list, host), "{list} {host}");
    }
    for (list, host) in [("b.test", "ab.test"), ("b.test", "test"), ("", "b.test"), (",", "b.test")] {
        assert!(!excepts(list, host), "{list} {host}");
    }
}
