//! What the `message` tool says about itself: its purpose and its many parameters. A table.
//!
//! The parameters are those of every action that some channel has; which of them count depends on the action.

use openclaw_ports::tool::{Audience, Concurrency, Effect, ToolDescriptor, ToolFace, ToolGroup};
use serde_json::{Map, Value, json};

/// Parameters that are texts.
const TEXTS: &[&str] = &[
    "channel",
    "target",
    "accountId",
    "message",
    "effectId",
    "effect",
    "media",
    "filename",
    "buffer",
    "contentType",
    "mimeType",
    "caption",
    "path",
    "filePath",
    "replyTo",
    "threadId",
    "quoteText",
    "messageId",
    "message_id",
    "emoji",
    "targetAuthor",
    "targetAuthorUuid",
    "groupId",
    "before",
    "after",
    "around",
    "pollQuestion",
    "channelId",
    "guildId",
    "userId",
    "authorId",
    "roleId",
    "participant",
    "emojiName",
    "stickerName",
    "stickerDesc",
    "stickerTags",
    "threadName",
    "query",
    "eventName",
    "eventType",
    "startTime",
    "endTime",
    "desc",
    "location",
    "until",
    "reason",
    "name",
    "parentId",
    "topic",
    "categoryId",
    "activityType",
    "activityName",
    "activityUrl",
    "activityState",
    "status",
];
/// Parameters that are lists of texts.
const LISTS: &[&str] = &["targets", "pollOption", "channelIds", "authorIds", "roleIds", "stickerId"];
/// Parameters that are yes or no.
const FLAGS: &[&str] = &[
    "dryRun",
    "asVoice",
    "silent",
    "bestEffort",
    "gifPlayback",
    "remove",
    "fromMe",
    "includeArchived",
    "pollMulti",
    "pollAnonymous",
    "nsfw",
    "clearParent",
];
/// Parameters that are numbers.
const NUMBERS: &[&str] = &[
    "limit",
    "pollDurationHours",
    "autoArchiveMin",
    "durationMin",
    "deleteDays",
    "timeoutMs",
    "type",
    "position",
    "rateLimitPerUser",
];

/// The only parameters that matter where nothing but sending is possible.
const SENDING: &[&str] = &["channel", "target", "message", "dryRun"];

pub(super) fn descriptor(actions: &[&'static str]) -> ToolDescriptor {
    let ToolFace { description, parameters } = face(actions);
    ToolDescriptor {
        name: "message",
        label: "Message",
        summary: "Send and manage messages where people are",
        description,
        parameters,
        group: ToolGroup::Messaging,
        concurrency: Concurrency::Exclusive,
        effect: Effect::Reaches,
        audience: Audience::Everybody,
    }
}

/// What the model is told when these actions are possible.
pub(super) fn face(actions: &[&'static str]) -> ToolFace {
    let mut properties = Map::new();
    properties.insert("action".to_owned(), json!({ "type": "string", "enum": actions }));
    let sending_only = actions == ["send"];
    let mut add = |names: &[&str], kind: &Value| {
        for name in names.iter().filter(|name| !sending_only || SENDING.contains(name)) {
            properties.insert((*name).to_owned(), kind.clone());
        }
    };
    add(TEXTS, &json!({ "type": "string" }));
    add(LISTS, &json!({ "type": "array", "items": { "type": "string" } }));
    add(FLAGS, &json!({ "type": "boolean" }));
    add(NUMBERS, &json!({ "type": "number" }));
    ToolFace {
        description: format!(
            "Sends and manages messages outside of the current answer. Actions that are possible now: {}. `target` names \
             the conversation (in the web chat a session key; the current one when left out), `message` the words. Do not \
             use it for the answer itself.",
            actions.join(", ")
        ),
        parameters: json!({ "type": "object", "properties": properties, "required": ["action"] }).into(),
    }
}
