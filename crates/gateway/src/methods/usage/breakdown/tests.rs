//! How calls and transcripts are joined.

use openclaw_protocol::Num;
use openclaw_types::{AgentId, Money, RunId, Usage};

use super::*;

const DAY: &str = "2026-02-26";

fn calls(outcomes: &[&str]) -> LedgerCalls {
    let mut calls = LedgerCalls::default();
    for (place, outcome) in outcomes.iter().enumerate() {
        let record = UsageRecord {
            run: RunId::new("run").unwrap(),
            agent: AgentId::main(),
            session: None,
            model: "acme/small".parse().unwrap(),
            profile: None,
            at: UnixMillis(place as i64),
            duration_ms: 100,
            usage: Usage { input: 10, total_tokens: 10, ..Usage::default() },
            cost: Some(Money::from_dollars(1.0)),
            outcome: (*outcome).to_owned(),
        };
        calls.add(&record, DAY);
    }
    calls
}

fn activity(day: DayActivity) -> Activity {
    Activity { days: BTreeMap::from([(DAY.to_owned(), day)]), span: None }
}

fn spoken() -> DayActivity {
    let mut waits = Durations::default();
    waits.add(5_000);
    DayActivity {
        user: 1,
        assistant: 2,
        tool_results: 3,
        failed_tools: 1,
        failed_answers: 1,
        tools: BTreeMap::from([("ls".to_owned(), 1), ("read".to_owned(), 2)]),
        waits,
    }
}

fn errors(outcomes: &[&str], activity: Option<Activity>) -> u64 {
    UsageBreakdown::of(calls(outcomes), activity).messages().errors
}

#[test]
fn money_comes_from_the_ledger_and_messages_from_the_transcript() {
    let account = UsageBreakdown::of(calls(&["done", "done", "done"]), Some(activity(spoken())));
    let messages =
        MessageCounts { total: 3, user: 1, assistant: 2, tool_calls: 3, tool_results: 3, errors: 2 };
    assert_eq!(account.messages(), messages);
    let tool = |name: &str, count| ToolCount { name: name.to_owned(), count };
    let tools = ToolUsage { total_calls: 3, unique_tools: 2, tools: vec![tool("read", 2), tool("ls", 1)] };
    assert_eq!(account.tools(), tools);
    assert_eq!(account.latency().map(|latency| (latency.count, latency.avg_ms)), Some((1, Num(5_000.0))));
    assert_eq!((account.totals().input, account.totals().total_cost), (30, Num(3.0)));
    assert_eq!(account.daily_counts(), [DailyCounts { date: DAY.to_owned(), counts: messages }]);
    assert_eq!(account.models().first().map(|model| model.count), Some(3));
}

#[test]
fn a_failure_that_both_know_is_counted_once() {
    let quiet = || Some(activity(DayActivity { failed_tools: 0, failed_answers: 0, ..spoken() }));
    let loud = || Some(activity(DayActivity { failed_tools: 0, failed_answers: 2, ..spoken() }));
    let rows = [
        (errors(&["done"], quiet()), 0),
        (errors(&["timeout", "done"], quiet()), 1),
        (errors(&["timeout", "done"], loud()), 2),
        (errors(&["timeout", "timeout", "cancelled"], loud()), 3),
        (errors(&[], loud()), 2),
        (errors(&["timeout", "done"], None), 1),
    ];
    for (place, (found, expected)) in rows.into_iter().enumerate() {
        assert_eq!(found, expected, "row {place}");
    }
}

#[test]
fn calls_stand_for_messages_only_where_no_transcript_is_left() {
    let alone = UsageBreakdown::of(calls(&["done", "interrupted"]), None);
    let messages = MessageCounts { total: 2, assistant: 2, errors: 1, ..MessageCounts::default() };
    assert_eq!(alone.messages(), messages);
    assert_eq!(alone.latency().map(|latency| (latency.count, latency.avg_ms)), Some((1, Num(100.0))));
    // A transcript without a message on that day: what was called there was no answer, but a summary or the like.
    let summed_up = UsageBreakdown::of(calls(&["done"]), Some(Activity::default()));
    assert_eq!((summed_up.messages(), summed_up.latency()), (MessageCounts::default(), None));
    assert_eq!(summed_up.daily_cost().len(), 1);
    let unpaid = UsageBreakdown::of(LedgerCalls::default(), Some(activity(spoken())));
    assert_eq!(
        (unpaid.dates(), unpaid.daily_cost(), unpaid.models()),
        (vec![DAY.to_owned()], vec![], vec![])
    );
}

#[test]
fn accounts_add_up_day_by_day() {
    let mut all = UsageBreakdown::default();
    all.add(&UsageBreakdown::of(calls(&["done"]), Some(activity(spoken()))));
    all.add(&UsageBreakdown::of(calls(&["timeout"]), None));
    let expected =
        MessageCounts { total: 4, user: 1, assistant: 3, tool_calls: 3, tool_results: 3, errors: 3 };
    assert_eq!((all.messages(), all.tools().total_calls, all.latency().unwrap().count), (expected, 3, 2));
    let day = DailyActivity {
        date: DAY.to_owned(),
        tokens: 20,
        cost: Num(2.0),
        messages: 4,
        tool_calls: 3,
        errors: 3,
    };
    assert_eq!(all.daily(), [day]);
    assert_eq!((all.tally().calls, all.totals().total_tokens), (2, 20));
}
