//! `/usage`: what is told below answers, and what everything cost.

use std::time::Duration;

use openclaw_agent::RunOutcome;
use openclaw_inbound::commands::{UsageChoice, UsageDisplay};
use openclaw_ports::stores::{UsageLedger, UsageQuery, UsageSum};
use openclaw_session::{FieldChange, SessionPatch};
use openclaw_types::{Money, SessionFacts, SessionKey};

use super::wording::{money, tokens};
use super::{CommandCall, CommandTrouble};

/// How far back the summary looks.
const MONTH: Duration = Duration::from_secs(30 * 24 * 3_600);
const DAY: Duration = Duration::from_secs(24 * 3_600);

/// Changes what is told, or tells what everything cost.
pub(super) async fn usage(call: &CommandCall<'_>, choice: UsageChoice) -> Result<String, CommandTrouble> {
    let display = match choice {
        UsageChoice::Cost => return cost(call).await,
        UsageChoice::Set(display) => display,
        UsageChoice::Next => {
            let entry = call.open().await?;
            let now = entry.facts.response_usage.as_deref().and_then(UsageDisplay::parse);
            now.unwrap_or(UsageDisplay::Off).next()
        }
    };
    let entry = call.open().await?;
    let change = match display {
        UsageDisplay::Off => FieldChange::Clear,
        other => FieldChange::Set(other.as_str().to_owned()),
    };
    let patch = SessionPatch { response_usage: change, ..SessionPatch::default() };
    call.patch(patch, &call.model(&entry.facts)).await?;
    Ok(match display {
        UsageDisplay::Off => "⚙️ Usage is not shown below answers.",
        UsageDisplay::Tokens => "⚙️ Usage below answers: tokens.",
        UsageDisplay::Full => "⚙️ Usage below answers: full, with cost and session.",
    }
    .to_owned())
}

/// The line below an answer that says what it took; nothing when its session shows none, or nobody counted.
pub(crate) fn footer(facts: &SessionFacts, key: &SessionKey, outcome: &RunOutcome) -> Option<String> {
    let display = facts.response_usage.as_deref().and_then(UsageDisplay::parse)?;
    let usage = &outcome.usage;
    if display == UsageDisplay::Off || usage.sum() == 0 {
        return None;
    }
    let cost = usage
        .cost
        .filter(|cost| cost.total > 0.0)
        .map_or_else(String::new, |cost| format!(" · est {}", money(Money::from_dollars(cost.total))));
    let session = match display {
        UsageDisplay::Full => format!(" · session {key}"),
        UsageDisplay::Off | UsageDisplay::Tokens => String::new(),
    };
    Some(format!("Usage: {} in / {} out{cost}{session}", tokens(usage.input), tokens(usage.output)))
}

async fn cost(call: &CommandCall<'_>) -> Result<String, CommandTrouble> {
    let Some(ledger) = &call.handles().ledger else {
        return Ok("⚠️ No books are kept here, so the cost is not known.".to_owned());
    };
    let now = call.flow.now();
    let of_session = UsageQuery { session: Some(call.key().to_string()), ..UsageQuery::default() };
    let of_day = UsageQuery { from: Some(now.minus(DAY)), ..UsageQuery::default() };
    let of_month = UsageQuery { from: Some(now.minus(MONTH)), ..UsageQuery::default() };
    let mut lines = vec!["💸 What answers cost".to_owned()];
    for (what, query) in [("This session", of_session), ("Last 24 hours", of_day), ("Last 30 days", of_month)]
    {
        let line = match sum(ledger.as_ref(), query).await? {
            Some(sum) => line(&sum),
            None => "nothing yet".to_owned(),
        };
        lines.push(format!("{what}: {line}"));
    }
    Ok(lines.join("\n"))
}

/// Everything that a query finds, in one sum; nothing when there were no calls.
pub(super) async fn sum(
    ledger: &dyn UsageLedger,
    query: UsageQuery,
) -> Result<Option<UsageSum>, CommandTrouble> {
    let sums = ledger.sums(query, Vec::new()).await?;
    Ok(sums.into_iter().next().filter(|sum| sum.calls > 0))
}

fn line(sum: &UsageSum) -> String {
    let mut text = format!("{}, {} tokens in {} calls", money(sum.cost), tokens(sum.usage.sum()), sum.calls);
    if sum.unpriced > 0 {
        text.push_str(&format!(" ({} of them without a known price)", sum.unpriced));
    }
    text
}
