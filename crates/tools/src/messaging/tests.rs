//! What the `message` tool hands to the messenger, and what it says afterwards.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use openclaw_ports::tool::{
    FileReach, MessageAction, MessageFault, MessageReceipt, Messenger, ToolContext, ToolMessage, ToolReply,
};
use serde_json::{Value, json};

use super::tools;
use crate::testing::{World, said};

struct Remembering {
    actions: Vec<&'static str>,
    buttons: bool,
    asked: Mutex<Vec<MessageAction>>,
    answer: Result<MessageReceipt, MessageFault>,
}

#[async_trait]
impl Messenger for Remembering {
    fn actions(&self) -> Vec<&'static str> {
        self.actions.clone()
    }

    fn shows_panels(&self) -> bool {
        self.buttons
    }

    fn shows_buttons(&self) -> bool {
        self.buttons
    }

    async fn act(&self, _: &ToolContext, action: MessageAction) -> Result<MessageReceipt, MessageFault> {
        self.asked.lock().unwrap().push(action);
        self.answer.clone()
    }
}

fn messenger(actions: &[&'static str], answer: Result<MessageReceipt, MessageFault>) -> Arc<Remembering> {
    Arc::new(Remembering { actions: actions.to_vec(), buttons: false, asked: Mutex::default(), answer })
}

async fn call(messenger: &Arc<Remembering>, arguments: Value) -> ToolReply {
    let world = World::new();
    let handle: Arc<dyn Messenger> = messenger.clone();
    tools(&handle)[0].call(&world.context(FileReach::Workspace), arguments).await
}

#[tokio::test]
async fn everything_but_the_action_reaches_the_messenger_as_it_was_written() {
    let said = vec![ToolMessage {
        to: "ana".to_owned(),
        thread: None,
        text: "hello".to_owned(),
        media: vec!["cat.png".to_owned()],
    }];
    let receipt = MessageReceipt { report: json!({ "ok": true }), said: said.clone() };
    let messenger = messenger(&["send"], Ok(receipt));
    let arguments = json!({ "action": "send", "target": "ana", "message": "hello", "extra": [1] });
    let ToolReply::Output(output) = call(&messenger, arguments).await else { panic!() };
    assert_eq!(output.said, said);
    assert_eq!(output.details, Some(json!({ "ok": true })));
    let parameters = json!({ "target": "ana", "message": "hello", "extra": [1] });
    let expected =
        MessageAction { name: "send".to_owned(), parameters: parameters.as_object().unwrap().clone() };
    assert_eq!(*messenger.asked.lock().unwrap(), [expected]);
}

#[tokio::test]
async fn refusals_and_failures_are_told_apart() {
    for (fault, expected) in [
        (MessageFault::Refused("a rule".to_owned()), "!a rule"),
        (MessageFault::Wrong("no target".to_owned()), "-no target"),
        (MessageFault::Failed("the line is down".to_owned()), "-The message was not sent: the line is down"),
    ] {
        let messenger = messenger(&["send"], Err(fault));
        assert_eq!(said(&call(&messenger, json!({ "action": "send" })).await), expected);
    }
    let messenger = messenger(&["send"], Err(MessageFault::Failed(String::new())));
    assert!(said(&call(&messenger, json!({})).await).starts_with('-'));
    assert!(messenger.asked.lock().unwrap().is_empty());
}

#[test]
fn the_tool_offers_what_the_channels_can_do_and_nothing_when_they_can_do_nothing() {
    let offered = |actions: &[&'static str]| {
        let handle: Arc<dyn Messenger> = messenger(actions, Err(MessageFault::Failed(String::new())));
        tools(&handle).first().map(|tool| tool.descriptor().parameters.clone())
    };
    assert_eq!(offered(&[]), None);
    let text = json!({ "type": "string" });
    let sending = json!({
        "type": "object",
        "properties": {
            "action": { "type": "string", "enum": ["send"] },
            "channel": text, "target": text, "message": text, "dryRun": { "type": "boolean" },
        },
        "required": ["action"],
    });
    assert_eq!(offered(&["send"]), Some(sending.into()));
    let all = offered(&["send", "react"]).unwrap();
    assert_eq!(all["properties"]["action"]["enum"], json!(["send", "react"]));
    assert_eq!(all["properties"]["emoji"], text);
    let messenger = messenger(&["send", "poll"], Err(MessageFault::Failed(String::new())));
    let handle: Arc<dyn Messenger> = messenger;
    let face = tools(&handle)[0].face().unwrap();
    assert_eq!(face.parameters["properties"]["action"]["enum"], json!(["send", "poll"]));
    // Where the gateway is, an agent does not say; what does nothing is not offered.
    for absent in ["gatewayUrl", "effectId", "bestEffort", "buttons"] {
        assert_eq!(all["properties"].get(absent), None, "{absent}");
    }
}

#[test]
fn buttons_are_offered_where_a_channel_shows_them() {
    let handle: Arc<dyn Messenger> = Arc::new(Remembering {
        actions: vec!["send", "react"],
        buttons: true,
        asked: Mutex::default(),
        answer: Err(MessageFault::Failed(String::new())),
    });
    let face = tools(&handle)[0].face().unwrap();
    let button = &face.parameters["properties"]["buttons"]["items"]["items"];
    assert_eq!(button["required"], json!(["text", "callback_data"]));
}
