//! Stage: checks whether an event is admitted. What was not admitted here cannot be routed.
//!
//! `inbound::access` decides; this gives it the facts. Nothing is fetched, kept or said yet.

use openclaw_inbound::access::{AccessRequest, AccessVerdict, Activation, AuthorRights, Rule, Us, decide};
use openclaw_inbound::route::{Broadcast, RouteQuery, broadcast};
use openclaw_types::{ChatKind, Inbound, InboundKind, SessionKey};

use super::accounts::AccountView;
use crate::error::FlowError;
use crate::flow::Inner;

/// An event whose author may talk to us, and that is for us.
pub(super) struct Admitted {
    inbound: Inbound,
    view: AccountView,
    admission: AuthorRights,
    answering: Broadcast,
}

/// What becomes of an event.
pub(super) enum EventAdmission {
    /// It goes on.
    In(Box<Admitted>),
    /// A stranger gets a code.
    Pair(Box<Inbound>),
    /// It is kept as context.
    Context(Box<Overheard>),
    /// It is told with the next message of these sessions.
    Notice(Box<Inbound>, Vec<SessionKey>),
    /// Its author is told that they may not give that command: the platform shows them that we think about it.
    Refused(Box<Inbound>),
    /// Nothing.
    Nothing(Rule),
}

/// An event whose author may talk to us, and that is not for us.
#[derive(Clone)]
pub(super) struct Overheard {
    inbound: Inbound,
    view: AccountView,
    answering: Broadcast,
}

impl Overheard {
    pub(super) fn inbound(&self) -> &Inbound {
        &self.inbound
    }

    /// The same as a part of something that was for us: an album is let in as a whole.
    pub(super) fn admitted_with(self, admission: AuthorRights) -> Admitted {
        let Self { inbound, view, answering } = self;
        Admitted { inbound, view, admission, answering }
    }
}

impl Admitted {
    pub(super) fn inbound(&self) -> &Inbound {
        &self.inbound
    }

    pub(super) fn view(&self) -> &AccountView {
        &self.view
    }

    pub(super) fn admission(&self) -> &AuthorRights {
        &self.admission
    }

    /// Everybody who answers.
    pub(super) fn answering(&self) -> &Broadcast {
        &self.answering
    }
}

/// Checks access.
///
/// # Errors
/// The stores cannot be read, so that nobody knows who was let in.
pub(super) async fn admit(
    flow: &Inner,
    view: AccountView,
    inbound: Inbound,
) -> Result<EventAdmission, FlowError> {
    let rules = flow.rules();
    let seeker = RouteQuery::of(&inbound);
    let answering = broadcast(&rules.routes, &rules.config.session, &seeker);
    let answering = flow.answering_bound(&inbound, answering).await?;
    let agents = answering.routes.iter().map(|route| route.agent.clone()).collect();
    let paired = flow.parts.senders.allowed(&inbound.channel, &inbound.account).await?;
    let mut names = vec![view.descriptor.id];
    names.extend(view.descriptor.aliases);
    let verdict = decide(&AccessRequest {
        inbound: &inbound,
        rules: &view.door,
        paired: &paired,
        us: us(&view),
        names: &names,
        mentions: &rules.mentions(agents, &inbound.channel, &inbound.account),
        access: rules.access_on(view.descriptor),
        commands: &rules.commands,
        reactions: &view.manner.reactions,
        activation: activation(flow, &inbound, &answering).await?,
    });
    tracing::debug!(
        subsystem = "channels",
        channel = %inbound.channel,
        account = %inbound.account,
        verdict = verdict.word(),
        rule = %verdict.rule(),
        "a message came"
    );
    Ok(match verdict {
        AccessVerdict::Admit(admission) => {
            EventAdmission::In(Box::new(Admitted { inbound, view, admission, answering }))
        }
        AccessVerdict::Pair { .. } => EventAdmission::Pair(Box::new(inbound)),
        AccessVerdict::ContextOnly { .. } => {
            EventAdmission::Context(Box::new(Overheard { inbound, view, answering }))
        }
        AccessVerdict::Notice { .. } => {
            let keys = answering.routes.into_iter().map(|route| route.key).collect();
            EventAdmission::Notice(Box::new(inbound), keys)
        }
        AccessVerdict::Drop { rule } if is_refused(&inbound, rule) => {
            EventAdmission::Refused(Box::new(inbound))
        }
        AccessVerdict::Drop { rule } => EventAdmission::Nothing(rule),
    })
}

/// Whether a person gave a command of the platform's menu that is not theirs to give. Programs are told nothing.
fn is_refused(inbound: &Inbound, rule: Rule) -> bool {
    matches!(inbound.kind, InboundKind::Command(_)) && !matches!(rule, Rule::OwnMessage | Rule::Bot)
}

/// Who we are on the platform.
pub(super) fn us(view: &AccountView) -> Us<'_> {
    let identity = view.identity.as_ref();
    Us {
        id: identity.map(|identity| &identity.id),
        handle: identity.and_then(|identity| identity.handle.as_deref()),
    }
}

/// What somebody chose for the room with `/activation`.
async fn activation(flow: &Inner, inbound: &Inbound, answering: &Broadcast) -> Result<Activation, FlowError> {
    if inbound.place.kind == ChatKind::Direct {
        return Ok(Activation::AsConfigured);
    }
    let Some(route) = answering.routes.first() else { return Ok(Activation::AsConfigured) };
    let entry = flow.parts.sessions.entry(&route.key).await?;
    Ok(match entry.as_ref().and_then(|entry| entry.facts.group_activation.as_deref()) {
        Some("always") => Activation::Always,
        Some("mention") => Activation::Mention,
        _ => Activation::AsConfigured,
    })
}
