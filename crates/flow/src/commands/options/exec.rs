//! `/exec`: where and how commands of the session run, for good or for one message.

use openclaw_config::ExecSettings;
use openclaw_config::sections::{ExecAsk, ExecHost, ExecSecurity};
use openclaw_exec::loosened;
use openclaw_inbound::commands::{ExecDirective, WrongOption};
use openclaw_ports::tool::ExecChoices;
use openclaw_session::{FieldChange, SessionPatch};
use openclaw_types::SessionFacts;

use crate::commands::{CommandCall, CommandTrouble};
use crate::order::exec_choices;
use crate::submission::Author;

const OPTIONS: &str =
    "host=sandbox|gateway|node security=deny|allowlist|full ask=off|on-miss|always node=<id>";

/// Shows or sets where and how commands run.
pub(super) async fn exec(call: &CommandCall<'_>, wanted: &ExecDirective) -> Result<String, CommandTrouble> {
    let entry = call.open().await?;
    if !wanted.wrong.is_empty() {
        return Ok(format!("⚠️ {} Options: {OPTIONS}.", wrong(&wanted.wrong)));
    }
    if *wanted == ExecDirective::default() {
        return Ok(format!("⚙️ {} Options: {OPTIONS}.", current(call, &entry.facts)));
    }
    let settings = ExecSettings::of(&call.settings(), call.agent());
    let now = exec_choices(&entry.facts);
    if let Err(refusal) = exec_once(&settings, &call.submission.from, &now, wanted) {
        return Ok(format!("⚠️ {refusal}"));
    }
    let patch = SessionPatch {
        exec_host: change(wanted.host.map(|host| host.as_str())),
        exec_security: change(wanted.security.map(|security| security.as_str())),
        exec_ask: change(wanted.ask.map(|ask| ask.as_str())),
        exec_node: change(wanted.node.as_deref()),
        ..SessionPatch::default()
    };
    let entry = call.patch(patch, &call.model(&entry.facts)).await?;
    Ok(format!("⚙️ {}", current(call, &entry.facts)))
}

/// What holds about commands when somebody says this, as far as they may say it; else what they are told.
pub(crate) fn exec_once(
    settings: &ExecSettings,
    author: &Author,
    now: &ExecChoices,
    wanted: &ExecDirective,
) -> Result<ExecChoices, String> {
    let then = ExecChoices {
        host: wanted.host.map(|host| host.as_str().to_owned()).or_else(|| now.host.clone()),
        security: wanted
            .security
            .map(|security| security.as_str().to_owned())
            .or_else(|| now.security.clone()),
        ask: wanted.ask.map(|ask| ask.as_str().to_owned()).or_else(|| now.ask.clone()),
        node: wanted.node.clone().or_else(|| now.node.clone()),
        elevated: now.elevated.clone(),
    };
    match loosened(settings, now, &then).filter(|_| !author.may_loosen()) {
        None => Ok(then),
        Some(option) => Err(format!(
            "The rules for commands stay as they are: {option} would be looser than what holds now, which takes the owner, \
             with the right to approve commands (operator.approvals). Anybody may make them stricter."
        )),
    }
}

fn change(word: Option<&str>) -> FieldChange<String> {
    word.map_or(FieldChange::Keep, |word| FieldChange::Set(word.to_owned()))
}

/// What holds now: the session's own choices, then the configured ones.
fn current(call: &CommandCall<'_>, facts: &SessionFacts) -> String {
    let settings = ExecSettings::of(&call.settings(), call.agent());
    let configured = [
        settings.host.map(|host| host_word(host).to_owned()),
        settings.security.map(|security| security_word(security).to_owned()),
        settings.ask.map(|ask| ask_word(ask).to_owned()),
        settings.node.clone(),
    ];
    let chosen = [&facts.exec_host, &facts.exec_security, &facts.exec_ask, &facts.exec_node];
    let said: Vec<String> = ["host", "security", "ask", "node"]
        .into_iter()
        .zip(chosen.into_iter().zip(configured))
        .map(|(name, (chosen, configured))| {
            format!("{name}={}", chosen.clone().or(configured).unwrap_or_else(|| "default".to_owned()))
        })
        .collect();
    format!("Commands of this session: {}.", said.join(" "))
}

fn host_word(host: ExecHost) -> &'static str {
    match host {
        ExecHost::Sandbox => "sandbox",
        ExecHost::Gateway => "gateway",
        ExecHost::Node => "node",
    }
}

fn security_word(security: ExecSecurity) -> &'static str {
    match security {
        ExecSecurity::Deny => "deny",
        ExecSecurity::Allowlist => "allowlist",
        ExecSecurity::Full => "full",
    }
}

fn ask_word(ask: ExecAsk) -> &'static str {
    match ask {
        ExecAsk::Off => "off",
        ExecAsk::OnMiss => "on-miss",
        ExecAsk::Always => "always",
    }
}

/// What was not understood.
pub(super) fn wrong(options: &[WrongOption]) -> String {
    let said: Vec<String> = options
        .iter()
        .map(|option| format!("\"{}\" is not a value for {}.", option.value, option.name))
        .collect();
    said.join(" ")
}
