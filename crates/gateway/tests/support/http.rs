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

/// Posts a body and reads the whole answer; one that comes in pieces is put together.
pub async fn post(address: SocketAddr, path: &str, headers: &[(&str, &str)], body: &str) -> HttpAnswer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut text = format!(
        "POST {path} HTTP/1.1\r\nConnection: close\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    stream.write_all(text.as_bytes()).await.unwrap();
    // A server that has heard enough may answer and hang up before it read everything.
    let (mut reading, mut writing) = stream.split();
    let mut bytes = Vec::new();
    let (_, read) = tokio::join!(writing.write_all(body.as_bytes()), reading.read_to_end(&mut bytes));
    assert!(read.is_ok() || !bytes.is_empty(), "{read:?}");
    let mut answer = parse(&String::from_utf8_lossy(&bytes));
    if answer.headers.get("transfer-encoding").is_some_and(|kind| kind == "chunked") {
        answer.body = joined(&answer.body);
    }
    answer
}

/// Puts the chunks of a body together.
fn joined(mut rest: &str) -> String {
    let mut whole = String::new();
    while let Some((size, more)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        if size == 0 {
            break;
        }
        // Sizes count bytes, and a test's text may hold longer letters.
        whole.push_str(&more[..size]);
        rest = more[size..].trim_start_matches("\r\n");
    }
    whole
}
