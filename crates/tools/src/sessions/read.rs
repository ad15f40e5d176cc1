//! The tools that look at sessions: `sessions_list`, `sessions_history`, `session_status`.

use openclaw_ports::tool::{
    HistoryRequest, ListRequest, SessionDesk, StatusRequest, ToolContext, ToolOutput,
};
use serde_json::Value;

use crate::arguments::ToolArguments;
use crate::stop::Stop;

pub(super) async fn list(
    desk: &dyn SessionDesk,
    context: &ToolContext,
    given: &ToolArguments,
) -> Result<ToolOutput, Stop> {
    let request = ListRequest {
        kinds: given.texts("kinds")?,
        limit: given.whole("limit")?,
        active_minutes: given.whole("activeMinutes")?,
        message_limit: given.whole("messageLimit")?.unwrap_or(0),
    };
    Ok(ToolOutput::json(desk.list(context, request).await?))
}

pub(super) async fn history(
    desk: &dyn SessionDesk,
    context: &ToolContext,
    given: &ToolArguments,
) -> Result<ToolOutput, Stop> {
    let session = given.needed_word(&["sessionKey", "session_key", "sessionId"])?;
    let request = HistoryRequest {
        session: session.clone(),
        limit: given.whole("limit")?,
        include_tools: given.flag("includeTools")?.unwrap_or(false),
    };
    Ok(ToolOutput::json(desk.history(context, request).await?).with_meta(session))
}

/// The card is for the model as it is for people: as text.
pub(super) async fn status(
    desk: &dyn SessionDesk,
    context: &ToolContext,
    given: &ToolArguments,
) -> Result<ToolOutput, Stop> {
    let request = StatusRequest {
        session: given.word(&["sessionKey", "session_key"])?,
        model: given.word(&["model"])?,
    };
    let found = desk.status(context, request).await?;
    let text = found.get("statusText").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(ToolOutput { details: Some(found), ..ToolOutput::done(text) })
}
