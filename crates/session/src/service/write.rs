//! Writes to sessions: injected messages.

use std::sync::Arc;

use openclaw_ports::model::INJECTED_API;
use openclaw_ports::stores::{BranchReach, Flush};
use openclaw_types::{
    AbortMark, AssistantMessage, Content, Cost, EntryBody, EntryId, LineRecord, Message, ProviderId,
    SessionKey, StopReason, Usage,
};

use super::{Sessions, missing};
use crate::SessionError;
use crate::transcript::{Writing, Written};

/// Among how many entries a message is looked for that was put in before.
const REPEATED: usize = 64;

/// A message that is put into a session in the model's name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Injection {
    /// What it says.
    pub text: String,
    /// What stands in brackets above it.
    pub label: Option<String>,
    /// Marks a message that must be stored only once.
    pub idempotency_key: Option<String>,
    /// Says that this is the kept part of an answer that was cut off.
    pub abort: Option<AbortMark>,
}

impl Sessions {
    /// Appends to the current transcript of a session, outside of any run.
    ///
    /// # Errors
    /// `Missing` when there is no such session, or when the store cannot do it.
    pub async fn append(&self, key: &SessionKey, bodies: Vec<EntryBody>) -> Result<Written, SessionError> {
        let entry = self.entry(key).await?.ok_or_else(|| missing(key))?;
        let agent = self.agent_of(key);
        self.parts
            .journal
            .append(Writing {
                agent,
                session: entry.session_id.clone(),
                run: None,
                begins: None,
                flush: Flush::Now,
                bodies,
            })
            .await
    }

    /// Puts a message into a session in the model's name, without a model.
    ///
    /// # Errors
    /// `Missing` when there is no such session, or when the store cannot do it.
    pub async fn inject(
        &self,
        key: &SessionKey,
        injection: Injection,
    ) -> Result<(EntryId, Arc<Message>), SessionError> {
        if let Some(once) = &injection.idempotency_key
            && let Some(found) = self.injected_before(key, once).await?
        {
            return Ok(found);
        }
        let message = Arc::new(self.injected(injection));
        let written = self.append(key, vec![EntryBody::Message(Arc::clone(&message))]).await?;
        let entry = written.entries.into_iter().next().ok_or_else(|| missing(key))?;
        Ok((entry, message))
    }

    /// Looks among the newest messages: the same one comes again within moments or never.
    async fn injected_before(
        &self,
        key: &SessionKey,
        once: &str,
    ) -> Result<Option<(EntryId, Arc<Message>)>, SessionError> {
        let entry = self.entry(key).await?.ok_or_else(|| missing(key))?;
        let reach = BranchReach::Newest(REPEATED);
        let branch = self.branch(&self.agent_of(key), &entry.session_id, None, reach).await?;
        Ok(branch.into_iter().rev().find_map(|stored| match &stored.line.record {
            LineRecord::Entry(entry) => match (&entry.id, &entry.body) {
                (Some(id), EntryBody::Message(message)) => match &**message {
                    Message::Assistant(said) if said.idempotency_key.as_deref() == Some(once) => {
                        Some((id.clone(), Arc::clone(message)))
                    }
                    _ => None,
                },
                _ => None,
            },
            LineRecord::Header(_) | LineRecord::Foreign(_) => None,
        }))
    }

    fn injected(&self, injection: Injection) -> Message {
        let text = match injection.label.as_deref().map(str::trim).filter(|label| !label.is_empty()) {
            Some(label) => format!("[{label}]\n\n{}", injection.text),
            None => injection.text,
        };
        Message::Assistant(AssistantMessage {
            content: vec![Content::text(text)],
            api: Some(INJECTED_API.into()),
            provider: ProviderId::new("openclaw").ok(),
            model: Some("gateway-injected".into()),
            usage: Some(Usage { cost: Some(Cost::default()), ..Usage::default() }),
            stop: Some(StopReason::Stop),
            error: None,
            at: Some(self.parts.clock.now()),
            idempotency_key: injection.idempotency_key,
            abort: injection.abort,
        })
    }
}
