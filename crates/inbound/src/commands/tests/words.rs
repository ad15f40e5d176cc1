//! Words for levels, and words that stop everything.

use openclaw_config::QueueMode;
use openclaw_config::sections::QueueDrop;
use openclaw_types::ThinkingLevel;

use super::*;

#[test]
fn every_word_for_stopping_is_known_in_every_dress() {
    for text in [
        "stop",
        "STOP!",
        " Stop . ",
        "/stop",
        "/STOP",
        "/stop!",
        "please   stop",
        "stop please…",
        "стоп",
        "СТОП!",
        "やめて。",
        "停止",
        "Arrête !",
        "detén",
        "stop don’t do anything",
        "stop don't do anything",
        "esc",
        "wait",
        "hoer auf",
        "Aufhören!",
        "توقف",
        "रुको",
        "(stop)",
    ] {
        let expected = text != "(stop)";
        assert_eq!(is_abort_word(text), expected, "{text:?}");
        assert_eq!(owner(text) == MessageReading::Abort, expected, "{text:?}");
    }
    for text in ["", "stop it", "don't stop", "stopping", "wait a minute", "nonstop", "/stopped", "?"] {
        assert!(!is_abort_word(text), "{text:?}");
    }
}

#[test]
fn thinking_has_many_words() {
    let rows = [
        (ThinkingLevel::Off, &["off", "OFF "][..]),
        (ThinkingLevel::Minimal, &["minimal", "min", "think"]),
        (ThinkingLevel::Low, &["low", "on", "enable", "enabled", "thinkhard", "think-hard", "think_hard"]),
        (ThinkingLevel::Medium, &["medium", "mid", "med", "harder", "think-harder", "thinkharder"]),
        (ThinkingLevel::High, &["high", "max", "highest", "ultra", "ultrathink", "thinkhardest"]),
        (ThinkingLevel::XHigh, &["xhigh", "x-high", "extra-high", "extra_high"]),
    ];
    for (level, words) in rows {
        for word in words {
            assert_eq!(parse_thinking(word), Some(level), "{word:?}");
        }
    }
    for word in ["", "hi", "1", "none"] {
        assert_eq!(parse_thinking(word), None, "{word:?}");
    }
}

#[test]
fn other_levels_have_theirs() {
    assert_eq!(VerboseLevel::parse("Everything"), Some(VerboseLevel::Full));
    assert_eq!(VerboseLevel::parse("no"), Some(VerboseLevel::Off));
    assert_eq!(ReasoningLevel::parse("live"), Some(ReasoningLevel::Stream));
    assert_eq!(ElevatedLevel::parse("auto-approve"), Some(ElevatedLevel::Full));
    assert_eq!(ElevatedLevel::parse("approve"), Some(ElevatedLevel::Ask));
    assert_eq!(UsageDisplay::parse("session"), Some(UsageDisplay::Full));
    assert_eq!(UsageDisplay::parse("cost"), None);
    let circle = [UsageDisplay::Off, UsageDisplay::Tokens, UsageDisplay::Full].map(UsageDisplay::next);
    assert_eq!(circle, [UsageDisplay::Tokens, UsageDisplay::Full, UsageDisplay::Off]);
    for mode in QueueMode::ALL {
        assert_eq!(parse_queue_mode(mode.as_str()), Some(mode));
    }
    assert_eq!(parse_queue_mode("queue"), Some(QueueMode::Steer));
    assert_eq!(parse_queue_mode("abort"), Some(QueueMode::Interrupt));
    assert_eq!(parse_queue_drop("newest"), Some(QueueDrop::New));
}
