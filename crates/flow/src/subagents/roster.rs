//! The sub-agents of a session with numbers, as people and agents name them.
//!
//! Numbers go from those at work to those that ended lately, the newest first in both.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::stores::{Subagent, SubagentOutcome};
use openclaw_types::{SessionEntry, SessionKey, UnixMillis};

use super::words::{span, tokens};
use crate::error::FlowError;
use crate::flow::Inner;

/// How many letters of a name and of a task a line shows.
const NAME_LETTERS: usize = 48;
const TASK_LETTERS: usize = 72;

/// The sub-agents of a session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Roster {
    /// Those at work.
    pub(crate) active: Vec<Numbered>,
    /// Those that ended lately.
    pub(crate) recent: Vec<Numbered>,
    /// All that are kept, the newest first.
    pub(crate) all: Vec<Subagent>,
}

/// A sub-agent with its number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Numbered {
    /// The number, from one.
    pub(crate) index: usize,
    /// The sub-agent.
    pub(crate) row: Subagent,
    /// What is kept about its session.
    pub(crate) entry: Option<Arc<SessionEntry>>,
    /// The model that answers.
    pub(crate) model: String,
    /// How long it took until now, or until its end.
    pub(crate) took: Duration,
}

/// The sub-agents that a session asked for.
pub(crate) async fn roster(
    flow: &Inner,
    requester: &SessionKey,
    recent: Duration,
) -> Result<Roster, FlowError> {
    let now = flow.now();
    let all = of(flow.book.hold(&*flow.parts.subagents).await?.all(), requester);
    let (active, ended) = split(&all, now, recent);
    let mut roster = Roster { active: Vec::new(), recent: Vec::new(), all: all.clone() };
    for (place, row) in active.iter().chain(&ended).enumerate() {
        let entry = flow.parts.sessions.entry(&row.child).await?;
        let took = row.ended_at.unwrap_or(now).since(row.started_at.unwrap_or(row.created_at));
        let model = recorded_model(row, entry.as_deref());
        let model = model.unwrap_or_else(|| primary_model(flow, &row.child));
        let numbered = Numbered { index: place + 1, row: (*row).clone(), entry, model, took };
        match row.ended_at {
            None => roster.active.push(numbered),
            Some(_) => roster.recent.push(numbered),
        }
    }
    Ok(roster)
}

/// The sub-agents that a session asked for, the newest first.
fn of(rows: &[Subagent], requester: &SessionKey) -> Vec<Subagent> {
    let mut all: Vec<Subagent> = rows.iter().filter(|row| row.requester == *requester).cloned().collect();
    all.sort_by_key(|row| std::cmp::Reverse(row.started_at.unwrap_or(row.created_at)));
    all
}

/// Those at work, and those that ended lately.
fn split(all: &[Subagent], now: UnixMillis, recent: Duration) -> (Vec<&Subagent>, Vec<&Subagent>) {
    let since = now.minus(recent);
    let active = all.iter().filter(|row| row.ended_at.is_none()).collect();
    let ended = all.iter().filter(|row| row.ended_at.is_some_and(|ended| ended >= since)).collect();
    (active, ended)
}

impl Roster {
    /// The sub-agent that somebody means: a number, `last`, a session, a name or how it begins, or how a run's name
    /// begins.
    ///
    /// # Errors
    /// Says why nobody, or more than one, is meant.
    pub(crate) fn find(&self, target: &str) -> Result<&Subagent, String> {
        let target = target.trim();
        if target.is_empty() {
            return Err(
                "Name a sub-agent: its number in the list, its label, its run id or its session.".to_owned()
            );
        }
        if target == "last" {
            return self.all.first().ok_or_else(|| "There are no sub-agents.".to_owned());
        }
        if let Ok(number) = target.parse::<usize>() {
            let mut numbered = self.active.iter().chain(&self.recent);
            let found = numbered.find(|one| one.index == number).map(|one| &one.row);
            return found.ok_or_else(|| format!("There is no sub-agent number {number}; list them first."));
        }
        let lowered = target.to_lowercase();
        let tests: [&dyn Fn(&Subagent) -> bool; 4] = [
            &|row| row.child.as_str() == lowered,
            &|row| label(row).to_lowercase() == lowered,
            &|row| label(row).to_lowercase().starts_with(&lowered),
            &|row| row.run.as_str().starts_with(target),
        ];
        for test in tests {
            let mut found = self.all.iter().filter(|row| test(row));
            match (found.next(), found.next()) {
                (Some(row), None) => return Ok(row),
                (Some(_), Some(_)) => {
                    return Err(format!(
                        "More than one sub-agent fits '{target}'; name it by its number or run id."
                    ));
                }
                (None, _) => {}
            }
        }
        Err(format!("No sub-agent fits '{target}'; list them to see which there are."))
    }

    /// The list as text.
    pub(crate) fn text(&self, recent: Duration) -> String {
        let lines = |rows: &[Numbered]| match rows.is_empty() {
            true => "(none)".to_owned(),
            false => rows.iter().map(Numbered::line).collect::<Vec<_>>().join("\n"),
        };
        let minutes = recent.as_secs() / 60;
        format!(
            "active subagents:\n{}\n\nrecent (last {minutes}m):\n{}",
            lines(&self.active),
            lines(&self.recent)
        )
    }
}

impl Numbered {
    /// One line of the list.
    pub(crate) fn line(&self) -> String {
        let (name, task) = (short(&label(&self.row), NAME_LETTERS), short(&self.row.task, TASK_LETTERS));
        let model = self.model.rsplit('/').next().unwrap_or_default();
        let used = self.tokens().map_or_else(String::new, |used| format!(", tokens {}", tokens(used)));
        let task = if task.eq_ignore_ascii_case(&name) { String::new() } else { format!(" - {task}") };
        format!("{}. {name} ({model}, {}{used}) {}{task}", self.index, span(self.took), status(&self.row))
    }

    /// How full its context is, where it is known.
    pub(crate) fn tokens(&self) -> Option<u64> {
        self.entry.as_ref()?.facts.total_tokens
    }
}

/// The model that answers, where it is written down.
fn recorded_model(row: &Subagent, entry: Option<&SessionEntry>) -> Option<String> {
    let facts = entry.map(|entry| &entry.facts);
    let joined = |vendor: &Option<String>, model: &Option<String>| match (vendor, model) {
        (Some(vendor), Some(model)) if !model.contains('/') => Some(format!("{vendor}/{model}")),
        (_, model) => model.clone(),
    };
    facts
        .and_then(|facts| joined(&facts.model_provider, &facts.model))
        .or_else(|| facts.and_then(|facts| joined(&facts.provider_override, &facts.model_override)))
        .or_else(|| row.model.clone())
}

/// The model that will answer where nothing else is said.
fn primary_model(flow: &Inner, session: &SessionKey) -> String {
    flow.parts.models.primary(&flow.parts.sessions.agent_of(session)).to_string()
}

/// What a sub-agent is called.
pub(crate) fn label(row: &Subagent) -> String {
    let given = row.label.as_deref().map(str::trim).filter(|label| !label.is_empty());
    given.map_or_else(|| short(&row.task, TASK_LETTERS), str::to_owned)
}

/// How a sub-agent stands, in a word.
pub(crate) fn status(row: &Subagent) -> &'static str {
    match (&row.ended_at, &row.outcome) {
        (None, _) => "running",
        (_, Some(SubagentOutcome::Done)) => "done",
        (_, Some(SubagentOutcome::Failed { .. })) => "failed",
        (_, Some(SubagentOutcome::TimedOut)) => "timeout",
        (_, Some(SubagentOutcome::Killed)) => "killed",
        (_, Some(SubagentOutcome::Interrupted) | None) => "interrupted",
    }
}

/// A text in one line, no longer than so many letters.
fn short(text: &str, letters: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(letters) {
        None => line,
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or(&line).trim_end()),
    }
}
