//! What is proven without a line.

use std::collections::{BTreeMap, BTreeSet};

use openclaw_ports::channel::{AccountPlan, Capability, ConfigFault, Readiness};
use openclaw_types::{Inbound, InboundKind};
use serde_json::{Map, Value, json};

use super::{ChannelProof, Names, words};
use crate::{AsWritten, Random};

/// How many random texts are written.
const TEXTS: usize = 3_000;
/// What every planted secret begins with.
const PLANTED: &str = "planted-";

/// Names are usable as keys, limits leave room, and one way in at least is declared.
pub async fn the_descriptor_makes_sense(proof: &dyn ChannelProof) {
    let kind = proof.kind();
    let descriptor = kind.descriptor();
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
    };
    assert!(is_name(descriptor.id), "{}", descriptor.id);
    let names: BTreeSet<&str> = descriptor.aliases.iter().copied().chain([descriptor.id]).collect();
    assert_eq!(names.len(), descriptor.aliases.len() + 1, "a name stands twice: {:?}", descriptor.aliases);
    assert!(descriptor.aliases.iter().all(|alias| is_name(alias)), "{:?}", descriptor.aliases);
    assert!(!descriptor.label.trim().is_empty() && !descriptor.blurb.trim().is_empty());
    assert!(descriptor.most > 0, "nothing fits into a message");
    let declared: BTreeSet<Capability> = descriptor.capabilities.iter().copied().collect();
    assert_eq!(declared.len(), descriptor.capabilities.len(), "a capability stands twice");
    assert!(!descriptor.chats.is_empty(), "there are no conversations");
    assert!(declared.contains(&Capability::Send), "nothing can be sent");
    assert!(
        declared.contains(&Capability::Receive) || declared.contains(&Capability::Webhook),
        "nothing comes in"
    );
    assert!(
        !declared.contains(&Capability::SendMedia) || descriptor.caption_most > 0,
        "files can be sent, but no words below them"
    );
}

/// Whatever stands in a section: no panic, and what is wrong is said without telling a secret.
pub async fn a_broken_section_never_panics_and_says_what_is_wrong(proof: &dyn ChannelProof) {
    let kind = proof.kind();
    let read = |section: &Value| kind.accounts(section, &AsWritten);
    let whole = proof.section();
    let mut sections = vec![
        Value::Null,
        json!([]),
        json!("text"),
        json!(7),
        json!({}),
        json!({ "accounts": [] }),
        json!({ "accounts": { "": {}, "a b": {}, "ok": 5, "UPPER": {}, "x/y": null } }),
        json!({ "accounts": null, "enabled": "maybe" }),
    ];
    // Every value in turn is of every wrong kind.
    let places = leaves(&whole);
    for wrong in
        [Value::Null, json!(-1.5), json!([[]]), json!({ "x": {} }), json!(""), json!("\u{0}ü"), json!(true)]
    {
        for place in &places {
            let mut section = whole.clone();
            if let Some(value) = section.pointer_mut(place) {
                *value = wrong.clone();
            }
            sections.push(section);
        }
    }
    for section in &sections {
        let (plans, faults) = read(section);
        tells_no_secret(&plans, &faults);
        for plan in &plans {
            let ready = plan.ready == Readiness::Ready;
            assert_eq!(ready, plan.account.is_some(), "an account that is {:?}: {section}", plan.ready);
        }
    }
    for (section, word) in proof.broken_sections() {
        let (plans, faults) = read(&section);
        tells_no_secret(&plans, &faults);
        let missing = plans.iter().filter_map(|plan| match &plan.ready {
            Readiness::Missing(what) => Some(what.clone()),
            _ => None,
        });
        let said: Vec<String> =
            faults.iter().map(|fault| format!("{}: {}", fault.path, fault.message)).chain(missing).collect();
        assert!(
            said.iter().any(|line| line.contains(word)),
            "{said:?} says nothing of {word:?} for {section}"
        );
    }
}

/// Accounts have what the section says and what they say themselves.
pub async fn several_accounts_inherit_and_stay_apart(proof: &dyn ChannelProof) {
    let kind = proof.kind();
    let whole = proof.section();
    let (alone, faults) = kind.accounts(&whole, &AsWritten);
    assert_eq!(faults, [], "the section of the proof is in order");
    assert_eq!(ids(&alone), ["default"]);
    assert_eq!((&alone[0].ready, alone[0].enabled), (&Readiness::Ready, true));
    let second = proof.second_login();
    let section = json!({ "accounts": { "one": whole, "two": over(&whole, &second) } });
    let (plans, faults) = kind.accounts(&section, &AsWritten);
    assert_eq!(faults, []);
    let named: BTreeSet<&str> = ids(&plans).into_iter().collect();
    assert_eq!(named, BTreeSet::from(["one", "two"]));
    assert!(plans.iter().all(|plan| plan.ready == Readiness::Ready && plan.enabled));
    assert_ne!(plans[0].fingerprint, plans[1].fingerprint, "each has a line of its own");
    let section = json!({ "accounts": { "off": over(&whole, &json!({ "enabled": false })) } });
    let (plans, _) = kind.accounts(&section, &AsWritten);
    assert_eq!((ids(&plans), plans[0].enabled), (vec!["off"], false));
    // What stands beside `accounts` holds for each of them.
    let section = over(&whole, &json!({ "accounts": { "two": second } }));
    let (plans, _) = kind.accounts(&section, &AsWritten);
    let two = plans.iter().find(|plan| plan.id.as_str() == "two").expect("an account");
    assert_eq!((&two.ready, &two.door), (&Readiness::Ready, &alone[0].door), "it inherits");
}

/// A reload makes a line again when, and only when, something it depends on has changed.
pub async fn the_fingerprint_follows_the_line_alone(proof: &dyn ChannelProof) {
    let kind = proof.kind();
    let whole = proof.section();
    let print = |section: &Value| {
        let (plans, _) = kind.accounts(section, &AsWritten);
        plans.iter().find(|plan| plan.id.as_str() == "default").expect("an account").fingerprint.clone()
    };
    let first = print(&whole);
    assert!(!first.contains(PLANTED), "a fingerprint tells a secret");
    assert_eq!(print(&whole), first, "the same section gives the same fingerprint");
    let mut seen = BTreeSet::from([first.clone()]);
    for (name, change) in proof.line_settings() {
        assert!(seen.insert(print(&over(&whole, &change))), "the line depends on {name}");
    }
    for (name, change) in proof.other_settings() {
        assert_eq!(print(&over(&whole, &change)), first, "the line does not depend on {name}");
    }
}

/// A target means the same however it is written, and what a place says is one.
pub async fn targets_are_read_as_places_write_them(proof: &dyn ChannelProof) {
    let kind = proof.kind();
    let id = kind.descriptor().id;
    for (written, meant) in proof.targets() {
        assert_eq!(kind.target(written).as_deref(), Ok(meant), "{written:?}");
        assert_eq!(kind.target(meant).as_deref(), Ok(meant), "{meant:?} means itself");
    }
    for wrong in proof.wrong_targets().into_iter().chain(["", "   "]) {
        let said = kind.target(wrong);
        assert!(said.as_ref().is_err_and(|said| !said.trim().is_empty()), "{wrong:?} became {said:?}");
    }
    for recording in proof.recordings() {
        for event in proof.hear(recording, Names::Recorded) {
            let to = event.place.to.as_str();
            assert_eq!(kind.target(to).as_deref(), Ok(to), "the place of {recording}");
            assert_eq!(
                kind.target(&format!("{id}:{to}")).as_deref(),
                Ok(to),
                "the place of {recording}, named whole"
            );
        }
    }
}

/// An event that is delivered again is the same event, and no name that people can change is part of an id.
pub async fn recorded_events_have_ids_that_last(proof: &dyn ChannelProof) {
    let kind = proof.kind();
    let descriptor = kind.descriptor();
    let mut said = 0;
    let mut events = BTreeMap::new();
    for recording in proof.recordings() {
        let heard = proof.hear(recording, Names::Recorded);
        assert_eq!(
            proof.hear(recording, Names::Recorded),
            heard,
            "{recording} is the same when it comes again"
        );
        for event in &heard {
            said += usize::from(event.speaks());
            assert_eq!(event.channel.as_str(), descriptor.id, "{recording}");
            assert!(descriptor.chats.contains(&event.place.kind), "{recording}: {:?}", event.place.kind);
            assert!(!event.place.to.is_empty(), "{recording} can be answered");
            if event.kind == InboundKind::Message {
                assert!(!event.text.trim().is_empty(), "{recording} has words, or a word for its files");
            }
            // A platform may tell of one thing twice; only one of the two is heard, so both must say the same.
            if let Some((other, before)) = events.insert(event.event.clone(), (recording, event.clone())) {
                assert_eq!(&before, event, "{recording} and {other} have the same event id");
            }
            let kept = serde_json::to_string(event).expect("an event can be kept");
            assert_eq!(
                &serde_json::from_str::<Inbound>(&kept).expect("and read again"),
                event,
                "{recording}"
            );
        }
        let renamed = proof.hear(recording, Names::Changed);
        assert_eq!(lasting(&renamed), lasting(&heard), "{recording}: an id depends on a name");
    }
    assert!(said > 0, "no recording is of somebody who says something");
}

/// There is a recording of everything that the platform's abilities let people do to us.
pub async fn what_can_come_in_is_recorded(proof: &dyn ChannelProof) {
    let kind = proof.kind();
    let heard: Vec<Inbound> =
        proof.recordings().into_iter().flat_map(|recording| proof.hear(recording, Names::Recorded)).collect();
    let has = |what: &str, wanted: &dyn Fn(&Inbound) -> bool| {
        assert!(heard.iter().any(wanted), "there is no recording of {what}");
    };
    for chat in kind.descriptor().chats {
        has(&format!("a conversation of kind {chat:?}"), &|event| event.place.kind == *chat);
    }
    for capability in kind.descriptor().capabilities {
        match capability {
            Capability::Buttons => has("a press", &|event| matches!(event.kind, InboundKind::Press(_))),
            Capability::FetchMedia => has("a file", &|event| !event.media.is_empty()),
            Capability::Threads => has("a thread", &|event| event.place.thread.is_some()),
            Capability::Reply => has("an answer to a message", &|event| event.reply.is_some()),
            // What we can do to our messages, people can do to theirs.
            Capability::Edit => has("words that were changed", &|event| event.kind == InboundKind::Edited),
            Capability::React => {
                let reaction = |removed: bool| move |event: &Inbound| matches!(&event.kind, InboundKind::Reaction(it) if it.removed == removed);
                has("a reaction", &reaction(false));
                has("a reaction that was taken back", &reaction(true));
            }
            Capability::NativeCommands => {
                has("a command of the menu", &|event| matches!(event.kind, InboundKind::Command(_)));
            }
            // What can be done to a room, others do as well, and all in it are told.
            Capability::Actions => {
                has("something that happened", &|event| event.kind == InboundKind::Happening);
            }
            _ => {}
        }
    }
}

fn lasting(events: &[Inbound]) -> Vec<[String; 7]> {
    let text = |id: Option<&str>| id.unwrap_or("-").to_owned();
    events
        .iter()
        .map(|event| {
            [
                event.event.as_str().to_owned(),
                text(event.message.as_ref().map(|id| id.as_str())),
                event.from.id.as_str().to_owned(),
                event.place.id.as_str().to_owned(),
                event.place.to.clone(),
                text(event.place.thread.as_ref().map(|id| id.as_str())),
                event.from.also.join(" "),
            ]
        })
        .collect()
}

/// Nothing that our words can hold becomes markup which the platform rejects.
pub async fn written_markup_is_accepted(proof: &dyn ChannelProof) {
    let kind = proof.kind();
    let format = kind.descriptor().format;
    let mut random = Random::new();
    for _ in 0..TEXTS {
        let text = words::any(&mut random);
        let markup = format(&text);
        if let Err(reason) = proof.accepts(&markup) {
            panic!("{reason}\nin the markup {markup:?}\nof {text:?}");
        }
    }
}

/// A section with other keys put over it; a null takes a key out.
pub(super) fn over(section: &Value, change: &Value) -> Value {
    let mut whole: Map<String, Value> = section.as_object().cloned().unwrap_or_default();
    for (key, value) in change.as_object().into_iter().flatten() {
        match value.is_null() {
            true => whole.remove(key),
            false => whole.insert(key.clone(), value.clone()),
        };
    }
    Value::Object(whole)
}

fn ids(plans: &[AccountPlan]) -> Vec<&str> {
    plans.iter().map(|plan| plan.id.as_str()).collect()
}

fn tells_no_secret(plans: &[AccountPlan], faults: &[ConfigFault]) {
    for plan in plans {
        let told = format!("{:?} {:?} {:?} {}", plan.facts, plan.ready, plan.name, plan.fingerprint);
        assert!(!told.contains(PLANTED), "an account tells a secret: {told}");
    }
    let told = format!("{faults:?}");
    assert!(!told.contains(PLANTED), "a fault tells a secret: {told}");
}

/// The places of all values in a section, whole subtrees as well.
fn leaves(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk(value, "", &mut found);
    found
}

fn walk(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut step = |key: &str, value: &Value| {
        let place = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        walk(value, &place, found);
        found.push(place);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| step(key, value)),
        Value::Array(list) => list.iter().enumerate().for_each(|(at, value)| step(&at.to_string(), value)),
        _ => {}
    }
}
