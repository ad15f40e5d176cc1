//! What stands before the answer to a submission (`messages.responsePrefix`), as far as it is known.

use openclaw_delivery::{PrefixFacts, response_prefix};
use openclaw_types::ModelRef;

use super::post::Answering;
use crate::channels::AccountView;
use crate::flow::Inner;
use crate::submission::Submission;

/// What stands before the answer to a submission.
#[derive(Debug, Clone)]
pub(crate) struct Prefix {
    template: Option<String>,
    facts: PrefixFacts,
}

impl Prefix {
    /// What an account or else everybody wants there.
    pub(crate) fn of(flow: &Inner, submission: &Submission, view: &AccountView, by: &Answering) -> Self {
        let config = flow.settings();
        let general = config.raw.messages.as_ref().and_then(|messages| messages.response_prefix.as_deref());
        let template = view.manner.response_prefix.as_deref().or(general).map(str::to_owned);
        let entries =
            config.raw.agents.as_ref().and_then(|agents| agents.list.as_deref()).unwrap_or_default();
        let identity = entries
            .iter()
            .find(|entry| entry.id.eq_ignore_ascii_case(submission.agent.as_str()))
            .and_then(|entry| entry.identity.as_ref()?.name.clone());
        let thinking = Some(by.thinking.as_str().to_owned());
        let mut prefix =
            Self { template, facts: PrefixFacts { identity, thinking, ..PrefixFacts::default() } };
        prefix.switch(&by.model);
        prefix
    }

    /// Another model answers.
    pub(crate) fn switch(&mut self, model: &ModelRef) {
        self.facts.provider = Some(model.provider().as_str().to_owned());
        self.facts.model = Some(model.model().to_owned());
    }

    /// The words; nothing when none are wanted.
    pub(crate) fn text(&self) -> Option<String> {
        response_prefix(self.template.as_deref(), &self.facts)
    }
}
