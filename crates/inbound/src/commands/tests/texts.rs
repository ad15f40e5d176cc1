//! The table itself, and what is printed from it.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;

#[test]
fn every_word_names_one_command() {
    let mut words = BTreeSet::new();
    for spec in registry() {
        for word in std::iter::once(&spec.word).chain(spec.aliases) {
            assert!(words.insert(*word), "{word} is there twice");
            assert_eq!(find(&word.to_uppercase()).map(|found| found.name), Some(spec.name));
        }
        assert!(!spec.help.is_empty() && !spec.help.ends_with('.'), "{}", spec.word);
    }
    assert_eq!(find("nothing"), None);
}

#[test]
fn the_list_names_what_is_switched_on() {
    let text = commands_text(&CommandSettings::default(), &[]);
    assert!(text.starts_with("Commands\n\nConversation\n/stop: Stop what is being done here\n"), "{text}");
    assert!(text.contains("\n/think, /thinking, /t: "), "{text}");
    for off in ["/config", "/debug", "/bash"] {
        assert!(!text.contains(&format!("\n{off}")), "{off}");
        assert!(commands_text(&ALL_ON, &[]).contains(&format!("\n{off}")), "{off}");
    }
    assert!(help_text().contains("\n/new: ") && help_text().ends_with("/commands lists everything."));
}

#[test]
fn refusals_say_what_to_do() {
    let rows = [
        (
            CommandRefusal::SwitchedOff(CommandName::Config, Switch::Config),
            "⚠️ /config is switched off here. To use it, set commands.config to true.",
        ),
        (
            CommandRefusal::OwnersOnly(CommandName::Send),
            "⚠️ /send is for the owner of this assistant. Ask them to do it.",
        ),
        (
            CommandRefusal::Usage(CommandName::Approve),
            "⚠️ That is not complete. Write it like this: /approve <id> <allow-once|allow-always|deny> [reach…]",
        ),
        (
            CommandRefusal::Usage(CommandName::Steer),
            "⚠️ That is not complete. Write it like this: /steer <target> <message…>",
        ),
    ];
    for (refusal, expected) in rows {
        assert_eq!(refusal.text(), expected);
    }
}

#[test]
fn clients_get_the_table_in_the_protocol_s_words() {
    let list = list_commands(&CommandSettings::default());
    let usage = list.iter().find(|command| command.name == "usage").unwrap();
    let expected = json!({
        "name": "usage", "nativeName": "usage", "textAliases": ["/usage"],
        "description": "Show what answers take, or what everything cost",
        "category": "options", "source": "native", "scope": "both", "acceptsArgs": true,
        "args": [{
            "name": "display", "description": "what is told below an answer", "type": "string", "required": false,
            "choices": [
                {"value": "off", "label": "off"}, {"value": "tokens", "label": "tokens"},
                {"value": "full", "label": "full"}, {"value": "cost", "label": "cost"},
            ],
        }],
    });
    assert_eq!(serde_json::to_value(usage).unwrap(), expected);
    assert!(list.iter().all(|command| command.name != "bash"));
    assert_eq!(list_commands(&ALL_ON).len(), registry().len());
}

#[test]
fn platforms_that_answers_can_be_sent_to_are_listed_as_commands() {
    let docks = [Dock { channel: "pigeon", label: "Pigeon" }];
    let text = commands_text(&CommandSettings::default(), &docks);
    assert!(text.ends_with("\n\nWhere I answer\n/dock-pigeon: Answer me on Pigeon from now on"), "{text}");
    let expected = json!([{
        "name": "dock-pigeon", "nativeName": "dock_pigeon", "textAliases": ["/dock-pigeon", "/dock_pigeon"],
        "description": "Answer me on Pigeon from now on", "category": "docks", "source": "native",
        "scope": "both", "acceptsArgs": false,
    }]);
    assert_eq!(serde_json::to_value(dock_commands(&docks)).unwrap(), expected);
}
