//! Decides whether answers of a session may be sent.
//!
//! Pure. What the session itself says counts first, then the rules, then their default.

use openclaw_config::{SendPolicy, SendRule, SendVerdict};
use openclaw_types::{ChatKind, SessionEntry, SessionKey};

/// A session that wants to send.
#[derive(Debug, Clone, Copy)]
pub struct SendCase<'a> {
    /// The session.
    pub key: &'a SessionKey,
    /// What is known about it.
    pub entry: Option<&'a SessionEntry>,
    /// The platform it sends over, where the caller knows it.
    pub channel: Option<&'a str>,
    /// The kind of conversation, where the caller knows it.
    pub chat: Option<ChatKind>,
}

/// Whether answers may be sent. A rule that denies counts over every rule that allows.
#[must_use]
pub fn send_verdict(policy: &SendPolicy, case: SendCase<'_>) -> SendVerdict {
    if let Some(own) = own_verdict(case.entry) {
        return own;
    }
    let channel = channel(case);
    let chat = chat(case);
    let fitting = policy.rules.iter().filter(|rule| fits(rule, case.key, channel.as_deref(), chat));
    let verdicts: Vec<SendVerdict> = fitting.map(|rule| rule.verdict).collect();
    match verdicts.as_slice() {
        [] => policy.default,
        verdicts if verdicts.contains(&SendVerdict::Deny) => SendVerdict::Deny,
        _ => SendVerdict::Allow,
    }
}

fn own_verdict(entry: Option<&SessionEntry>) -> Option<SendVerdict> {
    match entry?.facts.send_policy.as_deref()?.trim().to_lowercase().as_str() {
        "allow" => Some(SendVerdict::Allow),
        "deny" => Some(SendVerdict::Deny),
        _ => None,
    }
}

fn channel(case: SendCase<'_>) -> Option<String> {
    let known =
        case.entry.and_then(|entry| entry.facts.channel.as_deref().or(entry.facts.last_channel.as_deref()));
    let named = case.channel.or(known).or(case.key.channel().map(|channel| channel.as_str()));
    named.map(|channel| channel.trim().to_lowercase())
}

fn chat(case: SendCase<'_>) -> Option<ChatKind> {
    let known = case.entry.and_then(|entry| ChatKind::from_word(entry.facts.chat_type.as_deref()?));
    case.chat.or(known).or(case.key.chat_kind())
}

fn fits(rule: &SendRule, key: &SessionKey, channel: Option<&str>, chat: Option<ChatKind>) -> bool {
    let begins = |prefix: &String| key.text_begins_with(prefix) || key.short_text_begins_with(prefix);
    rule.channel.as_deref().is_none_or(|wanted| channel == Some(wanted))
        && rule.chat.is_none_or(|wanted| chat == Some(wanted))
        && rule.raw_key_prefix.as_ref().is_none_or(|prefix| key.text_begins_with(prefix))
        && rule.key_prefix.as_ref().is_none_or(begins)
}
