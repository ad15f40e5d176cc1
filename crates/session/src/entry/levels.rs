//! Reads the words people use for the levels of a session, and gives the word that is stored.
//!
//! Pure tables. Commands, patches and settings read the same words.

use openclaw_types::ThinkingLevel;

/// How hard to think.
#[must_use]
pub fn thinking_word(word: &str) -> Option<ThinkingLevel> {
    let word = word.trim().to_lowercase();
    let joined: String = word.chars().filter(|letter| !matches!(letter, ' ' | '_' | '-')).collect();
    Some(match joined.as_str() {
        "off" => ThinkingLevel::Off,
        "min" | "minimal" | "think" => ThinkingLevel::Minimal,
        "on" | "enable" | "enabled" | "low" | "thinkhard" => ThinkingLevel::Low,
        "mid" | "med" | "medium" | "thinkharder" | "harder" => ThinkingLevel::Medium,
        "high" | "ultra" | "ultrathink" | "thinkhardest" | "highest" | "max" => ThinkingLevel::High,
        "xhigh" | "extrahigh" => ThinkingLevel::XHigh,
        _ => return None,
    })
}

/// How much of the tools is shown: `off`, `on` or `full`.
#[must_use]
pub fn verbose_word(word: &str) -> Option<&'static str> {
    match word.trim().to_lowercase().as_str() {
        "off" | "false" | "no" | "0" => Some("off"),
        "full" | "all" | "everything" => Some("full"),
        "on" | "minimal" | "true" | "yes" | "1" => Some("on"),
        _ => None,
    }
}

/// Whether thoughts are shown: `off`, `on` or `stream`.
#[must_use]
pub fn reasoning_word(word: &str) -> Option<&'static str> {
    match word.trim().to_lowercase().as_str() {
        "off" | "false" | "no" | "0" | "hide" | "hidden" | "disable" | "disabled" => Some("off"),
        "on" | "true" | "yes" | "1" | "show" | "visible" | "enable" | "enabled" => Some("on"),
        "stream" | "streaming" | "draft" | "live" => Some("stream"),
        _ => None,
    }
}

/// How much is told about the cost of an answer: `off`, `tokens` or `full`.
#[must_use]
pub fn response_usage_word(word: &str) -> Option<&'static str> {
    match word.trim().to_lowercase().as_str() {
        "off" | "false" | "no" | "0" | "disable" | "disabled" => Some("off"),
        "on" | "true" | "yes" | "1" | "enable" | "enabled" | "tokens" | "token" | "tok" | "minimal"
        | "min" => Some("tokens"),
        "full" | "session" => Some("full"),
        _ => None,
    }
}

/// Whether commands may leave the sandbox: `off`, `on`, `ask` or `full`.
#[must_use]
pub fn elevated_word(word: &str) -> Option<&'static str> {
    match word.trim().to_lowercase().as_str() {
        "off" | "false" | "no" | "0" => Some("off"),
        "full" | "auto" | "auto-approve" | "autoapprove" => Some("full"),
        "ask" | "prompt" | "approval" | "approve" => Some("ask"),
        "on" | "true" | "yes" | "1" => Some("on"),
        _ => None,
    }
}

/// Where commands run: `sandbox`, `gateway` or `node`.
#[must_use]
pub fn exec_host_word(word: &str) -> Option<&'static str> {
    one_of(word, &["sandbox", "gateway", "node"])
}

/// Which commands may run: `deny`, `allowlist` or `full`.
#[must_use]
pub fn exec_security_word(word: &str) -> Option<&'static str> {
    one_of(word, &["deny", "allowlist", "full"])
}

/// When a person is asked: `off`, `on-miss` or `always`.
#[must_use]
pub fn exec_ask_word(word: &str) -> Option<&'static str> {
    one_of(word, &["off", "on-miss", "always"])
}

/// Whether answers may be sent: `allow` or `deny`.
#[must_use]
pub fn send_policy_word(word: &str) -> Option<&'static str> {
    one_of(word, &["allow", "deny"])
}

/// When the agent answers in a group: `mention` or `always`.
#[must_use]
pub fn group_activation_word(word: &str) -> Option<&'static str> {
    one_of(word, &["mention", "always"])
}

fn one_of(word: &str, words: &[&'static str]) -> Option<&'static str> {
    let word = word.trim().to_lowercase();
    words.iter().copied().find(|known| *known == word)
}
