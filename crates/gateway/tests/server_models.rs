//! What clients hear about models, allowances and money, over a real socket.

mod model_world;
mod support;

use std::sync::Arc;
use std::time::Duration;

use model_world::{DAY, Known, Spent, counts, dated, latency, model, totals, vendor, with, world};
use openclaw_ports::Clock as _;
use openclaw_ports::model::{ModelCatalog, OpenLimit, ProviderQuota, QuotaWindow};
use openclaw_ports::stores::{BudgetScope, BudgetWindow, Limit};
use openclaw_protocol::events::{ModelTried, ModelsSwitchPayload};
use openclaw_types::{AgentId, Money, ProviderId, UnixMillis};
use serde_json::{Value, json};
use support::{Client, TOKEN, TestGateway};

fn catalog() -> Arc<ModelCatalog> {
    let small = vendor("acme", &[("tiny", "acme tiny", false), ("large-2", "Acme 2", true)]);
    let local = vendor("A-local", &[("q", "Q.5", false), ("q-mini", "Q mini", false)]);
    Arc::new(ModelCatalog { providers: [small, local].into() })
}

fn simple(provider: &str, id: &str, name: &str) -> Value {
    json!({"id": id, "name": name, "provider": provider, "reasoning": false, "input": ["text"]})
}

#[tokio::test]
async fn every_model_is_listed_by_vendor_and_name_when_any_is_allowed() {
    let world = world(Known { catalog: catalog(), ..Known::default() }).await;
    let mut client = world.gateway.operator(&["operator.read"]).await;
    let expected = json!({"models": [
        simple("A-local", "q-mini", "Q mini"),
        simple("A-local", "q", "Q.5"),
        {"id": "large-2", "name": "Acme 2", "provider": "acme", "contextWindow": 200_000, "reasoning": true,
         "input": ["text", "image"]},
        simple("acme", "tiny", "acme tiny"),
    ]});
    for _ in 0..2 {
        assert_eq!(client.ok("models.list", json!({})).await, expected);
    }
    let listed = client.hello["features"]["methods"].as_array().unwrap();
    let here = |name: &str| listed.contains(&json!(name));
    assert_eq!(
        ["models.list", "usage.status", "usage.cost", "sessions.usage"].map(here),
        [true, true, true, false]
    );
    let error = client.error("models.list", json!({"provider": "acme"})).await;
    assert_eq!(error["code"], "INVALID_REQUEST");
    assert_eq!(error["message"], "invalid models.list params: at root: unexpected property 'provider'");
}

#[tokio::test]
async fn an_allow_list_leaves_only_what_is_on_it_and_what_nobody_described_comes_last() {
    let allowed = vec![model("zoo/bear"), model("acme/TINY"), model("A-local/q")];
    let world = world(Known { catalog: catalog(), allowed, ..Known::default() }).await;
    let mut client = world.gateway.operator(&["operator.read"]).await;
    let expected = json!({"models": [
        simple("A-local", "q", "Q.5"),
        simple("acme", "tiny", "acme tiny"),
        {"id": "bear", "name": "bear", "provider": "zoo"},
    ]});
    assert_eq!(client.ok("models.list", json!({})).await, expected);
}

#[tokio::test]
async fn without_anybody_who_knows_about_models_the_methods_do_not_exist() {
    let gateway = TestGateway::new().await;
    let mut client = gateway.admin().await;
    for method in ["models.list", "usage.cost", "usage.status", "sessions.usage"] {
        let error = client.error(method, json!({})).await;
        assert_eq!(error["message"], format!("unknown method: {method}"));
    }
}

#[tokio::test]
async fn allowances_are_passed_on_as_vendors_tell_them() {
    let quotas = vec![
        ProviderQuota {
            provider: ProviderId::new("acme").unwrap(),
            display_name: "Acme".to_owned(),
            windows: vec![QuotaWindow {
                label: "5h".to_owned(),
                used_percent: 12.5,
                reset_at: Some(UnixMillis(1_800_000_000_000)),
            }],
            plan: Some("pro".to_owned()),
            error: None,
        },
        ProviderQuota {
            provider: ProviderId::new("zoo").unwrap(),
            display_name: "Zoo".to_owned(),
            windows: Vec::new(),
            plan: None,
            error: Some("Timeout".to_owned()),
        },
    ];
    let world = world(Known { quotas, ..Known::default() }).await;
    let mut client = world.gateway.operator(&["operator.read"]).await;
    let expected = json!({"updatedAt": world.clock.now().0, "providers": [
        {"provider": "acme", "displayName": "Acme", "plan": "pro",
         "windows": [{"label": "5h", "usedPercent": 12.5, "resetAt": 1_800_000_000_000_i64}]},
        {"provider": "zoo", "displayName": "Zoo", "windows": [], "error": "Timeout"},
    ]});
    assert_eq!(client.ok("usage.status", json!({})).await, expected);
}

#[tokio::test]
async fn cost_is_summed_by_day_and_an_answer_holds_for_half_a_minute() {
    let world = world(Known::default()).await;
    world.spend(Spent { before: 40 * DAY, cents: Some(100), ..Spent::default() }).await;
    world.spend(Spent { before: 2 * DAY, cents: Some(300), ..Spent::default() }).await;
    world.spend(Spent { before: 2 * DAY, cents: None, session: None, ..Spent::default() }).await;
    world.spend(Spent { cents: Some(50), tokens: [1, 2, 3, 4], ..Spent::default() }).await;
    let mut client = world.gateway.operator(&["operator.read"]).await;
    let asked = world.clock.now().0;
    let before = with(json!({"date": "2026-02-24"}), totals([200, 20, 0, 0], 3.0, 1));
    let today = with(json!({"date": "2026-02-26"}), totals([1, 2, 3, 4], 0.5, 0));
    let month = json!({
        "updatedAt": asked, "days": 31, "daily": [before, today], "totals": totals([201, 22, 3, 4], 3.5, 1),
    });
    assert_eq!(client.ok("usage.cost", json!({})).await, month);
    let one_day =
        json!({"updatedAt": asked, "days": 2, "daily": [today], "totals": totals([1, 2, 3, 4], 0.5, 0)});
    assert_eq!(client.ok("usage.cost", json!({"days": 1})).await, one_day);

    world.spend(Spent { cents: Some(50), tokens: [1, 0, 0, 0], ..Spent::default() }).await;
    assert_eq!(client.ok("usage.cost", json!({"days": 1})).await, one_day);
    world.clock.advance(Duration::from_secs(30)).await;
    let later = client.ok("usage.cost", json!({"days": 1})).await;
    assert_eq!(later["updatedAt"], json!(world.clock.now().0));
    assert_eq!(later["totals"], totals([2, 2, 3, 4], 1.0, 0));
}

#[tokio::test]
async fn limits_on_spending_are_told_as_of_now() {
    let limit = |scope, window, cap, resets_at| OpenLimit {
        limit: Limit {
            scope,
            window,
            since: UnixMillis(0),
            until: UnixMillis(i64::MAX),
            cap: Money::from_dollars(cap),
        },
        resets_at: UnixMillis(resets_at),
    };
    let agent = BudgetScope::Agent(AgentId::new("work").unwrap());
    let limits =
        vec![limit(BudgetScope::Total, BudgetWindow::Day, 5.0, 1), limit(agent, BudgetWindow::Month, 2.5, 2)];
    let world = world(Known { limits, ..Known::default() }).await;
    let mut client = world.gateway.operator(&["operator.read"]).await;
    let budgets = |total: [f64; 2], work: [f64; 2]| {
        let number = |amount: f64| if amount.fract() == 0.0 { json!(amount as i64) } else { json!(amount) };
        json!([
            {"scope": "total", "window": "day", "cap": 5, "spent": number(total[0]), "held": number(total[1]),
             "resetsAt": 1},
            {"scope": "agent", "agentId": "work", "window": "month", "cap": 2.5, "spent": number(work[0]),
             "held": number(work[1]), "resetsAt": 2},
        ])
    };
    world.spend(Spent { cents: Some(150), ..Spent::default() }).await;
    assert_eq!(client.ok("usage.cost", json!({})).await["budgets"], budgets([1.5, 0.0], [0.0, 0.0]));
    world.hold("work", Money::from_dollars(0.25)).await;
    assert_eq!(client.ok("usage.cost", json!({})).await["budgets"], budgets([1.5, 0.25], [0.0, 0.25]));
}

#[tokio::test]
async fn the_usage_page_of_the_original_gets_every_session_with_its_sums() {
    let world = world(Known::default()).await;
    let telegram = "agent:work:telegram:direct:42";
    let first = world.spend(Spent { before: DAY, cents: Some(200), took_ms: 300, ..Spent::default() }).await;
    let worked = Spent {
        agent: "work",
        session: Some(telegram),
        model: "zoo/bear",
        before: Duration::from_secs(60),
        cents: None,
        took_ms: 50,
        outcome: "rate_limit",
        tokens: [7, 0, 0, 0],
    };
    let failed = world.spend(worked).await;
    let last = world.spend(Spent { cents: Some(100), ..Spent::default() }).await;
    let (yesterday, today) = ("2026-02-25", "2026-02-26");
    let mut client = world.gateway.operator(&["operator.read"]).await;
    let asked = json!({
        "startDate": yesterday, "endDate": today, "mode": "specific", "utcOffset": "UTC+0",
        "limit": 1000, "includeContextWeight": true,
    });
    let main_totals = totals([200, 20, 0, 0], 3.0, 0);
    let work_totals = totals([7, 0, 0, 0], 0.0, 1);
    let small = |count: u64, totals: &Value| json!({"provider": "acme", "model": "small", "count": count, "totals": totals});
    let bear = json!({"provider": "zoo", "model": "bear", "count": 1, "totals": work_totals});
    let small_on = |date: &str, cost: u64| {
        dated(
            date,
            json!({
                "provider": "acme", "model": "small", "tokens": 110, "cost": cost, "count": 1,
            }),
        )
    };
    let bear_on =
        dated(today, json!({"provider": "zoo", "model": "bear", "tokens": 7, "cost": 0, "count": 1}));
    let main_row = json!({
        "key": "agent:main:main", "updatedAt": last, "agentId": "main", "modelProvider": "acme", "model": "small",
        "contextWeight": null,
        "usage": with(json!({
            "firstActivity": first, "lastActivity": last, "durationMs": last - first,
            "activityDates": [yesterday, today],
            "dailyBreakdown": [
                {"date": yesterday, "tokens": 110, "cost": 2}, {"date": today, "tokens": 110, "cost": 1},
            ],
            "dailyMessageCounts": [dated(yesterday, counts(1, 0)), dated(today, counts(1, 0))],
            "dailyLatency": [
                dated(yesterday, latency(1, 300, 300, 300)), dated(today, latency(1, 100, 100, 100)),
            ],
            "dailyModelUsage": [small_on(yesterday, 2), small_on(today, 1)],
            "messageCounts": counts(2, 0),
            "modelUsage": [small(2, &main_totals)],
            "latency": latency(2, 200, 300, 100),
        }), main_totals.clone()),
    });
    let work_row = json!({
        "key": telegram, "updatedAt": failed, "agentId": "work", "channel": "telegram", "chatType": "direct",
        "modelProvider": "zoo", "model": "bear", "contextWeight": null,
        "usage": with(json!({
            "firstActivity": failed, "lastActivity": failed, "durationMs": 0, "activityDates": [today],
            "dailyBreakdown": [{"date": today, "tokens": 7, "cost": 0}],
            "dailyMessageCounts": [dated(today, counts(1, 1))],
            "dailyLatency": [dated(today, latency(1, 50, 50, 50))],
            "dailyModelUsage": [bear_on],
            "messageCounts": counts(1, 1),
            "modelUsage": [bear],
            "latency": latency(1, 50, 50, 50),
        }), work_totals.clone()),
    });
    let expected = json!({
        "updatedAt": world.clock.now().0, "startDate": yesterday, "endDate": today,
        "sessions": [main_row, work_row],
        "totals": totals([207, 20, 0, 0], 3.0, 1),
        "aggregates": {
            "messages": counts(3, 1),
            "tools": {"totalCalls": 0, "uniqueTools": 0, "tools": []},
            "byModel": [small(2, &main_totals), bear],
            "byProvider": [
                {"provider": "acme", "count": 2, "totals": main_totals},
                {"provider": "zoo", "count": 1, "totals": work_totals},
            ],
            "byAgent": [
                {"agentId": "main", "totals": main_totals}, {"agentId": "work", "totals": work_totals},
            ],
            "byChannel": [{"channel": "telegram", "totals": work_totals}],
            "latency": latency(3, 150, 300, 50),
            "dailyLatency": [
                dated(yesterday, latency(1, 300, 300, 300)), dated(today, latency(2, 75, 100, 50)),
            ],
            "modelDaily": [small_on(yesterday, 2), small_on(today, 1), bear_on],
            "daily": [
                {"date": yesterday, "tokens": 110, "cost": 2, "messages": 1, "toolCalls": 0, "errors": 0},
                {"date": today, "tokens": 117, "cost": 1, "messages": 2, "toolCalls": 0, "errors": 1},
            ],
        },
    });
    assert_eq!(client.ok("sessions.usage", asked.clone()).await, expected);
    let cost = client.ok("usage.cost", asked).await;
    assert_eq!((&cost["totals"], &cost["days"]), (&expected["totals"], &json!(3)));
}

#[tokio::test]
async fn sessions_are_found_by_key_and_id_and_only_the_latest_are_listed() {
    let world = world(Known::default()).await;
    let minutes = |count: u64| Duration::from_secs(60 * count);
    world.spend(Spent { before: minutes(3), session: None, tokens: [1, 0, 0, 0], ..Spent::default() }).await;
    world
        .spend(Spent {
            before: minutes(2),
            session: Some("3ffc16a0"),
            tokens: [2, 0, 0, 0],
            ..Spent::default()
        })
        .await;
    world.spend(Spent { before: minutes(1), tokens: [4, 0, 0, 0], ..Spent::default() }).await;
    let mut client = world.gateway.operator(&["operator.read"]).await;
    let mut found = async |params: Value| -> Vec<Value> {
        let result = client.ok("sessions.usage", params).await;
        let rows = result["sessions"].as_array().unwrap().iter();
        let rows = rows.map(|row| json!([row["key"], row["sessionId"], row["usage"]["input"]]));
        rows.chain([result["totals"]["input"].clone()]).collect()
    };
    let main = json!(["agent:main:main", null, 4]);
    let by_id = json!(["agent:main:3ffc16a0", "3ffc16a0", 2]);
    let unknown = json!(["unknown", null, 1]);
    assert_eq!(found(json!({})).await, [main.clone(), by_id.clone(), unknown.clone(), json!(7)]);
    assert_eq!(found(json!({"limit": 2})).await, [main.clone(), by_id.clone(), json!(6)]);
    assert_eq!(found(json!({"key": "main"})).await, [main, json!(4)]);
    assert_eq!(found(json!({"key": "agent:main:3ffc16a0"})).await, [by_id, json!(2)]);
    assert_eq!(found(json!({"key": "unknown"})).await, [unknown, json!(1)]);
    assert_eq!(found(json!({"key": "agent:other:main"})).await, [json!(0)]);
}

#[tokio::test]
async fn a_session_over_time_is_shown_in_at_most_two_hundred_points() {
    let world = world(Known::default()).await;
    let mut client = world.gateway.operator(&["operator.read"]).await;
    let ask = json!({"key": "agent:main:main"});
    let first = world.spend(Spent { before: DAY, cents: Some(100), ..Spent::default() }).await;
    let second = world.spend(Spent { cents: None, tokens: [1, 2, 3, 4], ..Spent::default() }).await;
    let point = |at: i64, [input, output, read, write]: [u64; 4], cost: u64, so_far: [u64; 2]| {
        json!({
            "timestamp": at, "input": input, "output": output, "cacheRead": read, "cacheWrite": write,
            "totalTokens": input + output + read + write, "cost": cost,
            "cumulativeTokens": so_far[0], "cumulativeCost": so_far[1],
        })
    };
    let expected = json!({"points": [
        point(first, [100, 10, 0, 0], 1, [110, 1]), point(second, [1, 2, 3, 4], 0, [120, 1]),
    ]});
    assert_eq!(client.ok("sessions.usage.timeseries", ask.clone()).await, expected);
    for _ in 0..399 {
        world.spend(Spent { tokens: [1, 0, 0, 0], ..Spent::default() }).await;
    }
    let points = client.ok("sessions.usage.timeseries", ask).await["points"].take();
    let points = points.as_array().unwrap();
    assert_eq!(points.len(), 134);
    assert_eq!(points[0], point(second, [102, 12, 3, 4], 1, [121, 1]));
    assert_eq!(points[133]["cumulativeTokens"], 519);
    let error = client.error("sessions.usage.timeseries", json!({"key": "nobody"})).await;
    assert_eq!(error["message"], "No transcript found for session: nobody");
    let error = client.error("sessions.usage.timeseries", json!({"key": "  "})).await;
    assert_eq!(error["message"], "key is required for timeseries");
}

#[tokio::test]
async fn the_latest_calls_of_a_session_are_its_log() {
    let world = world(Known::default()).await;
    let mut client = world.gateway.operator(&["operator.read"]).await;
    for days in (1..=3).rev() {
        world.spend(Spent { before: days * DAY, cents: Some(100), ..Spent::default() }).await;
    }
    let cut =
        world.spend(Spent { cents: None, outcome: "timeout", tokens: [0; 4], ..Spent::default() }).await;
    let line = |at: i64, more: Value| with(json!({"timestamp": at, "role": "assistant"}), more);
    let good = |days: u32| {
        let at = world.clock.now().minus(days * DAY).0;
        line(at, json!({"content": "acme/small", "tokens": 110, "cost": 1}))
    };
    let bad = line(cut, json!({"content": "acme/small (timeout)", "tokens": 0}));
    let logs = json!({"logs": [good(1), bad]});
    assert_eq!(client.ok("sessions.usage.logs", json!({"key": "agent:main:main", "limit": 2})).await, logs);
    let all = json!({"logs": [good(3), good(2), good(1), bad]});
    assert_eq!(client.ok("sessions.usage.logs", json!({"key": "main", "limit": 1e9})).await, all);
    assert_eq!(client.ok("sessions.usage.logs", json!({"key": "nobody"})).await, json!({"logs": []}));
    let error = client.error("sessions.usage.logs", json!({"key": ""})).await;
    assert_eq!(error["message"], "key is required for logs");
}

#[tokio::test]
async fn what_cannot_be_meant_is_refused_by_name() {
    let world = world(Known::default()).await;
    let mut client = world.gateway.operator(&["operator.read"]).await;
    let rows = [
        (json!({"startDate": "yesterday"}), r"at /startDate: must match the pattern ^\d{4}-\d{2}-\d{2}$"),
        (json!({"endDate": "2026-1-1"}), r"at /endDate: must match the pattern ^\d{4}-\d{2}-\d{2}$"),
        (json!({"mode": "local"}), r#"at /mode: must be one of "utc", "gateway", "specific""#),
        (json!({"utcOffset": "+2"}), r"at /utcOffset: must match the pattern ^UTC[+-]\d{1,2}(?::[0-5]\d)?$"),
        (json!({"limit": 0}), "at /limit: must be at least 1"),
        (json!({"days": 3}), "at root: unexpected property 'days'"),
    ];
    for (params, problem) in rows {
        let error = client.error("sessions.usage", params.clone()).await;
        let expected = json!({
            "code": "INVALID_REQUEST", "message": format!("invalid sessions.usage params: {problem}"),
        });
        assert_eq!(error, expected, "{params}");
    }
    let error = client.error("sessions.usage", json!({"key": "agent:"})).await;
    assert!(error["message"].as_str().unwrap().starts_with("Invalid session reference: agent:"), "{error}");
    let nobody = world.gateway.operator(&[]).await.error("usage.cost", json!({})).await;
    assert_eq!(nobody["message"], "missing scope: operator.read");
}

#[tokio::test]
async fn those_who_may_read_hear_of_every_switch_in_both_dialects_and_nobody_else_does() {
    let world = world(Known::default()).await;
    let mut readers = Vec::new();
    let mut others = Vec::new();
    for protocol in [3, 4] {
        for (scopes, clients) in [(json!(["operator.read"]), &mut readers), (json!([]), &mut others)] {
            let mut client = Client::open(world.gateway.address()).await;
            let params = json!({
                "minProtocol": protocol, "maxProtocol": protocol, "scopes": scopes, "auth": {"token": TOKEN},
                "client": {"id": "gateway-client", "version": "1", "platform": "linux", "mode": "backend"},
            });
            let hello = client.connect_with(&params).await;
            assert_eq!(hello["ok"], true, "{hello}");
            let named = hello["payload"]["features"]["events"].as_array().unwrap();
            assert!(named.contains(&json!("models.switch")), "{hello}");
            clients.push(client);
        }
    }
    let tried = |model: &str, profile: Option<&str>| ModelTried {
        model: model.to_owned(),
        profile: profile.map(str::to_owned),
    };
    let switch = ModelsSwitchPayload {
        ts: world.clock.now(),
        agent_id: "main".to_owned(),
        session_key: Some("agent:main:main".to_owned()),
        from: tried("acme/large", Some("acme:work")),
        to: tried("acme/small", None),
        reason: "rate_limit".to_owned(),
        message: "acme/large failed; trying acme/small".to_owned(),
    };
    world.switches.send(switch).unwrap();
    let expected = json!({
        "ts": world.clock.now().0, "agentId": "main", "sessionKey": "agent:main:main",
        "from": {"model": "acme/large", "profile": "acme:work"}, "to": {"model": "acme/small"},
        "reason": "rate_limit", "message": "acme/large failed; trying acme/small",
    });
    let mut place = 0;
    for reader in &mut readers {
        let event = reader.event("models.switch").await;
        assert_eq!(event["payload"], expected);
        place = event["seq"].as_u64().unwrap();
    }
    // Somebody comes: everybody is told of the new state of health, and by then the switch has long been passed by.
    let _newcomer = world.gateway.admin().await;
    for other in &mut others {
        other.until(|frame| frame["event"] == "health" && frame["seq"].as_u64() > Some(place)).await;
        assert!(!other.skipped.iter().any(|frame| frame["event"] == "models.switch"));
    }
}
