//! `sessions.usage`: what happened in each session and what it cost, and all of them together.
//!
//! The sessions that changed last come first, and only those that are listed count in the sums, as in the original. A
//! session without anything in the range is listed only when a client asks for it by name. A transcript is counted
//! and let go before the next one is read.

use openclaw_ports::stores::{StoreError, UsageGroup, UsageQuery};
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::usage::{SessionsUsageParams, SessionsUsageResult};
use openclaw_types::{SessionEntry, SessionKey};

use super::activity::{Activity, ActivityCounter};
use super::listing::{UsageCandidate, candidates};
use super::range::{DayLabeler, DayRange, DayZone, RequestedDates};
use super::report::{ReportBuilder, UsageReport, Weights};
use super::sources::{Archives, RequestedSession, UsageSources, transcripts};
use super::{default_agent, unreadable, walk, whose};
use crate::methods::registry::Call;

/// How many sessions are listed when nobody says.
const USUAL_SESSIONS: u64 = 50;

/// Answers the method.
pub(super) async fn sessions(
    call: &Call,
    sources: &UsageSources,
    params: &SessionsUsageParams,
) -> Result<SessionsUsageResult, ErrorShape> {
    let now = call.context.clock.now();
    let offset = params.utc_offset.as_ref().map(|offset| offset.as_str());
    let zone = DayZone::asked(params.mode, offset).rules();
    let asked = RequestedDates {
        start: params.start_date.as_ref().map(|date| date.as_str()),
        end: params.end_date.as_ref().map(|date| date.as_str()),
        days: None,
    };
    let range = DayRange::of(asked, &zone, now);
    let wanted = wanted(call, sources, params).await?;
    let most = params.limit.map_or(USUAL_SESSIONS, |limit| limit.unsigned());
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let reading = Reading { sources, range: &range, names: DayLabeler::new(zone) };
    let report = reading.report(wanted.as_ref(), most).await?;
    let weights = if params.include_context_weight == Some(true) { Weights::Asked } else { Weights::Left };
    Ok(SessionsUsageResult {
        updated_at: now,
        start_date: range.first.to_string(),
        end_date: range.last.to_string(),
        sessions: report.rows(weights),
        totals: report.totals(),
        aggregates: report.aggregates(),
    })
}

/// The one session a client asks about, if it does.
async fn wanted(
    call: &Call,
    sources: &UsageSources,
    params: &SessionsUsageParams,
) -> Result<Option<RequestedSession>, ErrorShape> {
    let written = params.key.as_ref().map(|key| key.as_str().trim()).filter(|key| !key.is_empty());
    let Some(written) = written else { return Ok(None) };
    let key = sources.key(written, &default_agent(call)).map_err(|error| {
        ErrorShape::invalid_request(format!("Invalid session reference: {written} ({error})"))
    })?;
    sources.named(key).await.map(Some)
}

/// Reads the sessions and the ledger for one range.
struct Reading<'a> {
    sources: &'a UsageSources,
    range: &'a DayRange,
    names: DayLabeler,
}

impl Reading<'_> {
    async fn report(
        &self,
        wanted: Option<&RequestedSession>,
        most: usize,
    ) -> Result<UsageReport, ErrorShape> {
        let questions = match wanted {
            Some(session) => whose::ledger_queries(&session.key, session.transcript()),
            None => vec![UsageQuery::default()],
        };
        let (from, until) = (Some(self.range.from), Some(self.range.until));
        let within = |question| UsageQuery { from, until, ..question };
        let questions: Vec<UsageQuery> = questions.into_iter().map(within).collect();
        let listed = self.list(&questions, wanted, most).await?;
        let mut books = ReportBuilder::open(listed);
        self.add_calls(&questions, &mut books).await.map_err(unreadable)?;
        Ok(books.close())
    }

    /// The sessions that were active, the latest first.
    async fn list(
        &self,
        questions: &[UsageQuery],
        wanted: Option<&RequestedSession>,
        most: usize,
    ) -> Result<Vec<UsageCandidate>, ErrorShape> {
        let mut sums = Vec::new();
        for question in questions {
            let by = vec![UsageGroup::Agent, UsageGroup::Session];
            sums.extend(self.sources.ledger.sums(question.clone(), by).await.map_err(unreadable)?);
        }
        let mut found = match wanted {
            Some(session) => candidates(&sums, stored(session), openclaw_types::UnixMillis(i64::MIN)),
            None => candidates(&sums, self.sources.entries().await?, self.range.from),
        };
        found.retain(|one| wanted.is_none_or(|session| one.key == session.key));
        let archives = self.sources.archives(found.iter().map(|one| &one.key)).await?;
        let mut listed = Vec::new();
        for mut one in found {
            if listed.len() >= most {
                break;
            }
            one.activity = self.activity(&one, &archives).await.unwrap_or_else(|error| {
                tracing::warn!(key = %one.key, %error, "a transcript cannot be read; its session is shown with its calls alone");
                None
            });
            if one.was_active() || (wanted.is_some() && one.activity.is_some()) {
                listed.push(one);
            }
        }
        Ok(listed)
    }

    /// What the transcripts of a session say about the range.
    async fn activity(
        &self,
        of: &UsageCandidate,
        archives: &Archives,
    ) -> Result<Option<Activity>, StoreError> {
        let archived = archives.get(&of.key).map(Vec::as_slice).unwrap_or_default();
        let mut counter = ActivityCounter::new(self.range.from..self.range.until, self.names.clone());
        for transcript in transcripts(of.session_id.as_ref(), archived, self.range.from) {
            counter.add_transcript(&self.sources.lines(&of.key, &transcript).await?);
        }
        Ok(counter.finish())
    }

    async fn add_calls(&self, questions: &[UsageQuery], books: &mut ReportBuilder) -> Result<(), StoreError> {
        let ledger = self.sources.ledger.as_ref();
        let mut names = self.names.clone();
        for question in questions {
            for day in walk::busy_days(ledger, question).await? {
                for record in walk::calls(ledger, day).await? {
                    books.add(&record, names.of(record.at));
                }
            }
        }
        Ok(())
    }
}

fn stored(session: &RequestedSession) -> Vec<(SessionKey, SessionEntry)> {
    let entry = session.entry.as_ref().map(|entry| (session.key.clone(), SessionEntry::clone(entry)));
    entry.into_iter().collect()
}
