//! The tools that set other sessions to work: `sessions_send`, `sessions_spawn`, `subagents`.

use openclaw_ports::tool::{SendRequest, SessionDesk, SpawnRequest, SubagentOrder, ToolContext, ToolOutput};

use crate::arguments::ToolArguments;
use crate::stop::Stop;

pub(super) async fn send(
    desk: &dyn SessionDesk,
    context: &ToolContext,
    given: &ToolArguments,
) -> Result<ToolOutput, Stop> {
    let request = SendRequest {
        session: given.word(&["sessionKey", "session_key", "sessionId"])?,
        label: given.word(&["label"])?,
        agent: given.word(&["agentId"])?,
        message: given.needed_word(&["message", "text"])?,
        timeout_seconds: given.whole("timeoutSeconds")?,
    };
    let meta = request.session.clone().or_else(|| request.label.clone()).unwrap_or_default();
    Ok(ToolOutput::json(desk.send(context, request).await?).with_meta(meta))
}

pub(super) async fn spawn(
    desk: &dyn SessionDesk,
    context: &ToolContext,
    given: &ToolArguments,
) -> Result<ToolOutput, Stop> {
    let timeout = match given.whole("runTimeoutSeconds")? {
        Some(seconds) => Some(seconds),
        None => given.whole("timeoutSeconds")?,
    };
    let request = SpawnRequest {
        task: given.needed_word(&["task"])?,
        label: given.word(&["label"])?,
        runtime: given.word(&["runtime"])?,
        agent: given.word(&["agentId"])?,
        model: given.word(&["model"])?,
        thinking: given.word(&["thinking"])?,
        cwd: given.word(&["cwd"])?,
        run_timeout_seconds: timeout,
        thread: given.flag("thread")?.unwrap_or(false),
        mode: given.word(&["mode"])?,
        cleanup: given.word(&["cleanup"])?,
    };
    let meta = request.label.clone().unwrap_or_default();
    Ok(ToolOutput::json(desk.spawn(context, request).await?).with_meta(meta))
}

pub(super) async fn subagents(
    desk: &dyn SessionDesk,
    context: &ToolContext,
    given: &ToolArguments,
) -> Result<ToolOutput, Stop> {
    let action = given.word(&["action"])?.unwrap_or_else(|| "list".to_owned());
    let order = match action.as_str() {
        "list" => SubagentOrder::List { recent_minutes: given.whole("recentMinutes")? },
        "kill" => SubagentOrder::Kill { target: given.needed_word(&["target"])? },
        "steer" => SubagentOrder::Steer {
            target: given.needed_word(&["target"])?,
            message: given.needed_word(&["message"])?,
        },
        other => {
            return Err(Stop::failed(format!(
                "subagents: '{other}' is no action. There are list, kill and steer."
            )));
        }
    };
    Ok(ToolOutput::json(desk.subagents(context, order).await?).with_meta(action))
}
