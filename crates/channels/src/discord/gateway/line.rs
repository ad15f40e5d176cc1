//! A line to the gateway: the socket with its heartbeat. Payloads come out as they are; what they mean is decided
//! elsewhere.
//!
//! A heartbeat names the last event that the host has kept, so that nothing is acknowledged before. A line whose
//! heartbeat was not answered when the next one is due is dead.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::{Clock, Deadline};
use serde_json::{Value, json};

use super::super::wire::{Frame, Hello};
use super::session::{Intents, Next, Resume, after_close};
use crate::shared::{SocketFault, SocketMessage, SocketReader, SocketSettings, SocketWriter, open_socket};

/// How long the first payload may take.
const FIRST: Duration = Duration::from_secs(30);
/// The most bytes of one payload: large guilds are told whole.
const MOST: usize = 64 * 1024 * 1024;
/// Ends a line without ending its session; the usual codes would.
const STAYS: u16 = 4200;

const DISPATCH: u8 = 0;
const BEAT: u8 = 1;
const IDENTIFY: u8 = 2;
const PRESENCE: u8 = 3;
const RESUME: u8 = 6;
const RECONNECT: u8 = 7;
const INVALID: u8 = 9;
const ACKNOWLEDGED: u8 = 11;

/// A line to the gateway.
pub(in super::super) struct DiscordConnection {
    reader: SocketReader,
    writer: SocketWriter,
    clock: Arc<dyn Clock>,
    interval: Duration,
    due: Deadline,
    answered: bool,
    /// The last event that the host has kept.
    sequence: Option<u64>,
}

/// What came over a line.
#[derive(Debug)]
pub(in super::super) enum GatewayMessage {
    /// An event: its name, its place in the session, and the payload it is in.
    Event {
        /// Its name.
        name: String,
        /// Its place.
        sequence: u64,
        /// The whole payload.
        payload: String,
    },
    /// The line is over, or is to be.
    Over(Next),
}

impl DiscordConnection {
    /// Opens a line and waits for the first payload.
    pub(super) async fn open(
        url: &str,
        proxy: Option<&str>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, SocketFault> {
        let settings = SocketSettings {
            address: format!("{}/?v=10&encoding=json", url.trim_end_matches('/')),
            headers: Vec::new(),
            proxy: proxy.map(str::to_owned),
            most: MOST,
        };
        let (writer, mut reader) = open_socket(&settings, &clock).await?;
        let hello = Deadline::after(clock.as_ref(), FIRST)
            .bound(clock.as_ref(), hello(&mut reader))
            .await
            .unwrap_or_else(|_| Err(broken("the gateway did not begin in time")))?;
        let interval = Duration::from_millis(hello.heartbeat_interval.max(1));
        // The first beat comes at a random moment, so that lines that were lost together do not beat together.
        let first = interval.mul_f64(chance());
        let due = Deadline::after(clock.as_ref(), first);
        Ok(Self { reader, writer, clock, interval, due, answered: true, sequence: None })
    }

    /// Says who we are, to begin a session.
    pub(super) async fn identify(
        &mut self,
        token: &str,
        intents: Intents,
        presence: Option<&Value>,
    ) -> Result<(), SocketFault> {
        let properties = json!({ "os": std::env::consts::OS, "browser": "openclaw", "device": "openclaw" });
        let mut body = json!({ "token": token, "intents": intents.0, "properties": properties });
        if let Some(presence) = presence {
            body["presence"] = presence.clone();
        }
        self.say(IDENTIFY, body).await
    }

    /// Takes a session up again.
    pub(super) async fn resume(&mut self, token: &str, resume: &Resume) -> Result<(), SocketFault> {
        self.sequence = Some(resume.sequence);
        let body = json!({ "token": token, "session_id": resume.session, "seq": resume.sequence });
        self.say(RESUME, body).await
    }

    /// Shows people what we do.
    pub(in super::super) async fn show(&mut self, presence: &Value) -> Result<(), SocketFault> {
        self.say(PRESENCE, presence.clone()).await
    }

    /// The host has kept everything up to this event.
    pub(in super::super) fn kept(&mut self, sequence: u64) {
        self.sequence = Some(sequence);
    }

    /// The next event, or the end. Beats meanwhile. Dropping the future loses nothing.
    pub(in super::super) async fn next(&mut self) -> GatewayMessage {
        loop {
            let clock = Arc::clone(&self.clock);
            // Much to read must not keep the line from beating.
            if self.answered
                && self.due.left(clock.as_ref()).is_zero()
                && let Err(fault) = self.beat().await
            {
                return GatewayMessage::Over(Next::Resume { reason: fault.reason });
            }
            // Biased: an answer that is there counts before the next beat. Nothing is lost by the other branch.
            let heard = tokio::select! {
                biased;
                heard = self.reader.next() => heard,
                () = clock.sleep(self.due.left(clock.as_ref())) => {
                    match self.beat().await {
                        Ok(()) => continue,
                        Err(fault) => Err(fault),
                    }
                }
            };
            match heard {
                Ok(SocketMessage::Text(text)) => {
                    if let Some(spoken) = self.read(text).await {
                        return spoken;
                    }
                }
                Ok(SocketMessage::Closed { code, reason }) => {
                    return GatewayMessage::Over(after_close(code, &reason));
                }
                Ok(SocketMessage::Binary(_) | SocketMessage::Alive) => {}
                Err(fault) => return GatewayMessage::Over(Next::Resume { reason: fault.reason }),
            }
        }
    }

    /// Does something else and keeps the line alive meanwhile.
    pub(in super::super) async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        let mut broken = false;
        loop {
            let clock = Arc::clone(&self.clock);
            // Neither branch loses work: the future goes on after a beat.
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = clock.sleep(self.due.left(clock.as_ref())), if !broken => {
                    // Nobody reads meanwhile, so an answer may be there unread.
                    self.answered = true;
                    // A line that breaks is noticed by whoever reads next.
                    broken = self.beat().await.is_err();
                }
            }
        }
    }

    /// Ends the line, not its session.
    pub(in super::super) async fn leave(&mut self) {
        self.writer.close(STAYS).await;
    }

    async fn read(&mut self, text: String) -> Option<GatewayMessage> {
        let Ok(frame) = serde_json::from_str::<Frame<'_>>(&text) else {
            tracing::debug!(subsystem = "channels", "a payload of the gateway makes no sense");
            return None;
        };
        match frame.op {
            DISPATCH => {
                let (name, sequence) = (frame.t?, frame.s?);
                Some(GatewayMessage::Event { name, sequence, payload: text })
            }
            BEAT => {
                self.answered = true;
                let beat = self.beat().await.err()?;
                Some(GatewayMessage::Over(Next::Resume { reason: beat.reason }))
            }
            RECONNECT => {
                Some(GatewayMessage::Over(Next::Resume { reason: "Discord asked for a new line".to_owned() }))
            }
            INVALID if frame.d.is_some_and(|value| value.get() == "true") => {
                Some(GatewayMessage::Over(Next::Resume {
                    reason: "Discord asked to take up the session again".to_owned(),
                }))
            }
            INVALID => Some(GatewayMessage::Over(Next::Fresh { reason: "the session is over".to_owned() })),
            ACKNOWLEDGED => {
                self.answered = true;
                None
            }
            _ => None,
        }
    }

    async fn beat(&mut self) -> Result<(), SocketFault> {
        if !self.answered {
            self.leave().await;
            return Err(broken("the gateway has gone silent"));
        }
        self.answered = false;
        self.due = Deadline::after(self.clock.as_ref(), self.interval);
        let sequence = self.sequence.map_or(Value::Null, Value::from);
        self.say(BEAT, sequence).await
    }

    async fn say(&mut self, op: u8, body: Value) -> Result<(), SocketFault> {
        self.writer.text(json!({ "op": op, "d": body }).to_string()).await
    }
}

async fn hello(reader: &mut SocketReader) -> Result<Hello, SocketFault> {
    loop {
        match reader.next().await? {
            SocketMessage::Text(text) => {
                let frame: Frame<'_> = serde_json::from_str(&text)
                    .map_err(|_nonsense| broken("the gateway does not speak its language"))?;
                if let Some(body) = frame.d.filter(|_| frame.op == 10) {
                    return serde_json::from_str(body.get())
                        .map_err(|_nonsense| broken("the gateway does not say how often to beat"));
                }
            }
            SocketMessage::Closed { code, .. } => {
                return Err(broken(&format!("the gateway closed the line at once (code {code})")));
            }
            SocketMessage::Binary(_) | SocketMessage::Alive => {}
        }
    }
}

fn broken(reason: &str) -> SocketFault {
    SocketFault { reason: reason.to_owned(), status: None, landed: openclaw_ports::channel::Landed::No }
}

/// A number from 0 to 1. Without random numbers it is the middle.
pub(in super::super) fn chance() -> f64 {
    let mut bytes = [0_u8; 4];
    match getrandom::fill(&mut bytes) {
        Ok(()) => f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX),
        Err(_) => 0.5,
    }
}
