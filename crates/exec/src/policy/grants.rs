//! Grants: what "always" means. As narrow as is useful, and narrower still for programs that run what they are given.
//!
//! Without a wish of the person a grant covers the same program with the same words, in the same folder or below, for
//! this agent, until it is taken back. A person may make it wider or narrower, as far as the command lets them. Variables
//! that the call adds are part of what is granted: their names and a hash of their values stand before the words.

use std::num::NonZeroUsize;
use std::path::Path;

use openclaw_ports::stores::{ArgumentPattern, Grant};
use openclaw_types::{AgentId, SessionKey, UnixMillis};

use super::AddedVariables;
use super::allowlist::identity;
use crate::command_line::{Kin, Located, LocatedStep, Opaque};

/// How far a grant reaches. Without a wish: the same words, this folder and below, the agent, for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GrantScope {
    /// Which words it covers.
    pub words: GrantWords,
    /// Where it holds.
    pub folder: GrantFolder,
    /// For whom it holds.
    pub holder: GrantHolder,
    /// Until when it holds; until it is taken back when absent.
    pub until: Option<UnixMillis>,
}

/// Which words a grant covers, for each program of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrantWords {
    /// Exactly these.
    #[default]
    Exact,
    /// So many of the words after the program's name, then whatever.
    Leading(NonZeroUsize),
    /// Whatever.
    Any,
}

/// Where a grant holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrantFolder {
    /// In the folder of the command and below.
    #[default]
    HereAndBelow,
    /// Anywhere.
    Anywhere,
}

/// For whom a grant holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrantHolder {
    /// Every session of the agent.
    #[default]
    Agent,
    /// This session.
    Session,
}

/// How wide a grant for a command may be, narrowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Latitude {
    /// It cannot be granted, or nobody knows what it is: a scope would promise what does not hold.
    Nothing,
    /// These words in this folder: it runs what it is given, or sets variables.
    Exact,
    /// Leading words as well, in this folder: some of its options run other programs.
    Leading,
    /// Anything.
    Wide,
}

/// How wide a grant for a command may be.
pub(crate) fn latitude(reading: &Result<Located, Opaque>, variables: &AddedVariables) -> Latitude {
    let Ok(line) = reading else { return Latitude::Nothing };
    let of_steps = line.steps.iter().map(of_step).min().unwrap_or(Latitude::Nothing);
    if variables.seal.is_some() { of_steps.min(Latitude::Exact) } else { of_steps }
}

fn of_step(step: &LocatedStep) -> Latitude {
    let Some(executable) = &step.executable else { return Latitude::Nothing };
    if identity(step, executable).is_none() {
        return Latitude::Nothing;
    }
    match (step.carries, step.kin) {
        (Some(_), _) | (None, Kin::Runner) => Latitude::Exact,
        (None, Kin::Tool) => Latitude::Leading,
        (None, Kin::Plain) => Latitude::Wide,
    }
}

impl GrantScope {
    /// Whether a command with this latitude may be granted so.
    pub(crate) fn fits(&self, latitude: Latitude) -> bool {
        let words = match self.words {
            GrantWords::Exact => Latitude::Exact,
            GrantWords::Leading(_) => Latitude::Leading,
            GrantWords::Any => Latitude::Wide,
        };
        let folder = match self.folder {
            GrantFolder::HereAndBelow => Latitude::Exact,
            GrantFolder::Anywhere => Latitude::Wide,
        };
        *self == Self::default() || words.max(folder) <= latitude
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
/// was held against the line's latitude before.
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
        GrantWords::Exact => ArgumentPattern::Exact(sealed(order.variables.seal.as_deref(), words)),
        GrantWords::Leading(count) => {
            ArgumentPattern::Prefix(words.iter().take(count.get()).cloned().collect())
        }
        GrantWords::Any => ArgumentPattern::Any,
    };
    Some(Grant {
        id: uuid::Uuid::new_v4().to_string(),
        agent: order.agent.clone(),
        executable,
        arguments,
        directory,
        session: (order.scope.holder == GrantHolder::Session).then(|| order.session.clone()),
        created_at: order.now,
        granted_by: order.by.to_owned(),
        expires_at: order.scope.until,
        last_used_at: None,
    })
}

/// The words of a command with the seal of its variables before them.
fn sealed(seal: Option<&str>, words: &[String]) -> Vec<String> {
    seal.into_iter().map(str::to_owned).chain(words.iter().cloned()).collect()
}

/// Who runs a command, where and when.
pub(super) struct Use<'a> {
    pub(super) agent: &'a AgentId,
    pub(super) session: &'a SessionKey,
    pub(super) directory: &'a Path,
    pub(super) now: UnixMillis,
    /// The seal of the variables that the call adds.
    pub(super) seal: Option<&'a str>,
}

/// Whether a grant covers a command.
pub(super) fn covers(grant: &Grant, step: &LocatedStep, usage: &Use<'_>) -> bool {
    let program = step.executable.as_ref().and_then(|executable| identity(step, executable));
    let words = step.step.words.get(1..).unwrap_or_default();
    let latitude = if usage.seal.is_some() { Latitude::Exact } else { of_step(step) };
    let words_fit = match &grant.arguments {
        ArgumentPattern::Exact(expected) => *expected == sealed(usage.seal, words),
        ArgumentPattern::Prefix(expected) => latitude >= Latitude::Leading && words.starts_with(expected),
        ArgumentPattern::Any => latitude >= Latitude::Wide,
    };
    grant.agent == *usage.agent
        && program == Some(Path::new(&grant.executable))
        && words_fit
        && grant.directory.as_ref().is_none_or(|folder| usage.directory.starts_with(folder))
        && grant.session.as_ref().is_none_or(|session| session == usage.session)
        && grant.expires_at.is_none_or(|end| usage.now < end)
}
