//! A session as lists and results show it. Pure apart from asking which model an agent has.

use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::sessions::{
    DeliveryContext, ResponseUsage, SendPolicy, SessionEntry as WireEntry, SessionKind, SessionOrigin,
    SessionRow,
};
use openclaw_session::{Listed, ListedKind};
use openclaw_types::{ModelRef, SessionEntry, SessionFacts};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::methods::agents::AgentServices;

/// One row of a list.
pub(super) fn row(services: &AgentServices, listed: Listed) -> SessionRow {
    let agent = services.agent_of(&listed.key);
    let facts = &listed.entry.facts;
    let model = model_of(facts).unwrap_or_else(|| services.models().primary(&agent));
    let context_tokens =
        facts.context_tokens.or_else(|| services.models().window(&model).map(|window| window.tokens));
    SessionRow {
        key: listed.key.to_string(),
        kind: match listed.kind {
            ListedKind::Direct => SessionKind::Direct,
            ListedKind::Group => SessionKind::Group,
            ListedKind::Global => SessionKind::Global,
            ListedKind::Unknown => SessionKind::Unknown,
        },
        label: facts.label.clone(),
        display_name: listed.display_name,
        channel: facts.channel.clone(),
        subject: facts.subject.clone(),
        group_channel: facts.group_channel.clone(),
        space: facts.space.clone(),
        chat_type: facts.chat_type.clone(),
        origin: read::<SessionOrigin>(facts.origin.as_ref()),
        updated_at: Some(listed.entry.updated_at),
        session_id: Some(listed.entry.session_id.to_string()),
        system_sent: facts.system_sent,
        aborted_last_run: facts.aborted_last_run,
        thinking_level: facts.thinking_level.clone(),
        verbose_level: facts.verbose_level.clone(),
        reasoning_level: facts.reasoning_level.clone(),
        elevated_level: facts.elevated_level.clone(),
        send_policy: read::<SendPolicy>(facts.send_policy.clone().map(Value::String).as_ref()),
        input_tokens: facts.input_tokens,
        output_tokens: facts.output_tokens,
        total_tokens: facts.total_tokens,
        total_tokens_fresh: Some(facts.total_tokens.is_some() && facts.total_tokens_fresh != Some(false)),
        response_usage: read::<ResponseUsage>(facts.response_usage.clone().map(Value::String).as_ref()),
        model_provider: Some(model.provider().to_string()),
        model: Some(model.model().to_owned()),
        context_tokens,
        delivery_context: read::<DeliveryContext>(facts.delivery_context.as_ref()),
        last_channel: facts.last_channel.clone(),
        last_to: facts.last_to.clone(),
        last_account_id: facts.last_account_id.clone(),
        derived_title: listed.derived_title,
        last_message_preview: listed.last_message,
    }
}

/// What is stored about a session, as clients are shown it.
pub(super) fn entry(stored: &SessionEntry) -> Result<WireEntry, ErrorShape> {
    let written = serde_json::to_value(stored).and_then(serde_json::from_value);
    written.map_err(|error| {
        tracing::error!(%error, "a session does not have the protocol's shape");
        ErrorShape::unavailable("the session holds something this gateway does not know; see its log")
    })
}

/// The model a session has: the one that was chosen for it, else the one that answered last.
pub(in crate::methods) fn model_of(facts: &SessionFacts) -> Option<ModelRef> {
    let named = |provider: &Option<String>, model: &Option<String>| {
        format!("{}/{}", provider.as_deref()?, model.as_deref()?).parse().ok()
    };
    named(&facts.provider_override, &facts.model_override)
        .or_else(|| named(&facts.model_provider, &facts.model))
}

/// What nobody understands counts as absent.
fn read<T: DeserializeOwned>(value: Option<&Value>) -> Option<T> {
    T::deserialize(value?).ok()
}
