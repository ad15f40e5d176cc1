//! `auth reset`: ends the rests of sign-ins that failed, so that they are tried again at once.
//!
//! Each agent finds out for itself how a sign-in fares, also one that it shares with the main agent. What is ended for
//! the main agent is therefore ended for all that share it. A gateway that runs hears of it through the store.

use std::collections::BTreeSet;

use openclaw_ports::model::Credentials as _;
use openclaw_ports::stores::HealthRecord;
use openclaw_types::{AgentId, AuthProfileId};

use super::super::desk::{ModelCommand, session};
use super::profile_of;
use crate::context::Context;
use crate::exit::Exit;
use crate::print;

/// An agent and a sign-in about which something is known.
type Fate = (AgentId, AuthProfileId);

/// `openclaw models auth reset`.
pub(super) fn run(context: &Context, agent: Option<&str>, written: Option<&str>) -> anyhow::Result<Exit> {
    let wanted = written.map(profile_of).transpose()?;
    session(context, agent, async |session| {
        let known = session.desk.models.status().health;
        let fates = fates(session, &known, wanted.as_ref()).await?;
        if let Some(id) = wanted.as_ref().filter(|_| fates.is_empty()) {
            check(session, id).await?;
        }
        for (agent, profile) in &fates {
            session.desk.models.clear_health(agent, Some(profile)).await?;
        }
        let now = session.context.clock.now();
        let rests = |record: &HealthRecord| record.paused_until.max(record.disabled_until) > Some(now);
        let ended: BTreeSet<Fate> = known
            .iter()
            .filter(|record| rests(record))
            .map(|record| (record.key.agent.clone(), record.key.profile.clone()))
            .filter(|fate| fates.contains(fate))
            .collect();
        for (agent, profile) in &ended {
            print::line(&format!(
                "{} may be tried again by the agent {agent}.",
                print::accent(profile.as_str())
            ))?;
        }
        if ended.is_empty() {
            print::line("Nothing rests.")?;
        }
        Ok(Exit::Done)
    })
}

/// What is to be forgotten.
async fn fates(
    session: &ModelCommand<'_>,
    known: &[HealthRecord],
    wanted: Option<&AuthProfileId>,
) -> anyhow::Result<BTreeSet<Fate>> {
    let store = session.desk.profiles();
    let mut fates = BTreeSet::new();
    for record in known {
        let (agent, profile) = (&record.key.agent, &record.key.profile);
        if wanted.is_some_and(|wanted| wanted != profile) {
            continue;
        }
        let concerned = *agent == session.agent
            || (session.agent == AgentId::main()
                && !store.list(agent).await?.iter().any(|own| own.id == *profile));
        if concerned {
            fates.insert((agent.clone(), profile.clone()));
        }
    }
    Ok(fates)
}

/// Refuses a name that no sign-in of the agent has: it is misspelt.
async fn check(session: &ModelCommand<'_>, id: &AuthProfileId) -> anyhow::Result<()> {
    let mut names = Vec::new();
    for provider in session.desk.catalog().providers.keys() {
        let known = session.desk.credentials.profiles(&session.agent, provider).await?;
        names.extend(known.into_iter().map(|facts| facts.id));
    }
    if names.contains(id) {
        return Ok(());
    }
    let hint = openclaw_schema::closest(id.as_str(), names.iter().map(AuthProfileId::as_str))
        .map_or_else(String::new, |name| format!(" Did you mean {name}?"));
    anyhow::bail!(
        "the agent {} has no sign-in called {id}.{hint} `openclaw models status` shows what rests.",
        session.agent
    );
}
