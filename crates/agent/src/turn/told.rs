//! Fits a conversation that a client tells into a transcript: every call has one result, every result its call.
//!
//! Pure. Results of the client's tools answer the calls they name; a call that the client left open is closed with a
//! note, and a result whose call nobody knows is told in words. Who calls: `run::input`.

use openclaw_types::{
    Content, Message, ToolCall, ToolCallId, ToolOutcome, ToolResultMessage, UnixMillis, UserMessage,
};

use super::clean;

/// Where a told conversation goes on.
pub(crate) struct Told {
    /// The calls at the end of the transcript that have no result.
    pub(crate) open: Vec<ToolCall>,
    /// The calls of the transcript that have one.
    pub(crate) answered: Vec<ToolCallId>,
}

impl Told {
    /// The messages to add. Calls of the transcript that get no result here stay open.
    pub(crate) fn fit(mut self, told: Vec<Message>, now: UnixMillis) -> Vec<Message> {
        let mut fitted = Vec::with_capacity(told.len());
        // Results that nobody asked for wait until the calls around them have theirs.
        let mut stray = Vec::new();
        for message in told {
            match message {
                Message::ToolResult(result) => self.result(result, &mut fitted, &mut stray),
                other => {
                    self.close(now, &mut fitted);
                    fitted.append(&mut stray);
                    if let Message::Assistant(message) = &other {
                        self.open = message.tool_calls().cloned().collect();
                    }
                    fitted.push(other);
                }
            }
        }
        fitted.append(&mut stray);
        fitted
    }

    fn result(&mut self, result: ToolResultMessage, fitted: &mut Vec<Message>, stray: &mut Vec<Message>) {
        if let Some(at) = self.open.iter().position(|call| call.id == result.call) {
            let call = self.open.remove(at);
            let content = clean::clean(result.content);
            self.answered.push(result.call.clone());
            fitted.push(Message::ToolResult(ToolResultMessage { tool: call.name, content, ..result }));
        } else if !self.answered.contains(&result.call) {
            stray.push(in_words(result));
        }
    }

    /// Closes what is open before something else is said.
    fn close(&mut self, now: UnixMillis, fitted: &mut Vec<Message>) {
        for call in self.open.drain(..) {
            self.answered.push(call.id.clone());
            fitted.push(Message::ToolResult(ToolResultMessage {
                call: call.id,
                tool: call.name,
                content: vec![Content::text("The client gave no result for this call.")],
                outcome: ToolOutcome::Failed,
                details: None,
                at: Some(now),
            }));
        }
    }
}

fn in_words(result: ToolResultMessage) -> Message {
    let head =
        format!("[Result of the client's tool call {}, which is not in this conversation]", result.call);
    let mut content = vec![Content::text(head)];
    content.extend(clean::clean(result.content));
    Message::User(UserMessage { content, at: result.at, provenance: None, idempotency_key: None })
}

#[cfg(test)]
mod tests;
