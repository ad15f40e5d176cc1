//! Where an answer leaves while it is made: keeps blocks and drafts in the outbox as the final answer would be.

use std::sync::Arc;

use openclaw_delivery::{CleanAnswer, Position, Replies, read_markdown, with_prefix, without_heartbeat};
use openclaw_ports::stores::StoreError;
use openclaw_types::{
    AgentId, MessageId, ModelRef, Outgoing, PiecePayload, RichText, RunId, SendTarget, UnixMillis,
};
use tokio::sync::oneshot;

use crate::channels::{AccountSlots, AccountView};
use crate::flow::Inner;
use crate::outbox::{self, Answering, EarlyPiece, Prefix};
use crate::submission::Submission;

/// Where the answer to one submission leaves.
pub(super) struct Outlet {
    pub(super) run: RunId,
    pub(super) target: SendTarget,
    pub(super) view: AccountView,
    agent: AgentId,
    prefix: Prefix,
    pub(super) replies: Replies,
}

impl Outlet {
    /// Where the answer to a submission leaves; nothing when it goes to no platform.
    pub(super) fn of(flow: &Inner, submission: &Submission, by: &Answering) -> Option<Self> {
        let target = outbox::target_of(flow, submission)?;
        let view = flow.parts.channels.view(&target.channel, &target.account)?;
        Some(Self {
            run: submission.run.clone(),
            agent: submission.agent.clone(),
            prefix: Prefix::of(flow, submission, &view, by),
            replies: outbox::replies(submission, &view),
            target,
            view,
        })
    }

    /// Another model answers.
    pub(super) fn switch(&mut self, model: &ModelRef) {
        self.prefix.switch(model);
    }

    /// Keeps words under a name behind the run, to be sent at a moment.
    ///
    /// # Errors
    /// They could not be kept.
    pub(super) async fn keep(
        &mut self,
        flow: &Inner,
        name: &str,
        answer: CleanAnswer,
        at: UnixMillis,
    ) -> Result<(), StoreError> {
        let stem = format!("{}/{name}", self.run);
        let prefix = self.prefix.text();
        let leaving = EarlyPiece {
            agent: &self.agent,
            target: &self.target,
            view: &self.view,
            stem: &stem,
            prefix: prefix.as_deref(),
        };
        outbox::leave(flow, (&leaving, self.run.as_str()), answer, &mut self.replies, at).await
    }

    /// Keeps the first words of a draft. Gives who hears of the message that they become.
    ///
    /// # Errors
    /// They could not be kept.
    pub(super) async fn keep_draft(
        &mut self,
        flow: &Inner,
        name: &str,
        text: RichText,
    ) -> Result<oneshot::Receiver<MessageId>, StoreError> {
        let key = format!("{}/{name}", self.run);
        let sent = flow.mail.hear(&key);
        let reply = self.replies.next(None, Position::First);
        let piece = Outgoing {
            key,
            target: self.target.clone(),
            payload: PiecePayload::Text { text },
            reply,
            silent: false,
            link_preview: self.view.manner.link_preview,
            buttons: Vec::new(),
        };
        let key = piece.key.clone();
        match outbox::keep(flow, vec![piece], self.run.as_str()).await {
            Ok(()) => Ok(sent),
            Err(error) => {
                flow.mail.became(&key, None);
                Err(error)
            }
        }
    }

    /// Words as they are shown there; nothing when they do not fit into one message.
    pub(super) fn shown(&self, words: &str) -> Option<RichText> {
        let words = without_heartbeat(words.to_owned());
        let words = with_prefix(self.prefix.text().as_deref(), &words);
        let text = read_markdown(&words, self.view.manner.tables).text;
        (outbox::measure(self.view.descriptor)(&text) <= self.view.manner.text_limit).then_some(text)
    }

    /// What the account can do now.
    pub(super) fn slots(&self, flow: &Inner) -> Option<Arc<AccountSlots>> {
        flow.parts.channels.surface(&self.target.channel, &self.target.account)
    }
}
