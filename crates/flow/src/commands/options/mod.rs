//! Settings that stand alone in a message: they are kept in the session and acknowledged, one line for each.
//!
//! Inside a message they hold for that message alone; that is applied where runs are ordered, not here. `/models`,
//! which only lists, lives beside `/model`.

mod exec;
mod levels;
mod model;
mod models;
mod queue;

use openclaw_inbound::commands::Directives;

use super::{CommandCall, CommandTrouble};

pub(crate) use exec::exec_once;
pub(super) use levels::gates_text;
pub(super) use models::models;

/// Keeps settings in the session and gives one answer for each.
pub(super) async fn keep(
    call: &CommandCall<'_>,
    directives: &Directives,
) -> Result<Vec<String>, CommandTrouble> {
    let mut answers = Vec::new();
    // The model comes first: which levels of thinking there are depends on it.
    if let Some(model) = &directives.model {
        answers.push(model::model(call, model).await?);
    }
    if let Some(level) = &directives.think {
        answers.push(levels::think(call, level).await?);
    }
    if let Some(level) = &directives.verbose {
        answers.push(levels::verbose(call, level).await?);
    }
    if let Some(level) = &directives.reasoning {
        answers.push(levels::reasoning(call, level).await?);
    }
    if let Some(level) = &directives.elevated {
        answers.push(levels::elevated(call, level).await?);
    }
    if let Some(exec) = &directives.exec {
        answers.push(exec::exec(call, exec).await?);
    }
    if let Some(queue) = &directives.queue {
        answers.push(queue::queue(call, queue).await?);
    }
    if answers.is_empty() {
        // Nothing but short commands: their cards are added by the caller, and need a session too.
        call.open().await?;
    }
    Ok(answers)
}
