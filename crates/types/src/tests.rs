//! The small words: ids, roles and scopes, secrets, times, models, kinds of chat and levels of thinking.

use std::time::Duration;

use serde_json::json;

use super::*;

#[test]
fn an_id_is_not_empty_not_endless_and_has_no_control_characters() {
    let kind = "agent id";
    assert_eq!(AgentId::new("main").map(|id| id.to_string()), Ok("main".to_owned()));
    assert_eq!(AgentId::new("main"), Ok(AgentId::main()));
    assert_eq!(AgentId::new(""), Err(IdError::Empty { kind }));
    assert_eq!(AgentId::new(" \u{a0}"), Err(IdError::Empty { kind }));
    assert_eq!(AgentId::new("x".repeat(513)), Err(IdError::TooLong { kind, max: 512 }));
    assert_eq!(AgentId::new("a\u{0}b"), Err(IdError::ControlCharacter { kind }));
    assert_eq!("a\nb".parse::<AgentId>(), Err(IdError::ControlCharacter { kind }));
    assert!(AgentId::new("x".repeat(512)).is_ok());
}

#[test]
fn an_id_is_a_checked_text_in_json() {
    assert_eq!(serde_json::to_value(DeviceId::new("d1").unwrap()).unwrap(), "d1");
    assert_eq!(serde_json::from_value::<DeviceId>(json!("d1")).unwrap(), DeviceId::new("d1").unwrap());
    let refused = serde_json::from_value::<DeviceId>(json!("")).unwrap_err();
    assert_eq!(refused.to_string(), "device id must not be empty");
    assert!(serde_json::from_value::<DeviceId>(json!(7)).is_err());
}

#[test]
fn an_id_error_does_not_repeat_the_text() {
    let refused = SessionId::new("top\u{7}secret").unwrap_err();
    assert_eq!(refused.to_string(), "session id must not contain control characters");
}

#[test]
fn roles_read_what_they_print() {
    for role in [Role::Operator, Role::Node] {
        assert_eq!(role.to_string().parse::<Role>(), Ok(role));
        assert_eq!(serde_json::to_value(role).unwrap(), role.as_str());
    }
    assert_eq!("admin".parse::<Role>(), Err(UnknownRole("admin".to_owned())));
}

#[test]
fn scopes_read_what_they_print_and_print_in_order() {
    for scope in Scope::ALL {
        assert_eq!(scope.to_string().parse::<Scope>(), Ok(*scope));
        assert_eq!(serde_json::to_value(scope).unwrap(), scope.as_str());
    }
    assert_eq!("operator.god".parse::<Scope>(), Err(UnknownScope("operator.god".to_owned())));
    let names: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    assert!(names.is_sorted(), "{names:?}");
    let set: ScopeSet = [Scope::Write, Scope::Admin, Scope::Read, Scope::Write].into_iter().collect();
    assert_eq!(
        serde_json::to_value(&set).unwrap(),
        json!(["operator.admin", "operator.read", "operator.write"])
    );
}

#[test]
fn admin_covers_everything_and_write_covers_read() {
    let set = |scopes: &[Scope]| scopes.iter().copied().collect::<ScopeSet>();
    for scope in Scope::ALL {
        assert!(set(&[Scope::Admin]).covers(*scope));
        assert!(!ScopeSet::none().covers(*scope));
        assert_eq!(
            set(&[Scope::Write]).covers(*scope),
            [Scope::Read, Scope::Write].contains(scope),
            "{scope}"
        );
    }
    assert!(!set(&[Scope::Read]).covers(Scope::Write));
}

#[test]
fn a_set_covers_another_when_it_covers_each_of_its_scopes() {
    let set = |scopes: &[Scope]| scopes.iter().copied().collect::<ScopeSet>();
    let write = set(&[Scope::Write]);
    assert!(write.covers_all(&set(&[Scope::Read, Scope::Write])));
    assert!(!write.covers_all(&set(&[Scope::Read, Scope::Pairing])));
    assert!(write.covers_all(&ScopeSet::none()));
    assert_eq!(write.union(&set(&[Scope::Pairing])), set(&[Scope::Pairing, Scope::Write]));
    assert!(ScopeSet::none().is_empty() && !write.is_empty());
}

#[test]
fn a_secret_is_shown_only_to_those_who_ask() {
    let secret: Secret<String> = serde_json::from_value(json!("hunter2")).unwrap();
    assert_eq!(secret.reveal(), "hunter2");
    assert_eq!(format!("{secret:?} {:#?}", Some(&secret)), "[secret] Some(\n    [secret],\n)");
    assert_eq!(secret, Secret::new("hunter2".to_owned()));
    assert_ne!(secret, Secret::new("hunter3".to_owned()));
}

#[test]
fn time_moves_and_stops_at_its_ends() {
    let second = Duration::from_secs(1);
    assert_eq!(UnixMillis(5).plus(second), UnixMillis(1005));
    assert_eq!(UnixMillis(1005).minus(second), UnixMillis(5));
    assert_eq!(UnixMillis(i64::MAX).plus(second), UnixMillis(i64::MAX));
    assert_eq!(UnixMillis(0).plus(Duration::MAX), UnixMillis(i64::MAX));
    assert_eq!(UnixMillis(i64::MIN).minus(second), UnixMillis(i64::MIN));
    assert_eq!(UnixMillis(1005).since(UnixMillis(5)), second);
    assert_eq!(UnixMillis(5).since(UnixMillis(1005)), Duration::ZERO);
    assert_eq!(serde_json::to_value(UnixMillis(7)).unwrap(), 7);
}

#[test]
fn a_model_is_split_at_the_first_slash() {
    let model: ModelRef = " openrouter/qwen/qwen3:free ".parse().unwrap();
    assert_eq!((model.provider().as_str(), model.model()), ("openrouter", "qwen/qwen3:free"));
    assert_eq!(model.to_string(), "openrouter/qwen/qwen3:free");
    assert_eq!(serde_json::from_value::<ModelRef>(serde_json::to_value(&model).unwrap()).unwrap(), model);
}

#[test]
fn half_a_model_is_refused_with_the_reason() {
    let parse = |text: &str| text.parse::<ModelRef>();
    assert_eq!(parse("gpt-5"), Err(ModelRefError::NoProvider("gpt-5".to_owned())));
    assert_eq!(parse("/gpt-5"), Err(ModelRefError::NoProvider("/gpt-5".to_owned())));
    assert_eq!(parse("openai/ "), Err(ModelRefError::NoModel("openai/".to_owned())));
    assert_eq!(parse(""), Err(ModelRefError::NoProvider(String::new())));
    let control = IdError::ControlCharacter { kind: "provider id" };
    assert_eq!(parse("a\u{1}b/c"), Err(ModelRefError::Provider(control)));
}

#[test]
fn a_bare_model_belongs_to_the_given_provider() {
    let openai = ProviderId::new("openai").unwrap();
    let read = |text: &str| ModelRef::parse_with_provider(text, &openai).map(|model| model.to_string());
    assert_eq!(read("gpt-5"), Ok("openai/gpt-5".to_owned()));
    assert_eq!(read("anthropic/claude"), Ok("anthropic/claude".to_owned()));
    assert_eq!(read(" "), Err(ModelRefError::NoModel("openai/".to_owned())));
}

#[test]
fn kinds_of_chat_know_the_older_word_for_direct() {
    for kind in [ChatKind::Direct, ChatKind::Group, ChatKind::Channel] {
        assert_eq!(ChatKind::from_word(kind.as_str()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.to_string());
    }
    assert_eq!(ChatKind::from_word(" DM "), Some(ChatKind::Direct));
    assert_eq!(serde_json::from_value::<ChatKind>(json!("dm")).unwrap(), ChatKind::Direct);
    assert_eq!(ChatKind::from_word("thread"), None);
}

#[test]
fn levels_of_thinking_read_what_they_print_and_rise() {
    for level in ThinkingLevel::ALL {
        assert_eq!(ThinkingLevel::from_word(level.as_str()), Some(level));
        assert_eq!(serde_json::to_value(level).unwrap(), level.to_string());
    }
    assert!(ThinkingLevel::ALL.is_sorted());
    assert_eq!(ThinkingLevel::from_word("galaxy"), None);
    assert_eq!(ThinkingLevel::from_word("max"), None, "transcripts hold the exact word");
    assert_eq!(ThinkingLevel::from_typed(" Max "), Some(ThinkingLevel::High));
    assert_eq!(ThinkingLevel::from_typed("on"), Some(ThinkingLevel::Low));
}

#[test]
fn a_part_of_an_address_is_read_and_what_is_no_number_in_it_stays() {
    let rows: [(&str, &[u8]); 9] = [
        ("", b""),
        ("a%20b", b"a b"),
        ("%e2%82%AC", "€".as_bytes()),
        ("%ff", b"\xff"),
        ("100%", b"100%"),
        ("%4", b"%4"),
        ("%+1%zz", b"%+1%zz"),
        ("%%41", b"%A"),
        ("€+%2B", "€++".as_bytes()),
    ];
    for (part, bytes) in rows {
        assert_eq!(percent_decoded(part), bytes, "{part}");
    }
}
