//! From a command to what may be started: decide, ask, make grants, write down.
//!
//! The decision itself is pure and lives in `policy`; here its inputs are fetched and its verdict is acted on. Called by
//! the command host before anything is started.

use std::path::Path;

use openclaw_config::sections::ExecSecurity;
use openclaw_ports::stores::Grant;
use openclaw_types::UnixMillis;

use super::{Commands, Prepared};
use crate::approvals::{ApprovalDecision, ApprovalQuestion, ApprovalRequest, EntryUse, SettledApproval};
use crate::audit::{self, AuditedCommand};
use crate::command_line::{Located, LocatedStep, NEUTRAL_GIT, Opaque, is_git, render};
use crate::policy::{
    AskReason, Basis, Case, ExecRefusal, ExecRules, ExecVerdict, FileRules, GrantFor, GrantScope, GrantWidth,
    ask_text, decide, grants_for, latitude, security_text, unanswered,
};
use crate::process::Launch;

type Reading = Result<Located, Opaque>;

/// What may be started.
pub(super) struct Cleared {
    pub(super) launch: Launch,
    /// Variables that keep a checked program from running what its surroundings say.
    pub(super) pinned: &'static [(&'static str, &'static str)],
    /// The answer of the person who let it through, where one was asked.
    pub(super) approved: Option<SettledApproval>,
}

/// Everything a decision about one command depends on.
struct ExecCase<'a> {
    prepared: &'a Prepared<'a>,
    rules: &'a ExecRules,
    file: &'a FileRules,
    reading: Reading,
    grants: Vec<Grant>,
    /// The answer of the person who was asked.
    approved: Option<SettledApproval>,
}

impl ExecCase<'_> {
    fn subject(&self) -> AuditedCommand<'_> {
        AuditedCommand {
            context: self.prepared.context,
            command: self.prepared.command,
            env_keys: &self.prepared.env_keys,
            line: self.reading.as_ref().ok(),
        }
    }
}

impl Commands {
    /// What is started, once everybody who has a say let it.
    pub(super) async fn clearance(
        &self,
        prepared: &Prepared<'_>,
        rules: &ExecRules,
        file: &FileRules,
    ) -> Result<Cleared, ExecRefusal> {
        let reading = self.reading(prepared).await;
        let mut case = ExecCase { prepared, rules, file, reading, grants: Vec::new(), approved: None };
        match self.decided(&mut case).await {
            Ok(cleared) => Ok(cleared),
            Err(refusal) => Err(self.refused(&case.subject(), refusal).await),
        }
    }

    async fn decided(&self, case: &mut ExecCase<'_>) -> Result<Cleared, ExecRefusal> {
        case.grants = self.grants(case.rules).await?;
        let verdict = match self.judge(case, decide) {
            ExecVerdict::Ask(reason) => self.ask(case, &reason).await?,
            settled @ (ExecVerdict::Run(_) | ExecVerdict::Refuse(_)) => settled,
        };
        match verdict {
            ExecVerdict::Run(basis) => {
                let cleared = self.allowed(case, basis).await?;
                Ok(Cleared { approved: case.approved.take(), ..cleared })
            }
            ExecVerdict::Refuse(rule) => Err(ExecRefusal(rule)),
            ExecVerdict::Ask(reason) => Err(ExecRefusal(reason.to_string())),
        }
    }

    fn judge(&self, case: &ExecCase<'_>, by: impl Fn(&Case<'_>) -> ExecVerdict) -> ExecVerdict {
        let context = case.prepared.context;
        let home = self.home();
        let safe_bins = Self::safe_bins(&case.prepared.settings);
        by(&Case {
            rules: case.rules,
            reading: &case.reading,
            allow: &case.file.allow,
            grants: &case.grants,
            safe_bins: &safe_bins,
            variables: &case.prepared.added,
            agent: &context.agent,
            session: &context.session,
            home: &home,
            now: self.parts.clock.now(),
        })
    }

    /// Asks a person and says what came of it.
    async fn ask(&self, case: &mut ExecCase<'_>, reason: &AskReason) -> Result<ExecVerdict, ExecRefusal> {
        let question = ApprovalQuestion { id: None, request: request(case), timeout: None };
        let latitude = match reason {
            AskReason::Always => GrantWidth::EveryTime,
            _ => latitude(&case.reading, &case.prepared.added),
        };
        let asked = self.parts.queue.ask_about(question, latitude).await;
        let asked = asked.map_err(|error| ExecRefusal(format!("{reason}; {error}")))?;
        // Nobody acts on an answer once this is given up, so the question goes with it.
        let _withdrawal = self.parts.queue.withdrawal(&asked.id);
        let settled = tokio::select! {
            settled = self.parts.queue.wait(&asked.id) => settled,
            () = case.prepared.context.cancel.cancelled() => {
                return Err(ExecRefusal("the run was stopped before the command was approved".to_owned()));
            }
        };
        let settled = settled.map_err(|error| ExecRefusal(error.to_string()))?;
        case.approved = settled.decision.is_some().then(|| settled.clone());
        match settled.decision {
            Some(ApprovalDecision::Deny) => Ok(ExecVerdict::Refuse("a person denied the command".to_owned())),
            Some(ApprovalDecision::AllowOnce) => self.approved(case, &settled, None).await,
            Some(ApprovalDecision::AllowAlways) => {
                // The queue held the scope against the command; whoever gets past it still makes no wide grant.
                let scope = settled.scope.filter(|scope| scope.fits(latitude)).unwrap_or_default();
                self.approved(case, &settled, (latitude >= GrantWidth::Exact).then_some(&scope)).await
            }
            None => Ok(match self.judge(case, unanswered) {
                ExecVerdict::Refuse(rule) => ExecVerdict::Refuse(format!("{reason}; {rule}")),
                other => other,
            }),
        }
    }

    /// The approval holds for what was shown: a program that was swapped meanwhile is another command.
    async fn approved(
        &self,
        case: &ExecCase<'_>,
        settled: &SettledApproval,
        scope: Option<&GrantScope>,
    ) -> Result<ExecVerdict, ExecRefusal> {
        if self.reading(case.prepared).await != case.reading {
            return Ok(ExecVerdict::Refuse(
                "a program of the command changed while a person was asked".to_owned(),
            ));
        }
        if let (Some(scope), Ok(line)) = (scope, &case.reading) {
            self.grant(case, line, settled, scope).await?;
        }
        Ok(ExecVerdict::Run(Basis::Full))
    }

    async fn grant(
        &self,
        case: &ExecCase<'_>,
        line: &Located,
        settled: &SettledApproval,
        scope: &GrantScope,
    ) -> Result<(), ExecRefusal> {
        let context = case.prepared.context;
        let by = settled.by.as_deref().unwrap_or("unknown");
        let order = GrantFor {
            agent: &context.agent,
            session: &context.session,
            by,
            now: self.parts.clock.now(),
            scope,
            variables: &case.prepared.added,
        };
        for grant in grants_for(line, &order) {
            let added = self.parts.grants.add(&grant).await;
            added.map_err(|error| {
                ExecRefusal(format!("the approval could not be kept: {error}. Approve once instead"))
            })?;
            let why = format!("{} for {}: {scope}", grant.id, grant.executable);
            self.write_down(&case.subject(), "grant", &why).await;
        }
        Ok(())
    }

    /// Notes what let the command through, and gives the form in which it runs.
    async fn allowed(&self, case: &ExecCase<'_>, basis: Basis) -> Result<Cleared, ExecRefusal> {
        let prepared = case.prepared;
        let Basis::Listed { patterns, grants } = basis else {
            self.write_down(&case.subject(), "run", "full").await;
            return Ok(Cleared {
                launch: Launch::Shell(prepared.command.to_owned()),
                pinned: &[],
                approved: None,
            });
        };
        let now = self.parts.clock.now();
        self.note_uses(case, &patterns, &grants, now).await;
        let cleared = case.reading.as_ref().ok().and_then(|line| {
            let pinned = if line.steps.iter().any(runs_git) { NEUTRAL_GIT } else { &[] };
            Some(Cleared { launch: checked_form(line)?, pinned, approved: None })
        });
        let cleared = cleared.ok_or_else(|| {
            ExecRefusal("the command is listed, but a program of it has no usable path".to_owned())
        })?;
        let why = format!("listed: {} entries, {} grants", patterns.len(), grants.len());
        self.write_down(&case.subject(), "run", &why).await;
        Ok(cleared)
    }

    async fn note_uses(&self, case: &ExecCase<'_>, patterns: &[String], grants: &[String], now: UnixMillis) {
        let resolved = first_program(&case.reading);
        let note = |pattern: &'_ String| EntryUse {
            pattern: pattern.clone(),
            command: case.prepared.command.to_owned(),
            resolved: resolved.clone(),
            at: now,
        };
        let uses: Vec<EntryUse> = patterns.iter().map(note).collect();
        self.parts.file.note_uses(&case.prepared.context.agent, &uses).await;
        for id in grants {
            if let Err(error) = self.parts.grants.used(id, now).await {
                tracing::warn!(%error, "the use of a grant could not be noted");
            }
        }
    }

    /// Notes why a command does not run, and says it. Every refusal comes through here.
    pub(super) async fn refused(
        &self,
        subject: &AuditedCommand<'_>,
        ExecRefusal(rule): ExecRefusal,
    ) -> ExecRefusal {
        self.write_down(subject, "refuse", &rule).await;
        ExecRefusal(format!("the command was not run: {rule}"))
    }

    async fn write_down(&self, subject: &AuditedCommand<'_>, outcome: &'static str, why: &str) {
        let entry = audit::entry(self.parts.clock.now(), subject, outcome, why);
        if let Err(error) = self.parts.audit.append(entry).await {
            tracing::error!(%error, "a decision about a command could not be written to the audit ledger");
        }
    }

    /// The grants, where the rules ask for them at all.
    async fn grants(&self, rules: &ExecRules) -> Result<Vec<Grant>, ExecRefusal> {
        if rules.security != ExecSecurity::Allowlist && rules.ask_fallback != ExecSecurity::Allowlist {
            return Ok(Vec::new());
        }
        let grants = self.parts.grants.all().await;
        grants.map_err(|error| ExecRefusal(format!("what was allowed before cannot be read: {error}")))
    }
}

/// The form that was checked: a single program without the shell, anything else with every word quoted.
fn checked_form(line: &Located) -> Option<Launch> {
    if let ([only], None) = (line.steps.as_slice(), &line.enter)
        && only.step.quiet.is_empty()
    {
        return Some(Launch::Words(only.executable.as_ref()?.found.clone(), only.step.words.clone()));
    }
    render(line).map(Launch::Shell)
}

fn runs_git(step: &LocatedStep) -> bool {
    let real = step.executable.as_ref().and_then(|program| program.real.file_name()?.to_str());
    let written = step.step.words.first().and_then(|name| Path::new(name).file_name()?.to_str());
    [real, written].into_iter().flatten().any(is_git)
}

fn first_program(reading: &Reading) -> Option<String> {
    let line = reading.as_ref().ok()?;
    Some(line.steps.first()?.executable.as_ref()?.real.display().to_string())
}

/// What clients of the gateway itself are called, where a platform has its name.
const WEB_CHAT: &str = "webchat";

/// The question as people see it.
fn request(case: &ExecCase<'_>) -> ApprovalRequest {
    let prepared = case.prepared;
    let context = prepared.context;
    let text = |value: Option<&str>| value.map(str::to_owned);
    ApprovalRequest {
        command: prepared.command.to_owned(),
        env_keys: (!prepared.env_keys.is_empty()).then(|| prepared.env_keys.clone()),
        cwd: Some(prepared.workdir.display().to_string()),
        host: Some("gateway".to_owned()),
        security: Some(security_text(case.rules.security).to_owned()),
        ask: Some(ask_text(case.rules.ask).to_owned()),
        agent_id: Some(context.agent.to_string()),
        resolved_path: first_program(&case.reading),
        session_key: Some(context.session.to_string()),
        turn_source_channel: Some(
            context.sender.channel.as_ref().map_or(WEB_CHAT, |channel| channel.as_str()).to_owned(),
        ),
        turn_source_to: context.sender.to.clone(),
        turn_source_account_id: text(context.sender.account.as_ref().map(|account| account.as_str())),
        turn_source_thread_id: context.sender.thread.as_ref().map(|thread| thread.to_string().into()),
        ..ApprovalRequest::default()
    }
}
