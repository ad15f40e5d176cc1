//! `/new` and `/reset`: a new conversation in the same place.
//!
//! What is under way is stopped first. Words behind the command are the first message; the beginning of those behind
//! `/new` may name a model. Without words the model greets.

use openclaw_agent::{ListedModel, Models};
use openclaw_inbound::commands::Fresh;
use openclaw_session::{AnewReason, ModelPick, SessionPatch};
use openclaw_types::{AgentId, ModelRef};

use super::{CommandCall, CommandTrouble, Effect};
use crate::subagents::kill_all;

/// What the model is asked when somebody begins anew without a word.
const GREETING: &str = "A new conversation begins now: the person used /new or /reset. Read what your instructions say \
    about the start of a session and do that first. Then greet them in one to three sentences, in your own voice, and \
    ask what they would like to do. Should your model in the runtime line differ from the default one there, name \
    the default one as well. Say nothing about this message, and nothing about files, tools or other inner steps.";

/// Begins anew; all words are the first message.
pub(super) async fn reset(call: &CommandCall<'_>, fresh: Fresh) -> Result<Effect, CommandTrouble> {
    begin(call).await?;
    Ok(Effect::Ask(fresh.text.unwrap_or_else(|| GREETING.to_owned())))
}

/// Begins anew, with another model when the first words name one.
pub(super) async fn new(call: &CommandCall<'_>, fresh: Fresh) -> Result<Effect, CommandTrouble> {
    begin(call).await?;
    let named = fresh.hints().into_iter().find_map(|hint| Some((model(call, &hint.model)?, hint.rest)));
    let text = match named {
        Some((model, rest)) => {
            let pick = match model == call.models().primary(call.agent()) {
                true => ModelPick::Default,
                false => ModelPick::Model(model.clone()),
            };
            call.patch(SessionPatch { model: Some(pick), ..SessionPatch::default() }, &model).await?;
            rest
        }
        None => fresh.text,
    };
    Ok(Effect::Ask(text.unwrap_or_else(|| GREETING.to_owned())))
}

async fn begin(call: &CommandCall<'_>) -> Result<(), CommandTrouble> {
    call.stop().await;
    kill_all(call.flow, call.key()).await?;
    call.sessions().reset(call.key(), AnewReason::Asked).await?;
    Ok(())
}

/// The model that a word surely names.
fn model(call: &CommandCall<'_>, word: &str) -> Option<ModelRef> {
    hinted(call.models(), call.agent(), word)
}

/// The model that a word surely names: an alias, a model that is listed, or a vendor whose first model is meant.
fn hinted(models: &Models, agent: &AgentId, word: &str) -> Option<ModelRef> {
    let listed = models.list(agent);
    if let Ok(resolved) = models.resolve(agent, word) {
        let is_listed = |model: &ListedModel| model.model == resolved.reference.model;
        if resolved.reference.alias.is_some() || listed.iter().any(is_listed) {
            return Some(resolved.reference.model);
        }
    }
    let vendor = |model: &&ListedModel| model.model.provider().as_str().eq_ignore_ascii_case(word);
    listed.iter().find(vendor).map(|model| model.model.clone())
}
