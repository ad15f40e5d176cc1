//! A server that follows a script: raw bytes out, requests and closed connections noted.
//!
//! Small on purpose: it sends exactly what a test says, also what no library would send.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use openclaw_ports::TaskScope;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the server does with one request.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Sends bytes.
    Send(String),
    /// Waits until the client closes.
    UntilClosed,
    /// Waits until the test opens the gate.
    Gate,
    /// Closes.
    Close,
}

/// What a server saw.
#[derive(Debug, Default)]
struct Seen {
    requests: Vec<String>,
    connections: usize,
    closed: usize,
}

/// A server on a free port of this machine. It ends with the test.
pub(crate) struct Server {
    address: String,
    seen: watch::Sender<Seen>,
    gate: watch::Sender<bool>,
    scope: TaskScope,
}

type Script = Arc<Mutex<VecDeque<Vec<Step>>>>;

impl Server {
    /// Answers each request with the next entry of the script; the last one serves all that follow.
    pub(crate) async fn start(script: Vec<Vec<Step>>) -> Arc<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let server = Arc::new(Self {
            address: listener.local_addr().unwrap().to_string(),
            seen: watch::Sender::default(),
            gate: watch::Sender::new(false),
            scope: TaskScope::root("server"),
        });
        let script: Script = Arc::new(Mutex::new(script.into()));
        let (seen, gate, scope) = (server.seen.clone(), server.gate.clone(), server.scope.clone());
        server.scope.start_cancellable("accept", async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                seen.send_modify(|seen| seen.connections += 1);
                scope.start_cancellable(
                    "connection",
                    serve(socket, script.clone(), seen.clone(), gate.subscribe()),
                );
            }
        });
        server
    }

    /// The address with a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The requests so far, heads and bodies.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.borrow().requests.clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.seen.borrow().connections
    }

    /// Waits for so many requests.
    pub(crate) async fn until_requests(&self, count: usize) {
        self.seen.subscribe().wait_for(|seen| seen.requests.len() >= count).await.unwrap();
    }

    /// Waits for so many connections.
    pub(crate) async fn until_connections(&self, count: usize) {
        self.seen.subscribe().wait_for(|seen| seen.connections >= count).await.unwrap();
    }

    /// Waits until so many connections were closed by the client.
    pub(crate) async fn until_closed(&self, count: usize) {
        self.seen.subscribe().wait_for(|seen| seen.closed >= count).await.unwrap();
    }

    /// Lets all go on that wait at the gate.
    pub(crate) fn open_gate(&self) {
        self.gate.send_replace(true);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.scope.cancel();
    }
}

async fn serve(
    mut socket: TcpStream,
    script: Script,
    seen: watch::Sender<Seen>,
    mut gate: watch::Receiver<bool>,
) {
    while let Some(request) = read_request(&mut socket).await {
        seen.send_modify(|seen| seen.requests.push(request));
        let steps = {
            let mut script = script.lock().unwrap();
            if script.len() > 1 { script.pop_front().unwrap() } else { script[0].clone() }
        };
        for step in steps {
            match step {
                Step::Send(text) => {
                    if socket.write_all(text.as_bytes()).await.is_err() {
                        break;
                    }
                }
                Step::UntilClosed => until_closed(&mut socket).await,
                Step::Gate => drop(gate.wait_for(|open| *open).await.unwrap()),
                Step::Close => return,
            }
        }
    }
    seen.send_modify(|seen| seen.closed += 1);
}

async fn until_closed(socket: &mut TcpStream) {
    let mut buffer = [0; 1024];
    while socket.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
}

/// A request with a length; nothing when the client closed instead.
async fn read_request(socket: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some(text);
            }
        }
        let mut buffer = [0; 16 * 1024];
        match socket.read(&mut buffer).await {
            Ok(0) | Err(_) => return None,
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
        }
    }
}

/// A whole answer of a model that says `text`.
pub(crate) fn say(text: &str) -> Vec<Step> {
    let body = format!("{}{}", words(text), END);
    vec![Step::Send(answer(200, "content-type: text/event-stream\r\n", &body))]
}

/// The head of a stream without a length, and what follows.
pub(crate) fn stream(steps: Vec<Step>) -> Vec<Step> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let mut all = vec![Step::Send(head.to_owned())];
    all.extend(steps);
    all
}

/// An answer of any status.
pub(crate) fn refuse(status: u16, headers: &str, body: &str) -> Vec<Step> {
    vec![Step::Send(answer(status, headers, body))]
}

/// One piece of a stream.
pub(crate) fn words(text: &str) -> String {
    format!(
        "data: {{\"id\":\"a\",\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
    )
}

/// The end of a stream.
pub(crate) const END: &str = "data: {\"id\":\"a\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn answer(status: u16, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}
