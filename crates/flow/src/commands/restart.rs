//! `/restart`: starts the gateway anew. Who may, and whether at all, was decided before.

use openclaw_ports::tool::ControlRequest;

use super::CommandCall;

/// Asks for a restart and says what will happen.
pub(super) async fn restart(call: &CommandCall<'_>) -> String {
    let Some(control) = &call.handles().control else {
        return "⚠️ There is no gateway to restart here.".to_owned();
    };
    let request = ControlRequest::Restart { delay: None, reason: Some("/restart".to_owned()) };
    match control.act(request).await {
        Ok(_plan) => "⚙️ Restarting the gateway. I am back in a few seconds.".to_owned(),
        Err(fault) => format!("⚠️ The gateway was not restarted: {fault}"),
    }
}
