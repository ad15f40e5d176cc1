//! What the service wants to know about a call beside its body.
//!
//! The editor's name and version are our own. Who started the turn decides how the service counts it: a person's
//! message is a request, what follows from tools is not.

use std::collections::BTreeMap;
use std::sync::Arc;

use openclaw_ports::model::{ModelRequest, ModelTarget};
use openclaw_types::{Content, ImageData, Message, Secret};

/// Our name and version, as an editor would give them.
pub(super) const PRODUCT: &str = concat!("openclaw/", env!("CARGO_PKG_VERSION"));

/// The headers of a call.
pub(super) fn of(request: &ModelRequest, target: &ModelTarget) -> BTreeMap<String, Secret<String>> {
    let mut headers = vec![
        ("editor-version", PRODUCT),
        ("editor-plugin-version", PRODUCT),
        ("user-agent", PRODUCT),
        ("openai-intent", "conversation-edits"),
        ("x-initiator", initiator(&request.messages)),
    ];
    if target.sees_images && request.messages.iter().any(|message| shows_picture(message)) {
        headers.push(("copilot-vision-request", "true"));
    }
    headers.into_iter().map(|(name, value)| (name.to_owned(), Secret::new(value.to_owned()))).collect()
}

fn initiator(messages: &[Arc<Message>]) -> &'static str {
    match messages.last().map(|message| &**message) {
        Some(Message::User(_)) | None => "user",
        Some(_) => "agent",
    }
}

fn shows_picture(message: &Message) -> bool {
    let pieces = match message {
        Message::User(_) | Message::ToolResult(_) | Message::Custom(_) => message.content(),
        _ => &[],
    };
    pieces.iter().any(|piece| match piece {
        Content::Image(image) => !matches!(image.data, ImageData::Omitted { .. }),
        _ => false,
    })
}
