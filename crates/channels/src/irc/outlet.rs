//! What we say on a line: at a pace servers bear, and with the server's word that it took what was said.
//!
//! IRC acknowledges nothing. So after the lines of a message a PING follows: lines are dealt with in order, and what the
//! server has against one of them comes before the PONG.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_ports::channel::{ChannelContext, ChannelError, Landed};
use openclaw_ports::{Clock, Deadline};
use tokio::sync::{mpsc, oneshot};

use super::connection::{Writer, unreachable, write_lines};
use super::line::{LINE_BYTES, Line, write};
use super::normalize::same_name;

/// Lines that wait for their turn. A message that finds no room is tried again later.
const WAITING: usize = 512;
/// So many lines at once, and then one in each step: what RFC 1459 wants of clients.
const BURST: u32 = 5;
const STEP: Duration = Duration::from_secs(2);
/// How long the server may take to confirm, beside the time the lines need.
const CONFIRM: Duration = Duration::from_secs(30);

/// Says lines. Cloning is cheap.
#[derive(Clone)]
pub(super) struct Outlet {
    lines: mpsc::Sender<String>,
    shared: Arc<Shared>,
    clock: Arc<dyn Clock>,
}

struct Shared {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    nick: String,
    /// How many bytes the server puts before what we say to others.
    mask: usize,
    next: u64,
    waiting: HashMap<String, Waiting>,
}

struct Waiting {
    to: String,
    fault: Option<ChannelError>,
    done: oneshot::Sender<Result<(), ChannelError>>,
}

impl Outlet {
    /// Begins to say what is queued, until the line's tasks are cancelled.
    pub(super) fn start(context: &ChannelContext, writer: Writer, nick: String) -> Self {
        let (lines, queue) = mpsc::channel(WAITING);
        let state = State { mask: nick.len() + 84, nick, ..State::default() };
        let clock = Arc::clone(&context.clock);
        let pace = Arc::clone(&clock);
        context.tasks.start_cancellable("irc writer", async move { say(writer, queue, pace.as_ref()).await });
        Self { lines, shared: Arc::new(Shared { state: Mutex::new(state) }), clock }
    }

    /// Queues a line that nobody waits for.
    pub(super) fn queue(&self, line: String) -> Result<(), ChannelError> {
        self.lines.try_send(line).map_err(|_full| unreachable("too much waits to be said on this line"))
    }

    /// Says lines to somebody and waits for the server's word.
    pub(super) async fn tell(&self, to: &str, lines: Vec<String>) -> Result<(), ChannelError> {
        let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let (token, answer) = self.expect(to);
        let all = lines.into_iter().chain([write("PING", &[], Some(&token))]);
        let waiting = async {
            for line in all {
                let sent = self.lines.send(line).await;
                sent.map_err(|_closed| unreachable("the line is down"))?;
            }
            answer.await.unwrap_or_else(|_gone| Err(lost()))
        };
        let deadline =
            Deadline::after(self.clock.as_ref(), CONFIRM + STEP.saturating_mul(count.saturating_add(1)));
        let outcome = deadline.bound(self.clock.as_ref(), waiting).await.unwrap_or_else(|_| Err(lost()));
        self.state().waiting.remove(&token);
        outcome
    }

    fn expect(&self, to: &str) -> (String, oneshot::Receiver<Result<(), ChannelError>>) {
        let (done, answer) = oneshot::channel();
        let mut state = self.state();
        state.next += 1;
        let token = format!("said-{}", state.next);
        state.waiting.insert(token.clone(), Waiting { to: to.to_owned(), fault: None, done });
        (token, answer)
    }

    /// The bytes around words that are said to somebody: what the server adds counts.
    pub(super) fn spent(&self, to: &str) -> usize {
        // ":mask PRIVMSG to :words\r\n"
        let around = ": PRIVMSG  :\r\n".len();
        (self.state().mask + to.len() + around).min(LINE_BYTES / 2)
    }

    /// Our nick at the moment.
    pub(super) fn nick(&self) -> String {
        self.state().nick.clone()
    }

    /// Takes in a line of the server that is about us or what we said.
    pub(super) fn heard(&self, line: &Line) {
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
            "401" | "403" | "404" | "407" | "411" | "412" | "413" | "414" | "477" | "489" | "531" => {
                self.refused(line)
            }
            "263" | "439" => self.busy(),
            _ => {}
        }
    }

    /// Our own mask, seen on a line of ours that came back (a JOIN).
    pub(super) fn seen_as(&self, line: &Line) {
        let Some(prefix) = &line.prefix else { return };
        let mut state = self.state();
        if same_name(&prefix.nick, &state.nick)
            && let (Some(user), Some(host)) = (&prefix.user, &prefix.host)
        {
            state.mask = prefix.nick.len() + user.len() + host.len() + 2;
        }
    }

    fn refused(&self, line: &Line) {
        let about = line.param(1);
        let mut state = self.state();
        for waiting in state.waiting.values_mut().filter(|waiting| same_name(&waiting.to, about)) {
            waiting.fault = Some(ChannelError::Refused { reason: format!("{about}: {}", line.words()) });
        }
    }

    fn busy(&self) {
        for waiting in self.state().waiting.values_mut() {
            waiting.fault = Some(ChannelError::RateLimited { after: Duration::from_secs(10) });
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lost() -> ChannelError {
    ChannelError::Unreachable { reason: "the server did not confirm in time".into(), landed: Landed::Maybe }
}

/// Writes lines at the pace servers bear. Ends when the line breaks; whoever waits is told by the closed queue.
async fn say(mut writer: Writer, mut queue: mpsc::Receiver<String>, clock: &dyn Clock) {
    let mut saved = BURST;
    let mut since = clock.elapsed();
    while let Some(line) = queue.recv().await {
        // An answer to the server's own question is never held up.
        if !line.starts_with("PONG") {
            let passed = clock.elapsed().saturating_sub(since);
            let gained = u32::try_from(passed.as_millis() / STEP.as_millis()).unwrap_or(BURST);
            if gained > 0 {
                saved = saved.saturating_add(gained).min(BURST);
                since = clock.elapsed();
            }
            if saved == 0 {
                clock.sleep(STEP).await;
                since = clock.elapsed();
            } else {
                saved -= 1;
            }
        }
        if let Err(error) = write_lines(&mut writer, &[line]).await {
            tracing::debug!(subsystem = "channels", %error, "the line is down");
            return;
        }
    }
}
