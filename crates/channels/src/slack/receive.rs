//! Socket Mode: a line of ours over which Slack brings envelopes, each acknowledged once the sink has what is in it.
//!
//! Slack ends lines by design, with a warning before it: then a new line is opened first, and the old one is heard until
//! it ends. A line that breaks is opened again once; if that fails, or if lines end again and again soon after they
//! began, the host decides when to try again. Several envelopes are in hand at once, so that one whose lookups take long
//! does not hold up the acknowledgements of others. Several lines of one app share its events, so a second program takes
//! away a part of them: that is told.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use openclaw_ports::Deadline;
use openclaw_ports::channel::{ChannelContext, ChannelError, Health, Identity, Landed, Receive, Sink};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::api::{As, SlackApi, SlackArguments};
use super::intake::{Intake, SlackPayload};
use super::wire::{self, Envelope};
use crate::shared::{SocketMessage, SocketReader, SocketSettings, SocketWriter, open_socket};

/// The most bytes one envelope may have.
const LARGEST: usize = 8 * 1024 * 1024;
/// Slack pings every few seconds: silence for so long is asked about.
const QUIET: Duration = Duration::from_secs(45);
/// How long the answer to that may take.
const ANSWER: Duration = Duration::from_secs(15);
/// A line that ends sooner was a short one.
const STEADY: Duration = Duration::from_secs(10);
/// So many short lines in a row are followed by another at once.
const SHORT_LINES: u32 = 3;
/// How many envelopes are in hand at once. More wait on the line.
const IN_HAND: usize = 64;

/// One line to Slack.
pub(super) struct SlackConnection {
    writer: SocketWriter,
    reader: SocketReader,
    /// Tells it from all others.
    number: u64,
    /// When it was opened.
    since: Duration,
    /// Whether Slack has greeted us on it.
    greeted: bool,
}

/// An envelope in hand. Gives the line it came over and its name, where it is to be acknowledged.
type Taking<'a> = BoxFuture<'a, Option<(u64, String)>>;

/// Hears Slack over Socket Mode.
pub(super) struct SlackReceive {
    context: ChannelContext,
    api: SlackApi,
    intake: Intake,
    identity: Identity,
    current: SlackConnection,
    /// The line before, which Slack has announced to end.
    leaving: Option<SlackConnection>,
    /// How many lines in a row were short.
    short: u32,
}

/// Which line something came over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Current,
    Leaving,
}

/// Opens a line: asks for an address, which works once, and connects to it.
pub(super) async fn open(api: &SlackApi, context: &ChannelContext) -> Result<SlackConnection, ChannelError> {
    let answer = api.call(As::App, "apps.connections.open", SlackArguments::default()).await?;
    let address = answer["url"].as_str().unwrap_or_default().to_owned();
    let secured = address.starts_with("wss://") || api.login().root.starts_with("http://");
    if !secured {
        return Err(broken("Slack named no address to connect to"));
    }
    let settings = SocketSettings { address, headers: Vec::new(), proxy: None, most: LARGEST };
    let (writer, reader) = open_socket(&settings, &context.clock).await?;
    Ok(SlackConnection { writer, reader, number: 0, since: context.clock.elapsed(), greeted: false })
}

impl SlackReceive {
    /// Hears over a line that is open already.
    pub(super) fn new(
        context: ChannelContext,
        api: SlackApi,
        intake: Intake,
        (identity, current): (Identity, SlackConnection),
    ) -> Self {
        Self { context, api, intake, identity, current, leaving: None, short: 0 }
    }

    async fn hear(&mut self, sink: &dyn Sink) -> Result<(), ChannelError> {
        let mut in_hand: FuturesUnordered<Taking<'_>> = FuturesUnordered::new();
        loop {
            let room = in_hand.len() < IN_HAND;
            // Biased: an envelope asks for its turn before the next one is read. Neither branch loses anything.
            let (which, heard) = tokio::select! {
                biased;
                Some(taken) = in_hand.next() => {
                    if let Some((line, envelope)) = taken {
                        self.acknowledge(line, &envelope).await?;
                    }
                    continue;
                }
                heard = self.next(), if room => heard,
            };
            match heard {
                Ok(SocketMessage::Text(text)) => in_hand.extend(self.on_text(which, &text, sink).await?),
                Ok(SocketMessage::Binary(_) | SocketMessage::Alive) => {}
                Ok(SocketMessage::Closed { code, reason }) => {
                    self.lost(which, &format!("Slack closed the line ({code} {reason})")).await?;
                }
                Err(error) => self.lost(which, &error).await?,
            }
        }
    }

    /// The next thing on either line.
    async fn next(&mut self) -> (Which, Result<SocketMessage, String>) {
        let Self { current, leaving, context, .. } = self;
        // Reading loses nothing when it is dropped.
        tokio::select! {
            heard = patient(current, context) => (Which::Current, heard),
            heard = old(leaving) => (Which::Leaving, heard),
        }
    }

    /// Deals with what came, or says how it is dealt with.
    async fn on_text<'a>(
        &mut self,
        which: Which,
        text: &str,
        sink: &'a dyn Sink,
    ) -> Result<Option<Taking<'a>>, ChannelError> {
        let Ok(envelope) = serde_json::from_str::<Envelope>(text) else {
            tracing::warn!(subsystem = "channels", "an envelope makes no sense");
            return Ok(None);
        };
        match envelope.kind.as_str() {
            "hello" => self.greeted(which, envelope.num_connections),
            "disconnect" => {
                self.on_disconnect(which, envelope.reason.as_deref().unwrap_or_default()).await?;
            }
            _ => {
                let line = self.line(which).map(|line| line.number);
                let intake = self.intake.clone();
                return Ok(Some(Box::pin(async move {
                    let taken = match payload(&envelope.kind, envelope.payload) {
                        Some(payload) => intake.take(payload, sink).await,
                        None => Ok(()),
                    };
                    // What was not kept is not acknowledged: Slack brings it again.
                    taken.ok()?;
                    line.zip(envelope.envelope_id)
                })));
            }
        }
        Ok(None)
    }

    fn line(&mut self, which: Which) -> Option<&mut SlackConnection> {
        match which {
            Which::Current => Some(&mut self.current),
            Which::Leaving => self.leaving.as_mut(),
        }
    }

    fn greeted(&mut self, which: Which, lines: Option<u32>) {
        if which == Which::Current {
            self.current.greeted = true;
            self.context.health.tell(Health::Connected(self.identity.clone()));
        }
        let own = if self.leaving.is_some() { 2 } else { 1 };
        if lines.is_some_and(|lines| lines > own) {
            tracing::info!(
                subsystem = "channels",
                lines,
                "the app has other connections; Slack shares its events among them"
            );
        }
    }

    async fn on_disconnect(&mut self, which: Which, reason: &str) -> Result<(), ChannelError> {
        if reason == "link_disabled" {
            return Err(ChannelError::Unauthorized {
                reason: "Socket Mode is switched off for the app; switch it on in the app's settings".into(),
            });
        }
        if reason == "too_many_websockets" {
            return Err(broken(
                "the app has too many connections; end the other programs that use its tokens",
            ));
        }
        if which == Which::Current {
            let new = self.another(reason).await?;
            self.leaving = Some(std::mem::replace(&mut self.current, new));
        }
        Ok(())
    }

    /// Opens a line after the current one, unless that never worked or lines do not last.
    async fn another(&mut self, reason: &str) -> Result<SlackConnection, ChannelError> {
        let lived = self.context.clock.elapsed().saturating_sub(self.current.since);
        self.short = if lived < STEADY { self.short + 1 } else { 0 };
        if !self.current.greeted || self.short > SHORT_LINES {
            return Err(broken(reason));
        }
        let new = open(&self.api, &self.context).await?;
        Ok(SlackConnection { number: self.current.number + 1, ..new })
    }

    /// Acknowledges an envelope over the line that brought it. One whose line is gone comes again.
    async fn acknowledge(&mut self, line: u64, envelope: &str) -> Result<(), ChannelError> {
        let which = if line == self.current.number { Which::Current } else { Which::Leaving };
        let Some(line) = self.line(which).filter(|there| there.number == line) else { return Ok(()) };
        let said = line.writer.text(json!({ "envelope_id": envelope }).to_string()).await;
        match said {
            Ok(()) => Ok(()),
            Err(fault) => self.lost(which, &fault.to_string()).await,
        }
    }

    /// A line is gone. The old one was meant to go; the current one is opened again, unless it never worked.
    async fn lost(&mut self, which: Which, reason: &str) -> Result<(), ChannelError> {
        if which == Which::Leaving {
            self.leaving = None;
            return Ok(());
        }
        self.context.health.tell(Health::Reconnecting { reason: reason.to_owned() });
        self.current = self.another(reason).await?;
        Ok(())
    }

    async fn leave(&mut self) {
        self.current.writer.close(1000).await;
        if let Some(line) = &mut self.leaving {
            line.writer.close(1000).await;
        }
    }
}

#[async_trait]
impl Receive for SlackReceive {
    async fn run(mut self: Box<Self>, sink: Arc<dyn Sink>) -> Result<(), ChannelError> {
        let tasks = self.context.tasks.clone();
        // What is being taken when the line ends was not acknowledged: Slack brings it again.
        let ended = tokio::select! {
            ended = self.hear(sink.as_ref()) => ended,
            () = tasks.cancelled() => Ok(()),
        };
        self.leave().await;
        ended
    }
}

/// The next thing on a line; after a long silence it is asked whether anybody is there.
async fn patient(line: &mut SlackConnection, context: &ChannelContext) -> Result<SocketMessage, String> {
    let clock = context.clock.as_ref();
    let heard = Deadline::after(clock, QUIET).bound(clock, line.reader.next()).await;
    if let Ok(heard) = heard {
        return heard.map_err(|fault| fault.to_string());
    }
    line.writer.ping().await.map_err(|fault| fault.to_string())?;
    match Deadline::after(clock, ANSWER).bound(clock, line.reader.next()).await {
        Ok(heard) => heard.map_err(|fault| fault.to_string()),
        Err(_late) => Err("Slack has gone silent".to_owned()),
    }
}

/// The next thing on the old line; waits for ever where there is none.
async fn old(leaving: &mut Option<SlackConnection>) -> Result<SocketMessage, String> {
    match leaving {
        Some(line) => line.reader.next().await.map_err(|fault| fault.to_string()),
        None => std::future::pending().await,
    }
}

fn payload(kind: &str, payload: Value) -> Option<SlackPayload> {
    match kind {
        "events_api" => Some(SlackPayload::Event(Box::new(read(payload)?))),
        "slash_commands" => Some(SlackPayload::Command(Box::new(read(payload)?))),
        "interactive" => Some(SlackPayload::Touched(Box::new(read(payload)?))),
        _ => None,
    }
}

fn read<T: DeserializeOwned>(payload: Value) -> Option<T> {
    match wire::read(payload) {
        Ok(read) => Some(read),
        Err(error) => {
            tracing::warn!(subsystem = "channels", %error, "an envelope's content makes no sense");
            None
        }
    }
}

fn broken(reason: &str) -> ChannelError {
    ChannelError::Unreachable { reason: reason.to_owned(), landed: Landed::No }
}
