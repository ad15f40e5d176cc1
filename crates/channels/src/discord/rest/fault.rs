//! What a refusal of the API means for whoever asked, with what to do. Pure.

use std::time::Duration;

use openclaw_ports::channel::{ChannelError, Landed};
use serde_json::Value;

use crate::shared::HttpFault;

/// The code for a message that is not there.
pub(in super::super) const UNKNOWN_MESSAGE: u64 = 10_008;
/// How long to wait where the platform says that something goes too fast, and not how long.
const TOO_FAST: Duration = Duration::from_secs(60);

/// Why a call was not answered: the platform's own number, and what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct ApiFault {
    /// The platform's number; 0 for none.
    pub(in super::super) code: u64,
    /// The fields it is about.
    pub(in super::super) fields: Vec<String>,
    /// What it means.
    pub(in super::super) error: ChannelError,
}

impl From<ApiFault> for ChannelError {
    fn from(fault: ApiFault) -> Self {
        fault.error
    }
}

impl From<ChannelError> for ApiFault {
    fn from(error: ChannelError) -> Self {
        Self { code: 0, fields: Vec::new(), error }
    }
}

impl From<HttpFault> for ApiFault {
    fn from(fault: HttpFault) -> Self {
        Self { code: 0, fields: Vec::new(), error: fault.into() }
    }
}

/// Whether an answer is one.
pub(super) fn understood(status: u16) -> bool {
    (200..300).contains(&status)
}

/// What a refusal means.
pub(super) fn fault(status: u16, body: &[u8], retry_after: Option<Duration>) -> ApiFault {
    let told: Value = serde_json::from_slice(body).unwrap_or_default();
    let number = told["code"].as_u64().unwrap_or(0);
    let error = match (status, number) {
        _ if retry_after.is_some() => ChannelError::RateLimited { after: retry_after.unwrap_or(TOO_FAST) },
        (401, _) => ChannelError::Unauthorized {
            reason: "the bot token is not valid; copy a new one from the Bot page of the Discord developer portal into \
                     channels.discord.token"
                .to_owned(),
        },
        (_, 20_016 | 20_022 | 20_028 | 40_003) => {
            let after = told["retry_after"].as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            ChannelError::RateLimited { after: after.unwrap_or(TOO_FAST) }
        }
        (500.., _) => ChannelError::Unreachable {
            reason: format!("Discord answered with status {status}"),
            landed: Landed::Maybe,
        },
        _ => ChannelError::Refused { reason: format!("{} ({})", said(number, &told), tail(status, number)) },
    };
    let fields = told["errors"].as_object().into_iter().flatten().map(|(field, _)| field.clone()).collect();
    ApiFault { code: number, fields, error }
}

fn tail(status: u16, number: u64) -> String {
    if number == 0 { format!("status {status}") } else { format!("code {number}") }
}

/// What the usual refusals mean, in our words; else what the platform says.
fn said(number: u64, told: &Value) -> String {
    let known = match number {
        10_003 => "there is no such channel, or it was deleted",
        UNKNOWN_MESSAGE => "there is no such message",
        10_004 => "there is no such server, or the bot is not in it",
        10_013 => "there is no such user",
        10_014 => "there is no such emoji, or the bot cannot use it",
        10_062 => "the interaction is over",
        40_005 => "the file is larger than Discord allows there",
        50_001 => "the bot has no access to that channel; give it View Channel there",
        50_007 => {
            "this person takes no direct messages from the bot; they have to allow them in the privacy settings of a \
             server they share with it"
        }
        50_013 => {
            "the bot lacks a permission there; check Send Messages, Send Messages in Threads, Attach Files and Add \
             Reactions, also in the channel's own overrides"
        }
        50_083 => "the thread is archived",
        160_005 => "the thread is locked",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let message = told["message"].as_str().unwrap_or("no reason given");
    let detail = deepest(&told["errors"]).unwrap_or_default();
    let text = if detail.is_empty() { message.to_owned() } else { format!("{message}: {detail}") };
    text.chars().take(300).collect()
}

/// The first complaint inside the tree of complaints, with where it is.
fn deepest(errors: &Value) -> Option<String> {
    let fields = errors.as_object()?;
    if let Some(list) = fields.get("_errors").and_then(Value::as_array) {
        return list.first()?["message"].as_str().map(str::to_owned);
    }
    fields.iter().find_map(|(field, inner)| Some(format!("{field}: {}", deepest(inner)?)))
}
