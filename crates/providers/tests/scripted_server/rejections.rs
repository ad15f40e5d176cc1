//! What servers say instead of an answer, and what we make of it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use openclaw_ports::model::{ApiName, FaultReason, ModelEvent, ModelFault, ModelLine};
use openclaw_providers::{Rejection, Script, Scripts};
use openclaw_testkit::ScriptedModelServer;

use super::{SPOKEN, end, events, open, request, transport, user};

async fn fault(script: Script, api: ApiName, model: &str) -> ModelFault {
    match end(script, api, model).await {
        ModelEvent::Failed(fault) => fault,
        other => panic!("{api:?}: {other:?}"),
    }
}

#[tokio::test]
async fn a_rate_limit_says_how_long_to_wait() {
    for (api, model) in SPOKEN {
        let rejection = Rejection::with_status(429).saying("slow down").retry_after(Duration::from_secs(7));
        let expected = ModelFault {
            reason: FaultReason::RateLimit,
            message: "slow down".to_owned(),
            status: Some(429),
            retry_after: Some(Duration::from_secs(7)),
        };
        let events = events(Script::new().reject(rejection), api, model).await;
        assert_eq!(events, [ModelEvent::Failed(expected)], "{api:?}");
    }
}

#[tokio::test]
async fn a_broken_server_counts_as_overloaded() {
    for (api, model) in SPOKEN {
        let fault = fault(Script::new().status(500), api, model).await;
        let seen = (fault.reason, fault.status, fault.retry_after);
        assert_eq!(seen, (FaultReason::Overloaded, Some(500), None), "{api:?}: {fault:?}");
    }
}

#[tokio::test]
async fn every_reason_is_told_in_the_vendors_words_and_understood() {
    let reasons = [
        FaultReason::RateLimit,
        FaultReason::Auth,
        FaultReason::Billing,
        FaultReason::Overloaded,
        FaultReason::ContextOverflow,
        FaultReason::Format,
        FaultReason::ModelNotFound,
        FaultReason::Timeout,
    ];
    let server = ScriptedModelServer::start(Scripts::new()).await;
    let (line, asked) = (transport(), Arc::new(request(vec![user("hello")])));
    for (api, model) in SPOKEN {
        for reason in reasons {
            server.push(Script::new().fault(reason));
            let events: Vec<ModelEvent> = line.open(asked.clone(), server.route(api, model)).collect().await;
            let [ModelEvent::Failed(fault)] = &events[..] else { panic!("{api:?}: {events:?}") };
            assert_eq!(fault.reason, reason, "{api:?}: {fault:?}");
        }
    }
}

#[tokio::test]
async fn a_wrong_key_is_refused_and_the_right_one_is_not() {
    for (api, model) in SPOKEN {
        let server = ScriptedModelServer::start([Script::new().say("in"), Script::new().say("in")]).await;
        server.require_key("another-key");
        server.require_signatures();
        // Calls to AWS are signed instead of carrying a key.
        if api != ApiName::BedrockConverseStream {
            let events: Vec<ModelEvent> = open(&server, api, model).collect().await;
            let Some(ModelEvent::Failed(fault)) = events.last() else { panic!("{api:?}: {events:?}") };
            assert_eq!(fault.reason, FaultReason::Auth, "{api:?}: {fault:?}");
            server.require_key("scripted-key");
        }
        let events: Vec<ModelEvent> = open(&server, api, model).collect().await;
        assert!(matches!(events.last(), Some(ModelEvent::Done(_))), "{api:?}: {events:?}");
    }
}
