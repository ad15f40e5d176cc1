//! One HTTP request over a bare socket, written and read as text, so that tests see exactly what is on the wire.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpAnswer {
    pub status: u16,
    /// By lower-case name.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

/// Sends one request, such as `GET /health`, with more header lines, and reads the whole answer.
pub async fn http(address: SocketAddr, request: &str, headers: &[(&str, &str)]) -> HttpAnswer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let has_host = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host"));
    let mut text = format!("{request} HTTP/1.1\r\nConnection: close\r\n");
    if !has_host {
        text.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    parse(&String::from_utf8_lossy(&bytes))
}

fn parse(text: &str) -> HttpAnswer {
    let (head, body) = text.split_once("\r\n\r\n").expect("an answer has a head");
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap().parse().unwrap();
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    HttpAnswer { status, headers, body: body.to_owned() }
}
