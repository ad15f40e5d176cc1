//! The order of credentials, row by row.

use std::collections::BTreeMap;

use openclaw_config::SignInRules;
use openclaw_ports::model::{CredentialKind, CredentialOrigin, ProfileFacts};
use openclaw_types::{AuthProfileId, ProviderId, UnixMillis};

use super::*;
use crate::models::{Pin, PinStrength};

fn id(name: &str) -> AuthProfileId {
    AuthProfileId::new(name).unwrap()
}

fn profile(name: &str, kind: CredentialKind, origin: CredentialOrigin) -> ProfileFacts {
    ProfileFacts {
        id: id(name),
        provider: ProviderId::new("zai").unwrap(),
        kind,
        origin,
        email: None,
        expires: None,
    }
}

/// Two keys, a token, a sign-in, and what the environment and the configuration hold.
fn known() -> Vec<ProfileFacts> {
    vec![
        profile("config", CredentialKind::ApiKey, CredentialOrigin::Configuration),
        profile("env", CredentialKind::ApiKey, CredentialOrigin::Environment("KEY".to_owned())),
        profile("key-a", CredentialKind::ApiKey, CredentialOrigin::Stored),
        profile("key-b", CredentialKind::ApiKey, CredentialOrigin::Stored),
        profile("token", CredentialKind::Token, CredentialOrigin::Stored),
        profile("oauth", CredentialKind::Oauth, CredentialOrigin::Stored),
    ]
}

#[derive(Default)]
struct Row {
    stored: &'static [&'static str],
    configured: &'static [&'static str],
    named: &'static [&'static str],
    used: &'static [(&'static str, i64)],
    resting: &'static [(&'static str, i64)],
    pin: Option<(&'static str, PinStrength)>,
}

impl Row {
    fn line_up(&self) -> CredentialOrder {
        let stored: Vec<AuthProfileId> = self.stored.iter().map(|name| id(name)).collect();
        let mut configured = SignInRules::default();
        if !self.configured.is_empty() {
            let order = self.configured.iter().map(|name| (*name).to_owned()).collect();
            configured.order.insert("Z.AI".to_owned(), order);
        }
        configured.profiles = self.named.iter().map(|name| ((*name).to_owned(), "z-ai".to_owned())).collect();
        let at = |table: &[(&str, i64)]| -> BTreeMap<AuthProfileId, UnixMillis> {
            table.iter().map(|(name, at)| (id(name), UnixMillis(*at))).collect()
        };
        let (used, resting) = (at(self.used), at(self.resting));
        let pin = self.pin.map(|(name, strength)| Pin { profile: id(name), strength });
        let rules = OrderRules { stored: Some(&stored), configured: &configured, pin: pin.as_ref() };
        line_up(&ProviderId::new("zai").unwrap(), &known(), &rules, |profile| Rest {
            last_used: used.get(profile).copied(),
            until: resting.get(profile).copied(),
        })
    }

    fn order(&self) -> Vec<String> {
        match self.line_up() {
            CredentialOrder::Free(line) => {
                line.into_iter().map(|ordered| ordered.facts.id.to_string()).collect()
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn sign_ins_come_before_tokens_before_keys_and_what_is_not_stored_comes_last() {
    assert_eq!(Row::default().order(), ["oauth", "token", "key-a", "key-b", "env", "config"]);
}

#[test]
fn of_one_kind_the_one_that_was_left_alone_longest_comes_first() {
    let row = Row { used: &[("key-a", 20), ("key-b", 10), ("oauth", 99)], ..Row::default() };
    assert_eq!(row.order(), ["oauth", "token", "key-b", "key-a", "env", "config"]);
}

#[test]
fn what_rests_comes_last_and_the_first_to_be_back_first() {
    let row = Row { resting: &[("oauth", 50), ("token", 40), ("env", 60)], ..Row::default() };
    assert_eq!(row.order(), ["key-a", "key-b", "config", "token", "oauth", "env"]);
}

#[test]
fn the_profiles_that_the_configuration_names_are_the_only_stored_ones() {
    let row = Row { named: &["key-b", "token"], ..Row::default() };
    assert_eq!(row.order(), ["token", "key-b", "env", "config"]);
    let none_exists = Row { named: &["gone"], ..Row::default() };
    assert_eq!(none_exists.order(), ["oauth", "token", "key-a", "key-b", "env", "config"]);
}

#[test]
fn an_order_that_a_person_wrote_is_kept_and_the_stored_one_wins() {
    let written = Row { configured: &["key-b", "oauth", "gone", "key-b"], ..Row::default() };
    assert_eq!(written.order(), ["key-b", "oauth", "env", "config"]);
    let both = Row { stored: &["token"], configured: &["key-b", "oauth"], ..Row::default() };
    assert_eq!(both.order(), ["token", "env", "config"]);
    let resting = Row { configured: &["key-b", "oauth"], resting: &[("key-b", 5)], ..Row::default() };
    assert_eq!(resting.order(), ["oauth", "env", "config", "key-b"]);
}

#[test]
fn a_session_prefers_its_credential_unless_that_rests() {
    let preferred = Row { pin: Some(("key-b", PinStrength::Preferred)), ..Row::default() };
    assert_eq!(preferred.order(), ["key-b", "oauth", "token", "key-a", "env", "config"]);
    let resting =
        Row { pin: Some(("key-b", PinStrength::Preferred)), resting: &[("key-b", 5)], ..Row::default() };
    assert_eq!(resting.order(), ["oauth", "token", "key-a", "env", "config", "key-b"]);
    let unknown = Row { pin: Some(("other-vendor", PinStrength::Preferred)), ..Row::default() };
    assert_eq!(unknown.order(), Row::default().order());
}

#[test]
fn a_person_gets_exactly_the_credential_they_named() {
    let locked =
        Row { pin: Some(("key-b", PinStrength::Locked)), resting: &[("key-b", 5)], ..Row::default() };
    let CredentialOrder::Locked(ordered) = locked.line_up() else { panic!("not locked") };
    assert_eq!(ordered.facts.id, id("key-b"));
    let left_out =
        Row { configured: &["oauth"], pin: Some(("key-b", PinStrength::Locked)), ..Row::default() };
    assert_eq!(left_out.line_up(), CredentialOrder::LockedOut(id("key-b")));
    let of_another_vendor = Row { pin: Some(("gone", PinStrength::Locked)), ..Row::default() };
    assert_eq!(of_another_vendor.order(), Row::default().order());
}
