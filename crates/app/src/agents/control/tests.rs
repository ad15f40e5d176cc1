//! The configuration is read, changed and overridden over a real file; secrets stay hidden, every change is recorded.

use openclaw_config::{ConfigFile, Environment, Locations, ProfileChoice};
use openclaw_ports::stores::AuditQuery;
use openclaw_stores::memory::MemoryAuditLedger;
use openclaw_testkit::{SimClock, TempHome};
use serde_json::json;

use super::*;

const FILE: &str = r#"{
  // ours
  "gateway": { "port": 18001, "auth": { "mode": "token", "token": "planted-token-0123456789" } },
  "messages": { "queue": { "cap": 7 } }
}"#;

struct Place {
    control: FileControl,
    overlay: Arc<Overlay>,
    audit: Arc<MemoryAuditLedger>,
    home: TempHome,
}

impl Place {
    fn new() -> Self {
        let home = TempHome::new();
        std::fs::write(home.path("openclaw.json"), FILE).unwrap();
        let state = home.state_dir().display().to_string();
        let environment = Environment::fake([("OPENCLAW_STATE_DIR", state.as_str())], home.state_dir());
        let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SimClock::new());
        let (config, _) =
            LiveConfig::open(&ConfigFile::new(locations, environment).with_clock(clock.clone()));
        let overlay = Overlay::new(&config);
        let audit = Arc::new(MemoryAuditLedger::default());
        let control = FileControl::new(&config, &overlay, &clock, audit.clone());
        Self { control, overlay, audit, home }
    }

    async fn act(&self, request: ControlRequest) -> Result<Value, ControlFault> {
        self.control.act(request).await
    }

    fn file(&self) -> String {
        std::fs::read_to_string(self.home.path("openclaw.json")).unwrap()
    }

    fn cap(&self) -> Option<u64> {
        let config = self.overlay.current();
        config.raw.messages.as_ref()?.queue.as_ref()?.cap.map(|cap| cap.get())
    }

    async fn recorded(&self) -> Vec<(String, Value)> {
        let records = self.audit.query(AuditQuery::default()).await.unwrap();
        records.into_iter().rev().map(|record| (record.entry.action, record.entry.detail)).collect()
    }
}

#[tokio::test]
async fn what_is_shown_holds_no_secret() {
    let place = Place::new();
    let shown = place.act(ControlRequest::ConfigGet).await.unwrap();
    assert_eq!((&shown["valid"], &shown["config"]["gateway"]["port"]), (&json!(true), &json!(18001)));
    assert!(!shown.to_string().contains("planted-token"), "{shown}");
}

#[tokio::test]
async fn a_value_is_set_in_place_and_recorded_by_its_path() {
    let place = Place::new();
    let path = "messages.queue.cap".to_owned();
    let set = place.act(ControlRequest::ConfigSet { path: path.clone(), value: json!(9) }).await.unwrap();
    assert_eq!(set["config"]["messages"]["queue"]["cap"], json!(9));
    assert!(place.file().contains("// ours") && place.file().contains("\"cap\": 9"), "{}", place.file());

    let wrong = ControlRequest::ConfigSet { path: path.clone(), value: json!("many") };
    let refused = place.act(wrong).await.unwrap_err();
    assert!(refused.to_string().contains("messages.queue.cap"), "{refused}");
    assert!(place.file().contains("\"cap\": 9"), "nothing was written");

    place.act(ControlRequest::ConfigUnset { path }).await.unwrap();
    assert!(!place.file().contains("\"cap\""));
    let changed = json!({ "changed": ["messages.queue.cap", "meta"] });
    let recorded = place.recorded().await;
    assert_eq!(recorded[0], ("config.set".to_owned(), changed));
    assert_eq!(recorded[1].0, "config.unset");
    assert_eq!(recorded.len(), 2);
}

#[tokio::test]
async fn an_entry_gets_another_name_and_keeps_what_is_written_below_it() {
    let place = Place::new();
    let rename = |path: &str, name: &str| ControlRequest::ConfigRename {
        path: path.to_owned(),
        name: name.to_owned(),
    };
    let text = r#"{
  "channels": { "telegram": { "groups": {
    // the family
    "-55": { "requireMention": false, /* kept */ "systemPrompt": "${GREETING}" },
    "-56": {},
  } } },
}"#;
    std::fs::write(place.home.path("openclaw.json"), text.replace("${GREETING}", "Be kind.")).unwrap();
    place.act(rename("channels.telegram.groups.-55", "-1001900")).await.unwrap();
    let expected = [
        "// the family",
        r#""-1001900": { "requireMention": false, /* kept */ "systemPrompt": "Be kind." }"#,
        r#""-56": {}"#,
    ];
    for part in expected {
        assert!(place.file().contains(part), "{part} is not in:\n{}", place.file());
    }
    assert!(!place.file().contains("-55"));
    let taken = place.act(rename("channels.telegram.groups.-56", "-1001900")).await.unwrap_err();
    assert!(taken.to_string().contains("is set already"), "{taken}");
    assert!(place.act(rename("channels.telegram.groups.-57", "-1")).await.is_err());
    assert_eq!(place.recorded().await.len(), 1);
}

#[tokio::test]
async fn a_change_that_restarts_needs_a_gateway_and_the_version_it_was_made_from() {
    let place = Place::new();
    let text = |base_hash| ConfigText {
        raw: r#"{ "messages": { "queue": { "cap": 3 } } }"#.to_owned(),
        base_hash,
        session: None,
        note: None,
        restart_delay: None,
    };
    let refused = place.act(ControlRequest::ConfigPatch(text(None))).await.unwrap_err();
    assert!(refused.to_string().contains("base hash required"), "{refused}");
    let refused = place.act(ControlRequest::Restart { delay: None, reason: None }).await.unwrap_err();
    assert!(refused.to_string().contains("no gateway to restart"), "{refused}");
}

#[tokio::test]
async fn an_override_holds_without_being_written() {
    let place = Place::new();
    assert_eq!(place.cap(), Some(7));
    let path = "messages.queue.cap".to_owned();
    place.act(ControlRequest::OverrideSet { path: path.clone(), value: json!(2) }).await.unwrap();
    assert_eq!(place.cap(), Some(2));
    assert_eq!(place.file(), FILE);

    let refused = place.act(ControlRequest::OverrideSet { path: path.clone(), value: json!([]) }).await;
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(place.cap(), Some(2), "the last good one holds");

    let secret = ControlRequest::OverrideSet {
        path: "gateway.auth.token".into(),
        value: json!("planted-other-token"),
    };
    let shown = place.act(secret).await.unwrap();
    assert_eq!(shown["messages.queue.cap"], json!(2));
    assert!(!shown.to_string().contains("planted-other"), "{shown}");

    place.act(ControlRequest::OverrideUnset { path: path.clone() }).await.unwrap();
    assert_eq!(place.cap(), Some(7));
    assert!(place.act(ControlRequest::OverrideUnset { path }).await.is_err());
    assert_eq!(place.act(ControlRequest::OverridesClear).await.unwrap(), json!({}));
}
