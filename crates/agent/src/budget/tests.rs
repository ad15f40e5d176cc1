//! Estimates, calendars and words. What limits do to calls is tested with the whole engine, in `tests/engine`.

use std::collections::BTreeMap;

use openclaw_config::{BudgetCaps, Budgets};
use openclaw_ports::model::{
    ApiName, CacheLifetime, Compatibility, ModelFacts, ModelRequest, Prices, ToolChoice, ToolSpec,
};
use openclaw_ports::stores::{BudgetScope, BudgetWindow, Limit, Spending};
use openclaw_types::{
    AgentId, Content, Image, ImageData, Message, Money, ThinkingLevel, UnixMillis, UserMessage,
};
use serde_json::json;

use super::*;

fn at(text: &str) -> UnixMillis {
    UnixMillis(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
}

fn facts(prices: Option<Prices>) -> ModelFacts {
    ModelFacts {
        id: "one".to_owned(),
        name: "One".to_owned(),
        api: ApiName::OpenaiCompletions,
        base_url: "https://models.example".to_owned(),
        context_window: 100_000,
        max_output_tokens: 1_000,
        sees_images: true,
        thinking: Vec::new(),
        prices,
        headers: BTreeMap::new(),
        compatibility: Compatibility::default(),
    }
}

fn request() -> ModelRequest {
    let picture = Content::Image(Image { media_type: None, data: ImageData::Inline("x".repeat(1_000_000)) });
    let said = UserMessage { content: vec![Content::text("12345678"), picture], ..UserMessage::default() };
    ModelRequest {
        system: vec!["1234".to_owned()].into(),
        messages: vec![Message::User(said).into()],
        tools: vec![ToolSpec { name: "t".to_owned(), description: "d".into(), parameters: json!({}).into() }],
        tool_choice: ToolChoice::Auto,
        thinking: ThinkingLevel::Off,
        max_output_tokens: None,
        temperature: None,
        cache: CacheLifetime::Off,
        session: None,
    }
}

#[test]
fn a_call_is_estimated_by_its_texts_its_pictures_and_its_dearest_price() {
    let prices = Prices { input: 1.0, output: 10.0, cache_read: 0.1, cache_write: 2.0 };
    // 16 bytes are 4 tokens; a picture is 3,000 whatever its size.
    let expected = Estimate {
        input_tokens: 3_004,
        most: Money::from_dollars(3_004.0 * 2e-6 + 1_000.0 * 10e-6),
        least: Money::from_dollars(3_004.0 * 1e-6),
    };
    assert_eq!(estimate(&request(), &facts(Some(prices))), expected);
    let short = ModelRequest { max_output_tokens: Some(10), ..request() };
    let most = Money::from_dollars(3_004.0 * 2e-6 + 10.0 * 10e-6);
    assert_eq!(estimate(&short, &facts(Some(prices))), Estimate { most, ..expected });
    let unpriced = Estimate { input_tokens: 3_004, most: Money::ZERO, least: Money::ZERO };
    assert_eq!(estimate(&request(), &facts(None)), unpriced);
}

#[test]
fn thoughts_are_set_aside_for_on_top_of_the_answer() {
    let prices = Prices { output: 1.0, ..Prices::default() };
    let dollars = |request: &ModelRequest, most: u64| {
        let facts = ModelFacts { max_output_tokens: most, ..facts(Some(prices)) };
        estimate(request, &facts).most
    };
    let thinking =
        |max_output_tokens| ModelRequest { thinking: ThinkingLevel::Low, max_output_tokens, ..request() };
    let tokens = |count: f64| Money::from_dollars(count * 1e-6);
    assert_eq!(dollars(&thinking(Some(100)), 64_000), tokens(16_484.0));
    assert_eq!(dollars(&thinking(Some(100)), 8_000), tokens(8_000.0));
    assert_eq!(dollars(&thinking(None), 64_000), tokens(64_000.0));
    let without = ModelRequest { thinking: ThinkingLevel::Off, ..thinking(Some(100)) };
    assert_eq!(dollars(&without, 64_000), tokens(100.0));
}

#[test]
fn what_is_kept_for_an_hour_costs_twice_the_input() {
    let prices = Prices { input: 4.0, output: 0.0, cache_read: 0.4, cache_write: 5.0 };
    let long = ModelRequest { cache: CacheLifetime::Long, ..request() };
    let speaking = |api| ModelFacts { api, ..facts(Some(prices)) };
    let dear = Prices { cache_write: 8.0, ..prices };
    for api in [ApiName::AnthropicMessages, ApiName::BedrockConverseStream] {
        assert_eq!(prices_of(&long, &speaking(api)), Some(dear));
        assert_eq!(estimate(&long, &speaking(api)).most, Money::from_dollars(3_004.0 * 8e-6));
        let short = ModelRequest { cache: CacheLifetime::Short, ..request() };
        assert_eq!(prices_of(&short, &speaking(api)), Some(prices));
    }
    assert_eq!(prices_of(&long, &speaking(ApiName::OpenaiResponses)), Some(prices));
    assert_eq!(prices_of(&long, &facts(None)), None);
}

#[test]
fn days_and_months_begin_at_midnight_of_the_zone() {
    let berlin = Zone::named("Europe/Berlin").unwrap();
    let rows = [
        (
            Zone::utc(),
            BudgetWindow::Day,
            "2026-02-26T12:00:00Z",
            "2026-02-26T00:00:00Z",
            "2026-02-27T00:00:00Z",
        ),
        (
            Zone::utc(),
            BudgetWindow::Month,
            "2026-02-26T12:00:00Z",
            "2026-02-01T00:00:00Z",
            "2026-03-01T00:00:00Z",
        ),
        (
            berlin.clone(),
            BudgetWindow::Day,
            "2026-02-26T23:30:00Z",
            "2026-02-26T23:00:00Z",
            "2026-02-27T23:00:00Z",
        ),
        // The day on which clocks go forward has 23 hours.
        (
            berlin.clone(),
            BudgetWindow::Day,
            "2026-03-29T12:00:00Z",
            "2026-03-28T23:00:00Z",
            "2026-03-29T22:00:00Z",
        ),
        (berlin, BudgetWindow::Month, "2026-03-31T22:30:00Z", "2026-03-31T22:00:00Z", "2026-04-30T22:00:00Z"),
    ];
    for (zone, window, now, began, ends) in rows {
        assert_eq!((zone.began(window, at(now)), zone.ends(window, at(now))), (at(began), at(ends)), "{now}");
    }
    assert_eq!(
        Zone::named("Nowhere/Else").unwrap_err().to_string(),
        "unknown time zone \"Nowhere/Else\"; use a name such as Europe/Berlin, or UTC"
    );
}

#[test]
fn moments_that_no_calendar_knows_have_windows_too() {
    for now in [UnixMillis(i64::MIN), UnixMillis(i64::MAX)] {
        assert!(Zone::utc().began(BudgetWindow::Month, now) <= now);
        assert!(Zone::utc().ends(BudgetWindow::Day, now) >= now);
    }
}

#[test]
fn an_agents_own_limits_are_asked_before_those_of_all() {
    let caps = |daily: Option<f64>, monthly: Option<f64>| BudgetCaps {
        daily: daily.map(Money::from_dollars),
        monthly: monthly.map(Money::from_dollars),
    };
    let main = AgentId::main();
    let budgets = Budgets {
        total: caps(Some(5.0), Some(100.0)),
        agents: BTreeMap::from([(main.clone(), caps(None, Some(20.0)))]),
    };
    let limits = limits_of(&budgets, &main, &Zone::utc(), at("2026-02-26T12:00:00Z"));
    let (day, month) = (at("2026-02-26T00:00:00Z"), at("2026-02-01T00:00:00Z"));
    let (tomorrow, march) = (at("2026-02-27T00:00:00Z"), at("2026-03-01T00:00:00Z"));
    let limit = |scope, window, (since, until), cap| {
        let cap = Money::from_dollars(cap);
        Limit { scope, window, since, until, cap }
    };
    let (day, month) = ((day, tomorrow), (month, march));
    let expected = [
        limit(BudgetScope::Agent(main), BudgetWindow::Month, month, 20.0),
        limit(BudgetScope::Total, BudgetWindow::Day, day, 5.0),
        limit(BudgetScope::Total, BudgetWindow::Month, month, 100.0),
    ];
    assert_eq!(limits, expected);
}

#[test]
fn a_refusal_says_which_limit_what_is_spent_and_what_to_do() {
    let now = at("2026-02-26T12:00:00Z");
    let limit = Limit {
        scope: BudgetScope::Total,
        window: BudgetWindow::Month,
        since: at("2026-02-01T00:00:00Z"),
        until: at("2026-03-01T00:00:00Z"),
        cap: Money::from_dollars(20.0),
    };
    let spending = Spending { spent: Money::from_dollars(18.5), held: Money::from_dollars(1.25) };
    let refusal = BudgetRefusal::new(limit, spending, Money::from_dollars(0.5), &Zone::utc(), now);
    assert_eq!(
        refusal.to_string(),
        "The monthly model budget of $20.00 leaves no room for this call: $18.50 spent, $1.25 set aside for calls \
         under way, and this call could cost up to $0.50. The budget starts over at 2026-03-01 00:00 UTC. To allow \
         more now, raise models.budgets.monthly."
    );
}
