//! A client made of a bare WebSocket: it sends what a test says and shows what comes back.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::TOKEN;

/// How long anything may take before a test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// What came from the gateway.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// A JSON message.
    Json(Value),
    /// A close with its code and reason.
    Close(u16, String),
    /// The end of the connection.
    End,
}

/// A socket to the gateway. `S` is what it runs on: plain TCP or TLS.
pub struct Client<S = TcpStream> {
    pub socket: WebSocketStream<S>,
    /// What came before what a test waited for.
    pub skipped: Vec<Value>,
    /// The payload of the welcome.
    pub hello: Value,
    next_id: u64,
}

/// What an operator without a device says, with the shared token.
pub fn connect_params(scopes: &[&str]) -> Value {
    json!({
        "minProtocol": 3, "maxProtocol": 3,
        "client": {"id": "gateway-client", "version": "1", "platform": "linux", "mode": "backend"},
        "role": "operator", "scopes": scopes, "auth": {"token": TOKEN},
    })
}

impl Client<TcpStream> {
    /// Opens a socket and stops there.
    pub async fn open(address: SocketAddr) -> Self {
        Self::open_with(address, &[]).await
    }

    /// Opens a socket with more headers.
    pub async fn open_with(address: SocketAddr, headers: &[(&str, &str)]) -> Self {
        Self::open_path(address, "/", headers).await
    }

    /// Opens a socket on a path.
    pub async fn open_path(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        Self::over(stream, &format!("ws://{address}{path}"), headers).await
    }
}

impl<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin> Client<S> {
    /// Speaks WebSocket over a stream.
    pub async fn over(stream: S, url: &str, headers: &[(&str, &str)]) -> Self {
        let mut request = url.into_client_request().unwrap();
        for (name, value) in headers {
            let name: tokio_tungstenite::tungstenite::http::HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        let (socket, _) = client_async(request, stream).await.unwrap();
        Self { socket, skipped: Vec::new(), hello: Value::Null, next_id: 0 }
    }

    /// Sends a message as text.
    pub async fn send_text(&mut self, text: &str) {
        self.socket.send(Message::text(text.to_owned())).await.unwrap();
    }

    /// Sends a message as bytes.
    pub async fn send_binary(&mut self, bytes: &[u8]) {
        self.socket.send(Message::binary(bytes.to_vec())).await.unwrap();
    }

    /// Sends a request and gives its id.
    pub async fn request(&mut self, method: &str, params: &Value) -> String {
        self.next_id += 1;
        let id = format!("r{}", self.next_id);
        self.send_text(&json!({"type": "req", "id": id, "method": method, "params": params}).to_string())
            .await;
        id
    }

    /// Sends a request and waits for its response; what comes before it is kept in `skipped`.
    pub async fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, &params).await;
        self.response(&id).await
    }

    /// The payload of a call that must succeed.
    pub async fn ok(&mut self, method: &str, params: Value) -> Value {
        let response = self.call(method, params).await;
        assert_eq!(response["ok"], true, "{method}: {response}");
        response["payload"].clone()
    }

    /// The error of a call that must fail.
    pub async fn error(&mut self, method: &str, params: Value) -> Value {
        let response = self.call(method, params).await;
        assert_eq!(response["ok"], false, "{method}: {response}");
        response["error"].clone()
    }

    /// Waits for the response with this id.
    pub async fn response(&mut self, id: &str) -> Value {
        self.until(|frame| frame["type"] == "res" && frame["id"] == id).await
    }

    /// Waits for the next event with this name.
    pub async fn event(&mut self, name: &str) -> Value {
        self.until(|frame| frame["type"] == "event" && frame["event"] == name).await
    }

    /// Waits for the challenge and sends a connect; gives the whole response.
    pub async fn connect_with(&mut self, params: &Value) -> Value {
        self.event("connect.challenge").await;
        let id = self.request("connect", params).await;
        self.response(&id).await
    }

    /// Waits for a message that fits.
    pub async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.skipped.iter().position(&fits) {
            return self.skipped.remove(place);
        }
        loop {
            match self.next().await {
                Frame::Json(value) if fits(&value) => return value,
                Frame::Json(value) => self.skipped.push(value),
                other => panic!("the connection ended while waiting: {other:?}; skipped {:?}", self.skipped),
            }
        }
    }

    /// Waits for the close and gives its code and reason.
    pub async fn closed(&mut self) -> (u16, String) {
        loop {
            match self.next().await {
                Frame::Json(value) => self.skipped.push(value),
                Frame::Close(code, reason) => return (code, reason),
                Frame::End => panic!("the connection ended without a close; skipped {:?}", self.skipped),
            }
        }
    }

    /// The next thing from the gateway.
    pub async fn next(&mut self) -> Frame {
        loop {
            let next =
                tokio::time::timeout(PATIENCE, self.socket.next()).await.expect("the gateway went silent");
            return match next {
                Some(Ok(Message::Text(text))) => Frame::Json(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(Some(close)))) => {
                    Frame::Close(close.code.into(), close.reason.to_string())
                }
                Some(Ok(Message::Close(None))) => Frame::Close(1005, String::new()),
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
                Some(Ok(Message::Binary(bytes))) => panic!("the gateway sent bytes: {bytes:?}"),
                Some(Err(_)) | None => Frame::End,
            };
        }
    }
}
