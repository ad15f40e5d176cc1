//! What the `message` tool says about itself: its purpose and its many parameters. A table.
//!
//! The parameters are those of every action that some channel has; which of them count depends on the action. What no
//! channel does anything with is not among them.

use openclaw_ports::tool::{Audience, Concurrency, Effect, ToolDescriptor, ToolFace, ToolGroup};
use serde_json::{Map, Value, json};

/// Parameters that are texts.
const TEXTS: &[&str] = &[
    "channel",
    "target",
    "accountId",
    "message",
    "media",
    "filename",
    "buffer",
    "caption",
    "path",
    "filePath",
    "replyTo",
    "threadId",
    "quoteText",
    "messageId",
    "message_id",
    "emoji",
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
    "asVideoNote",
    "gifPlayback",
    "silent",
    "remove",
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
    "type",
    "position",
    "rateLimitPerUser",
];

/// The only parameters that matter where nothing but sending is possible.
const SENDING: &[&str] = &["channel", "target", "message", "dryRun"];

/// Whether buttons can be shown below messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Buttons {
    Shown,
    Nowhere,
}

/// Whether menus and forms can be shown below messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Panels {
    Shown,
    Nowhere,
}

/// What may be pressed, chosen and filled in below a message.
fn components() -> Value {
    let word = json!({ "type": "string" });
    let list = |of: &Value| json!({ "type": "array", "items": of });
    let option =
        json!({ "type": "object", "properties": { "label": word, "value": word, "description": word } });
    let button = json!({ "type": "object", "properties": {
        "label": word, "value": word, "url": word, "disabled": { "type": "boolean" },
        "style": { "type": "string", "enum": ["primary", "secondary", "success", "danger", "link"] },
    } });
    let number = json!({ "type": "number" });
    let select = json!({ "type": "object", "properties": {
        "type": { "type": "string", "enum": ["string", "user", "role", "mentionable", "channel"] },
        "placeholder": word, "minValues": number, "maxValues": number, "options": list(&option),
    } });
    let block = json!({ "type": "object", "properties": {
        "type": { "type": "string", "enum": ["text", "actions", "separator"] },
        "text": word, "buttons": list(&button), "select": select,
    } });
    let field = json!({ "type": "object", "properties": {
        "type": { "type": "string", "enum": ["text", "select", "radio", "checkbox", "user-select", "role-select"] },
        "name": word, "label": word, "description": word, "placeholder": word, "style": word,
        "required": { "type": "boolean" }, "options": list(&option),
    } });
    let modal = json!({ "type": "object", "properties": {
        "title": word, "triggerLabel": word, "triggerStyle": word, "fields": list(&field),
    } });
    json!({ "type": "object", "properties": { "text": word, "blocks": list(&block), "modal": modal } })
}

pub(super) fn descriptor(actions: &[&'static str], buttons: Buttons, panels: Panels) -> ToolDescriptor {
    let ToolFace { description, parameters } = face(actions, buttons, panels);
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
pub(super) fn face(actions: &[&'static str], buttons: Buttons, panels: Panels) -> ToolFace {
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
    if buttons == Buttons::Shown {
        let word = json!({ "type": "string" });
        let fields = json!({ "text": word, "callback_data": word });
        let button = json!({ "type": "object", "properties": fields, "required": ["text", "callback_data"] });
        let row = json!({ "type": "array", "items": button });
        properties.insert("buttons".to_owned(), json!({ "type": "array", "items": row }));
    }
    if panels == Panels::Shown {
        properties.insert("components".to_owned(), components());
    }
    ToolFace {
        description: format!(
            "Sends and manages messages outside of the current answer. Actions that are possible now: {}. `target` names \
             the conversation (in the web chat a session key; the current one when left out), `message` the words. Do not \
             use it for the answer itself.",
            actions.join(", ")
        ).into(),
        parameters: json!({ "type": "object", "properties": properties, "required": ["action"] }).into(),
    }
}
