//! Whether a session belongs into a sandbox, and whether its commands may leave it.
//!
//! Pure. There is no sandbox yet, and none is pretended: a session that belongs into one keeps the tools that only look,
//! and `built_in` keeps those from it that would change this machine. Commands have rules of their own for leaving a
//! sandbox; where the configuration opens such a way, they judge each call.

use openclaw_config::sections::{ExecHost, SandboxMode, SessionScope as Breadth};
use openclaw_config::{Config, ExecSettings, SessionSettings, ToolRules};
use openclaw_types::{KeyContext, SessionBreadth};

use super::decide::{SandboxExit, Sandboxing};
use crate::run::RunOrder;

/// Whether the session of a run belongs into a sandbox.
pub(crate) fn sandboxing(config: &Config, rules: &ToolRules, order: &RunOrder) -> Sandboxing {
    let breadth = match config.session.scope {
        Breadth::Global => SessionBreadth::Global,
        Breadth::PerSender => SessionBreadth::PerSender,
    };
    let context = KeyContext::new(&order.agent, SessionSettings::MAIN_KEY, breadth);
    let wanted = match rules.sandbox.mode {
        SandboxMode::Off => false,
        SandboxMode::NonMain => !order.key.is_main(&context),
        SandboxMode::All => true,
    };
    if wanted { Sandboxing::Missing(exit(config, order)) } else { Sandboxing::None }
}

/// Whether commands may be run outside the sandbox: on a host that was named, or with raised rights that somebody has.
fn exit(config: &Config, order: &RunOrder) -> SandboxExit {
    let settings = ExecSettings::of(config, &order.agent);
    let session = order.exec.host.as_deref().map(str::trim).filter(|host| !host.is_empty());
    let elsewhere = match (session, settings.host) {
        (Some(host), _) => !host.eq_ignore_ascii_case("sandbox"),
        (None, Some(host)) => host != ExecHost::Sandbox,
        (None, None) => false,
    };
    let gates = &settings.elevated;
    let raised = gates.closed_by.is_none() && gates.allow_from.iter().all(|lists| !lists.is_empty());
    if elsewhere || raised { SandboxExit::Commands } else { SandboxExit::None }
}
