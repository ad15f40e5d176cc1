//! The signs people see: that a message was seen, and that we write.

use std::time::Duration;

use openclaw_config::sections::TypingMode;
use openclaw_config::{AckSettings, TypingSettings};
use openclaw_types::{AckScope, WritingRules};

use super::*;
use crate::access::MentionFacts;

const NAMED: MentionFacts = MentionFacts { was_mentioned: true, required: true, detectable: true };
const NOT_NEEDED: MentionFacts = MentionFacts { was_mentioned: true, required: false, detectable: true };

#[test]
fn the_sign_is_set_where_its_scope_says() {
    use AckScope::{All, Direct, GroupAll, GroupMentions, Off};
    let rows = [
        (All, ChatKind::Direct, NOT_NEEDED, true),
        (All, ChatKind::Group, NOT_NEEDED, true),
        (Direct, ChatKind::Direct, NOT_NEEDED, true),
        (Direct, ChatKind::Channel, NAMED, false),
        (GroupAll, ChatKind::Direct, NAMED, false),
        (GroupAll, ChatKind::Channel, NOT_NEEDED, true),
        (GroupMentions, ChatKind::Direct, NAMED, false),
        (GroupMentions, ChatKind::Group, NAMED, true),
        (GroupMentions, ChatKind::Group, NOT_NEEDED, false),
        (GroupMentions, ChatKind::Group, MentionFacts { detectable: false, ..NAMED }, false),
        (GroupMentions, ChatKind::Group, MentionFacts { was_mentioned: false, ..NAMED }, false),
        (Off, ChatKind::Direct, NAMED, false),
    ];
    for (scope, kind, mention, set) in rows {
        let settings = AckSettings { reaction: "👀".to_owned(), scope, remove_after_reply: true };
        let manner = WritingRules::with_limit(100);
        let given = ack(&AckFacts { kind, mention, manner: &manner, settings: &settings });
        let expected = set.then(|| Ack { emoji: "👀".to_owned(), removed: true });
        assert_eq!(given, expected, "{scope:?} {kind:?} {mention:?}");
    }
}

#[test]
fn the_account_chooses_the_sign_and_its_scope_and_an_empty_one_is_none() {
    let settings =
        AckSettings { reaction: "👀".to_owned(), scope: AckScope::Off, remove_after_reply: false };
    let with = |ack_reaction: Option<&str>, ack_scope| {
        let manner = WritingRules {
            ack_reaction: ack_reaction.map(str::to_owned),
            ack_scope,
            ..WritingRules::with_limit(100)
        };
        ack(&AckFacts { kind: ChatKind::Direct, mention: NAMED, manner: &manner, settings: &settings })
            .map(|ack| ack.emoji)
    };
    assert_eq!(with(None, None), None);
    assert_eq!(with(None, Some(AckScope::All)).as_deref(), Some("👀"));
    assert_eq!(with(Some(" 🦞 "), Some(AckScope::All)).as_deref(), Some("🦞"));
    assert_eq!(with(Some(""), Some(AckScope::All)), None);
}

#[test]
fn typing_begins_at_once_but_in_rooms_without_a_mention_with_the_answer() {
    let rows = [
        (None, ChatKind::Direct, false, true, TypingMode::Instant),
        (None, ChatKind::Group, true, true, TypingMode::Instant),
        (None, ChatKind::Group, false, true, TypingMode::Message),
        (Some(TypingMode::Thinking), ChatKind::Group, false, true, TypingMode::Thinking),
        (Some(TypingMode::Never), ChatKind::Direct, true, true, TypingMode::Never),
        (Some(TypingMode::Instant), ChatKind::Direct, true, false, TypingMode::Never),
    ];
    for (mode, kind, was_mentioned, person_waits, expected) in rows {
        let settings = TypingSettings { mode, interval: Duration::from_secs(6) };
        assert_eq!(typing_mode(&settings, TypingFacts { kind, was_mentioned, person_waits }), expected);
    }
}

#[test]
fn each_mode_goes_up_at_its_own_sign_and_once() {
    use TypingSign::{Started, Thinks, UsesTool, Writes, WritesSilence};
    let rows = [
        (TypingMode::Never, vec![Started, Thinks, UsesTool, Writes], None),
        (TypingMode::Instant, vec![Started, Thinks, Writes], Some(0)),
        (TypingMode::Thinking, vec![Started, Thinks, Writes], Some(1)),
        (TypingMode::Thinking, vec![Started, Writes], Some(1)),
        (TypingMode::Message, vec![Started, Thinks, WritesSilence, Writes, Writes], Some(3)),
        (TypingMode::Message, vec![Started, WritesSilence], None),
        (TypingMode::Message, vec![Started, UsesTool, Writes], Some(1)),
    ];
    for (mode, signs, expected) in rows {
        let mut watch = TypingWatch::new(mode);
        let up: Vec<usize> =
            signs.iter().enumerate().filter(|(_, sign)| watch.see(**sign)).map(|(at, _)| at).collect();
        assert_eq!(up, expected.into_iter().collect::<Vec<_>>(), "{mode:?} {signs:?}");
    }
}
