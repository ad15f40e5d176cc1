//! The tables of methods and events, and the document made from them.

use std::collections::BTreeSet;

use openclaw_types::{Role, Scope, ScopeSet};
use serde_json::Value;

use crate::{EVENTS, METHODS, MethodAccess, MethodListing, RateClass, find_method, schemas};

fn refusal(method: &str, role: Role, scopes: &[Scope]) -> Option<String> {
    let scopes: ScopeSet = scopes.iter().copied().collect();
    find_method(method).unwrap().authorize(role, &scopes).err().map(|error| error.message)
}

#[test]
fn no_name_stands_twice() {
    let methods: BTreeSet<&str> = METHODS.iter().map(|spec| spec.name).collect();
    let events: BTreeSet<&str> = EVENTS.iter().map(|spec| spec.name).collect();
    assert_eq!((methods.len(), events.len()), (METHODS.len(), EVENTS.len()));
}

#[test]
fn the_table_lists_what_the_original_lists() {
    let unlisted: Vec<&str> =
        METHODS.iter().filter(|spec| spec.listing == MethodListing::Unlisted).map(|spec| spec.name).collect();
    assert_eq!(
        unlisted,
        [
            "connect",
            "push.test",
            "chat.inject",
            "sessions.resolve",
            "sessions.usage",
            "sessions.usage.timeseries",
            "sessions.usage.logs",
            "poll",
            "web.login.start",
            "web.login.wait",
        ]
    );
    let own: Vec<&str> = EVENTS.iter().skip(19).map(|spec| spec.name).collect();
    let more: Vec<&str> = METHODS.iter().skip(92 + unlisted.len()).map(|spec| spec.name).collect();
    // 92 base methods; 19 events; no channel here links by a code to scan, so web login is not listed; and then what 2026.2.26 does not have.
    assert_eq!(
        (more, own),
        (
            vec![
                "sessions.branch",
                "commands.list",
                "exec.approval.list",
                "outbox.list",
                "outbox.retry",
                "outbox.drop",
                "pairing.list",
                "pairing.approve",
                "pairing.remove",
                "channels.start",
                "channels.stop",
                "channels.capabilities",
                "channels.resolve",
                "directory.list",
                "route.explain",
                "message.action",
                "pairing.dismiss",
                "channels.pairing.list",
                "channels.pairing.approve",
                "channels.pairing.dismiss",
            ],
            vec!["models.switch"]
        )
    );
}

#[test]
fn rights_follow_role_and_scope() {
    assert_eq!(refusal("health", Role::Node, &[]), None);
    assert_eq!(refusal("health", Role::Operator, &[]), None);
    assert_eq!(refusal("status", Role::Operator, &[]), Some("missing scope: operator.read".to_owned()));
    assert_eq!(refusal("status", Role::Operator, &[Scope::Write]), None);
    assert_eq!(refusal("status", Role::Node, &[]), Some("unauthorized role: node".to_owned()));
    assert_eq!(
        refusal("config.set", Role::Operator, &[Scope::Write]),
        Some("missing scope: operator.admin".to_owned())
    );
    assert_eq!(refusal("device.pair.list", Role::Operator, &[Scope::Admin]), None);
    assert_eq!(refusal("node.event", Role::Node, &[]), None);
    assert_eq!(
        refusal("skills.bins", Role::Operator, &[Scope::Admin]),
        Some("unauthorized role: operator".to_owned())
    );
    assert_eq!(
        refusal("connect", Role::Operator, &[Scope::Admin]),
        Some("connect is only valid as the first request".to_owned())
    );
}

#[test]
fn nodes_have_three_methods_of_their_own_and_three_share_the_control_plane_budget() {
    let named = |wanted: fn(&crate::MethodSpec) -> bool| -> Vec<&str> {
        METHODS.iter().filter(|spec| wanted(spec)).map(|spec| spec.name).collect()
    };
    assert_eq!(
        named(|spec| spec.access == MethodAccess::Node),
        ["node.invoke.result", "node.event", "skills.bins"]
    );
    assert_eq!(
        named(|spec| spec.rate == RateClass::ControlPlane),
        ["update.run", "config.apply", "config.patch"]
    );
}

#[test]
fn the_exported_document_names_everything_and_all_its_references_lead_somewhere() {
    let document = schemas();
    let names = |key: &str| document[key].as_object().unwrap().len();
    assert_eq!((names("methods"), names("events"), names("frames")), (METHODS.len(), EVENTS.len(), 7));
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 200, "the document refers to its types");
    for reference in references {
        assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
    let numbered =
        document["$defs"].as_object().unwrap().keys().filter(|name| name.ends_with(char::is_numeric));
    let numbered: Vec<&String> = numbered.collect();
    assert_eq!(numbered, ["ClientIdV3", "ClientInfoV3", "ClientModeV3", "ConnectAuthV3", "ConnectParamsV3"]);
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(reference)) = object.get("$ref") {
                references.push(reference.clone());
            }
            object.values().for_each(|inner| collect(inner, references));
        }
        Value::Array(items) => items.iter().for_each(|inner| collect(inner, references)),
        _ => {}
    }
}
