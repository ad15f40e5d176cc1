//! What we say on a line, and the server's word that it took what was said; `pace` writes it.
//!
//! IRC acknowledges nothing. So after the lines of a message a PING follows: lines are dealt with in order, and what the
//! server has against one of them comes before the PONG.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_ports::channel::{ChannelContext, ChannelError, Landed};
use openclaw_ports::{Clock, Deadline};
use tokio::sync::{mpsc, oneshot};

use super::connection::{Writer, unreachable};
use super::line::{IrcLine, LINE_BYTES, write};
use super::normalize::same_name;
use super::pace::{Mouth, PacedLines, STEP};

/// Messages that wait for their turn. One that finds no room is tried again later.
const WAITING: usize = 512;
/// Answers to the server that wait to be written. More than these mean that the line takes nothing any more.
const URGENT: usize = 64;
/// How long the server may take to confirm, beside the time the lines need.
const CONFIRM: Duration = Duration::from_secs(20);
/// A message has to be through in this time, its turn included: whoever sends it waits two minutes and no longer.
const WHOLE: Duration = Duration::from_secs(110);

/// The bytes of a login and of a host that are counted until the server shows ours. It may change them without a word,
/// so less than these are never counted.
const USER: usize = 20;
const HOST: usize = 62;

/// Says lines. Cloning is cheap.
#[derive(Clone)]
pub(super) struct Outlet {
    sayings: mpsc::Sender<PacedLines>,
    urgent: mpsc::Sender<String>,
    shared: Arc<Shared>,
    clock: Arc<dyn Clock>,
}

/// What those who say something and the one who writes it both know.
pub(super) struct Shared {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    nick: String,
    /// How many bytes our login and our host have, which the server puts before what we say to others.
    user: usize,
    host: usize,
    next: u64,
    /// Lines that are not written yet.
    backlog: u32,
    waiting: HashMap<String, Waiting>,
}

struct Waiting {
    to: String,
    fault: Option<ChannelError>,
    /// Told when the first line is written; gone after that.
    turn: Option<oneshot::Sender<()>>,
    done: oneshot::Sender<Result<(), ChannelError>>,
}

/// Somebody who waits for the server's word. Whoever stops waiting takes the lines back that are not written yet.
struct Expecting<'a> {
    shared: &'a Shared,
    token: String,
    turn: oneshot::Receiver<()>,
    answer: oneshot::Receiver<Result<(), ChannelError>>,
}

impl Drop for Expecting<'_> {
    fn drop(&mut self) {
        self.shared.state().waiting.remove(&self.token);
    }
}

impl Outlet {
    /// Begins to say what is queued, until the line's tasks are cancelled.
    pub(super) fn start(context: &ChannelContext, writer: Writer, nick: String) -> Self {
        let (sayings, queue) = mpsc::channel(WAITING);
        let (urgent, first) = mpsc::channel(URGENT);
        let state = State { nick, user: USER, host: HOST, ..State::default() };
        let shared = Arc::new(Shared { state: Mutex::new(state) });
        let clock = Arc::clone(&context.clock);
        let mouth =
            Mouth { writer, queue, urgent: first, shared: Arc::clone(&shared), clock: Arc::clone(&clock) };
        context.tasks.start_cancellable("irc writer", mouth.run());
        Self { sayings, urgent, shared, clock }
    }

    /// Queues a line that nobody waits for.
    pub(super) fn queue(&self, line: String) -> Result<(), ChannelError> {
        self.hand_over(PacedLines { token: None, lines: vec![line] })
    }

    /// Says a line before all that waits: what keeps the line up.
    pub(super) fn at_once(&self, line: String) -> Result<(), ChannelError> {
        self.urgent.try_send(line).map_err(|_full| unreachable("the server takes nothing any more"))
    }

    /// Says lines to somebody and waits for the server's word.
    ///
    /// # Errors
    /// Where too much waits already, when to come back; nothing of the message is said then.
    pub(super) async fn tell(&self, to: &str, mut lines: Vec<String>) -> Result<(), ChannelError> {
        let mut expecting = self.shared.expect(to);
        lines.push(write("PING", &[], Some(&expecting.token)));
        let own = STEP.saturating_mul(u32::try_from(lines.len()).unwrap_or(u32::MAX)) + CONFIRM;
        let ahead = STEP.saturating_mul(self.shared.state().backlog);
        if !ahead.is_zero() && ahead + own > WHOLE {
            return Err(ChannelError::RateLimited { after: ahead });
        }
        self.hand_over(PacedLines { token: Some(expecting.token.clone()), lines })?;
        // The backlog bounds this wait; a line that dies ends it.
        if (&mut expecting.turn).await.is_err() {
            return Err(unreachable("the line went down before this was said"));
        }
        let deadline = Deadline::after(self.clock.as_ref(), own);
        match deadline.bound(self.clock.as_ref(), &mut expecting.answer).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_gone)) => Err(lost("the line went down before the server confirmed")),
            Err(_late) => Err(lost("the server did not confirm in time")),
        }
    }

    fn hand_over(&self, saying: PacedLines) -> Result<(), ChannelError> {
        let lines = u32::try_from(saying.lines.len()).unwrap_or(u32::MAX);
        // Counted first, since the writer may be quicker than we are.
        self.shared.state().backlog += lines;
        self.sayings.try_send(saying).map_err(|refused| {
            self.shared.state().backlog -= lines;
            match refused {
                mpsc::error::TrySendError::Full(_) => unreachable("too much waits to be said on this line"),
                mpsc::error::TrySendError::Closed(_) => unreachable("the line is down"),
            }
        })
    }

    /// The bytes around words that are said to somebody: what the server adds counts.
    pub(super) fn spent(&self, to: &str) -> usize {
        // ":mask PRIVMSG to :words\r\n"
        let around = ": PRIVMSG  :\r\n".len();
        (self.state().mask() + to.len() + around).min(LINE_BYTES / 2)
    }

    /// Our nick at the moment.
    pub(super) fn nick(&self) -> String {
        self.state().nick.clone()
    }

    /// Takes in a line of the server that is about us or what we said.
    pub(super) fn heard(&self, line: &IrcLine) {
        match line.command.as_str() {
            "PONG" => {
                let waiting = self.state().waiting.remove(line.words());
                if let Some(waiting) = waiting {
                    let outcome = waiting.fault.map_or(Ok(()), Err);
                    if waiting.done.send(outcome).is_err() {
                        tracing::debug!("nobody waits for this any more");
                    }
                }
            }
            "NICK" => {
                let mut state = self.state();
                if line.prefix.as_ref().is_some_and(|prefix| same_name(&prefix.nick, &state.nick)) {
                    line.words().clone_into(&mut state.nick);
                }
            }
            // The host that others see is another now: a cloak, or one that a service gave us.
            "396" => self.state().shown(line.param(1)),
            "CHGHOST" => {
                let mut state = self.state();
                if line.prefix.as_ref().is_some_and(|prefix| same_name(&prefix.nick, &state.nick)) {
                    state.user = line.param(0).len();
                    state.host = line.param(1).len();
                }
            }
            "401" | "403" | "404" | "407" | "411" | "412" | "413" | "414" | "477" | "489" | "531" => {
                self.refused(line)
            }
            "263" | "439" => self.busy(),
            _ => {}
        }
    }

    /// Our own mask, seen on a line of ours that came back (a JOIN).
    pub(super) fn seen_as(&self, line: &IrcLine) {
        let Some(prefix) = &line.prefix else { return };
        let mut state = self.state();
        if same_name(&prefix.nick, &state.nick)
            && let (Some(user), Some(host)) = (&prefix.user, &prefix.host)
        {
            state.user = user.len();
            state.host = host.len();
        }
    }

    fn refused(&self, line: &IrcLine) {
        let about = line.param(1);
        let mut state = self.state();
        for waiting in state.begun().filter(|waiting| same_name(&waiting.to, about)) {
            waiting.fault = Some(ChannelError::Refused { reason: format!("{about}: {}", line.words()) });
        }
    }

    fn busy(&self) {
        for waiting in self.state().begun() {
            waiting.fault = Some(ChannelError::RateLimited { after: Duration::from_secs(10) });
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }
}

impl Shared {
    /// Whether somebody still waits for what has this token.
    pub(super) fn is_wanted(&self, token: &str) -> bool {
        self.state().waiting.contains_key(token)
    }

    /// A line under this token is about to be written. Says whether it still is to be.
    pub(super) fn begin(&self, token: &str) -> bool {
        let mut state = self.state();
        let Some(waiting) = state.waiting.get_mut(token) else { return false };
        if let Some(turn) = waiting.turn.take()
            && turn.send(()).is_err()
        {
            state.waiting.remove(token);
            return false;
        }
        true
    }

    /// A line left the queue.
    pub(super) fn spoken(&self) {
        let mut state = self.state();
        state.backlog = state.backlog.saturating_sub(1);
    }

    /// The line is down: whoever waits for the server's word learns it now.
    pub(super) fn forsake(&self) {
        self.state().waiting.clear();
    }

    fn expect(&self, to: &str) -> Expecting<'_> {
        let (done, answer) = oneshot::channel();
        let (begins, turn) = oneshot::channel();
        let mut state = self.state();
        state.next += 1;
        let token = format!("said-{}", state.next);
        let waiting = Waiting { to: to.to_owned(), fault: None, turn: Some(begins), done };
        state.waiting.insert(token.clone(), waiting);
        Expecting { shared: self, token, turn, answer }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// How many bytes the server puts before what we say to others: `nick!user@host`.
    fn mask(&self) -> usize {
        self.nick.len() + (self.user + self.host).max(USER + HOST) + "!@".len()
    }

    /// Others see us at this host, or as this login at this host.
    fn shown(&mut self, host: &str) {
        match host.split_once('@') {
            Some((user, host)) => (self.user, self.host) = (user.len(), host.len()),
            None => self.host = host.len(),
        }
    }

    /// Those of whose message the server has seen something.
    fn begun(&mut self) -> impl Iterator<Item = &mut Waiting> {
        self.waiting.values_mut().filter(|waiting| waiting.turn.is_none())
    }
}

fn lost(reason: &str) -> ChannelError {
    ChannelError::Unreachable { reason: reason.to_owned(), landed: Landed::Maybe }
}
