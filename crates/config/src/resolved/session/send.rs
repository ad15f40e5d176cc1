//! To which conversations answers may be sent.
//!
//! Data only; the `session` crate holds a session against the rules.

use openclaw_types::ChatKind;

use crate::sections::{ChatType, ScopeAction, ScopePolicy, ScopeRule};

/// Whether answers may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SendVerdict {
    /// They may.
    Allow,
    /// They may not.
    Deny,
}

/// To which conversations answers may be sent. A rule that denies counts over one that allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendPolicy {
    /// What holds when no rule fits.
    pub default: SendVerdict,
    /// The rules.
    pub rules: Vec<SendRule>,
}

/// One rule. Everything given must fit; texts are in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendRule {
    /// What it decides.
    pub verdict: SendVerdict,
    /// The channel.
    pub channel: Option<String>,
    /// The kind of conversation.
    pub chat: Option<ChatKind>,
    /// How the session key begins, with or without the agent.
    pub key_prefix: Option<String>,
    /// How the whole session key begins.
    pub raw_key_prefix: Option<String>,
}

pub(super) fn resolve(raw: Option<&ScopePolicy>) -> SendPolicy {
    let default = raw.and_then(|policy| policy.default).map_or(SendVerdict::Allow, verdict);
    let rules = raw.and_then(|policy| policy.rules.as_deref()).unwrap_or_default();
    SendPolicy { default, rules: rules.iter().map(rule).collect() }
}

fn rule(raw: &ScopeRule) -> SendRule {
    let fits = raw.matching.clone().unwrap_or_default();
    SendRule {
        verdict: verdict(raw.action),
        channel: lowered(fits.channel),
        chat: fits.chat_type.map(|chat| match chat {
            ChatType::Direct | ChatType::Dm => ChatKind::Direct,
            ChatType::Group => ChatKind::Group,
            ChatType::Channel => ChatKind::Channel,
        }),
        key_prefix: lowered(fits.key_prefix),
        raw_key_prefix: lowered(fits.raw_key_prefix),
    }
}

fn verdict(action: ScopeAction) -> SendVerdict {
    match action {
        ScopeAction::Allow => SendVerdict::Allow,
        ScopeAction::Deny => SendVerdict::Deny,
    }
}

fn lowered(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_lowercase()).filter(|text| !text.is_empty())
}
