//! `/compact`: sums up the older part of the conversation now.
//!
//! A run under way is stopped first, since it would write while the summary is made; messages that wait would begin
//! the next run at once, so they are answered before.

use openclaw_agent::{CompactOrder, CompactOutcome};

use super::wording::{percent, tokens};
use super::{CommandCall, CommandTrouble};
use crate::channels::selection;

/// Sums up and says what came of it.
pub(super) async fn compact(
    call: &CommandCall<'_>,
    instructions: Option<String>,
) -> Result<String, CommandTrouble> {
    if call.flow.queues.state(call.key()).waiting > 0 {
        return Ok("⚠️ Messages are waiting for their answers here. Say /compact again when they are answered, or stop \
                   first."
            .to_owned());
    }
    call.stop_run().await;
    let entry = call.open().await?;
    let order = CompactOrder {
        agent: call.agent().clone(),
        key: call.key().clone(),
        session: entry.session_id.clone(),
        model: selection(call.flow, &call.talk(&entry.facts)),
        instructions,
    };
    Ok(match call.flow.parts.agent.compact(order).await {
        CompactOutcome::Done { tokens_before, tokens_after } => {
            let window = call.models().window(&call.model(&entry.facts)).map(|window| window.tokens);
            let of_window = window.map_or_else(String::new, |window| {
                format!(
                    " Context: {} of {} ({}).",
                    tokens(tokens_after),
                    tokens(window),
                    percent(tokens_after, window)
                )
            });
            format!("🧹 Summed up: {} → {} tokens.{of_window}", tokens(tokens_before), tokens(tokens_after))
        }
        CompactOutcome::Nothing => "🧹 There is nothing to sum up yet.".to_owned(),
        CompactOutcome::Failed(why) => format!("⚠️ Nothing was summed up: {why}"),
    })
}
