//! A listener on this machine that a browser is redirected to at the end of a sign-in.
//!
//! It answers one path, to this machine alone, and only requests that were meant for it: another name in `Host` could
//! be a page of somebody else. A request with the wrong state changes nothing. `judge` decides, purely; the rest reads
//! and writes sockets within bounds.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use openclaw_ports::{Clock, Deadline};
use openclaw_types::Secret;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use zeroize::Zeroizing;

use super::LoginError;
use super::page::Page;
use crate::auth::oauth::field_of;

/// Larger requests are not answered.
const MAX_HEAD: usize = 16 * 1024;
/// Slower ones neither.
const PATIENCE: Duration = Duration::from_secs(5);
/// So many may be under way at once.
const MAX_OPEN: usize = 16;

/// The open listener.
pub(super) struct CallbackListener {
    listener: TcpListener,
    address: SocketAddr,
    path: &'static str,
}

/// What a request to the listener means.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// The sign-in is over.
    End(Result<Secret<String>, LoginError>, Page),
    /// It means nothing.
    Ignore(Page),
}

impl CallbackListener {
    /// Listens on a port, or at any free one for port 0.
    pub(super) async fn open(port: u16, path: &'static str) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, path })
    }

    /// The port it is at.
    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Waits for the browser. The listener closes when this ends or is dropped.
    pub(super) async fn wait(self, clock: &dyn Clock, state: &str) -> Result<Secret<String>, LoginError> {
        let mut open = FuturesUnordered::new();
        loop {
            // Neither branch loses work: accepting takes a connection or nothing, visits go on inside the set.
            tokio::select! {
                visitor = self.listener.accept(), if open.len() < MAX_OPEN => match visitor {
                    Ok((socket, _)) => {
                        let visit = visit(socket, self.port(), self.path, state);
                        open.push(async move { Deadline::after(clock, PATIENCE).bound(clock, visit).await });
                    }
                    Err(error) => tracing::debug!(%error, "a visitor was lost at the sign-in's door"),
                },
                Some(visit) = open.next(), if !open.is_empty() => {
                    if let Ok(Some(outcome)) = visit {
                        return outcome;
                    }
                }
            }
        }
    }
}

/// Answers one visitor; something when the sign-in is over.
async fn visit(
    mut socket: TcpStream,
    port: u16,
    path: &str,
    state: &str,
) -> Option<Result<Secret<String>, LoginError>> {
    let head = match read_head(&mut socket).await {
        Ok(head) => head,
        Err(error) => {
            tracing::debug!(%error, "a visitor at the sign-in's door was not understood");
            return None;
        }
    };
    let verdict = judge(&head, port, path, state);
    let (outcome, page) = match verdict {
        Verdict::End(outcome, page) => (Some(outcome), page),
        Verdict::Ignore(page) => (None, page),
    };
    // The sign-in counts whether or not its page arrives.
    let sent = async {
        socket.write_all(page.answer().as_bytes()).await?;
        socket.shutdown().await
    };
    if let Err(error) = sent.await {
        tracing::debug!(%error, "the last page of a sign-in was not taken");
    }
    outcome
}

async fn read_head(socket: &mut TcpStream) -> std::io::Result<Zeroizing<String>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_HEAD));
    let mut piece = Zeroizing::new([0; 2048]);
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = socket.read(piece.as_mut_slice()).await?;
        if count == 0 || bytes.len() + count > MAX_HEAD {
            return Err(std::io::Error::from(std::io::ErrorKind::InvalidData));
        }
        bytes.extend_from_slice(&piece[..count]);
    }
    match std::str::from_utf8(&bytes) {
        Ok(text) => Ok(Zeroizing::new(text.to_owned())),
        Err(_) => Err(std::io::Error::from(std::io::ErrorKind::InvalidData)),
    }
}

/// Decides what a request means.
pub(super) fn judge(head: &str, port: u16, path: &str, state: &str) -> Verdict {
    let mut lines = head.split("\r\n");
    let request: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let hosts: Vec<&str> = lines
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
        .map(|(_, value)| value.trim())
        .collect();
    let ours = ["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{port}"));
    let [host] = hosts.as_slice() else { return Verdict::Ignore(Page::Refused) };
    let ["GET", target, "HTTP/1.1" | "HTTP/1.0"] = request.as_slice() else {
        return Verdict::Ignore(Page::Refused);
    };
    if !ours.iter().any(|ours| ours.eq_ignore_ascii_case(host)) {
        return Verdict::Ignore(Page::Refused);
    }
    let (found, query) = target.split_once('?').unwrap_or((target, ""));
    if found != path {
        return Verdict::Ignore(Page::NotFound);
    }
    if field_of(query, "state").as_deref() != Some(state) {
        return Verdict::Ignore(Page::WrongState);
    }
    if let Some(error) = field_of(query, "error") {
        let error = match error.as_str() {
            "access_denied" => LoginError::Declined,
            other => LoginError::Refused { code: word(other) },
        };
        return Verdict::End(Err(error), Page::Declined);
    }
    match field_of(query, "code").filter(|code| !code.trim().is_empty()) {
        Some(code) => Verdict::End(Ok(Secret::new(code)), Page::Done),
        None => Verdict::Ignore(Page::NoCode),
    }
}

/// A code of an error is a word; nothing else is repeated.
fn word(text: &str) -> String {
    let plain =
        text.len() <= 48 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if plain { text.to_owned() } else { "an error".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(target: &str, host: &str) -> Verdict {
        judge(
            &format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\n\r\n"),
            1455,
            "/auth/callback",
            "st",
        )
    }

    #[test]
    fn only_the_expected_request_ends_the_sign_in() {
        let done = || Verdict::End(Ok(Secret::new("abc".to_owned())), Page::Done);
        let rows = [
            ("/auth/callback?code=abc&state=st", "localhost:1455", done()),
            ("/auth/callback?state=st&code=abc", "127.0.0.1:1455", done()),
            ("/auth/callback?code=abc&state=st", "evil.example:1455", Verdict::Ignore(Page::Refused)),
            ("/auth/callback?code=abc&state=st", "localhost", Verdict::Ignore(Page::Refused)),
            ("/auth/callback?code=abc&state=other", "localhost:1455", Verdict::Ignore(Page::WrongState)),
            ("/auth/callback?code=abc", "localhost:1455", Verdict::Ignore(Page::WrongState)),
            ("/auth/callback?state=st", "localhost:1455", Verdict::Ignore(Page::NoCode)),
            ("/favicon.ico", "localhost:1455", Verdict::Ignore(Page::NotFound)),
            (
                "/auth/callback?error=access_denied&state=st",
                "localhost:1455",
                Verdict::End(Err(LoginError::Declined), Page::Declined),
            ),
            (
                "/auth/callback?error=%3Cscript%3E&state=st",
                "localhost:1455",
                Verdict::End(Err(LoginError::Refused { code: "an error".to_owned() }), Page::Declined),
            ),
        ];
        for (target, host, expected) in rows {
            assert_eq!(at(target, host), expected, "{target} at {host}");
        }
    }

    #[test]
    fn other_methods_and_broken_requests_are_refused() {
        for head in [
            "POST /auth/callback?code=abc&state=st HTTP/1.1\r\nHost: localhost:1455\r\n\r\n",
            "GET /auth/callback?code=abc&state=st HTTP/1.1\r\n\r\n",
            "GET /auth/callback?code=abc&state=st HTTP/1.1\r\nHost: localhost:1455\r\nHost: evil\r\n\r\n",
            "nonsense",
            "",
        ] {
            assert_eq!(judge(head, 1455, "/auth/callback", "st"), Verdict::Ignore(Page::Refused), "{head}");
        }
    }
}
