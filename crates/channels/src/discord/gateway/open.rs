//! Brings a line to the point where events come: takes a session up again, or begins a new one.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::channel::{ChannelError, Health, HealthSink, Landed};
use openclaw_ports::{Clock, Deadline};

use super::super::config::DiscordLogin;
use super::super::rest::{Call, DiscordApi};
use super::super::wire::{Frame, GatewayBot, Ready};
use super::line::{DiscordConnection, GatewayMessage, chance};
use super::session::{Intents, Next, Resume, before_new, limited};

/// How long a new session may take to begin.
const READY: Duration = Duration::from_secs(60);
/// How often a new session is tried before the host is told.
const TRIES: u32 = 3;

/// Opens lines of one account.
pub(in super::super) struct Gate {
    /// Makes calls.
    pub(in super::super) api: DiscordApi,
    /// What a line needs.
    pub(in super::super) login: Arc<DiscordLogin>,
    /// Tells the time.
    pub(in super::super) clock: Arc<dyn Clock>,
    /// Is told when something is switched off.
    pub(in super::super) health: Arc<dyn HealthSink>,
    /// Our id.
    pub(in super::super) us: String,
    /// What we ask to be told of.
    pub(in super::super) intents: Intents,
}

/// A line on which events come.
pub(in super::super) struct Opened {
    /// The line.
    pub(in super::super) line: DiscordConnection,
    /// Its session.
    pub(in super::super) resume: Resume,
}

impl Gate {
    /// Whether a session can be taken up with what we ask for now.
    pub(in super::super) fn fits(&self, resume: &Resume) -> bool {
        resume.us == self.us && resume.intents == self.intents.0
    }

    /// Takes a session up again. Whether the platform still knows it shows in what comes.
    ///
    /// # Errors
    /// Neither the place that was named for it nor the gateway itself can be reached. The session is not over for that.
    pub(in super::super) async fn resume(&self, resume: Resume) -> Result<Opened, ChannelError> {
        let named =
            DiscordConnection::open(&resume.url, self.login.proxy.as_deref(), Arc::clone(&self.clock)).await;
        let mut line = match named {
            Ok(line) => line,
            Err(fault) => {
                tracing::debug!(subsystem = "channels", %fault, "the session is taken up at the gateway itself");
                let gateway: GatewayBot = self.api.read(Call::get("/gateway/bot")).await?;
                DiscordConnection::open(&gateway.url, self.login.proxy.as_deref(), Arc::clone(&self.clock))
                    .await?
            }
        };
        line.resume(self.login.token.reveal(), &resume).await?;
        Ok(Opened { line, resume })
    }

    /// Begins a new session.
    pub(in super::super) async fn fresh(&mut self) -> Result<Opened, ChannelError> {
        let gateway: GatewayBot = self.api.read(Call::get("/gateway/bot")).await?;
        let limit = &gateway.session_start_limit;
        if limit.remaining == 0 {
            return Err(ChannelError::RateLimited { after: Duration::from_millis(limit.reset_after) });
        }
        let mut last = "no session began".to_owned();
        for attempt in 0..TRIES {
            if attempt > 0 {
                self.clock.sleep(before_new(chance())).await;
            }
            match self.begin(&gateway.url).await? {
                Ok(opened) => return Ok(opened),
                Err(Next::End(error)) => return Err(error),
                Err(Next::Less) => self.ask_for_less()?,
                Err(Next::Resume { reason } | Next::Fresh { reason }) => last = reason,
            }
        }
        Err(ChannelError::Unreachable { reason: last, landed: Landed::No })
    }

    /// The platform refuses what we ask to be told of: asks for the usual only.
    pub(in super::super) fn ask_for_less(&mut self) -> Result<(), ChannelError> {
        let Some(less) = self.intents.unguarded() else {
            return Err(ChannelError::Unauthorized {
                reason: "Discord does not let this bot hear anything; look at its intents in the developer portal (Bot, \
                         Privileged Gateway Intents)"
                    .to_owned(),
            });
        };
        self.intents = less;
        self.health.tell(Health::Limited { reason: limited(&["Message Content Intent"]) });
        Ok(())
    }

    async fn begin(&self, url: &str) -> Result<Result<Opened, Next>, ChannelError> {
        let mut line =
            DiscordConnection::open(url, self.login.proxy.as_deref(), Arc::clone(&self.clock)).await?;
        line.identify(self.login.token.reveal(), self.intents, self.login.presence.as_ref()).await?;
        let clock = self.clock.as_ref();
        let spoken = Deadline::after(clock, READY).bound(clock, line.next()).await;
        let late = || Next::Fresh { reason: "the gateway did not begin a session in time".to_owned() };
        let (sequence, payload) = match spoken {
            Ok(GatewayMessage::Event { name, sequence, payload }) if name == "READY" => (sequence, payload),
            Ok(GatewayMessage::Event { name, .. }) => {
                return Ok(Err(Next::Fresh { reason: format!("the session began with {name}") }));
            }
            Ok(GatewayMessage::Over(next)) => return Ok(Err(next)),
            Err(_) => return Ok(Err(late())),
        };
        let Some(ready) = ready(&payload) else {
            return Ok(Err(Next::Fresh { reason: "the session has no name".to_owned() }));
        };
        line.kept(sequence);
        let resume = Resume {
            session: ready.session_id,
            url: ready.resume_gateway_url,
            sequence,
            us: self.us.clone(),
            intents: self.intents.0,
        };
        Ok(Ok(Opened { line, resume }))
    }
}

fn ready(payload: &str) -> Option<Ready> {
    let frame: Frame<'_> = serde_json::from_str(payload).ok()?;
    serde_json::from_str(frame.d?.get()).ok()
}
