//! What people and logs are told about a call: switches, rests, and the whole story of a failure. No secrets.

use std::fmt::Write as _;

use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_types::{AuthProfileId, ModelRef, ProviderId, UnixMillis};

use super::call::{Attempt, FailureCause, TriedModel};
use crate::failover::{RestCause, Resting};

/// The most that is told of what one server said.
const LONGEST_PART: usize = 300;

pub(super) fn switched(from: &TriedModel, fault: &ModelFault, to: &TriedModel) -> String {
    let next = if from == to {
        "trying once more".to_owned()
    } else if from.model == to.model {
        format!("trying {}", profile(to))
    } else {
        format!("trying {}", named(to))
    };
    format!("{} failed ({}): {}; {next}", named(from), fault.reason.as_str(), cut(&fault.message))
}

pub(super) fn resting(model: &ModelRef, resting: &Resting, now: UnixMillis) -> ModelFault {
    let left = resting.until.since(now);
    let advice = match resting.cause {
        RestCause::Lasting => "; put the sign-in right, then end its rest with `openclaw models auth reset`",
        RestCause::Passing | RestCause::Asked => "",
    };
    let message = format!(
        "every sign-in for {model} rests for up to {} more while another model can answer{advice}",
        span(left.as_secs())
    );
    ModelFault { retry_after: Some(left), ..ModelFault::new(resting.reason, message) }
}

pub(super) fn no_sign_in(provider: &ProviderId) -> ModelFault {
    let message = format!(
        "there is no sign-in for {provider}; add one with `openclaw models auth add --provider {provider}`"
    );
    ModelFault::new(FaultReason::Auth, message)
}

pub(super) fn locked_out(wanted: &AuthProfileId, provider: &ProviderId) -> ModelFault {
    let message = format!("the sign-in {wanted} was asked for, but auth.order leaves it out for {provider}");
    ModelFault::new(FaultReason::Auth, message)
}

pub(super) fn failed(cause: &FailureCause, tried: &[Attempt]) -> String {
    let mut story = match cause {
        FailureCause::Budget(refusal) => return refusal.to_string(),
        FailureCause::Selection(fault) => return fault.to_string(),
        FailureCause::Books(fault) => {
            return format!(
                "The call was not sent: a budget is set, and what is spent cannot be looked up ({fault})."
            );
        }
        FailureCause::Fault(fault) => match tried {
            [] => return cut(&fault.message).to_owned(),
            [only] => return part(only),
            _ => format!("No model could answer ({} attempts): ", tried.len()),
        },
    };
    for (place, attempt) in tried.iter().enumerate() {
        let between = if place == 0 { "" } else { " | " };
        // Writing to a text cannot fail.
        if write!(story, "{between}{}", part(attempt)).is_err() {
            break;
        }
    }
    story
}

fn part(attempt: &Attempt) -> String {
    format!("{}: {} ({})", named(&attempt.what), cut(&attempt.fault.message), attempt.fault.reason.as_str())
}

fn named(what: &TriedModel) -> String {
    match &what.profile {
        Some(profile) => format!("{} with {profile}", what.model),
        None => what.model.to_string(),
    }
}

fn profile(what: &TriedModel) -> String {
    what.profile.as_ref().map_or_else(|| what.model.to_string(), ToString::to_string)
}

fn cut(text: &str) -> &str {
    let end = text.char_indices().nth(LONGEST_PART).map_or(text.len(), |(end, _)| end);
    text.get(..end).unwrap_or(text)
}

fn span(seconds: u64) -> String {
    match seconds {
        0..=90 => format!("{seconds} s"),
        91..=5_400 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3_600)),
    }
}
