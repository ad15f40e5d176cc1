//! Decides about one command line: run, ask, or refuse with the rule that says so.
//!
//! Pure. What cannot be read, what is not found and what runs other programs never counts as listed.

use std::path::Path;

use openclaw_config::sections::{ExecAsk, ExecSecurity};
use openclaw_ports::stores::Grant;
use openclaw_types::{AgentId, SessionKey, UnixMillis};

use super::effective::Bypass;
use super::grants::{self, Use};
use super::{AddedVariables, AllowEntry, ExecRules, SafeBins};
use crate::command_line::{Carrier, Located, LocatedStep, Opaque};

/// Everything a decision depends on.
pub(crate) struct Case<'a> {
    pub(crate) rules: &'a ExecRules,
    pub(crate) reading: &'a Result<Located, Opaque>,
    pub(crate) allow: &'a [AllowEntry],
    pub(crate) grants: &'a [Grant],
    pub(crate) safe_bins: &'a SafeBins,
    pub(crate) variables: &'a AddedVariables,
    pub(crate) agent: &'a AgentId,
    pub(crate) session: &'a SessionKey,
    pub(crate) home: &'a Path,
    pub(crate) now: UnixMillis,
}

/// What happens with a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExecVerdict {
    /// It runs.
    Run(Basis),
    /// A person is asked.
    Ask(AskReason),
    /// It does not run. The text names the rule.
    Refuse(String),
}

/// Why a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Basis {
    /// Everything may run.
    Full,
    /// Each of its programs is listed, granted or harmless.
    Listed {
        /// The patterns of the allow-list that covered one.
        patterns: Vec<String>,
        /// The grants that covered one.
        grants: Vec<String>,
    },
}

/// Why a person is asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AskReason {
    /// A person is asked about everything.
    #[error("every command needs an approval")]
    Always,
    /// It was not understood.
    #[error("the command cannot be checked: {0}")]
    Opaque(Opaque),
    /// A program is not there.
    #[error("the program '{0}' was not found")]
    NotFound(String),
    /// A program runs what it is given.
    #[error("'{0}' needs an approval of its own: {1}")]
    Carries(String, Carrier),
    /// It sets variables that may change what a program does.
    #[error("it sets {0}, and what a program does with that is not on the allow-list")]
    Variables(String),
    /// A program is not listed.
    #[error("'{0}' is not on the allow-list")]
    Unlisted(String),
}

/// Decides.
pub(crate) fn decide(case: &Case<'_>) -> ExecVerdict {
    let rules = case.rules;
    if rules.bypass == Bypass::Elevated {
        return ExecVerdict::Run(Basis::Full);
    }
    match (rules.security, rules.ask) {
        (ExecSecurity::Deny, _) => {
            ExecVerdict::Refuse(format!("commands are switched off ({} is deny)", rules.security_from))
        }
        (_, ExecAsk::Always) => ExecVerdict::Ask(AskReason::Always),
        (ExecSecurity::Full, _) => ExecVerdict::Run(Basis::Full),
        (ExecSecurity::Allowlist, ask) => match (listed(case), ask) {
            (Ok(basis), _) => ExecVerdict::Run(basis),
            (Err(reason), ExecAsk::OnMiss) => ExecVerdict::Ask(reason),
            (Err(reason), _) => ExecVerdict::Refuse(format!(
                "{reason} ({} is allowlist, {} is off)",
                rules.security_from, rules.ask_from
            )),
        },
    }
}

/// Decides when a person was asked and nobody answered.
pub(crate) fn unanswered(case: &Case<'_>) -> ExecVerdict {
    match case.rules.ask_fallback {
        ExecSecurity::Full => ExecVerdict::Run(Basis::Full),
        ExecSecurity::Allowlist => match listed(case) {
            Ok(basis) => ExecVerdict::Run(basis),
            Err(reason) => {
                ExecVerdict::Refuse(format!("nobody answered, and {reason} (askFallback is allowlist)"))
            }
        },
        ExecSecurity::Deny => ExecVerdict::Refuse("nobody answered in time (askFallback is deny)".to_owned()),
    }
}

fn listed(case: &Case<'_>) -> Result<Basis, AskReason> {
    let line = case.reading.as_ref().map_err(|opaque| AskReason::Opaque(*opaque))?;
    let mut patterns = Vec::new();
    let mut used = Vec::new();
    for step in &line.steps {
        match cover(case, line, step)? {
            Cover::Pattern(pattern) => patterns.push(pattern),
            Cover::Grant(id) => used.push(id),
            Cover::Harmless => {}
        }
    }
    Ok(Basis::Listed { patterns, grants: used })
}

enum Cover {
    Pattern(String),
    Grant(String),
    Harmless,
}

fn cover(case: &Case<'_>, line: &Located, step: &LocatedStep) -> Result<Cover, AskReason> {
    let name = step.step.words.first().cloned().unwrap_or_default();
    if step.executable.is_none() {
        return Err(AskReason::NotFound(name));
    }
    let usage = Use {
        agent: case.agent,
        session: case.session,
        directory: &line.directory,
        now: case.now,
        variables: case.variables.bound.as_ref(),
    };
    if let Some(grant) = case.grants.iter().find(|grant| grants::covers(grant, step, &usage)) {
        return Ok(Cover::Grant(grant.id.clone()));
    }
    if usage.variables.is_some() {
        return Err(AskReason::Variables(case.variables.telling.join(", ")));
    }
    if let Some(entry) = case.allow.iter().find(|entry| entry.covers(step, case.home)) {
        return Ok(Cover::Pattern(entry.pattern.clone()));
    }
    if case.safe_bins.covers(step) {
        return Ok(Cover::Harmless);
    }
    Err(match step.carries {
        Some(carrier) => AskReason::Carries(name, carrier),
        None => AskReason::Unlisted(name),
    })
}
