//! Which model a call goes to, and what callers and lists are told.

use std::sync::Arc;

use futures_util::StreamExt;
use openclaw_agent::{CallEvent, ModelCall, Purpose, Selection};
use openclaw_ports::model::{FaultReason, ModelEvent, ModelListing};
use openclaw_ports::stores::ProfileStore;
use openclaw_providers::{Script, Scripts};
use openclaw_types::{AgentId, AuthProfileId, Content, Image, ImageData, Message, ProviderId, UserMessage};
use serde_json::json;

use crate::world::{Setup, ask, ask_run, key, model, request};

fn answers() -> Scripts {
    Scripts::new().otherwise(Script::new().say("hi"))
}

#[tokio::test]
async fn a_call_tells_its_attempts_its_pieces_and_one_end() {
    let world = Setup::new().scripts(Script::new().think("hm").say("hi")).build().await;
    let events: Vec<CallEvent> = world.models.call(ask()).collect().await;
    let kinds: Vec<&str> = events
        .iter()
        .map(|event| match event {
            CallEvent::Trying { .. } => "trying",
            CallEvent::Switched { .. } => "switched",
            CallEvent::Model(ModelEvent::Done(_) | ModelEvent::Failed(_)) => "end inside",
            CallEvent::Model(_) => "piece",
            CallEvent::Done(_) => "done",
            CallEvent::Failed(_) => "failed",
        })
        .collect();
    assert_eq!(kinds.first(), Some(&"trying"));
    assert_eq!(kinds.last(), Some(&"done"));
    assert!(kinds[1..kinds.len() - 1].iter().all(|kind| *kind == "piece") && kinds.len() > 3, "{kinds:?}");
}

#[tokio::test]
async fn a_model_outside_the_list_is_refused_with_the_words_clients_know() {
    let config = json!({ "agents": { "defaults": { "model": "alpha/one", "models": { "alpha/one": {} } } } });
    let world = Setup::new().config(config).scripts(answers()).build().await;
    let heard = world.call(ask_run("beta/one")).await;
    assert_eq!(
        heard.failed().message,
        "Model \"beta/one\" is not allowed. Use /model to list available models."
    );
}

#[tokio::test]
async fn a_model_of_an_unknown_vendor_is_left_out_and_the_fallback_answers() {
    let config = json!({ "agents": { "defaults": { "model": { "primary": "nobody/x", "fallbacks": ["beta/one"] } } } });
    let world = Setup::new().config(config).scripts(answers()).build().await;
    assert_eq!(world.call(ask()).await.story(), ["beta/one beta:1", "done"]);
}

#[tokio::test]
async fn without_any_sign_in_a_call_says_how_to_add_one() {
    let world = Setup::new().keys(&[]).build().await;
    let heard = world.call(ask()).await;
    assert_eq!(heard.story(), ["failed auth"]);
    assert_eq!(
        heard.failed().message,
        "alpha/one: there is no sign-in for alpha; add one with `openclaw models auth add --provider alpha` (auth)"
    );
}

#[tokio::test]
async fn a_model_that_can_read_too_little_answers_probes_alone() {
    let config = json!({ "agents": { "defaults": { "model": "local/tiny" } } });
    let world = Setup::new().config(config).keys(&["local:1"]).scripts(answers()).build().await;
    let heard = world.call(ask()).await;
    assert_eq!(
        heard.failed().message,
        "local/tiny: local/tiny can read 8000 tokens and an agent needs 16000: choose a model with a larger context \
         (unknown)"
    );
    let probe = ModelCall { purpose: Purpose::Probe, ..ask_run("local/tiny") };
    assert_eq!(world.call(probe).await.story(), ["local/tiny local:1", "done"]);
}

#[tokio::test]
async fn a_probe_tries_exactly_what_was_asked_for() {
    let scripts = Scripts::new().otherwise(Script::new().fault(FaultReason::RateLimit));
    let world = Setup::new().fallbacks(&["beta/one"]).scripts(scripts).build().await;
    let probe = ModelCall { purpose: Purpose::Probe, ..ask_run("alpha/two") };
    for _ in 0..3 {
        assert_eq!(world.call(probe.clone()).await.story(), ["alpha/two alpha:1", "failed rate_limit"]);
    }
}

#[tokio::test]
async fn a_picture_goes_to_a_model_that_sees_only_when_the_chosen_one_does_not() {
    let file =
        |primary: &str| json!({ "agents": { "defaults": { "model": primary, "imageModel": "beta/one" } } });
    let picture = Content::Image(Image { media_type: None, data: ImageData::Omitted { bytes: None } });
    let mut shown = request("look");
    shown.messages =
        vec![Message::User(UserMessage { content: vec![picture], ..UserMessage::default() }).into()];
    let mut later = shown.clone();
    later.messages.extend(request("and now?").messages);
    let rows = [
        ("alpha/one", request("hello"), "alpha/one alpha:1"),
        ("alpha/one", shown.clone(), "beta/one beta:1"),
        ("alpha/one", later, "alpha/one alpha:1"),
        ("beta/one", shown, "beta/one beta:1"),
    ];
    for (primary, request, expected) in rows {
        let world = Setup::new().config(file(primary)).scripts(answers()).build().await;
        let call = ModelCall { request: Arc::new(request), ..ask() };
        assert_eq!(world.call(call).await.story(), [expected, "done"]);
    }
}

#[tokio::test]
async fn pictures_to_look_at_go_to_models_set_up_for_that_whatever_people_may_choose() {
    let both = json!({ "primary": "beta/one", "fallbacks": ["alpha/one"] });
    let rows = [
        ("alpha/one", json!("beta/one"), vec!["beta/one beta:1", "done"]),
        ("alpha/one", both, vec!["beta/one beta:1", "done"]),
        ("alpha/one", json!({ "fallbacks": ["beta/one"] }), vec!["beta/one beta:1", "done"]),
        ("beta/one", json!(null), vec!["beta/one beta:1", "done"]),
        ("alpha/one", json!(null), vec!["failed format"]),
    ];
    for (primary, image, expected) in rows {
        let mut defaults = json!({ "model": primary, "models": { "alpha/one": {} } });
        if !image.is_null() {
            defaults["imageModel"] = image;
        }
        let file = json!({ "agents": { "defaults": defaults } });
        let world = Setup::new().config(file.clone()).scripts(answers()).build().await;
        let call = ModelCall { selection: Selection::Pictures, ..ask() };
        assert_eq!(world.call(call).await.story(), expected, "{file}");
        assert_eq!(world.models.see_pictures(&AgentId::main()), expected.len() == 2, "{file}");
    }
}

#[tokio::test]
async fn the_order_a_person_stored_wins() {
    let setup = Setup { keys: vec![key("alpha:1"), key("alpha:2")], ..Setup::new() };
    let world = setup.scripts(answers()).build().await;
    let order = vec![AuthProfileId::new("alpha:2").unwrap()];
    world.profiles.set_order(&AgentId::main(), &ProviderId::new("alpha").unwrap(), order).await.unwrap();
    for _ in 0..2 {
        assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:2", "done"]);
    }
}

#[tokio::test]
async fn credentials_take_turns() {
    let world = Setup::new().keys(&["alpha:1", "alpha:2"]).scripts(answers()).build().await;
    let mut used = Vec::new();
    for _ in 0..4 {
        used.push(world.call(ask()).await.done().profile.to_string());
        world.clock.advance(std::time::Duration::from_secs(1)).await;
    }
    assert_eq!(used, ["alpha:1", "alpha:2", "alpha:1", "alpha:2"]);
}

#[tokio::test]
async fn lists_hold_what_may_be_chosen() {
    let config = json!({ "agents": { "defaults": {
        "model": "alpha/one",
        "models": { "beta/one": { "alias": "B" }, "beta/new": {} },
    } } });
    let world = Setup::new().config(config).build().await;
    let list = world.models.list(&AgentId::main());
    let list: Vec<_> = list.into_iter().map(|entry| (entry.model.to_string(), entry.alias)).collect();
    let entry = |name: &str, alias: Option<&str>| (name.to_owned(), alias.map(str::to_owned));
    assert_eq!(list, [entry("alpha/one", None), entry("beta/one", Some("B")), entry("beta/new", None)]);
    assert_eq!(world.models.allowed(), [model("beta/new"), model("beta/one"), model("alpha/one")]);
    assert_eq!(world.models.resolve(&AgentId::main(), "b").unwrap().reference.model, model("beta/one"));
    assert_eq!(world.models.primary(&AgentId::main()), model("alpha/one"));
}

#[tokio::test]
async fn no_secret_stands_in_what_callers_are_told() {
    let scripts = Scripts::new().otherwise(Script::new().fault(FaultReason::Auth));
    let world = Setup::new().fallbacks(&["beta/one"]).scripts(scripts).build().await;
    let told = format!("{:?} {:?}", world.call(ask()).await, world.models.status());
    assert!(!told.contains("planted-secret"));
    let session = ModelCall { selection: Selection::Session("alpha/two".to_owned()), ..ask() };
    assert!(!format!("{:?}", world.call(session).await).contains("planted-secret"));
}
