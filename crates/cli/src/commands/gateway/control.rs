//! `openclaw gateway install|uninstall|start|stop|restart`: the background service, or the process without one.
//!
//! When a service is installed the service manager is asked; otherwise the process that holds the state directory is
//! signalled. With `--json` a failure is a result as well.

use clap::Args;
use openclaw_types::Secret;
use serde_json::{Value, json};

use super::JsonArgs;
use super::predecessor::{self, Stopped};
use crate::call::block_on;
use crate::context::{Context, VERSION};
use crate::exit::{Exit, misuse};
use crate::print;
use crate::service::{Manager, PlanInput, ServicePlan};

/// `openclaw gateway install`
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// Port of the service [default: gateway.port, else 18789]
    #[arg(long, value_name = "port")]
    port: Option<u16>,
    /// Runtime of the service; this build is one program and needs none
    #[arg(long, value_name = "runtime")]
    runtime: Option<String>,
    /// Token to keep in the service's own file; without it the configuration's token is used
    #[arg(long, value_name = "token")]
    token: Option<String>,
    /// Replace a service that is installed already
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What became of an action.
struct Outcome {
    result: &'static str,
    message: String,
}

/// Installs the service and starts it.
pub(super) fn install(context: &Context, arguments: &InstallArgs) -> anyhow::Result<Exit> {
    finish(Action { name: "install", json: arguments.json }, || {
        if let Some(runtime) = &arguments.runtime {
            return Err(misuse(format!(
                "--runtime {runtime} cannot be honoured: the gateway is one native program"
            )));
        }
        let manager = manager(context);
        if manager.is_installed() && !arguments.force {
            return Ok(Outcome {
                result: "already-installed",
                message: format!(
                    "The service is installed already: {}. Use --force to replace it.",
                    context.short(manager.file())
                ),
            });
        }
        let plan = plan(context, arguments.port, arguments.token.as_deref())?;
        block_on(async { Ok(manager.install(&plan).await?) })?;
        Ok(Outcome {
            result: "installed",
            message: format!("Installed and started {}", context.short(manager.file())),
        })
    })
}

/// The service as it should be installed now.
pub(crate) fn plan(context: &Context, port: Option<u16>, token: Option<&str>) -> anyhow::Result<ServicePlan> {
    let port = port.unwrap_or_else(|| context.read_config().config.gateway.port);
    let program = std::env::current_exe()?;
    Ok(ServicePlan::of(&PlanInput {
        environment: &context.environment,
        locations: &context.locations,
        program: &program,
        port,
        token: token
            .map(str::trim)
            .filter(|token| !token.is_empty())
            .map(|token| Secret::new(token.to_owned())),
        version: VERSION,
    }))
}

/// Removes the service.
pub(super) fn uninstall(context: &Context, arguments: JsonArgs) -> anyhow::Result<Exit> {
    finish(Action { name: "uninstall", json: arguments.json }, || {
        let manager = manager(context);
        let was_there = block_on(async { Ok(manager.uninstall().await?) })?;
        let file = context.short(manager.file());
        Ok(if was_there {
            Outcome { result: "uninstalled", message: format!("Stopped the service and removed {file}") }
        } else {
            Outcome { result: "not-installed", message: format!("No service is installed ({file})") }
        })
    })
}

/// Starts the service.
pub(super) fn start(context: &Context, arguments: JsonArgs) -> anyhow::Result<Exit> {
    finish(Action { name: "start", json: arguments.json }, || {
        let manager = manager(context);
        if !manager.is_installed() {
            anyhow::bail!(
                "no service is installed; install one with `openclaw gateway install`, or run `openclaw gateway` in the foreground"
            );
        }
        block_on(async { Ok(manager.start().await?) })?;
        Ok(Outcome { result: "started", message: "Started the service".to_owned() })
    })
}

/// Stops the service, or the process that runs without one.
pub(super) fn stop(context: &Context, arguments: JsonArgs) -> anyhow::Result<Exit> {
    finish(Action { name: "stop", json: arguments.json }, || {
        let manager = manager(context);
        if manager.is_installed() {
            block_on(async { Ok(manager.stop().await?) })?;
        }
        match predecessor::find(context)? {
            None if manager.is_installed() => {
                Ok(Outcome { result: "stopped", message: "Stopped the service".to_owned() })
            }
            None => Ok(Outcome { result: "not-running", message: "No gateway is running here".to_owned() }),
            Some(instance) => match predecessor::stop(context, &instance)? {
                Stopped::InOrder => Ok(Outcome {
                    result: "stopped",
                    message: format!("Stopped the gateway with pid {}", instance.pid),
                }),
                Stopped::StillThere => anyhow::bail!(
                    "the gateway with pid {} is still ending its work; try again, or take its place with `openclaw gateway --force`",
                    instance.pid
                ),
            },
        }
    })
}

/// Restarts the service, or the process that runs without one.
pub(super) fn restart(context: &Context, arguments: JsonArgs) -> anyhow::Result<Exit> {
    finish(Action { name: "restart", json: arguments.json }, || {
        let manager = manager(context);
        if manager.is_installed() {
            block_on(async { Ok(manager.restart().await?) })?;
            return Ok(Outcome { result: "restarted", message: "Restarted the service".to_owned() });
        }
        let Some(instance) = predecessor::find(context)? else {
            anyhow::bail!("no gateway is running here; start one with `openclaw gateway`");
        };
        predecessor::restart(&instance)?;
        Ok(Outcome {
            result: "restarted",
            message: format!("Asked the gateway with pid {} to start itself anew", instance.pid),
        })
    })
}

fn manager(context: &Context) -> Manager<'_> {
    Manager::new(&context.environment, &context.locations, context.clock.as_ref())
}

struct Action {
    name: &'static str,
    json: bool,
}

/// Prints what became of the action. With `--json` a failure is a result too.
fn finish(action: Action, work: impl FnOnce() -> anyhow::Result<Outcome>) -> anyhow::Result<Exit> {
    match (work(), action.json) {
        (Ok(outcome), true) => {
            print::json(
                &json!({ "action": action.name, "ok": true, "result": outcome.result, "message": outcome.message }),
            )?;
            Ok(Exit::Done)
        }
        (Ok(outcome), false) => {
            print::line(&outcome.message)?;
            Ok(Exit::Done)
        }
        (Err(error), true) if !error.is::<crate::exit::Misuse>() => {
            print::json(&json!({ "action": action.name, "ok": false, "error": whole(&error) }))?;
            Ok(Exit::NotInOrder)
        }
        (Err(error), _) => Err(error),
    }
}

fn whole(error: &anyhow::Error) -> Value {
    json!(format!("{error:#}"))
}
