//! `sessions.usage`: what each session cost, and what all of them cost together.
//!
//! The sessions that were active last come first, and only those that are listed count in the sums, as in the original.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use openclaw_ports::stores::{StoreError, UsageGroup, UsageLedger, UsageQuery};
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::usage::{SessionsUsageParams, SessionsUsageResult};
use openclaw_types::{AgentId, SessionKey};

use super::books::{Books, Listed, Weights};
use super::range::{Asked, DayRange, DayZone, day_name};
use super::whose::{self, Whose};
use super::{default_agent, unreadable, walk};
use crate::methods::models::ModelServices;
use crate::methods::registry::Call;

/// How many sessions are listed when nobody says.
const USUAL_SESSIONS: u64 = 50;

/// Answers the method.
pub(super) async fn sessions(
    call: &Call,
    services: &ModelServices,
    params: &SessionsUsageParams,
) -> Result<SessionsUsageResult, ErrorShape> {
    let now = call.context.clock.now();
    let offset = params.utc_offset.as_ref().map(|offset| offset.as_str());
    let zone = DayZone::asked(params.mode, offset).rules();
    let asked = Asked {
        start: params.start_date.as_ref().map(|date| date.as_str()),
        end: params.end_date.as_ref().map(|date| date.as_str()),
        days: None,
    };
    let range = DayRange::of(asked, &zone, now);
    let wanted = wanted(call, params)?;
    let most = params.limit.map_or(USUAL_SESSIONS, |limit| limit.unsigned());
    let books =
        read(services.ledger.as_ref(), &zone, &range, wanted.as_ref(), most).await.map_err(unreadable)?;
    let weights = if params.include_context_weight == Some(true) { Weights::Asked } else { Weights::Left };
    Ok(SessionsUsageResult {
        updated_at: now,
        start_date: range.first.to_string(),
        end_date: range.last.to_string(),
        sessions: books.rows(weights),
        totals: books.totals(),
        aggregates: books.aggregates(),
    })
}

/// The one session a client asks about, if it does.
fn wanted(call: &Call, params: &SessionsUsageParams) -> Result<Option<SessionKey>, ErrorShape> {
    let written = params.key.as_ref().map(|key| key.as_str().trim()).filter(|key| !key.is_empty());
    let Some(written) = written else { return Ok(None) };
    whose::named(written, &default_agent(call)).map(Some).map_err(|error| {
        ErrorShape::invalid_request(format!("Invalid session reference: {written} ({error})"))
    })
}

async fn read(
    ledger: &dyn UsageLedger,
    zone: &TimeZone,
    range: &DayRange,
    wanted: Option<&SessionKey>,
    most: u64,
) -> Result<Books, StoreError> {
    let questions = wanted.map_or_else(|| vec![UsageQuery::default()], whose::questions);
    let within = |question| UsageQuery { from: Some(range.from), until: Some(range.until), ..question };
    let questions: Vec<UsageQuery> = questions.into_iter().map(within).collect();
    let mut books = Books::open(list(ledger, &questions, wanted, most).await?);
    for question in &questions {
        for day in walk::busy_days(ledger, question).await? {
            for record in walk::calls(ledger, day).await? {
                books.add(&record, &day_name(record.at, zone));
            }
        }
    }
    Ok(books)
}

/// The sessions that were active, the latest first.
async fn list(
    ledger: &dyn UsageLedger,
    questions: &[UsageQuery],
    wanted: Option<&SessionKey>,
    most: u64,
) -> Result<Vec<Listed>, StoreError> {
    let mut sessions = BTreeMap::<SessionKey, Listed>::new();
    for question in questions {
        for sum in ledger.sums(question.clone(), vec![UsageGroup::Agent, UsageGroup::Session]).await? {
            let [agent, session] = sum.group.as_slice() else { continue };
            let Ok(id) = AgentId::new(agent) else { continue };
            let whose = Whose::noted(&id, Some(session));
            if wanted.is_some_and(|wanted| *wanted != whose.key) {
                continue;
            }
            let key = whose.key.clone();
            let listed =
                sessions.entry(key).or_insert_with(|| Listed { whose, notes: Vec::new(), last: sum.last });
            listed.notes.push((agent.clone(), session.clone()));
            listed.last = listed.last.max(sum.last);
        }
    }
    let mut sessions: Vec<Listed> = sessions.into_values().collect();
    sessions.sort_by_key(|listed| Reverse(listed.last));
    sessions.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(sessions)
}
