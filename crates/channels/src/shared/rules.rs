//! The keys that every platform's section has, in neutral words. Keys of one platform alone are read in its folder.

use std::time::Duration;

use openclaw_types::{
    AllowList, ApprovalRules, ChatKind, ChunkMode, Coalesce, DoorRules, DraftChunk, DraftMode, HistoryLimits,
    ReactionNotices, ReplyToMode, RoomRule, TableMode, ToolRule, WritingRules,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::accounts::AccountSection;

/// Who may talk: `dmPolicy`, `allowFrom`, `groupPolicy`, `groupAllowFrom`, `allowBots`. `id` gives the form ids have, or
/// nothing for an entry that is a name.
pub(crate) fn door(account: &AccountSection, id: &dyn Fn(&str) -> Option<String>) -> DoorRules {
    let names = account.switch("dangerouslyAllowNameMatching").unwrap_or(false);
    let list = |key: &str| {
        account.settings.get(key).filter(|value| !value.is_null()).map(|value| allow_list(value, names, id))
    };
    DoorRules {
        dm: word(account.settings.get("dmPolicy")).unwrap_or_default(),
        allow_from: list("allowFrom").unwrap_or_default(),
        group: word(account.settings.get("groupPolicy")).unwrap_or_default(),
        group_allow_from: list("groupAllowFrom"),
        rooms: Vec::new(),
        allow_bots: account.switch("allowBots").unwrap_or(false),
        require_mention: account.switch("requireMention").unwrap_or(true),
        group_dms: None,
        group_dm_rooms: Vec::new(),
        names_count: names,
        approvals: None,
    }
}

/// `execApprovals`: who is asked about commands, and where. Nothing where it is off or names nobody; `*` names nobody,
/// since everybody could answer then.
pub(crate) fn approvals(
    account: &AccountSection,
    id: &dyn Fn(&str) -> Option<String>,
) -> Option<ApprovalRules> {
    let written = account.settings.get("execApprovals")?;
    if written.get("enabled").and_then(Value::as_bool) != Some(true) {
        return None;
    }
    let listed = |key: &str| written.get(key).map(texts).unwrap_or_default();
    let approvers: Vec<String> = listed("approvers").iter().filter_map(|entry| id(entry)).collect();
    if approvers.is_empty() {
        return None;
    }
    Some(ApprovalRules {
        approvers,
        agents: listed("agentFilter"),
        sessions: listed("sessionFilter"),
        ask: word(written.get("target")).unwrap_or_default(),
        tidy: written.get("cleanupAfterResolve").and_then(Value::as_bool).unwrap_or(false),
    })
}

/// A list of people. Entries that are no ids count only where names are allowed.
fn allow_list(value: &Value, names: bool, id: &dyn Fn(&str) -> Option<String>) -> AllowList {
    let mut list = AllowList::default();
    let entries = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    for entry in entries {
        let text = match entry {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            _ => continue,
        };
        if text == "*" {
            list.ids.push(text);
        } else if let Some(id) = id(&text) {
            list.ids.push(id);
        } else if names && !text.is_empty() {
            list.names.push(text.trim_start_matches('@').to_lowercase());
        }
    }
    list
}

/// What every room has: `enabled`, `requireMention`, `groupPolicy`, `allowFrom`, `tools`, `toolsBySender`, `skills`,
/// `systemPrompt`, `allowBots`. The name and what is below it are the platform's.
pub(crate) fn room_common(room: &Value, names: bool, id: &dyn Fn(&str) -> Option<String>) -> RoomRule {
    let switch = |key: &str| room.get(key).and_then(Value::as_bool);
    let by_sender = room.get("toolsBySender").and_then(Value::as_object);
    RoomRule {
        enabled: switch("enabled").or_else(|| switch("allow")),
        require_mention: switch("requireMention"),
        policy: word(room.get("groupPolicy")),
        allow_from: room
            .get("allowFrom")
            .filter(|value| !value.is_null())
            .map(|value| allow_list(value, names, id)),
        allow_bots: switch("allowBots"),
        tools: room.get("tools").and_then(tool_rule),
        tools_by_sender: by_sender
            .into_iter()
            .flatten()
            .filter_map(|(sender, rule)| Some((sender.clone(), tool_rule(rule)?)))
            .collect(),
        skills: room.get("skills").filter(|value| value.is_array()).map(texts),
        system_prompt: room.get("systemPrompt").and_then(Value::as_str).map(str::to_owned),
        ..RoomRule::default()
    }
}

/// Which tools may be used.
fn tool_rule(value: &Value) -> Option<ToolRule> {
    let rule = value.as_object()?;
    Some(ToolRule {
        allow: rule.get("allow").filter(|value| value.is_array()).map(texts),
        also_allow: rule.get("alsoAllow").map(texts).unwrap_or_default(),
        deny: rule.get("deny").map(texts).unwrap_or_default(),
    })
}

/// How an account writes, from the keys all platforms have, over what is usual on the platform.
pub(crate) fn manner(account: &AccountSection, usual: WritingRules) -> WritingRules {
    let megabytes = |number: f64| (number * 1024.0 * 1024.0) as u64;
    WritingRules {
        text_limit: account
            .number("textChunkLimit")
            .and_then(|limit| usize::try_from(limit).ok())
            .filter(|limit| *limit > 0)
            .map_or(usual.text_limit, |limit| limit.min(usual.text_limit)),
        chunks: word::<ChunkMode>(account.settings.get("chunkMode")).unwrap_or(usual.chunks),
        tables: word::<TableMode>(account.at("markdown.tables")).unwrap_or(usual.tables),
        draft: draft(account).unwrap_or(usual.draft),
        draft_chunk: draft_chunk(account.settings.get("draftChunk"), usual.draft_chunk),
        blocks: account.switch("blockStreaming").or(usual.blocks),
        coalesce: coalesce(account.settings.get("blockStreamingCoalesce"), usual.coalesce),
        reply_to: reply_to(account.settings.get("replyToMode")).unwrap_or(usual.reply_to),
        response_prefix: account.text("responsePrefix").map(str::to_owned).or(usual.response_prefix),
        ack_reaction: account
            .settings
            .get("ackReaction")
            .and_then(Value::as_str)
            .map(str::to_owned)
            .or(usual.ack_reaction),
        media_bytes: account
            .settings
            .get("mediaMaxMb")
            .and_then(Value::as_f64)
            .filter(|number| *number > 0.0)
            .map_or(usual.media_bytes, megabytes),
        link_preview: account.switch("linkPreview").unwrap_or(usual.link_preview),
        history: history(account),
        reactions: reactions(account).unwrap_or(usual.reactions),
        native_commands: account.at("commands.native").and_then(Value::as_bool).or(usual.native_commands),
        config_writes: account.switch("configWrites").unwrap_or(usual.config_writes),
        line_limit: usual.line_limit,
        tags_when_off: usual.tags_when_off,
        ack_scope: usual.ack_scope,
        threads_inherit: usual.threads_inherit,
    }
}

/// `streaming` is a switch or a word; `streamMode` is its older name.
fn draft(account: &AccountSection) -> Option<DraftMode> {
    let read = |value: &Value| match value {
        Value::Bool(true) => Some(DraftMode::Partial),
        Value::Bool(false) => Some(DraftMode::Off),
        _ => word(Some(value)),
    };
    account
        .settings
        .get("streaming")
        .and_then(read)
        .or_else(|| account.settings.get("streamMode").and_then(read))
}

fn draft_chunk(value: Option<&Value>, usual: DraftChunk) -> DraftChunk {
    let Some(value) = value.and_then(Value::as_object) else { return usual };
    let size = |key: &str| {
        let number = value.get(key).and_then(Value::as_u64).filter(|number| *number > 0);
        number.and_then(|number| usize::try_from(number).ok())
    };
    DraftChunk {
        least: size("minChars").unwrap_or(usual.least),
        most: size("maxChars").unwrap_or(usual.most),
        prefer: word(value.get("breakPreference")).unwrap_or(usual.prefer),
    }
}

fn coalesce(value: Option<&Value>, usual: Option<Coalesce>) -> Option<Coalesce> {
    let Some(value) = value.and_then(Value::as_object) else { return usual };
    let base = usual.unwrap_or(Coalesce { least: 800, most: 1200, idle: Duration::from_millis(1000) });
    let size =
        |key: &str| value.get(key).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
    Some(Coalesce {
        least: size("minChars").unwrap_or(base.least),
        most: size("maxChars").unwrap_or(base.most),
        idle: value.get("idleMs").and_then(Value::as_u64).map_or(base.idle, Duration::from_millis),
    })
}

fn reply_to(value: Option<&Value>) -> Option<Vec<(ChatKind, ReplyToMode)>> {
    let mode: ReplyToMode = word(value)?;
    Some([ChatKind::Direct, ChatKind::Group, ChatKind::Channel].map(|kind| (kind, mode)).to_vec())
}

fn history(account: &AccountSection) -> HistoryLimits {
    let size = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
    let people = account.settings.get("dms").and_then(Value::as_object);
    HistoryLimits {
        group: account.settings.get("historyLimit").and_then(size),
        direct: account.settings.get("dmHistoryLimit").and_then(size),
        by_person: people
            .into_iter()
            .flatten()
            .filter_map(|(person, rules)| Some((person.clone(), rules.get("historyLimit").and_then(size)?)))
            .collect(),
    }
}

fn reactions(account: &AccountSection) -> Option<ReactionNotices> {
    match account.text("reactionNotifications")? {
        "off" => Some(ReactionNotices::Off),
        "own" => Some(ReactionNotices::Own),
        "all" => Some(ReactionNotices::All),
        "allowlist" => Some(ReactionNotices::From(
            account.settings.get("reactionAllowlist").map(texts).unwrap_or_default(),
        )),
        _ => None,
    }
}

fn texts(value: &Value) -> Vec<String> {
    let read = |entry: &Value| match entry {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    value.as_array().into_iter().flatten().filter_map(read).filter(|text| !text.is_empty()).collect()
}

/// A word of a fixed set. Words that are not known are reported by the configuration's own check.
fn word<T: DeserializeOwned>(value: Option<&Value>) -> Option<T> {
    let text = value?.as_str()?.trim().to_lowercase();
    serde_json::from_value(Value::String(text)).ok()
}
