//! Which actions of the `message` tool the accounts can do, and which keys of the configuration turn them off.
//!
//! An action is offered when some account can do it and its `channels.<platform>.actions` does not forbid it. What an
//! account can do is what its platform declares, so that a line that is down for a moment changes nothing of what the
//! model is told; only actions of a platform's own kind are known once a line was up.

use openclaw_ports::channel::Capability;
use openclaw_types::{AccountId, ChannelId};
use serde_json::Value;

use crate::channels::own_part;
use crate::flow::Inner;

/// Which keys below `actions` turn an action off, and whether it is on where none of them is written.
struct Gate {
    actions: &'static [&'static str],
    keys: &'static [&'static str],
    usual: Usual,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Usual {
    On,
    Off,
}

const GATES: &[Gate] = &[
    gate(&["send", "broadcast", "reply", "thread-reply", "sendAttachment"], &["sendMessage"]),
    gate(&["react", "reactions"], &["reactions"]),
    gate(&["poll"], &["polls"]),
    gate(&["edit"], &["edit", "editMessage", "messages"]),
    gate(&["delete", "unsend"], &["deleteMessage", "unsend", "messages"]),
    gate(&["read"], &["messages"]),
    gate(&["pin", "unpin", "list-pins"], &["pins"]),
    gate(&["permissions"], &["permissions"]),
    gate(&["thread-create", "thread-list", "thread-reply"], &["threads"]),
    gate(&["topic-create"], &["threads", "createForumTopic"]),
    gate(&["search"], &["search"]),
    Gate { actions: &["sticker", "sticker-search"], keys: &["sticker", "stickers"], usual: Usual::On },
    gate(&["sticker-upload"], &["stickerUploads"]),
    gate(&["emoji-upload"], &["emojiUploads"]),
    gate(&["emoji-list"], &["emojiList"]),
    gate(&["member-info"], &["memberInfo"]),
    gate(&["role-info"], &["roleInfo"]),
    Gate { actions: &["role-add", "role-remove"], keys: &["roles"], usual: Usual::Off },
    gate(&["channel-info", "channel-list"], &["channelInfo"]),
    gate(
        &[
            "channel-create",
            "channel-edit",
            "channel-delete",
            "channel-move",
            "category-create",
            "category-edit",
            "category-delete",
        ],
        &["channels"],
    ),
    gate(&["voice-status"], &["voiceStatus"]),
    gate(&["event-list", "event-create"], &["events"]),
    Gate { actions: &["timeout", "kick", "ban"], keys: &["moderation"], usual: Usual::Off },
    Gate { actions: &["set-presence"], keys: &["presence"], usual: Usual::Off },
];

const fn gate(actions: &'static [&'static str], keys: &'static [&'static str]) -> Gate {
    Gate { actions, keys, usual: Usual::On }
}

/// What is done without the platform's own actions, and what it needs.
const OWN: &[(&str, Capability)] = &[
    ("send", Capability::Send),
    ("broadcast", Capability::Send),
    ("reply", Capability::Reply),
    ("thread-reply", Capability::Threads),
    ("poll", Capability::Polls),
    ("react", Capability::React),
    ("edit", Capability::Edit),
    ("delete", Capability::Delete),
    ("unsend", Capability::Delete),
    ("thread-create", Capability::Threads),
];

/// What all accounts together can do, `send` first.
pub(super) fn offered(flow: &Inner) -> Vec<&'static str> {
    // The web chat takes words whatever is connected.
    let mut all = vec!["send"];
    for status in flow.parts.channels.status() {
        if !status.enabled || !status.configured {
            continue;
        }
        let (channel, account) = (&status.channel, &status.account);
        for action in abilities(flow, channel, account, status.capabilities) {
            if !all.contains(&action) && forbidden(flow, channel, account, action).is_none() {
                all.push(action);
            }
        }
    }
    all
}

/// Whether some account shows this below messages.
pub(super) fn shows(flow: &Inner, what: Capability) -> bool {
    let all = flow.parts.channels.status();
    all.iter().any(|one| one.enabled && one.configured && one.capabilities.contains(&what))
}

/// Whether an account can do something.
pub(super) fn can(flow: &Inner, channel: &ChannelId, account: &AccountId, action: &str) -> bool {
    let view = flow.parts.channels.view(channel, account);
    view.is_some_and(|view| abilities(flow, channel, account, view.descriptor.capabilities).contains(&action))
}

fn abilities(
    flow: &Inner,
    channel: &ChannelId,
    account: &AccountId,
    capabilities: &[Capability],
) -> Vec<&'static str> {
    let own = OWN.iter().filter(|(_, needs)| capabilities.contains(needs)).map(|(action, _)| *action);
    own.chain(flow.parts.channels.own_actions(channel, account)).collect()
}

/// What is written as the level of reactions where it leaves none to the agent: signs that a message was taken are the
/// gateway's own.
fn quiet_level<'a>(section: Option<&'a Value>, account: &AccountId) -> Option<&'a str> {
    let section = section?;
    let own = own_part(section, account).and_then(|(_, own)| own.get("reactionLevel"));
    let level = own.or_else(|| section.get("reactionLevel"))?.as_str()?.trim();
    matches!(level, "off" | "ack").then_some(level)
}

/// The key that forbids an action on an account; nothing when it is allowed. What an account says counts before what its
/// platform says.
pub(super) fn forbidden(
    flow: &Inner,
    channel: &ChannelId,
    account: &AccountId,
    action: &str,
) -> Option<String> {
    let config = flow.settings();
    let section = config.raw.channels.get(channel.as_str()).map(|raw| raw.value());
    let written = |key: &str| {
        let section = section?;
        let own = own_part(section, account).and_then(|(_, own)| own.get("actions")?.get(key)?.as_bool());
        own.or_else(|| section.get("actions")?.get(key)?.as_bool())
    };
    if action == "react"
        && let Some(level) = quiet_level(section, account)
    {
        return Some(format!("channels.{channel}.reactionLevel is \"{level}\""));
    }
    for gate in GATES.iter().filter(|gate| gate.actions.contains(&action)) {
        let said: Vec<(&str, bool)> =
            gate.keys.iter().filter_map(|key| Some((*key, written(key)?))).collect();
        let no = said.iter().find(|(_, on)| !on).map(|(key, _)| *key);
        let unsaid =
            (gate.usual == Usual::Off && said.is_empty()).then(|| gate.keys.first().copied()).flatten();
        if let Some(key) = no.or(unsaid) {
            return Some(format!("channels.{channel}.actions.{key}"));
        }
    }
    None
}
