//! Grants: what "always" means. As narrow as is useful, and narrower still for programs that run what they are given.
//!
//! Without a wish of the person a grant covers the same program with the same words, in the same folder or below, for
//! this agent, until it is taken back. A person may make it wider or narrower, as far as the command lets them. Variables
//! that the call adds are part of what is granted: their names and a digest of their values.

use std::path::Path;

use openclaw_ports::stores::{ArgumentPattern, Grant, GrantedVariables};
use openclaw_types::{AgentId, SessionKey, UnixMillis};

use super::AddedVariables;
use super::allowlist::identity;
use super::scope::{GrantFolder, GrantHolder, GrantScope, GrantWidth, GrantWords};
use crate::command_line::{Carrier, Kin, Located, LocatedStep, Opaque, SteeringVariables};

/// How wide a grant for a command may be.
pub(crate) fn latitude(reading: &Result<Located, Opaque>, variables: &AddedVariables) -> GrantWidth {
    let Ok(line) = reading else { return GrantWidth::Nothing };
    let of_steps = line.steps.iter().map(of_step).min().unwrap_or(GrantWidth::Nothing);
    if variables.bound.is_some() { of_steps.min(GrantWidth::Exact) } else { of_steps }
}

fn of_step(step: &LocatedStep) -> GrantWidth {
    let Some(executable) = &step.executable else { return GrantWidth::Nothing };
    // What a program reads, and what a repository says, is another thing tomorrow: nobody can allow that for good.
    let foreseeable = step.steering == SteeringVariables::Words && step.carries != Some(Carrier::Repository);
    if identity(step, executable).is_none() || !foreseeable {
        return GrantWidth::Nothing;
    }
    match (step.carries, step.kin) {
        (Some(_), _) | (None, Kin::Runner) => GrantWidth::Exact,
        (None, Kin::Tool) => GrantWidth::Leading,
        (None, Kin::Plain) => GrantWidth::Wide,
    }
}

/// For whom and by whom a grant is given.
pub(crate) struct GrantFor<'a> {
    pub(crate) agent: &'a AgentId,
    pub(crate) session: &'a SessionKey,
    pub(crate) by: &'a str,
    pub(crate) now: UnixMillis,
    pub(crate) scope: &'a GrantScope,
    pub(crate) variables: &'a AddedVariables,
}

/// The grants that cover a command line, one for each program. Empty when a program cannot be named for good. The scope
/// was compared with the line's grant width before.
pub(crate) fn grants_for(line: &Located, order: &GrantFor<'_>) -> Vec<Grant> {
    let grants: Option<Vec<Grant>> = line.steps.iter().map(|step| grant(line, step, order)).collect();
    grants.unwrap_or_default()
}

fn grant(line: &Located, step: &LocatedStep, order: &GrantFor<'_>) -> Option<Grant> {
    let executable = identity(step, step.executable.as_ref()?)?.to_str()?.to_owned();
    let words = step.step.words.get(1..).unwrap_or_default();
    let directory = match order.scope.folder {
        GrantFolder::HereAndBelow => Some(line.directory.to_str()?.to_owned()),
        GrantFolder::Anywhere => None,
    };
    let arguments = match order.scope.words {
        GrantWords::Leading(count) if words.len() >= count.get() => {
            ArgumentPattern::Prefix(words.iter().take(count.get()).cloned().collect())
        }
        // With fewer words than were to stay the same, all of them are.
        GrantWords::Exact | GrantWords::Leading(_) => ArgumentPattern::Exact(words.to_vec()),
        GrantWords::Any => ArgumentPattern::Any,
    };
    Some(Grant {
        id: uuid::Uuid::new_v4().to_string(),
        agent: order.agent.clone(),
        executable,
        arguments,
        variables: order.variables.bound.clone(),
        directory,
        session: (order.scope.holder == GrantHolder::Session).then(|| order.session.clone()),
        created_at: order.now,
        granted_by: order.by.to_owned(),
        expires_at: order.scope.lasts.map(|span| order.now.plus(span)),
        last_used_at: None,
    })
}

/// Who runs a command, where and when.
pub(super) struct Use<'a> {
    pub(super) agent: &'a AgentId,
    pub(super) session: &'a SessionKey,
    pub(super) directory: &'a Path,
    pub(super) now: UnixMillis,
    /// The variables that the call adds, as far as they matter.
    pub(super) variables: Option<&'a GrantedVariables>,
}

/// Whether a grant covers a command.
pub(super) fn covers(grant: &Grant, step: &LocatedStep, usage: &Use<'_>) -> bool {
    let program = step.executable.as_ref().and_then(|executable| identity(step, executable));
    let words = step.step.words.get(1..).unwrap_or_default();
    let bound = if usage.variables.is_some() { GrantWidth::Exact } else { GrantWidth::Wide };
    let latitude = of_step(step).min(bound);
    let words_fit = match &grant.arguments {
        ArgumentPattern::Exact(expected) => latitude >= GrantWidth::Exact && expected == words,
        ArgumentPattern::Prefix(expected) => latitude >= GrantWidth::Leading && words.starts_with(expected),
        ArgumentPattern::Any => latitude >= GrantWidth::Wide,
    };
    grant.agent == *usage.agent
        && program == Some(Path::new(&grant.executable))
        && words_fit
        && grant.variables.as_ref() == usage.variables
        && grant.directory.as_ref().is_none_or(|folder| usage.directory.starts_with(folder))
        && grant.session.as_ref().is_none_or(|session| session == usage.session)
        && grant.expires_at.is_none_or(|end| usage.now < end)
}
