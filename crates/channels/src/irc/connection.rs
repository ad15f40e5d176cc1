//! The socket: connects, encrypts, signs in, and gives the two halves to those who hear and speak.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::channel::{
    Account, ChannelContext, ChannelError, Health, Identity, Landed, Probe, Surface,
};
use openclaw_ports::{Clock, Deadline};
use openclaw_types::PeerId;
use rustls_platform_verifier::ConfigVerifierExt as _;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, ReadHalf, WriteHalf,
};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use super::config::IrcLogin;
use super::line::IrcLine;
use super::outlet::Outlet;
use super::receive::IrcReceive;
use super::register::{RegisterOutcome, Registration};
use super::send::IrcSend;

/// How long connecting and signing in may take together.
const PATIENCE: Duration = Duration::from_secs(30);
/// The most bytes of a line with tags. A server that sends more is broken or hostile.
const MOST_LINE: usize = 16 * 1024;

/// Reads lines.
pub(super) struct Reader {
    inner: BufReader<ReadHalf<Box<dyn Stream>>>,
    /// What came of a line that is not whole yet.
    begun: Vec<u8>,
}

/// Writes lines.
pub(super) type Writer = WriteHalf<Box<dyn Stream>>;

/// A socket, encrypted or not.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Sync + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Stream for T {}

/// An account on a server.
pub(super) struct IrcAccount {
    login: Arc<IrcLogin>,
}

impl IrcAccount {
    pub(super) fn new(login: Arc<IrcLogin>) -> Self {
        Self { login }
    }
}

#[async_trait]
impl Account for IrcAccount {
    async fn connect(&self, context: ChannelContext) -> Result<Surface, ChannelError> {
        let line = open(&self.login, context.clock.as_ref()).await?;
        let identity = identity(&self.login, &line.nick)?;
        let outlet = Outlet::start(&context, line.writer, line.nick);
        for each in line.say {
            outlet.queue(each)?;
        }
        let mut surface = Surface::empty(identity.clone());
        surface.receive = Some(Box::new(IrcReceive::new(
            context.clone(),
            line.reader,
            outlet.clone(),
            Arc::clone(&self.login),
        )));
        surface.send = Some(Arc::new(IrcSend::new(outlet)));
        surface.probe =
            Some(Arc::new(IrcProbe { login: Arc::clone(&self.login), clock: Arc::clone(&context.clock) }));
        context.health.tell(Health::Connected(identity));
        Ok(surface)
    }
}

/// A line that is signed in.
struct Open {
    reader: Reader,
    writer: Writer,
    nick: String,
    say: Vec<String>,
}

async fn open(login: &IrcLogin, clock: &dyn Clock) -> Result<Open, ChannelError> {
    let deadline = Deadline::after(clock, PATIENCE);
    deadline
        .bound(clock, sign_in(login))
        .await
        .unwrap_or_else(|_| Err(unreachable("the server did not answer in time")))
}

async fn sign_in(login: &IrcLogin) -> Result<Open, ChannelError> {
    let (read, mut writer) = tokio::io::split(socket(login).await?);
    let mut reader = Reader::new(read);
    let mut registration = Registration::new(login);
    write_lines(&mut writer, &registration.begin()).await?;
    loop {
        let Some(text) = reader.line().await? else {
            return Err(unreachable("the server closed the line"));
        };
        let Some(line) = IrcLine::read(&text) else { continue };
        match registration.on(&line)? {
            RegisterOutcome::Say(lines) => write_lines(&mut writer, &lines).await?,
            RegisterOutcome::Welcome { nick, say } => return Ok(Open { reader, writer, nick, say }),
        }
    }
}

async fn socket(login: &IrcLogin) -> Result<Box<dyn Stream>, ChannelError> {
    let plain = TcpStream::connect((login.host.as_str(), login.port))
        .await
        .map_err(|error| unreachable(&error.to_string()))?;
    plain.set_nodelay(true).map_err(|error| unreachable(&error.to_string()))?;
    if !login.tls {
        return Ok(Box::new(plain));
    }
    if rustls::crypto::CryptoProvider::get_default().is_none()
        && rustls::crypto::ring::default_provider().install_default().is_err()
    {
        tracing::debug!("another part of the process chose how to encrypt");
    }
    let config = ClientConfig::with_platform_verifier()
        .map_err(|error| unreachable(&format!("the machine's certificates cannot be used: {error}")))?;
    let name = ServerName::try_from(login.host.clone())
        .map_err(|error| ChannelError::Wrong { reason: format!("host is no name of a server: {error}") })?;
    let encrypted = TlsConnector::from(Arc::new(config)).connect(name, plain).await;
    Ok(Box::new(encrypted.map_err(|error| unreachable(&error.to_string()))?))
}

impl Reader {
    fn new(half: ReadHalf<Box<dyn Stream>>) -> Self {
        Self { inner: BufReader::new(half), begun: Vec::new() }
    }

    /// The next line; nothing at the end. Dropping the future loses nothing: a line that has begun goes on next time.
    pub(super) async fn line(&mut self) -> Result<Option<String>, ChannelError> {
        loop {
            let waiting = self.inner.fill_buf().await.map_err(|error| unreachable(&error.to_string()))?;
            if waiting.is_empty() {
                return Ok(None);
            }
            let end = waiting.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(waiting.len(), |end| end + 1);
            self.begun.extend_from_slice(&waiting[..taken]);
            self.inner.consume(taken);
            if self.begun.len() > MOST_LINE {
                return Err(unreachable("the server sent a line without end"));
            }
            if end.is_some() {
                let line = std::mem::take(&mut self.begun);
                return Ok(Some(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned()));
            }
        }
    }
}

/// Writes lines at once.
pub(super) async fn write_lines(writer: &mut Writer, lines: &[String]) -> Result<(), ChannelError> {
    let mut bytes = Vec::new();
    for line in lines {
        bytes.extend_from_slice(line.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    let sent = async {
        writer.write_all(&bytes).await?;
        writer.flush().await
    };
    sent.await.map_err(|error| unreachable(&error.to_string()))
}

pub(super) fn unreachable(reason: &str) -> ChannelError {
    ChannelError::Unreachable { reason: reason.to_owned(), landed: Landed::No }
}

fn identity(login: &IrcLogin, nick: &str) -> Result<Identity, ChannelError> {
    let id = PeerId::new(nick.to_lowercase())
        .map_err(|error| ChannelError::Wrong { reason: error.to_string() })?;
    Ok(Identity {
        id,
        handle: Some(nick.to_owned()),
        name: Some(nick.to_owned()),
        facts: json!({ "server": login.host, "rooms": login.rooms }),
    })
}

/// Signs in under another nick and leaves again.
struct IrcProbe {
    login: Arc<IrcLogin>,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Probe for IrcProbe {
    async fn probe(&self) -> Result<Value, ChannelError> {
        let began = self.clock.elapsed();
        // NickServ is left alone: it would put out the line that is up.
        let login = IrcLogin {
            account: None,
            sasl: false,
            rooms: Vec::new(),
            register_email: None,
            ..IrcLogin::clone(&self.login)
        };
        let mut line = open(&login, self.clock.as_ref()).await?;
        write_lines(&mut line.writer, &["QUIT :probe".to_owned()]).await?;
        let took = self.clock.elapsed().saturating_sub(began);
        Ok(
            json!({ "ok": true, "host": login.host, "port": login.port, "tls": login.tls, "latencyMs": took.as_millis() as u64 }),
        )
    }
}
