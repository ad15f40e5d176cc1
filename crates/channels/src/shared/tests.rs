//! Accounts and rules from sections as people write them; what is remembered; sockets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use futures_util::future::join_all;
use openclaw_ports::Clock;
use openclaw_ports::channel::Landed;
use openclaw_ports::stores::{StateStore, StoreError};
use openclaw_stores::memory::MemoryStateStore;
use openclaw_testkit::SimClock;
use openclaw_types::{DmPolicy, DraftMode, GroupPolicy, WritingRules};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use super::{AccountMemory, SocketSettings, account_sections, door, form, manner, open_socket};

fn digits(text: &str) -> Option<String> {
    text.chars().all(|letter| letter.is_ascii_digit()).then(|| text.to_owned())
}

#[test]
fn a_section_without_accounts_is_the_default_account() {
    let found = account_sections(&json!({ "botToken": "t", "name": "Mine" }), &["botToken"]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].id.as_str(), found[0].enabled, found[0].is_default), ("default", true, true));
    assert_eq!(found[0].name().as_deref(), Some("Mine"));
    assert_eq!(found[0].place("botToken"), "botToken");
}

#[test]
fn accounts_inherit_and_override() {
    let section = json!({
        "dmPolicy": "open", "allowFrom": ["*"], "name": "Root", "defaultAccount": "Work",
        "accounts": { "Work": { "botToken": "w", "dmPolicy": "allowlist" }, "off": { "enabled": false } }
    });
    let found = account_sections(&section, &["botToken"]);
    let ids: Vec<_> =
        found.iter().map(|account| (account.id.as_str(), account.enabled, account.is_default)).collect();
    assert_eq!(ids, [("work", true, true), ("off", false, false)]);
    assert_eq!(found[0].text("dmPolicy"), Some("allowlist"));
    assert_eq!(found[1].text("dmPolicy"), Some("open"));
    assert_eq!(found[0].name(), None);
    assert_eq!(found[0].place("botToken"), "accounts.Work.botToken");
}

#[test]
fn a_section_with_its_own_secret_stays_an_account_beside_others() {
    let section = json!({ "botToken": "root", "accounts": { "work": { "botToken": "w" } } });
    let ids: Vec<_> =
        account_sections(&section, &["botToken"]).into_iter().map(|account| account.id).collect();
    assert_eq!(ids.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["default", "work"]);
}

#[test]
fn rules_have_their_defaults_and_lists_hold_ids_only() {
    let section =
        json!({ "allowFrom": [123, "456", "@name", "*"], "groupPolicy": "open", "streaming": true });
    let account = &account_sections(&section, &[])[0];
    let rules = door(account, &digits);
    assert_eq!((rules.dm, rules.group), (DmPolicy::Pairing, GroupPolicy::Open));
    assert_eq!(rules.allow_from.ids, ["123", "456", "*"]);
    assert!(rules.allow_from.names.is_empty() && rules.require_mention && rules.group_allow_from.is_none());
    assert_eq!(manner(account, WritingRules::with_limit(4000)).draft, DraftMode::Partial);
}

#[test]
fn names_count_where_a_person_accepts_the_danger() {
    let section = json!({ "allowFrom": ["@Ana"], "dangerouslyAllowNameMatching": true });
    let account = &account_sections(&section, &[])[0];
    assert_eq!(door(account, &digits).allow_from.names, ["ana"]);
}

/// A store that lets others go first, and cannot be read as often as it is told.
#[derive(Default)]
struct Slow {
    store: MemoryStateStore,
    failures: AtomicU32,
}

#[async_trait]
impl StateStore for Slow {
    async fn get(&self, namespace: &str, key: &str) -> Result<Option<Value>, StoreError> {
        tokio::task::yield_now().await;
        let left = |left: u32| left.checked_sub(1);
        match self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left) {
            Ok(_one_less) => Err(StoreError::Busy),
            Err(_none) => self.store.get(namespace, key).await,
        }
    }

    async fn put(&self, namespace: &str, key: &str, value: Value) -> Result<(), StoreError> {
        tokio::task::yield_now().await;
        self.store.put(namespace, key, value).await
    }

    async fn remove(&self, namespace: &str, key: &str) -> Result<bool, StoreError> {
        self.store.remove(namespace, key).await
    }

    async fn list(&self, namespace: &str) -> Result<Vec<(String, Value)>, StoreError> {
        self.store.list(namespace).await
    }
}

#[tokio::test]
async fn what_conversations_remember_at_once_is_all_remembered() {
    let kept = AccountMemory::of(Arc::new(Slow::default()), "n".to_owned());
    let names: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    join_all(names.iter().map(|name| kept.remember("list", name, json!(name)))).await;
    let found: Vec<Option<String>> = join_all(names.iter().map(|name| kept.recall("list", name))).await;
    assert_eq!(found.into_iter().flatten().collect::<Vec<_>>(), names);
}

#[tokio::test]
async fn a_list_that_cannot_be_read_for_a_moment_is_not_written_over() {
    let store = Arc::new(Slow { failures: AtomicU32::new(1), ..Slow::default() });
    store.put("n", "list", json!([["old", 1]])).await.unwrap();
    let kept = AccountMemory::of(Arc::clone(&store) as _, "n".to_owned());
    kept.remember("list", "lost", json!(2)).await;
    kept.remember("list", "new", json!(3)).await;
    assert_eq!(store.get("n", "list").await.unwrap(), Some(json!([["old", 1], ["new", 3]])));
}

#[tokio::test]
async fn a_proxy_is_told_name_and_password_as_they_are() {
    let door = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let settings = SocketSettings {
        address: "ws://far.example".to_owned(),
        headers: Vec::new(),
        proxy: Some(format!("http://na%40me:p%3Aw%C3%A4%25@{}", door.local_addr().unwrap())),
        most: 1024,
    };
    let clock: Arc<dyn Clock> = Arc::new(SimClock::new());
    let proxy = async {
        let (mut line, _) = door.accept().await.unwrap();
        let mut asked = vec![0; 1024];
        let count = line.read(&mut asked).await.unwrap();
        String::from_utf8_lossy(&asked[..count]).into_owned()
    };
    let (asked, line) = tokio::join!(proxy, open_socket(&settings, &clock));
    assert!(line.is_err());
    let pair = base64::engine::general_purpose::STANDARD.encode("na@me:p:wä%");
    assert!(asked.contains(&format!("Proxy-Authorization: Basic {pair}\r\n")), "{asked}");
}

#[tokio::test]
async fn a_list_forgets_its_oldest_and_a_button_carries_what_it_was_given() {
    let kept = AccountMemory::of(Arc::new(MemoryStateStore::default()), "n".to_owned());
    let (once, twice) = (kept.shorten("data", 0).await, kept.shorten("data", 1).await);
    assert_ne!(once, twice);
    for name in [&once, &twice] {
        assert_eq!(kept.lengthen(name).await, "data");
    }
    assert!(AccountMemory::is_short("data", 4) && !AccountMemory::is_short("data", 3));
    assert!(!AccountMemory::is_short("", 4) && !AccountMemory::is_short(&once, 64));
    for number in 0..500 {
        kept.remember("buttons", &number.to_string(), json!(number)).await;
    }
    assert_eq!(kept.lengthen(&once).await, once, "it is forgotten");
}

#[tokio::test]
async fn a_line_that_nobody_reads_is_given_up() {
    let door = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let settings = SocketSettings {
        address: format!("ws://{}", door.local_addr().unwrap()),
        headers: Vec::new(),
        proxy: None,
        most: 1024,
    };
    let clock = Arc::new(SimClock::new());
    let told: Arc<dyn Clock> = Arc::clone(&clock) as _;
    let (there, here) = tokio::join!(
        async { tokio_tungstenite::accept_async(door.accept().await.unwrap().0).await.unwrap() },
        open_socket(&settings, &told),
    );
    let (mut writer, _reader) = here.unwrap();
    let (written, ()) = tokio::join!(writer.text("x".repeat(64 << 20)), async {
        clock.until_asleep(1).await;
        clock.advance(Duration::from_secs(30)).await;
    });
    let fault = written.unwrap_err();
    assert_eq!(
        (fault.reason.as_str(), fault.landed),
        ("the other end takes nothing any more", Landed::Maybe)
    );
    drop(there);
}

#[test]
fn every_key_the_original_has_is_in_the_form_of_its_platform() {
    let original: Value =
        serde_json::from_str(include_str!("../../../config/tests/fixtures/config-schema-2026.2.26.json"))
            .unwrap();
    for kind in crate::kinds() {
        let id = kind.descriptor().id;
        let theirs = &original["properties"]["channels"]["properties"][id];
        let mut unknown = Vec::new();
        compare(theirs, &kind.form(), id, &mut unknown);
        assert_eq!(unknown, Vec::<String>::new());
    }
}

/// Walks two schemas and notes keys and words that only the first has.
fn compare(theirs: &Value, ours: &Value, path: &str, unknown: &mut Vec<String>) {
    let forms = |schema: &Value| match schema["anyOf"].as_array() {
        Some(all) => all.clone(),
        None => vec![schema.clone()],
    };
    let ours = forms(ours);
    let open =
        ours.iter().any(|form| form.get("properties").is_none() && form["additionalProperties"].is_null());
    for theirs in forms(theirs) {
        let choices = theirs["enum"].as_array().cloned().or_else(|| Some(vec![theirs.get("const")?.clone()]));
        for word in choices.into_iter().flatten().filter(Value::is_string) {
            if !ours.iter().any(|form| form["enum"].as_array().is_some_and(|all| all.contains(&word))) {
                unknown.push(format!("{path}={word}"));
            }
        }
        for (key, inner) in theirs["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{key}");
            let known = |form: &Value| {
                form["properties"]
                    .get(key)
                    .or_else(|| form.get("additionalProperties").filter(|each| each.is_object()))
                    .cloned()
            };
            match ours.iter().find_map(known) {
                Some(mine) => compare(inner, &mine, &path, unknown),
                None if open => {}
                None => unknown.push(path),
            }
        }
        for (name, all) in [("additionalProperties", "*"), ("items", "[]")] {
            let mine = ours.iter().find_map(|form| form.get(name).filter(|each| each.is_object()));
            if let (Some(inner), Some(mine)) = (theirs.get(name).filter(|each| each.is_object()), mine) {
                compare(inner, mine, &format!("{path}.{all}"), unknown);
            }
        }
    }
}

#[test]
fn open_to_everybody_without_saying_so_is_a_fault_of_each_account_that_inherits_it() {
    let section = json!({
        "dm": { "policy": "open" },
        "accounts": {
            "shop": { "allowFrom": [" * "] }, "work": {}, "home": { "dmPolicy": "pairing" },
        },
    });
    let faults = form::contradictions(&section, &[], Some(["dm.policy", "dm.allowFrom"]));
    let places: Vec<_> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(places, ["accounts.work.allowFrom"]);
    assert!(form::contradictions(&section, &[], None).is_empty());
}
