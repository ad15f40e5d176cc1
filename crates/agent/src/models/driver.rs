//! Drives one call to its end: model after model, credential after credential.
//!
//! What comes next is decided in `failover`; this carries it out, tells the caller, and remembers. Runs as a task of
//! its own, so that what was sent is counted even when nobody waits for the answer any more.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use openclaw_config::Config;
use openclaw_ports::model::{CredentialKind, CredentialOrigin, FaultReason, ModelFault, ProfileFacts};
use openclaw_ports::stores::{HealthKey, StoreError};
use openclaw_types::{AgentId, AuthProfileId, ProviderId};
use tokio::sync::mpsc;

use super::attempt::{AttemptEnd, Job, ModelAnswer};
use super::call::{
    Attempt, AttemptSent, CallDone, CallEvent, CallFailed, FailureCause, ModelCall, Purpose, TriedModel,
};
use super::open::Shared;
use super::plan::{CallPlan, Planned, Ready, Way, plan};
use super::status::SwitchRecord;
use super::story;
use crate::failover::{
    FailoverStep, HealthSubject, PauseRules, Remaining, Renewal, Resting, Situation, decide, is_near_end,
    rules_for,
};
use crate::profiles::{CredentialOrder, OrderRules, Ordered, line_up};
use crate::selection::lower_level;

/// Runs a call and tells its events.
pub(super) async fn run(shared: &Shared, call: ModelCall, events: mpsc::Sender<CallEvent>) {
    let (config, catalog) = shared.now();
    let planned = plan(&call, &config, &catalog, &|model| shared.facts(&catalog, model).map(Cow::into_owned));
    let mut driver = Driver {
        shared,
        call: &call,
        events: &events,
        config,
        orders: None,
        rests: Rests::AsRemembered,
        tried: Vec::new(),
        sent: 0,
        from: None,
    };
    let outcome = match planned {
        Ok(plan) => driver.drive(&plan).await,
        Err(fault) => Outcome::Failed(FailureCause::Selection(fault)),
    };
    let (last, dirty) = match outcome {
        Outcome::Done(done, dirty) => (CallEvent::Done(done), dirty),
        Outcome::Failed(cause) => (CallEvent::Failed(Box::new(driver.failed(cause))), Vec::new()),
        Outcome::Gone => return,
    };
    if !tell(shared, &events, last).await {
        tracing::debug!(subsystem = "models", "a model call ended unheard");
    }
    shared.health.write(dirty).await;
}

/// Tells an event; false when nobody listens. A reader that does not read must not hold up a stop.
async fn tell(shared: &Shared, events: &mpsc::Sender<CallEvent>, event: CallEvent) -> bool {
    // Biased: what there is room for is told even while stopping; the reader of the rest finds the stream closed.
    tokio::select! {
        biased;
        told = events.send(event) => told.is_ok(),
        () = shared.parts.tasks.cancelled() => false,
    }
}

struct Driver<'a> {
    shared: &'a Shared,
    call: &'a ModelCall,
    events: &'a mpsc::Sender<CallEvent>,
    config: Arc<Config>,
    /// The stored orders of this agent, read when first needed.
    orders: Option<BTreeMap<ProviderId, Vec<AuthProfileId>>>,
    rests: Rests,
    tried: Vec<Attempt>,
    sent: usize,
    /// What was left, until something else is tried.
    from: Option<Left>,
}

/// How sure a call is of what rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rests {
    /// As this process remembers.
    AsRemembered,
    /// Looked up in the store during this call: a person may have ended a rest from another process.
    LookedUp,
}

/// Something that failed or rests.
struct Left {
    what: TriedModel,
    fault: ModelFault,
    sent: AttemptSent,
}

/// How a call ended.
enum Outcome {
    Done(Box<CallDone>, Vec<HealthKey>),
    Failed(FailureCause),
    Gone,
}

/// Where to go on.
enum Flow {
    NextProfile,
    NextModel,
    End(Outcome),
}

/// One model with one credential.
struct Candidate<'a> {
    planned: &'a Planned,
    ready: &'a Ready,
    profile: &'a ProfileFacts,
    rules: PauseRules,
    profiles: Remaining,
    models: Remaining,
}

/// A model that rests, and the credential that is back first.
struct Rested<'a> {
    planned: &'a Planned,
    ready: &'a Ready,
    profile: ProfileFacts,
    resting: Resting,
}

/// The credentials of a model that may be tried now.
enum Queue {
    Try(Vec<Ordered>),
    Rests(Box<ProfileFacts>, Resting),
    Nothing(ModelFault),
}

impl Driver<'_> {
    async fn drive(&mut self, plan: &CallPlan) -> Outcome {
        let mut resting = Vec::new();
        for (index, planned) in plan.models.iter().enumerate() {
            let ready = match &planned.way {
                Way::Open(ready) => ready,
                Way::Blocked(fault) => {
                    self.leave(tried(planned, None), fault.clone(), AttemptSent::No);
                    continue;
                }
            };
            let later = Remaining::of(plan.models.len() - index - 1 + resting.len());
            match self.queue(plan, planned, (index, later)).await {
                Queue::Try(line) => {
                    if let Flow::End(outcome) = self.try_line(planned, ready, &line, later).await {
                        return outcome;
                    }
                }
                Queue::Rests(profile, rest) => {
                    let fault = story::resting(&planned.model, &rest, self.shared.parts.clock.now());
                    self.leave(tried(planned, Some(&profile)), fault, AttemptSent::No);
                    resting.push(Rested { planned, ready, profile: *profile, resting: rest });
                }
                Queue::Nothing(fault) => self.leave(tried(planned, None), fault, AttemptSent::No),
            }
        }
        if let Some(outcome) = self.try_resting(resting).await {
            return outcome;
        }
        Outcome::Failed(FailureCause::Fault(self.telling_fault()))
    }

    /// Tries the models that rest, since no other model answered: a pause chooses between candidates and refuses nothing.
    /// The one that an early try could help most comes first.
    async fn try_resting(&mut self, mut resting: Vec<Rested<'_>>) -> Option<Outcome> {
        resting.sort_by_key(|rested| (rested.resting.cause, rested.resting.until));
        let is_resting = |what: &TriedModel, sent: AttemptSent| {
            sent == AttemptSent::No && resting.iter().any(|rested| rested.tried() == *what)
        };
        self.tried.retain(|attempt| !is_resting(&attempt.what, attempt.sent));
        self.from = self.from.take().filter(|left| !is_resting(&left.what, left.sent));
        for (place, rested) in resting.iter().enumerate() {
            let candidate = Candidate {
                planned: rested.planned,
                ready: rested.ready,
                profile: &rested.profile,
                rules: rules_for(&self.config, rested.planned.model.provider()),
                profiles: Remaining::None,
                models: Remaining::of(resting.len() - place - 1),
            };
            match self.try_profile(candidate).await {
                Flow::End(outcome) => return Some(outcome),
                Flow::NextProfile | Flow::NextModel => {}
            }
        }
        None
    }

    /// Decides which credentials of a model are tried now.
    async fn queue(
        &mut self,
        plan: &CallPlan,
        planned: &Planned,
        (index, later): (usize, Remaining),
    ) -> Queue {
        let provider = planned.model.provider();
        let agent = &self.call.agent;
        let rules = rules_for(&self.config, provider);
        let known = match self.known(provider).await {
            Ok(known) => known,
            Err(fault) => {
                tracing::error!(subsystem = "models", %fault, "sign-ins could not be read");
                let message = format!("the sign-ins for {provider} cannot be read: {fault}");
                return Queue::Nothing(ModelFault::new(FaultReason::Auth, message));
            }
        };
        let health = &self.shared.health;
        let rest = |profile: &AuthProfileId| {
            health.rest(HealthSubject { agent, profile, model: &planned.model, rules: &rules })
        };
        let order_rules = OrderRules {
            stored: self.orders.as_ref().and_then(|orders| orders.get(provider)).map(Vec::as_slice),
            configured: &self.config.models.sign_in,
            pin: plan.pin.as_ref(),
        };
        let mut lineup = line_up(provider, &known, &order_rules, rest);
        if self.rests == Rests::AsRemembered && rests_somewhere(&lineup) {
            health.refresh(agent).await;
            self.rests = Rests::LookedUp;
            lineup = line_up(provider, &known, &order_rules, rest);
        }
        let line = match lineup {
            CredentialOrder::Locked(ordered) => return Queue::Try(vec![*ordered]),
            CredentialOrder::LockedOut(profile) => {
                return Queue::Nothing(story::locked_out(&profile, provider));
            }
            CredentialOrder::Free(line) => line,
        };
        let (resting, ready): (Vec<_>, Vec<_>) =
            line.into_iter().partition(|ordered| ordered.resting.is_some());
        if !ready.is_empty() {
            return Queue::Try(ready);
        }
        self.early(planned, resting, &rules, (index, later))
    }

    /// Decides whether one of the credentials that rest is tried early.
    fn early(
        &self,
        planned: &Planned,
        line: Vec<Ordered>,
        rules: &PauseRules,
        (index, later): (usize, Remaining),
    ) -> Queue {
        let (agent, model) = (&self.call.agent, &planned.model);
        let mut rests = Vec::new();
        for ordered in line {
            let about = HealthSubject { agent, profile: &ordered.facts.id, model, rules };
            match self.shared.health.resting(about) {
                Some(resting) => rests.push((resting, ordered)),
                // Its rest ended between the two looks.
                None => return Queue::Try(vec![ordered]),
            }
        }
        // The one that an early try could help most.
        let best = rests.into_iter().min_by_key(|(resting, _)| (resting.cause, resting.until));
        let Some((resting, first)) = best else { return Queue::Nothing(story::no_sign_in(model.provider())) };
        let clock = &self.shared.parts.clock;
        let wanted = self.call.purpose == Purpose::Probe;
        let near = index == 0 && later == Remaining::Some && is_near_end(&resting, clock.now());
        if wanted || (near && self.shared.probes.take_turn(agent, model, clock.elapsed())) {
            return Queue::Try(vec![first]);
        }
        Queue::Rests(Box::new(first.facts), resting)
    }

    /// What the agent could sign in with. Reads the stored orders along, once for a call.
    async fn known(&mut self, provider: &ProviderId) -> Result<Vec<ProfileFacts>, StoreError> {
        if self.orders.is_none() {
            self.orders = Some(self.shared.orders(&self.call.agent).await?);
        }
        self.shared.parts.credentials.profiles(&self.call.agent, provider).await
    }

    async fn try_line(
        &mut self,
        planned: &Planned,
        ready: &Ready,
        line: &[Ordered],
        models: Remaining,
    ) -> Flow {
        let rules = rules_for(&self.config, planned.model.provider());
        for (place, ordered) in line.iter().enumerate() {
            let profiles = Remaining::of(line.len() - place - 1);
            let profile = &ordered.facts;
            let about = HealthSubject {
                agent: &self.call.agent,
                profile: &profile.id,
                model: &planned.model,
                rules: &rules,
            };
            if place > 0 && self.shared.health.rest(about).until.is_some() {
                // Another call found out while we were trying its neighbour.
                continue;
            }
            match self.try_profile(Candidate { planned, ready, profile, rules, profiles, models }).await {
                Flow::NextProfile => {}
                flow => return flow,
            }
        }
        Flow::NextModel
    }

    /// Tries one model with one credential, again with other thinking or a renewed sign-in where that can help.
    async fn try_profile(&mut self, candidate: Candidate<'_>) -> Flow {
        let Candidate { planned, ready, profile, .. } = candidate;
        let what = tried(planned, Some(profile));
        let mut levels = vec![ready.thinking];
        let mut thinking = ready.thinking;
        let mut renewal = match profile.kind {
            CredentialKind::Oauth => Renewal::Possible,
            _ => Renewal::Impossible,
        };
        loop {
            if !self.announce(&what).await {
                return Flow::End(Outcome::Gone);
            }
            let request = ready.request(&self.call.request, thinking);
            let (shared, call, events) = (self.shared, self.call, self.events);
            let about = candidate.subject(&call.agent);
            if may_rest(profile) {
                shared.health.used(about);
            }
            let ended =
                Job { shared, call, events, model: &planned.model, ready, profile, request }.run().await;
            let (fault, sent) = match ended {
                AttemptEnd::Failed(fault, sent) => (fault, sent),
                AttemptEnd::Answered(answer) => {
                    let dirty = if may_rest(profile) { shared.health.answered(about) } else { Vec::new() };
                    let done = self.done(*answer, &what, (profile, thinking));
                    return Flow::End(Outcome::Done(Box::new(done), dirty));
                }
                AttemptEnd::Stopped(cause) => return Flow::End(Outcome::Failed(cause)),
                AttemptEnd::Gone => return Flow::End(Outcome::Gone),
            };
            let other_thinking = lower_level(&fault, &levels);
            if sent == AttemptSent::No {
                // A credential that could not be unlocked was already renewed without success.
                renewal = Renewal::Impossible;
            }
            let situation =
                Situation { other_thinking, renewal, profiles: candidate.profiles, models: candidate.models };
            let step = decide(fault.reason, situation);
            if !matches!(step, FailoverStep::Rethink(_) | FailoverStep::Renew) && may_rest(profile) {
                blame(shared, about, &fault, sent).await;
            }
            self.leave(what.clone(), fault.clone(), sent);
            match step {
                FailoverStep::Rethink(level) => {
                    levels.push(level);
                    thinking = level;
                }
                FailoverStep::Renew => renewal = Renewal::Impossible,
                FailoverStep::NextProfile => return Flow::NextProfile,
                FailoverStep::NextModel => return Flow::NextModel,
                FailoverStep::GiveUp => return Flow::End(Outcome::Failed(FailureCause::Fault(fault))),
            }
        }
    }

    /// Tells what is tried next, and why something else no longer is. False when nobody listens.
    async fn announce(&mut self, what: &TriedModel) -> bool {
        if let Some(left) = self.from.take() {
            let message = story::switched(&left.what, &left.fault, what);
            let reason = left.fault.reason;
            match left.sent {
                AttemptSent::Yes => {
                    tracing::info!(subsystem = "models", agent = %self.call.agent, "{message}");
                    self.shared.switches.add(SwitchRecord {
                        at: self.shared.parts.clock.now(),
                        agent: self.call.agent.clone(),
                        session: self.call.session.clone(),
                        from: left.what.clone(),
                        to: what.clone(),
                        reason,
                        message: message.clone(),
                    });
                }
                // Said when it began to rest; said again with every call it would hide everything else.
                AttemptSent::No => {
                    tracing::debug!(subsystem = "models", agent = %self.call.agent, "{message}")
                }
            }
            let switched = CallEvent::Switched { from: left.what, to: what.clone(), reason, message };
            if !tell(self.shared, self.events, switched).await {
                return false;
            }
        }
        self.sent += 1;
        let trying = CallEvent::Trying { what: what.clone(), attempt: self.sent };
        tell(self.shared, self.events, trying).await
    }

    /// Remembers what failed or could not be tried. A real failure is what people hear of first.
    fn leave(&mut self, what: TriedModel, fault: ModelFault, sent: AttemptSent) {
        let told =
            self.from.as_ref().is_some_and(|left| left.sent == AttemptSent::Yes && sent == AttemptSent::No);
        if !told {
            self.from = Some(Left { what: what.clone(), fault: fault.clone(), sent });
        }
        self.tried.push(Attempt { what, fault, sent });
    }

    fn done(
        &mut self,
        answer: ModelAnswer,
        what: &TriedModel,
        (profile, thinking): (&ProfileFacts, openclaw_types::ThinkingLevel),
    ) -> CallDone {
        CallDone {
            completion: answer.completion,
            model: what.model.clone(),
            profile: profile.id.clone(),
            usage: answer.usage,
            counted: answer.counted,
            thinking,
            tried: std::mem::take(&mut self.tried),
        }
    }

    /// The fault that says most about a call in which everything failed: the last one a server gave, else the last.
    fn telling_fault(&self) -> ModelFault {
        let sent = self.tried.iter().rev().find(|attempt| attempt.sent == AttemptSent::Yes);
        let last =
            sent.or_else(|| self.tried.iter().min_by_key(|attempt| attempt.fault.retry_after.is_none()));
        let nothing = || ModelFault::new(FaultReason::Unknown, "no model is configured");
        last.map_or_else(nothing, |attempt| attempt.fault.clone())
    }

    fn failed(&mut self, cause: FailureCause) -> CallFailed {
        let tried = std::mem::take(&mut self.tried);
        let message = story::failed(&cause, &tried);
        if !matches!(&cause, FailureCause::Fault(fault) if fault.reason == FaultReason::Cancelled) {
            tracing::warn!(subsystem = "models", agent = %self.call.agent, "{message}");
        }
        CallFailed { cause, tried, message }
    }
}

impl Candidate<'_> {
    fn subject<'a>(&'a self, agent: &'a AgentId) -> HealthSubject<'a> {
        HealthSubject { agent, profile: &self.profile.id, model: &self.planned.model, rules: &self.rules }
    }
}

impl Rested<'_> {
    fn tried(&self) -> TriedModel {
        tried(self.planned, Some(&self.profile))
    }
}

/// A server that asks for no credential is never left alone: there is nobody to spare.
fn may_rest(profile: &ProfileFacts) -> bool {
    profile.origin != CredentialOrigin::NotNeeded
}

/// Remembers a failure that the vendor had a part in. What could not be sent for a reason of our own blames nobody.
async fn blame(shared: &Shared, about: HealthSubject<'_>, fault: &ModelFault, sent: AttemptSent) {
    if sent == AttemptSent::No && fault.reason != FaultReason::Auth {
        return;
    }
    // Counted on top of what the store holds, so that what a person ended meanwhile does not come back.
    shared.health.refresh(about.agent).await;
    shared.probes.failed(about.agent, about.model, shared.parts.clock.elapsed());
    let dirty = shared.health.failed(about, fault);
    shared.health.write(dirty).await;
}

fn rests_somewhere(lineup: &CredentialOrder) -> bool {
    match lineup {
        CredentialOrder::Free(line) => line.iter().any(|ordered| ordered.resting.is_some()),
        CredentialOrder::Locked(_) | CredentialOrder::LockedOut(_) => false,
    }
}

fn tried(planned: &Planned, profile: Option<&ProfileFacts>) -> TriedModel {
    TriedModel { model: planned.model.clone(), profile: profile.map(|profile| profile.id.clone()) }
}
