//! `/context`: what the model's context is made of. Measured and worded in `agent::context`.

use openclaw_agent::context::{ContextView as View, SessionTokens, context_help, context_text};
use openclaw_inbound::commands::ContextView;

use super::{CommandCall, CommandTrouble};

/// What `/context` says.
pub(super) async fn context(call: &CommandCall<'_>, view: ContextView) -> Result<String, CommandTrouble> {
    let view = match view {
        ContextView::Help => return Ok(context_help()),
        ContextView::List => View::List,
        ContextView::Detail => View::Detail,
        ContextView::Json => View::Json,
    };
    let entry = call.open().await?;
    let facts = &entry.facts;
    let measured = call.flow.parts.agent.context_report(&call.order(&entry)).await;
    let report = match measured {
        Ok(report) => report,
        Err(error) => {
            tracing::warn!(subsystem = "flow", %error, "the workspace could not be measured");
            return Ok("⚠️ The workspace cannot be read, so there is nothing to measure. Check that its folder is there \
                       and readable; the gateway's log says more."
                .to_owned());
        }
    };
    let window = call.models().window(&call.model(facts)).map(|window| window.tokens);
    let tokens = SessionTokens {
        total: facts.total_tokens.filter(|_| facts.total_tokens_fresh == Some(true)),
        input: facts.input_tokens,
        output: facts.output_tokens,
        context: window.or(facts.context_tokens),
    };
    Ok(context_text(view, &report, &tokens))
}
