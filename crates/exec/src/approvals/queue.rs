//! The queue where people are asked about commands: open questions with an end, first answer wins.
//!
//! Nothing here runs a command or makes a grant: whoever asked does, with the answer. An answered question stays known
//! for a while, so that somebody who asks late still hears it. What is asked, answered, left unanswered and heard late goes
//! into the audit ledger through `record`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_ports::stores::AuditLedger;
use openclaw_ports::{Clock, TaskScope};
use openclaw_types::UnixMillis;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

use super::record;
use crate::policy::{GrantScope, GrantWidth};

/// Names a question.
pub type ApprovalId = String;

/// What is asked about, in the shape that clients show. Absent values are `null` on the wire.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApprovalRequest {
    /// The command line.
    pub command: String,
    /// The same as words, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_argv: Option<Vec<String>>,
    /// Names of the variables that are added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env_keys: Option<Vec<String>>,
    /// A digest that binds an approval to one plan of a node.
    pub system_run_binding_v1: Option<Value>,
    /// The plan of a node.
    pub system_run_plan_v2: Option<Value>,
    /// Where it runs.
    pub cwd: Option<String>,
    /// The node it runs on.
    pub node_id: Option<String>,
    /// The host it runs on.
    pub host: Option<String>,
    /// The rule that holds for it.
    pub security: Option<String>,
    /// The rule that has a person asked.
    pub ask: Option<String>,
    /// The agent.
    pub agent_id: Option<String>,
    /// The program.
    pub resolved_path: Option<String>,
    /// The session.
    pub session_key: Option<String>,
    /// The channel the request came over.
    pub turn_source_channel: Option<String>,
    /// The conversation there.
    pub turn_source_to: Option<String>,
    /// The login there.
    pub turn_source_account_id: Option<String>,
    /// The thread there.
    pub turn_source_thread_id: Option<Value>,
}

/// A question to ask.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ApprovalQuestion {
    /// Its id, where the asker chose one.
    pub id: Option<ApprovalId>,
    /// What is asked about.
    pub request: ApprovalRequest,
    /// How long it stays open; two minutes when absent.
    pub timeout: Option<Duration>,
}

/// A question that is open, or was until a moment ago.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenApproval {
    /// Names it.
    pub id: ApprovalId,
    /// What is asked about.
    pub request: ApprovalRequest,
    /// When it was asked.
    pub created_at_ms: UnixMillis,
    /// When it ends.
    pub expires_at_ms: UnixMillis,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalDecision {
    /// This once.
    AllowOnce,
    /// From now on.
    AllowAlways,
    /// No.
    Deny,
}

/// A text that is no decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a decision is allow-once, allow-always or deny")]
pub struct UnknownDecision;

impl ApprovalDecision {
    /// The decision as clients write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AllowOnce => "allow-once",
            Self::AllowAlways => "allow-always",
            Self::Deny => "deny",
        }
    }
}

impl std::str::FromStr for ApprovalDecision {
    type Err = UnknownDecision;

    fn from_str(text: &str) -> Result<Self, UnknownDecision> {
        match text {
            "allow-once" => Ok(Self::AllowOnce),
            "allow-always" => Ok(Self::AllowAlways),
            "deny" => Ok(Self::Deny),
            _ => Err(UnknownDecision),
        }
    }
}

/// A question that is settled.
#[derive(Debug, Clone, PartialEq)]
pub struct SettledApproval {
    /// The question.
    pub question: OpenApproval,
    /// The answer; nothing when there was none.
    pub decision: Option<ApprovalDecision>,
    /// Why there was none.
    pub lapse: Option<Lapse>,
    /// Who answered.
    pub by: Option<String>,
    /// When.
    pub at: UnixMillis,
    /// How far "from now on" reaches; nothing for other answers.
    pub scope: Option<GrantScope>,
}

/// Why a question ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lapse {
    /// Nobody answered in time.
    RanOut,
    /// Nobody who may answer could be told.
    Unreachable,
    /// Whoever asked does not wait any more: an answer would change nothing.
    Withdrawn,
}

/// Why "from now on" was not taken with the scope that was asked for. The question stays open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// The question itself.
    #[error(transparent)]
    Desk(#[from] ApprovalError),
    /// The command does not let a grant be so wide.
    #[error(
        "this command cannot be allowed so widely, because it can run other programs, sets variables or cannot be read: \
         allow exactly these words in this folder, or only once"
    )]
    TooWide,
    /// The time is over at once.
    #[error("the permission would end at once: name a longer time")]
    Over,
}

/// Hears about questions, to tell clients and chats. Must not block.
pub trait ApprovalObserver: Send + Sync {
    /// A question was asked.
    fn requested(&self, question: &OpenApproval);

    /// A question was settled, by an answer or without one. Not called for one that nobody was told about.
    fn resolved(&self, settled: &SettledApproval);

    /// A command that a person allowed still runs after so long.
    fn still_runs(&self, settled: &SettledApproval, after: Duration);
}

/// Whether anybody can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApproverReach {
    /// Somebody who may answer is connected, or the question is forwarded.
    Somebody,
    /// Nobody. The question ends at once.
    Nobody,
}

/// Why the queue did not do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ApprovalError {
    /// There is a question with this id already.
    #[error("there is an approval with this id already")]
    Taken,
    /// Too many questions are open.
    #[error("too many approvals are open; answer some first")]
    Full,
    /// There is no such open question: answered, run out, or never asked.
    #[error("approval expired or not found")]
    Unknown,
}

/// What a queue stands on.
pub struct ApprovalQueueParts {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Where questions run out.
    pub tasks: TaskScope,
    /// Where answers are written down.
    pub audit: Arc<dyn AuditLedger>,
    /// Whether anybody can be asked.
    pub reach: Arc<dyn Fn(&ApprovalRequest) -> ApproverReach + Send + Sync>,
    /// Who hears about questions.
    pub observer: Arc<dyn ApprovalObserver>,
}

/// The queue.
pub struct ApprovalQueue {
    parts: ApprovalQueueParts,
    open: Arc<Mutex<HashMap<ApprovalId, Entry>>>,
}

struct Entry {
    question: OpenApproval,
    /// How wide a grant for it may be.
    latitude: GrantWidth,
    settled: watch::Sender<Option<SettledApproval>>,
}

/// What came of a question.
enum Answer<'a> {
    Given { decision: ApprovalDecision, by: &'a str, scope: Option<GrantScope> },
    None(Lapse),
}

/// Withdraws a question when it is dropped, unless it is settled.
pub(crate) struct Withdrawal {
    queue: Arc<ApprovalQueue>,
    id: ApprovalId,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        self.queue.withdraw(&self.id);
    }
}

const STAYS_OPEN: Duration = Duration::from_secs(120);
const STAYS_KNOWN: Duration = Duration::from_secs(15);
const MOST_OPEN: usize = 256;
/// The shortest beginning that names a question.
const SHORTEST: usize = 4;

impl ApprovalQueue {
    /// A queue without questions.
    #[must_use]
    pub fn new(parts: ApprovalQueueParts) -> Arc<Self> {
        Arc::new(Self { parts, open: Arc::new(Mutex::new(HashMap::new())) })
    }

    /// Asks. Gives back as soon as that is written down; `wait` hears the answer. Dropped before, nothing is asked.
    ///
    /// # Errors
    /// The id is taken, or too many questions are open.
    pub async fn ask(self: &Arc<Self>, question: ApprovalQuestion) -> Result<OpenApproval, ApprovalError> {
        self.ask_about(question, GrantWidth::Foreign).await
    }

    /// Asks about a command that may be granted so widely.
    pub(crate) async fn ask_about(
        self: &Arc<Self>,
        question: ApprovalQuestion,
        latitude: GrantWidth,
    ) -> Result<OpenApproval, ApprovalError> {
        let now = self.parts.clock.now();
        let span = question.timeout.unwrap_or(STAYS_OPEN);
        let id = question.id.unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
        let asked = OpenApproval {
            id: id.clone(),
            request: question.request,
            created_at_ms: now,
            expires_at_ms: now.plus(span),
        };
        has_room(&self.lock(), &id)?;
        // In the ledger first: no answer can stand there before its question.
        record::append(&*self.parts.audit, record::asked(&asked)).await;
        {
            let mut open = self.lock();
            has_room(&open, &id)?;
            let settled = watch::Sender::new(None);
            open.insert(id.clone(), Entry { question: asked.clone(), latitude, settled });
        }
        if (self.parts.reach)(&asked.request) == ApproverReach::Somebody {
            self.parts.observer.requested(&asked);
            self.end_after(id, span);
        } else if let Some(settled) = self.settle(&id, &Answer::None(Lapse::Unreachable)) {
            self.end_after(id, Duration::ZERO);
            record::append(&*self.parts.audit, record::unanswered(&settled, Lapse::Unreachable)).await;
        }
        Ok(asked)
    }

    /// Tells that a command that was allowed still runs.
    pub(crate) fn still_runs(&self, settled: &SettledApproval, after: Duration) {
        self.parts.observer.still_runs(settled, after);
    }

    /// Waits for the end of a question. Dropping the future leaves the question open.
    ///
    /// # Errors
    /// There is no such question, or it ended too long ago.
    pub async fn wait(&self, id: &str) -> Result<SettledApproval, ApprovalError> {
        let mut settled = {
            let open = self.lock();
            open.get(id).ok_or(ApprovalError::Unknown)?.settled.subscribe()
        };
        let settled = settled.wait_for(Option::is_some).await;
        settled.ok().and_then(|settled| settled.clone()).ok_or(ApprovalError::Unknown)
    }

    /// Answers a question. The first answer wins.
    ///
    /// # Errors
    /// There is no such open question.
    pub async fn resolve(
        &self,
        id: &str,
        decision: ApprovalDecision,
        by: &str,
    ) -> Result<SettledApproval, ApprovalError> {
        let scope = (decision == ApprovalDecision::AllowAlways).then(GrantScope::default);
        self.answered(id, &Answer::Given { decision, by, scope }).await
    }

    /// Answers "from now on", as far as a scope reaches. The first answer wins.
    ///
    /// # Errors
    /// There is no such open question, or the scope does not fit it; the question is still open then.
    pub async fn allow_always(
        &self,
        id: &str,
        scope: GrantScope,
        by: &str,
    ) -> Result<SettledApproval, ScopeError> {
        let latitude = self.lock().get(id).map(|entry| entry.latitude).ok_or(ApprovalError::Unknown)?;
        if !scope.fits(latitude) {
            return Err(ScopeError::TooWide);
        }
        if scope.lasts.is_some_and(|span| span.is_zero()) {
            return Err(ScopeError::Over);
        }
        let decision = ApprovalDecision::AllowAlways;
        Ok(self.answered(id, &Answer::Given { decision, by, scope: Some(scope) }).await?)
    }

    async fn answered(&self, id: &str, answer: &Answer<'_>) -> Result<SettledApproval, ApprovalError> {
        let settled = self.settle(id, answer).ok_or(ApprovalError::Unknown)?;
        self.parts.observer.resolved(&settled);
        record::append(&*self.parts.audit, record::answered(&settled)).await;
        Ok(settled)
    }

    /// Waits as `wait` does, for somebody who comes back by the question's id. That an answer is heard after it was given is
    /// written down.
    ///
    /// # Errors
    /// There is no such question, or it ended too long ago.
    pub async fn recall(&self, id: &str) -> Result<SettledApproval, ApprovalError> {
        let late = self.lock().get(id).is_some_and(|entry| entry.settled.borrow().is_some());
        let settled = self.wait(id).await?;
        if late {
            record::append(&*self.parts.audit, record::heard_late(&settled, self.parts.clock.now())).await;
        }
        Ok(settled)
    }

    /// The open question that a text names: its id, or the beginning of one and no other.
    #[must_use]
    pub fn find(&self, written: &str) -> Option<OpenApproval> {
        let mut open = self.open();
        if let Some(exact) = open.iter().position(|question| question.id == written) {
            return Some(open.swap_remove(exact));
        }
        open.retain(|question| written.len() >= SHORTEST && question.id.starts_with(written));
        match open.len() {
            1 => open.pop(),
            _ => None,
        }
    }

    /// How wide a grant for a question may be; nothing for one that is not known.
    #[must_use]
    pub fn latitude(&self, id: &str) -> Option<GrantWidth> {
        self.lock().get(id).map(|entry| entry.latitude)
    }

    /// A question by its id, open or settled a moment ago.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<OpenApproval> {
        self.lock().get(id).map(|entry| entry.question.clone())
    }

    /// The questions that are open, oldest first.
    #[must_use]
    pub fn open(&self) -> Vec<OpenApproval> {
        let open = self.lock();
        let unsettled = open.values().filter(|entry| entry.settled.borrow().is_none());
        let mut questions: Vec<_> = unsettled.map(|entry| entry.question.clone()).collect();
        questions.sort_by(|a, b| (a.created_at_ms, &a.id).cmp(&(b.created_at_ms, &b.id)));
        questions
    }

    /// Settles a question that is open and says how.
    fn settle(&self, id: &str, answer: &Answer<'_>) -> Option<SettledApproval> {
        let open = self.lock();
        let entry = open.get(id).filter(|entry| entry.settled.borrow().is_none())?;
        let at = self.parts.clock.now();
        let question = entry.question.clone();
        let settled = match answer {
            Answer::Given { decision, by, scope } => SettledApproval {
                question,
                decision: Some(*decision),
                lapse: None,
                by: Some((*by).to_owned()),
                at,
                scope: *scope,
            },
            Answer::None(lapse) => {
                SettledApproval { question, decision: None, lapse: Some(*lapse), by: None, at, scope: None }
            }
        };
        entry.settled.send_replace(Some(settled.clone()));
        Some(settled)
    }

    /// Takes a question back when the result is dropped: whoever asked holds it while they wait.
    pub(crate) fn withdrawal(self: &Arc<Self>, id: &str) -> Withdrawal {
        Withdrawal { queue: Arc::clone(self), id: id.to_owned() }
    }

    fn withdraw(&self, id: &str) {
        let Some(settled) = self.lapsed(id, Lapse::Withdrawn) else { return };
        // Without a runtime the process is ending, and nobody is left to write it down.
        if tokio::runtime::Handle::try_current().is_ok() {
            let audit = Arc::clone(&self.parts.audit);
            self.parts.tasks.start("approval", async move {
                record::append(&*audit, record::unanswered(&settled, Lapse::Withdrawn)).await;
            });
        }
    }

    /// Ends a question without an answer, if it is open.
    fn lapsed(&self, id: &str, lapse: Lapse) -> Option<SettledApproval> {
        let settled = self.settle(id, &Answer::None(lapse))?;
        self.parts.observer.resolved(&settled);
        Some(settled)
    }

    /// Lets a question run out, and forgets it some time after its end.
    fn end_after(self: &Arc<Self>, id: ApprovalId, span: Duration) {
        let queue = Arc::clone(self);
        self.parts.tasks.start_cancellable("approval", async move {
            let ended = async {
                // An unknown question has ended as well.
                if let Err(error) = queue.wait(&id).await {
                    tracing::debug!(%error, "an approval ended unseen");
                }
            };
            // Biased: an answer at the last moment counts. The sleep loses nothing.
            let answered = tokio::select! {
                biased;
                () = ended => true,
                () = queue.parts.clock.sleep(span) => false,
            };
            if !answered && let Some(settled) = queue.lapsed(&id, Lapse::RanOut) {
                record::append(&*queue.parts.audit, record::unanswered(&settled, Lapse::RanOut)).await;
            }
            queue.parts.clock.sleep(STAYS_KNOWN).await;
            queue.lock().remove(&id);
        });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ApprovalId, Entry>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn has_room(open: &HashMap<ApprovalId, Entry>, id: &str) -> Result<(), ApprovalError> {
    if open.contains_key(id) {
        return Err(ApprovalError::Taken);
    }
    if open.len() >= MOST_OPEN { Err(ApprovalError::Full) } else { Ok(()) }
}
