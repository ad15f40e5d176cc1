//! Hears a line: answers the server's questions, hands messages on, and notices a line that died silently.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::Deadline;
use openclaw_ports::channel::{ChannelContext, ChannelError, Health, Receive, Sink};

use super::config::IrcLogin;
use super::connection::{Reader, unreachable};
use super::line::{IrcLine, write};
use super::normalize::{IrcContext, inbound, same_name};
use super::outlet::Outlet;
use super::register::take_back;

/// After so long without a word the server is asked for one.
const QUIET: Duration = Duration::from_secs(120);
/// And then it has so long to answer.
const ANSWER: Duration = Duration::from_secs(30);
/// The first pause before a room is asked again that wants us to be known, or a nick that is taken, and the longest.
const COME_BACK: Duration = Duration::from_secs(15);
const COME_BACK_MOST: Duration = Duration::from_secs(600);

/// Hears a line.
pub(super) struct IrcReceive {
    context: ChannelContext,
    reader: Reader,
    outlet: Outlet,
    login: Arc<IrcLogin>,
    heard: u64,
    /// How often a room refused us because the service did not know us.
    unknown_in: BTreeMap<String, u32>,
    /// How often our nick was somebody else's since we had it.
    taken: u32,
}

impl IrcReceive {
    pub(super) fn new(context: ChannelContext, reader: Reader, outlet: Outlet, login: Arc<IrcLogin>) -> Self {
        Self { context, reader, outlet, login, heard: 0, unknown_in: BTreeMap::new(), taken: 0 }
    }

    async fn next(&mut self) -> Result<IrcLine, ChannelError> {
        let mut patience = QUIET;
        loop {
            let clock = Arc::clone(&self.context.clock);
            let deadline = Deadline::after(clock.as_ref(), patience);
            match deadline.bound(clock.as_ref(), self.reader.line()).await {
                Ok(Ok(Some(text))) => {
                    patience = QUIET;
                    if let Some(line) = IrcLine::read(&text) {
                        return Ok(line);
                    }
                }
                Ok(Ok(None)) => return Err(unreachable("the server closed the line")),
                Ok(Err(error)) => return Err(error),
                Err(_) if patience == ANSWER => return Err(unreachable("the server has gone silent")),
                Err(_) => {
                    self.outlet.at_once(write("PING", &[], Some("still-there")))?;
                    patience = ANSWER;
                }
            }
        }
    }

    async fn on(&mut self, line: &IrcLine, sink: &dyn Sink) -> Result<(), ChannelError> {
        match line.command.as_str() {
            "PING" => self.outlet.at_once(write("PONG", &[], Some(line.words()))),
            "ERROR" => Err(unreachable(&format!("the server closed the line: {}", line.words()))),
            "JOIN" => {
                self.outlet.seen_as(line);
                Ok(())
            }
            "NICK" => {
                self.renamed(line);
                Ok(())
            }
            "433" | "436" | "437" => {
                self.want_nick();
                Ok(())
            }
            // Put out of a room we are meant to be in: ask to come back once.
            "KICK" if same_name(line.param(1), &self.outlet.nick()) => {
                let room = line.param(0);
                match self.is_ours(room) {
                    true => self.outlet.queue(write("JOIN", &[room], None)),
                    false => Ok(()),
                }
            }
            "471" | "473" | "474" | "475" | "476" | "403" if line.params.len() > 2 => {
                self.shut_out(line);
                self.outlet.heard(line);
                Ok(())
            }
            "477" if self.is_ours(line.param(1)) => {
                self.not_known_yet(line);
                self.outlet.heard(line);
                Ok(())
            }
            // The service knows us now: rooms for those it knows are open.
            "900" => {
                let rooms = std::mem::take(&mut self.unknown_in);
                rooms.into_keys().try_for_each(|room| self.outlet.queue(write("JOIN", &[&room], None)))
            }
            "PRIVMSG" => self.message(line, sink).await,
            _ => {
                self.outlet.heard(line);
                Ok(())
            }
        }
    }

    /// Whether a room is one we are meant to be in.
    fn is_ours(&self, room: &str) -> bool {
        self.login.rooms.iter().any(|each| same_name(each, room))
    }

    fn shut_out(&self, line: &IrcLine) {
        let reason = format!("cannot be in {}: {}", line.param(1), line.words());
        self.context.health.tell(Health::Limited { reason });
    }

    /// A room that takes only those whom the service knows. It takes the service a moment to know us, so we come back,
    /// later each time; a person hears of it when coming back did not help.
    fn not_known_yet(&mut self, line: &IrcLine) {
        let room = line.param(1).to_lowercase();
        let times = self.unknown_in.entry(room.clone()).or_default();
        *times += 1;
        let pause = pause(*times);
        if *times > 1 {
            self.shut_out(line);
        }
        let (clock, outlet) = (Arc::clone(&self.context.clock), self.outlet.clone());
        self.context.tasks.start_cancellable("irc join", async move {
            clock.sleep(pause).await;
            if let Err(error) = outlet.queue(write("JOIN", &[&room], None)) {
                tracing::debug!(subsystem = "channels", %error, "the room is not asked again");
            }
        });
    }

    /// Somebody has another nick now. It may be us, also against our will.
    fn renamed(&mut self, line: &IrcLine) {
        let before = self.outlet.nick();
        self.outlet.heard(line);
        let now = self.outlet.nick();
        if same_name(&now, &self.login.nick) {
            self.taken = 0;
        } else if now != before {
            self.want_nick();
        }
    }

    /// We do not have our own nick: asks for it again, later each time.
    fn want_nick(&mut self) {
        if same_name(&self.outlet.nick(), &self.login.nick) {
            return;
        }
        self.taken += 1;
        let pause = pause(self.taken);
        let (clock, outlet) = (Arc::clone(&self.context.clock), self.outlet.clone());
        let login = Arc::clone(&self.login);
        self.context.tasks.start_cancellable("irc nick", async move {
            clock.sleep(pause).await;
            if same_name(&outlet.nick(), &login.nick) {
                return;
            }
            if let Err(error) = take_back(&login).into_iter().try_for_each(|line| outlet.queue(line)) {
                tracing::debug!(subsystem = "channels", %error, "the nick is not asked for again");
            }
        });
    }

    async fn message(&mut self, line: &IrcLine, sink: &dyn Sink) -> Result<(), ChannelError> {
        self.heard += 1;
        let now = self.context.clock.now();
        let serial = format!("{}-{}", now.0, self.heard);
        let nick = self.outlet.nick();
        let hearing = IrcContext { account: &self.context.account, nick: &nick, now, serial };
        let event = match inbound(line, &hearing) {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(()),
            Err(error) => {
                tracing::debug!(subsystem = "channels", %error, "a line makes no sense");
                return Ok(());
            }
        };
        // The server will not say it again: it is offered until it is kept.
        loop {
            if sink.take(vec![event.clone()]).await.is_ok() {
                return Ok(());
            }
            self.context.clock.sleep(Duration::from_secs(1)).await;
        }
    }
}

#[async_trait]
impl Receive for IrcReceive {
    async fn run(mut self: Box<Self>, sink: Arc<dyn Sink>) -> Result<(), ChannelError> {
        let tasks = self.context.tasks.clone();
        let work = async {
            loop {
                let line = self.next().await?;
                self.on(&line, sink.as_ref()).await?;
            }
        };
        // A message that is being kept when the line ends is either kept or was never acknowledged to anybody.
        tokio::select! {
            ended = work => ended,
            () = tasks.cancelled() => Ok(()),
        }
    }
}

fn pause(times: u32) -> Duration {
    COME_BACK.saturating_mul(2u32.saturating_pow(times.saturating_sub(1))).min(COME_BACK_MOST)
}
