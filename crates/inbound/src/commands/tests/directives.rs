//! Settings alone and inside sentences, and everything that must stay text.

use std::time::Duration;

use openclaw_config::sections::QueueDrop;
use openclaw_config::{QueueMode, QueueOverrides};
use openclaw_types::ThinkingLevel;
use proptest::prelude::*;

use super::*;
use crate::commands::directives::extract;

fn none() -> Directives {
    Directives::default()
}

fn think(level: ThinkingLevel) -> Directives {
    Directives { think: Some(Level::Set(level)), ..none() }
}

fn model(name: &str, profile: Option<&str>) -> Directives {
    let model = ModelDirective::Set { model: name.to_owned(), profile: profile.map(str::to_owned) };
    Directives { model: Some(model), ..none() }
}

fn queue(choices: QueueOverrides, wrong: Vec<WrongOption>) -> Directives {
    Directives { queue: Some(QueueDirective::Set { choices, wrong }), ..none() }
}

fn only(directives: Directives) -> MessageReading {
    MessageReading::DirectivesOnly { directives, shortcuts: Vec::new() }
}

fn with(text: &str, overrides: Directives) -> MessageReading {
    MessageReading::Prompt(Prompt { text: text.to_owned(), overrides, shortcuts: Vec::new() })
}

fn shortcuts(text: &str, shortcuts: &[Shortcut]) -> MessageReading {
    MessageReading::Prompt(Prompt { text: text.to_owned(), overrides: none(), shortcuts: shortcuts.to_vec() })
}

#[test]
fn levels_alone_are_kept_shown_or_not_understood() {
    let rows = [
        ("/think high", think(ThinkingLevel::High)),
        ("/thinking: LOW", think(ThinkingLevel::Low)),
        ("/t ultrathink", think(ThinkingLevel::High)),
        ("/think", Directives { think: Some(Level::Show), ..none() }),
        ("/think:", Directives { think: Some(Level::Show), ..none() }),
        ("/think perhaps", Directives { think: Some(Level::Unknown("perhaps".to_owned())), ..none() }),
        ("/verbose full", Directives { verbose: Some(Level::Set(VerboseLevel::Full)), ..none() }),
        ("/v 1", Directives { verbose: Some(Level::Set(VerboseLevel::On)), ..none() }),
        ("/reasoning stream", Directives { reasoning: Some(Level::Set(ReasoningLevel::Stream)), ..none() }),
        ("/reason hide", Directives { reasoning: Some(Level::Set(ReasoningLevel::Off)), ..none() }),
        ("/elevated ask", Directives { elevated: Some(Level::Set(ElevatedLevel::Ask)), ..none() }),
        ("/elev", Directives { elevated: Some(Level::Show), ..none() }),
        (
            "/think high /verbose on",
            Directives { verbose: Some(Level::Set(VerboseLevel::On)), ..think(ThinkingLevel::High) },
        ),
        (
            "/think /verbose on",
            Directives { think: Some(Level::Show), verbose: Some(Level::Set(VerboseLevel::On)), ..none() },
        ),
        ("/think low /think high", think(ThinkingLevel::High)),
    ];
    for (text, expected) in rows {
        assert_eq!(owner(text), only(expected), "{text:?}");
    }
}

#[test]
fn models_are_chosen_by_name_number_or_alias() {
    let rows = [
        ("/model", Directives { model: Some(ModelDirective::Show), ..none() }),
        ("/model list", Directives { model: Some(ModelDirective::List), ..none() }),
        ("/model status", Directives { model: Some(ModelDirective::Status), ..none() }),
        ("/model 3", Directives { model: Some(ModelDirective::Number(3)), ..none() }),
        ("/model openai/gpt-5", model("openai/gpt-5", None)),
        ("/model: opus@work", model("opus", Some("work"))),
        ("/model cloudflare/@cf/llama", model("cloudflare/@cf/llama", None)),
        ("/model a/b@anthropic:me", model("a/b", Some("anthropic:me"))),
        ("/opus", model("opus", None)),
    ];
    for (text, expected) in rows {
        assert_eq!(owner(text), only(expected), "{text:?}");
    }
    assert_eq!(owner("/OPUS hello"), with("hello", model("opus", None)));
    assert_eq!(owner("hello /model opus"), with("hello", model("opus", None)));
    assert_eq!(owner("/model whatever hello"), with("hello", model("whatever", None)));
    assert_eq!(owner("the /model is fine"), prompt("the /model is fine"));
}

#[test]
fn queue_and_exec_take_options() {
    let collect = QueueOverrides { mode: Some(QueueMode::Collect), ..QueueOverrides::default() };
    let full = QueueOverrides {
        mode: Some(QueueMode::Collect),
        debounce: Some(Duration::from_secs(2)),
        cap: Some(25),
        drop: Some(QueueDrop::Summarize),
    };
    let wrong = |name, value: &str| WrongOption { name, value: value.to_owned() };
    let exec = ExecDirective {
        host: Some(ExecHost::Gateway),
        security: Some(ExecSecurity::Allowlist),
        ask: Some(ExecAsk::OnMiss),
        node: Some("mac".to_owned()),
        wrong: Vec::new(),
    };
    let rows = [
        ("/queue", Directives { queue: Some(QueueDirective::Show), ..none() }),
        ("/queue reset", Directives { queue: Some(QueueDirective::Reset), ..none() }),
        ("/queue default", Directives { queue: Some(QueueDirective::Reset), ..none() }),
        ("/queue collect", queue(collect, Vec::new())),
        ("/queue collect debounce:2s cap=25 drop:summary", queue(full, Vec::new())),
        ("/queue collect cap:0 drop:some", queue(collect, vec![wrong("cap", "0"), wrong("drop", "some")])),
        ("/queue dance", queue(QueueOverrides::default(), vec![wrong("mode", "dance")])),
        ("/exec", Directives { exec: Some(ExecDirective::default()), ..none() }),
        (
            "/exec host=gateway security:allowlist ask=on-miss node=mac",
            Directives { exec: Some(exec), ..none() },
        ),
        (
            "/exec host=moon",
            Directives {
                exec: Some(ExecDirective { wrong: vec![wrong("host", "moon")], ..ExecDirective::default() }),
                ..none()
            },
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(owner(text), only(expected), "{text:?}");
    }
    assert_eq!(owner("/queue collect hello there"), with("hello there", queue(collect, Vec::new())));
    assert_eq!(owner("/exec ls -la"), prompt("/exec ls -la"));
}

#[test]
fn settings_inside_a_message_hold_for_it_and_are_taken_out() {
    let rows = [
        ("/think high solve this", "solve this"),
        ("solve this /think:high", "solve this"),
        ("solve /think high this", "solve this"),
        ("/think high, then solve this", "then solve this"),
        ("/think high\nfirst line\n    second line", "first line\n    second line"),
        ("first\n/think high\nsecond", "first\n\nsecond"),
    ];
    for (text, rest) in rows {
        assert_eq!(owner(text), with(rest, think(ThinkingLevel::High)), "{text:?}");
    }
}

#[test]
fn paths_addresses_code_and_questions_stay_text() {
    for text in [
        "look at /usr/bin and /t/high",
        "see https://x.test/think high",
        "see http://x.test /v/on",
        "run `/think high` here",
        "```\n/think high\n```",
        "```\n/status",
        "~~~\n/model opus\n~~~ done",
        "what does /think do?",
        "/think of something nice",
        "is /verbose useful",
        "and/think high",
        "c:/model opus",
        "/t://x high",
        "use /queue or /exec for that",
    ] {
        assert_eq!(owner(text), prompt(text), "{text:?}");
    }
}

#[test]
fn short_commands_inside_a_message_are_carried_out_beside_it() {
    assert_eq!(owner("hey /status"), shortcuts("hey", &[Shortcut::Status]));
    assert_eq!(owner("/help what now"), shortcuts("what now", &[Shortcut::Help]));
    assert_eq!(
        owner("a /id: b /whoami /commands"),
        shortcuts("a b", &[Shortcut::Whoami, Shortcut::Commands])
    );
    assert_eq!(
        owner("/status /think high"),
        MessageReading::DirectivesOnly {
            directives: think(ThinkingLevel::High),
            shortcuts: vec![Shortcut::Status]
        }
    );
    assert_eq!(
        owner("/help /status"),
        MessageReading::DirectivesOnly {
            directives: none(),
            shortcuts: vec![Shortcut::Help, Shortcut::Status]
        }
    );
    assert_eq!(owner("hey /new things"), prompt("hey /new things"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_too_strange_to_be_read(text in any::<String>()) {
        let read = owner(&text);
        prop_assert!(!matches!(read, MessageReading::Ignored));
    }

    #[test]
    fn text_without_a_slash_is_never_touched(text in "[a-zA-Z`~ \n:=é.]{0,80}") {
        prop_assert_eq!(extract(&text, &[]).rest, text.trim());
    }

    #[test]
    fn taking_settings_out_only_removes(pieces in prop::collection::vec(prop::sample::select(vec![
        "/think", "/model", "/queue", "/exec", "/status", "high", "opus", "host=node", "collect", "cap:2", "word",
        "\n", "`", "```", "/usr/bin", ":", ",", "é",
    ]), 0..16), gap in prop::sample::select(vec![" ", ""])) {
        let text = pieces.join(gap);
        let rest = extract(&text, &["opus".to_owned()]).rest;
        let mut source = text.chars();
        prop_assert!(rest.chars().all(|c| source.any(|other| other == c)), "{:?} -> {:?}", text, rest);
    }
}
