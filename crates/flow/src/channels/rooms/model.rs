//! Which model answers in a session where no person chose one: that of its room, else the agent's own.

use openclaw_agent::Selection;
use openclaw_inbound::route::{RoomNames, room_model};
use openclaw_types::{AgentId, ChannelId, ChatKind, ModelRef, ProviderId, SessionFacts, SessionKey};

use crate::flow::Inner;
use crate::order::chosen;
use crate::submission::Submission;

/// The model of a session: the one that a person chose, else that of the room its messages come from.
pub(crate) fn selection(flow: &Inner, about: &Talk<'_>) -> Selection {
    chosen(about.facts).map_or_else(|| usual(flow, about), Selection::Session)
}

/// The model that answers next in a session.
pub(crate) fn chosen_model(flow: &Inner, agent: &AgentId, about: &Talk<'_>) -> ModelRef {
    let (models, facts) = (&flow.parts.models, about.facts);
    let chosen = match (&facts.provider_override, &facts.model_override) {
        (Some(provider), Some(model)) => {
            ProviderId::new(provider).ok().and_then(|provider| ModelRef::new(provider, model).ok())
        }
        (None, Some(model)) => models.resolve(agent, model).ok().map(|resolved| resolved.reference.model),
        (_, None) => None,
    };
    chosen.unwrap_or_else(|| usual_model(flow, agent, about))
}

/// The model that answers in a session where nobody chose one.
pub(crate) fn usual_model(flow: &Inner, agent: &AgentId, about: &Talk<'_>) -> ModelRef {
    flow.parts.models.chosen(agent, &usual(flow, about))
}

/// What is known of a conversation.
pub(crate) struct Talk<'a> {
    pub(crate) key: &'a SessionKey,
    pub(crate) facts: &'a SessionFacts,
    /// What came last, where somebody asks because of it.
    pub(crate) submission: Option<&'a Submission>,
}

fn usual(flow: &Inner, about: &Talk<'_>) -> Selection {
    let rules = flow.rules();
    let model = room(about).and_then(|room| room_model(&rules.models, &room).map(str::to_owned));
    model.map_or(Selection::Default, Selection::Room)
}

/// The room of a conversation: where the submission came from, else what the session knows of it. A talk with one person has
/// none.
fn room(about: &Talk<'_>) -> Option<RoomNames> {
    match about.submission.and_then(|submission| submission.channel_origin.as_ref()) {
        Some(channel_origin) => {
            let (inbound, place) = (&channel_origin.inbound, &channel_origin.inbound.place);
            let thread = place.thread.as_ref().or(place.session_thread.as_ref());
            (place.kind != ChatKind::Direct).then(|| RoomNames {
                channel: inbound.channel.clone(),
                id: place.id.as_str().to_owned(),
                thread: thread.map(|thread| thread.as_str().to_owned()),
                parent: place.parent.as_ref().map(|parent| parent.as_str().to_owned()),
                called: place.name.iter().cloned().collect(),
            })
        }
        None => {
            let facts = about.facts;
            Some(RoomNames {
                channel: ChannelId::new(facts.channel.as_deref()?).ok()?,
                id: facts.group_id.clone()?,
                thread: about.key.thread().map(|thread| thread.id.as_str().to_owned()),
                parent: None,
                called: [&facts.group_channel, &facts.subject].into_iter().flatten().cloned().collect(),
            })
        }
    }
}
