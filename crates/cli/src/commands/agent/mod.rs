//! `openclaw agent`: says something to an agent and prints the answer.
//!
//! The gateway answers; with `--local`, or where none runs on this machine, this process does it itself. `order` reads
//! what is wanted, `over_gateway` and `alone` are the two ways, `reply` prints. Only one process may answer with one
//! state directory, so a running gateway is never worked around.

mod alone;
mod order;
mod over_gateway;
mod reply;

use clap::Args;

use order::{AgentOrder, Verbosity};
use over_gateway::Reached;

use crate::context::Context;
use crate::exit::{Exit, Output, answering};
use crate::print;

/// `openclaw agent`
#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    /// What to say
    #[arg(short, long, value_name = "text")]
    message: String,
    /// The person whose session it is said in, as a number or an id
    #[arg(short, long, value_name = "number")]
    to: Option<String>,
    /// The session it is said in, by the id of its transcript or a name of your own
    #[arg(long, value_name = "id")]
    session_id: Option<String>,
    /// The agent it is said to
    #[arg(long, value_name = "id")]
    agent: Option<String>,
    /// How hard to think: off, minimal, low, medium, high or xhigh
    #[arg(long, value_name = "level")]
    thinking: Option<String>,
    /// How much of its tools the session shows from now on
    #[arg(long, value_name = "on|off")]
    verbose: Option<Verbosity>,
    /// The channel the answer is sent to, with --deliver
    #[arg(long, value_name = "channel")]
    channel: Option<String>,
    /// Where on the channel, when it is not where the session is
    #[arg(long, value_name = "target")]
    reply_to: Option<String>,
    /// The channel, when it is not the session's
    #[arg(long, value_name = "channel")]
    reply_channel: Option<String>,
    /// Our account on the channel
    #[arg(long, value_name = "id")]
    reply_account: Option<String>,
    /// Answer in this process, without a gateway
    #[arg(long)]
    local: bool,
    /// Send the answer to the channel as well
    #[arg(long)]
    deliver: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// How long the answer may take, in seconds; 0 for no limit [default: agents.defaults.timeoutSeconds, else 600]
    #[arg(long, value_name = "seconds")]
    timeout: Option<u64>,
}

/// Asks and prints.
pub(crate) fn run(context: &Context, arguments: &AgentArgs) -> anyhow::Result<Exit> {
    let output = Output::of(arguments.json);
    answering(output, || {
        let snapshot = context.read_config();
        let order = AgentOrder::read(&snapshot, arguments)?;
        if arguments.local {
            return alone::answer(context, &order, output);
        }
        match over_gateway::answer(context, &snapshot, &order)? {
            Reached::Answered(answer) => reply::show_answer(&answer, output),
            Reached::Nobody(why) => {
                print::note(&format!(
                    "{} Answering in this process. ({why})",
                    print::warn("No gateway runs here.")
                ))?;
                alone::answer(context, &order, output)
            }
        }
    })
}
