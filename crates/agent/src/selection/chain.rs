//! The models that are tried for one call, in order.
//!
//! The chain is what the configuration says, whether or not a model can be used right now. The allow-list limits
//! what people choose; fallbacks are the owner's own words and are not held against it.

use openclaw_ports::model::ModelRequest;
use openclaw_types::{AgentId, Content, Message, ModelRef};

use super::names::{ModelNames, same};
use super::reference::Reference;
use crate::SelectionError;

/// Who chose the model of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Selection {
    /// Nobody: the agent's own model answers. When it fails, only fallbacks that the owner configured are tried, so that a
    /// conversation never reaches a vendor that was not meant for it.
    #[default]
    Default,
    /// A person chose this for the session. When it fails, the configured fallbacks are tried and nothing else.
    Session(String),
    /// The owner's configuration names this for the room. It needs nobody's leave; one that makes no sense counts as not
    /// said.
    Room(String),
    /// A hook, a job or the command line chose this for one run. When it fails, fallbacks are tried, and at last the
    /// agent's own model.
    Run(String),
    /// Nobody, and a picture is to be looked at: the models configured for that, then the agent's own where it sees.
    Pictures,
}

impl ModelNames<'_> {
    /// The models to try, the chosen one first, each once, and what the choice said about signing in.
    ///
    /// # Errors
    /// The choice names no model, or one that may not be chosen.
    pub fn chain(
        &self,
        agent: &AgentId,
        selection: &Selection,
    ) -> Result<(Vec<ModelRef>, Option<Reference>), SelectionError> {
        let (start, chosen) = match selection {
            Selection::Default => (self.agent_primary(agent), None),
            Selection::Pictures => {
                let mut chain = self.image_chain();
                let (own, _) = self.chain(agent, &Selection::Default)?;
                add_all(&mut chain, own);
                let named =
                    self.config().models.image.primary.as_deref().and_then(|text| self.read(text).ok());
                return Ok((chain, named.filter(|named| named.profile.is_some())));
            }
            Selection::Room(text) => (self.room(agent, text), None),
            Selection::Session(text) | Selection::Run(text) => {
                let reference = self.resolve(agent, text)?.reference;
                (reference.model.clone(), Some(reference))
            }
        };
        let mut chain = vec![start.clone()];
        let own = self.config().agents.get(agent).and_then(|agent| agent.model.as_ref());
        match (own.and_then(|own| own.fallbacks.as_ref()), selection) {
            (Some(fallbacks), _) => add_all(&mut chain, self.read_all(fallbacks)),
            (None, Selection::Session(_)) => add_all(&mut chain, self.shared_fallbacks()),
            (None, Selection::Default | Selection::Pictures | Selection::Room(_)) => {
                add_all(&mut chain, self.fitting_fallbacks(&start));
            }
            (None, Selection::Run(_)) => {
                add_all(&mut chain, self.fitting_fallbacks(&start));
                add_all(&mut chain, [self.agent_primary(agent)]);
            }
        }
        Ok((chain, chosen))
    }

    /// The model that the configuration names for a room, else the agent's own.
    #[must_use]
    pub fn room(&self, agent: &AgentId, text: &str) -> ModelRef {
        self.read_configured(text).unwrap_or_else(|| self.agent_primary(agent))
    }

    /// The models that look at pictures, in order.
    #[must_use]
    pub fn image_chain(&self) -> Vec<ModelRef> {
        let image = &self.config().models.image;
        let mut chain = Vec::new();
        add_all(&mut chain, image.primary.as_ref().and_then(|text| self.read_configured(text)));
        add_all(&mut chain, self.read_all(image.fallbacks.as_deref().unwrap_or_default()));
        chain
    }

    /// Fallbacks are meant for the configured model: a run that began at another vendor uses them only when it began
    /// at one of them.
    fn fitting_fallbacks(&self, start: &ModelRef) -> Vec<ModelRef> {
        let fallbacks = self.shared_fallbacks();
        let fits = start.provider() == self.primary().provider()
            || fallbacks.iter().any(|fallback| same(fallback, start));
        if fits { fallbacks } else { Vec::new() }
    }

    fn shared_fallbacks(&self) -> Vec<ModelRef> {
        self.read_all(self.config().models.default.fallbacks.as_deref().unwrap_or_default())
    }

    fn read_all(&self, texts: &[String]) -> Vec<ModelRef> {
        texts.iter().filter_map(|text| self.read_configured(text)).collect()
    }

    fn read_configured(&self, text: &str) -> Option<ModelRef> {
        self.configured(text, self.primary().provider())
    }
}

/// Whether the turn under way shows the model a picture. Pictures of earlier turns do not count: they were seen.
pub(crate) fn wants_to_be_seen(request: &ModelRequest) -> bool {
    let last =
        request.messages.iter().rposition(|message| matches!(**message, Message::User(_))).unwrap_or(0);
    let turn = request.messages.get(last..).unwrap_or_default();
    turn.iter().flat_map(|message| message.content()).any(|piece| matches!(piece, Content::Image(_)))
}

fn add_all(chain: &mut Vec<ModelRef>, models: impl IntoIterator<Item = ModelRef>) {
    for model in models {
        if !chain.iter().any(|known| same(known, &model)) {
            chain.push(model);
        }
    }
}
