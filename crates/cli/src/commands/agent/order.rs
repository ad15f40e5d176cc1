//! Reads what a person wants of an agent from the command line. Pure.

use openclaw_config::FileSnapshot;
use openclaw_types::{AgentId, KeyContext, SessionKey, ThinkingLevel};

use super::AgentArgs;
use crate::agents::{key_context, known_agent};
use crate::exit::misuse;

/// How long an answer may take where nobody says.
const SECONDS: u64 = 600;

/// What is wanted.
#[derive(Debug)]
pub(super) struct AgentOrder<'a> {
    /// The words.
    pub(super) message: &'a str,
    /// The agent that was named.
    pub(super) agent: Option<AgentId>,
    /// Where it is said.
    pub(super) place: AgentSession,
    /// How long it may take, in seconds; zero for no limit.
    pub(super) seconds: u64,
    /// Everything else, as it was written.
    pub(super) arguments: &'a AgentArgs,
}

/// Where something is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AgentSession {
    /// In this session.
    Session(SessionKey),
    /// In the session whose transcript has this id; where there is none, in a session of that name.
    Transcript {
        /// The id.
        id: String,
        /// The session of that name.
        otherwise: SessionKey,
    },
}

/// How much of its tools a session shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Verbosity {
    On,
    Off,
    Full,
}

impl Verbosity {
    /// The word for it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
            Self::Full => "full",
        }
    }
}

impl<'a> AgentOrder<'a> {
    /// Reads it.
    pub(super) fn read(snapshot: &FileSnapshot, arguments: &'a AgentArgs) -> anyhow::Result<Self> {
        let message = arguments.message.trim();
        if message.is_empty() {
            return Err(misuse("say something with --message <text>"));
        }
        if let Some(level) = &arguments.thinking
            && ThinkingLevel::from_typed(level).is_none()
        {
            return Err(misuse(format!("--thinking {level}: say off, minimal, low, medium, high or xhigh")));
        }
        let agent = match filled(arguments.agent.as_deref()) {
            Some(written) => Some(known_agent(snapshot, Some(written))?),
            None => None,
        };
        let keys = key_context(&snapshot.config);
        let place = place(&keys, agent.as_ref(), arguments)?;
        let usual = snapshot.config.raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
        let usual = usual.and_then(|defaults| defaults.timeout_seconds).map(|seconds| seconds.get());
        let seconds = arguments.timeout.or(usual).unwrap_or(SECONDS);
        Ok(Self { message, agent, place, seconds, arguments })
    }
}

fn place(keys: &KeyContext, agent: Option<&AgentId>, arguments: &AgentArgs) -> anyhow::Result<AgentSession> {
    let of = agent.unwrap_or(keys.default_agent());
    if let Some(id) = filled(arguments.session_id.as_deref()) {
        let otherwise = SessionKey::named(of, &format!("explicit:{id}"))
            .map_err(|error| misuse(format!("--session-id {id}: {error}")))?;
        return Ok(AgentSession::Transcript { id: id.to_owned(), otherwise });
    }
    if agent.is_none() && filled(arguments.to.as_deref()).is_none() {
        return Err(misuse("say to whom with --agent <id>, --session-id <id> or --to <number>"));
    }
    Ok(AgentSession::Session(keys.main_session(of)))
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use openclaw_config::ConfigFile;

    use super::*;
    use crate::arguments::{CliArguments, CliCommand};
    use crate::context::Context;

    /// The place and the time of a command line, or why it is refused.
    fn read(config: &str, words: &[&str]) -> Result<(AgentSession, u64), String> {
        let context = Context::fixed();
        let snapshot = ConfigFile::new(context.locations, context.environment).preview(config);
        let line = ["openclaw", "agent", "--message", "hello"].into_iter().chain(words.iter().copied());
        let Some(CliCommand::Agent(arguments)) = CliArguments::parse_from(line).command else {
            panic!("another command")
        };
        let order = AgentOrder::read(&snapshot, &arguments).map_err(|error| error.to_string())?;
        Ok((order.place, order.seconds))
    }

    fn key(text: &str) -> SessionKey {
        SessionKey::named(&AgentId::main(), text).unwrap()
    }

    #[test]
    fn the_session_follows_from_who_is_named() {
        let two = "{ agents: { defaults: { timeoutSeconds: 30 }, list: [{ id: 'main' }, { id: 'Ops' }] } }";
        let ops = SessionKey::named(&AgentId::new("ops").unwrap(), "main").unwrap();
        let named =
            |id: &str, key: SessionKey| AgentSession::Transcript { id: id.to_owned(), otherwise: key };
        let cases = [
            ("{}", vec!["--to", "+15550001"], Ok((AgentSession::Session(key("main")), 600))),
            (two, vec!["--agent", "OPS"], Ok((AgentSession::Session(ops), 30))),
            (
                two,
                vec!["--session-id", "1234", "--timeout", "0"],
                Ok((named("1234", key("explicit:1234")), 0)),
            ),
            (
                "{ session: { scope: 'global' } }",
                vec!["--to", "x"],
                Ok((AgentSession::Session(SessionKey::global()), 600)),
            ),
            (
                two,
                vec![],
                Err("say to whom with --agent <id>, --session-id <id> or --to <number>".to_owned()),
            ),
            (
                two,
                vec!["--agent", "nobody"],
                Err("there is no agent nobody; agents.list has main, ops".to_owned()),
            ),
        ];
        for (config, words, expected) in cases {
            assert_eq!(read(config, &words), expected, "{words:?}");
        }
    }
}
