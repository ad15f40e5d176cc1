//! Questions about commands, asked in chats: where the command was asked for, in chats that are listed (`approvals.exec`),
//! or where an account says who is asked there (`execApprovals`).
//!
//! Answered there with `/approve`, or a button that says it, by those who may; that is a command like any other, and who may
//! is decided at the door. Nothing is decided here but where to ask.

use std::sync::Arc;
use std::time::Duration;

use openclaw_config::sections::{ApprovalMode, ApprovalTarget, TextOrNumber};
use openclaw_exec::{
    ApprovalDecision, ApprovalRequest, Lapse, OpenApproval, SettledApproval, shown_block, shown_line,
};
use openclaw_inbound::access::pattern_fits;
use openclaw_ports::stores::{OutboxQuery, StoreError};
use openclaw_types::{AccountId, AskAt, Button, ChannelId, SendTarget, ThreadId};
use serde_json::Value;

use crate::flow::{Flow, Inner};
use crate::outbox::{self, OwnWords};

/// What the keys of questions, and of what came of them, are told apart by.
const ASKED: &str = "asked";
const SETTLED: &str = "settled";
/// What questions belong to.
const APPROVAL: &str = "approval";
/// How many of the newest pieces of a conversation are looked through for a question.
const LOOKED_AT: usize = 100;

impl Flow {
    /// Whether a question about a command is asked in a chat.
    #[must_use]
    pub fn asks_in_chats(&self, request: &ApprovalRequest) -> bool {
        !places(self.inner(), request).is_empty()
    }

    /// Asks in chats about a command, where the configuration says so.
    pub fn ask_in_chats(&self, question: &OpenApproval) {
        let seconds = question.expires_at_ms.since(question.created_at_ms).as_secs();
        // What cannot be shown whole can only be denied from here.
        let answers: &[&str] = match shown_block(&question.request.command) {
            // Where every command is asked about, nothing can be allowed for later.
            Ok(_) if asks_always(&question.request) => &["allow-once", "deny"],
            Ok(_) => &["allow-once", "allow-always", "deny"],
            Err(_) => &["deny"],
        };
        let buttons = answers.iter().map(|word| Button {
            text: label(word).to_owned(),
            data: format!("/approve {} {word}", question.id),
        });
        let text = words(question, seconds, answers);
        self.tell_chats(&question.request, (ASKED, &question.id), text, vec![buttons.collect()]);
    }

    /// Tells chats that were asked what came of a question.
    pub fn tell_settled(&self, settled: &SettledApproval) {
        let outcome = match (settled.decision, settled.lapse) {
            (Some(ApprovalDecision::AllowOnce), _) => "✅ Allowed once",
            (Some(ApprovalDecision::AllowAlways), _) if asks_always(&settled.question.request) => {
                "✅ Allowed once, since exec asks every time (ask is always),"
            }
            (Some(ApprovalDecision::AllowAlways), _) => "✅ Allowed from now on",
            (Some(ApprovalDecision::Deny), _) => "🚫 Denied",
            (None, Some(Lapse::Withdrawn)) => "⏹️ No answer is needed any more: the run was stopped",
            // Whether it runs without an answer is for the rules (askFallback).
            (None, _) => "⏱️ Nobody answered in time",
        };
        let by = settled.by.as_deref().map(|by| format!(" by {}", shown_line(by))).unwrap_or_default();
        let text = format!("{outcome}{by} ({})", settled.question.id);
        self.tell_chats(&settled.question.request, (SETTLED, &settled.question.id), text, Vec::new());
    }

    /// Tells chats that were asked that the command still runs.
    pub fn tell_still_runs(&self, settled: &SettledApproval, after: Duration) {
        let id = &settled.question.id;
        let text = format!("⏳ The command that was allowed still runs after {} s ({id})", after.as_secs());
        self.tell_chats(&settled.question.request, ("running", id), text, Vec::new());
    }

    fn tell_chats(
        &self,
        request: &ApprovalRequest,
        (what, id): (&str, &str),
        text: String,
        buttons: Vec<Vec<Button>>,
    ) {
        let flow = self.inner();
        for (number, place) in places(flow, request).into_iter().enumerate() {
            let then = Arc::clone(flow);
            if what == SETTLED && place.tidy {
                let stem = format!("approval/{id}/{ASKED}/{number}");
                flow.parts.tasks.start(APPROVAL, async move {
                    if let Err(error) = take_back(&then, &place.target, &stem).await {
                        tracing::error!(subsystem = "channels", %error, "a question that is answered could not be taken back");
                    }
                });
                continue;
            }
            let saying = OwnWords {
                target: place.target,
                stem: format!("approval/{id}/{what}/{number}"),
                source: APPROVAL.to_owned(),
                text: text.clone(),
                buttons: buttons.clone(),
            };
            flow.parts.tasks.start(APPROVAL, async move {
                if let Err(error) = outbox::say(&then, saying).await {
                    tracing::error!(subsystem = "channels", %error, "a question about a command could not be kept for sending");
                }
            });
        }
    }
}

/// Takes a question back that is answered.
///
/// # Errors
/// The outbox failed.
async fn take_back(flow: &Inner, target: &SendTarget, stem: &str) -> Result<(), StoreError> {
    let query = OutboxQuery { state: None, target: Some(target.clone()), limit: Some(LOOKED_AT) };
    let rows = flow.parts.outbox.list(query).await?;
    let pieces = format!("{stem}/");
    let keys = rows.into_iter().map(|row| row.piece.key).filter(|key| key.starts_with(&pieces));
    outbox::withdraw(flow, target, keys.collect(), APPROVAL).await
}

/// A place where a question is asked.
#[derive(Clone, PartialEq, Eq)]
struct Asked {
    target: SendTarget,
    /// Whether it is taken back there once it is answered.
    tidy: bool,
}

/// Where a question is asked, each place once.
fn places(flow: &Inner, request: &ApprovalRequest) -> Vec<Asked> {
    let mut once: Vec<Asked> = Vec::new();
    // What an account says of itself comes first: it knows whether it tidies up.
    for place in of_accounts(flow, request).into_iter().chain(everywhere(flow, request)) {
        if once.iter().all(|known| known.target != place.target) {
            once.push(place);
        }
    }
    once
}

/// Where `approvals.exec` says.
fn everywhere(flow: &Inner, request: &ApprovalRequest) -> Vec<Asked> {
    let config = flow.settings();
    let settings = config.raw.approvals.as_ref().and_then(|approvals| approvals.exec.as_ref());
    let Some(settings) = settings.filter(|settings| settings.enabled == Some(true)) else {
        return Vec::new();
    };
    let agents = settings.agent_filter.as_deref().unwrap_or_default();
    if !concerns(agents, settings.session_filter.as_deref().unwrap_or_default(), request) {
        return Vec::new();
    }
    let mode = settings.mode.unwrap_or(ApprovalMode::Session);
    let mut places = Vec::new();
    if matches!(mode, ApprovalMode::Session | ApprovalMode::Both) {
        places.extend(source(flow, request));
    }
    if matches!(mode, ApprovalMode::Targets | ApprovalMode::Both) {
        let listed = settings.targets.iter().flatten();
        places.extend(listed.filter_map(|target| listed_place(flow, target)));
    }
    places.into_iter().map(|target| Asked { target, tidy: false }).collect()
}

/// Where accounts say: those who may answer there, alone or where the command was asked for.
fn of_accounts(flow: &Inner, request: &ApprovalRequest) -> Vec<Asked> {
    let channel_accounts = &flow.parts.channels;
    let mut places = Vec::new();
    for (channel, account, rules) in channel_accounts.asking() {
        if !concerns(&rules.agents, &rules.sessions, request) {
            continue;
        }
        let here = source(flow, request).filter(|here| here.channel == channel && here.account == account);
        let here = here.filter(|_| rules.ask != AskAt::Approvers);
        // Those who may answer are asked themselves, too, where the command came from somewhere else.
        let alone = rules.ask != AskAt::Conversation || here.is_none();
        let approvers = rules.approvers.iter().filter(|_| alone).filter_map(|id| {
            let to = channel_accounts.kind(channel.as_str())?.target(&format!("{channel}:{id}")).ok()?;
            Some(SendTarget { channel: channel.clone(), account: account.clone(), to, thread: None })
        });
        places.extend(here.into_iter().chain(approvers).map(|target| Asked { target, tidy: rules.tidy }));
    }
    places
}

/// Whether a question is one of those that are asked in chats.
fn concerns(agents: &[String], sessions: &[String], request: &ApprovalRequest) -> bool {
    let agent = request.agent_id.as_deref().unwrap_or_default();
    let session = request.session_key.as_deref().unwrap_or_default();
    let agent_fits = agents.is_empty() || agents.iter().any(|each| each.trim().eq_ignore_ascii_case(agent));
    let session_fits = sessions.is_empty()
        || sessions.iter().any(|each| session.contains(each.trim()) || pattern_fits(each, session));
    agent_fits && session_fits
}

/// The conversation that the command was asked for in.
fn source(flow: &Inner, request: &ApprovalRequest) -> Option<SendTarget> {
    let thread = match request.turn_source_thread_id.as_ref() {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let place = Written {
        channel: request.turn_source_channel.as_deref()?,
        account: request.turn_source_account_id.as_deref(),
        to: request.turn_source_to.as_deref()?,
        thread,
    };
    place.target(flow, Kind::Given)
}

fn listed_place(flow: &Inner, target: &ApprovalTarget) -> Option<SendTarget> {
    let thread = target.thread_id.as_ref().map(|thread| match thread {
        TextOrNumber::Text(text) => text.clone(),
        TextOrNumber::Number(number) => number.to_string(),
    });
    let place =
        Written { channel: &target.channel, account: target.account_id.as_deref(), to: &target.to, thread };
    place.target(flow, Kind::Written)
}

/// A place in words.
struct Written<'a> {
    channel: &'a str,
    account: Option<&'a str>,
    to: &'a str,
    thread: Option<String>,
}

/// Whether the conversation is in the words of the platform already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Given,
    Written,
}

impl Written<'_> {
    fn target(self, flow: &Inner, kind: Kind) -> Option<SendTarget> {
        let channel_accounts = &flow.parts.channels;
        let platform = channel_accounts.kind(self.channel)?;
        let channel = ChannelId::new(platform.descriptor().id).ok()?;
        let account = match self.account.map(str::trim).filter(|account| !account.is_empty()) {
            Some(account) => AccountId::new(account).ok()?,
            None => channel_accounts.accounts_of(&channel).into_iter().next()?,
        };
        channel_accounts.view(&channel, &account)?;
        let to = match kind {
            Kind::Given => self.to.to_owned(),
            Kind::Written => platform.target(self.to).ok()?,
        };
        Some(SendTarget {
            channel,
            account,
            to,
            thread: self.thread.and_then(|thread| ThreadId::new(thread).ok()),
        })
    }
}

/// Whether the rules ask about every command.
fn asks_always(request: &ApprovalRequest) -> bool {
    request.ask.as_deref() == Some("always")
}

fn label(word: &str) -> &'static str {
    match word {
        "allow-once" => "Allow once",
        "allow-always" => "Always allow",
        _ => "Deny",
    }
}

/// A question as people in a chat read it.
fn words(question: &OpenApproval, seconds: u64, answers: &[&str]) -> String {
    let request = &question.request;
    let command = shown_block(&request.command).unwrap_or_else(|too_long| format!("⚠️ Careful: {too_long}."));
    let mut text = format!("🔒 A command waits for an answer.\n{command}");
    let facts = [("Folder", &request.cwd), ("Host", &request.host), ("Agent", &request.agent_id)];
    for (name, fact) in facts {
        if let Some(fact) = fact {
            text.push_str(&format!("\n{name}: {}", shown_line(fact)));
        }
    }
    if let Some(names) = request.env_keys.as_ref().filter(|names| !names.is_empty()) {
        text.push_str(&format!("\nSets: {}", shown_line(&names.join(", "))));
    }
    let answers: Vec<String> =
        answers.iter().map(|word| format!("`/approve {} {word}`", question.id)).collect();
    text.push_str(&format!("\nOpen for {seconds} s. Answer with {}.", answers.join(", ")));
    text
}
