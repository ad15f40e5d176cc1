//! Tries one model: whether it calls a tool when it must, and whether it sees a picture.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::model::{ModelRequest, ToolChoice, ToolSpec};
use openclaw_providers::RouterModel;
use openclaw_types::{Content, Image, ImageData, Message, ThinkingLevel, UserMessage};
use serde_json::json;

use super::super::asking::{TrialOutcome, TrialRequest, ask};
use super::super::desk::ModelCommand;
use super::candidate::{Candidate, Tried};

/// A picture of one point.
const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const TOOL: &str = "ping";

/// Tries it.
pub(super) async fn run(session: &ModelCommand<'_>, model: RouterModel, limit: Duration) -> Candidate {
    let sees = model.sees_images;
    let mut candidate = Candidate::untried(model);
    candidate.tool = one(session, &candidate.model_ref, tool_request(), limit).await;
    if sees {
        candidate.image = one(session, &candidate.model_ref, picture_request(), limit).await;
    }
    candidate
}

async fn one(session: &ModelCommand<'_>, model: &str, request: ModelRequest, limit: Duration) -> Tried {
    let must_call = !request.tools.is_empty();
    let asked = TrialRequest {
        model: model.to_owned(),
        pin: None,
        thinking: Some(ThinkingLevel::Off),
        request: Arc::new(request),
        limit,
    };
    let answer = ask(session, asked, |_| Ok(())).await;
    let error = match &answer.outcome {
        TrialOutcome::Failed { message, .. } => Some(message.clone()),
        TrialOutcome::Done(done) => {
            let called = done.completion.content.iter().any(|piece| matches!(piece, Content::ToolCall(_)));
            (must_call && !called).then(|| "it answered without calling the tool".to_owned())
        }
    };
    Tried::ended(answer.total, error)
}

fn tool_request() -> ModelRequest {
    let mut request = ModelRequest::asking("Call the tool ping once, with no arguments, and say nothing.");
    request.tools = vec![ToolSpec {
        name: TOOL.to_owned(),
        description: "Answers OK.".into(),
        parameters: json!({ "type": "object", "properties": {} }).into(),
    }];
    request.tool_choice = ToolChoice::Required;
    request.max_output_tokens = Some(32);
    request.temperature = Some(0.0);
    request
}

fn picture_request() -> ModelRequest {
    let mut request = ModelRequest::asking("");
    let picture =
        Image { media_type: Some("image/png".to_owned()), data: ImageData::Inline(PICTURE.to_owned()) };
    let shown = UserMessage {
        content: vec![Content::text("Reply with OK."), Content::Image(picture)],
        ..UserMessage::default()
    };
    request.messages = vec![Message::User(shown).into()];
    request.max_output_tokens = Some(16);
    request.temperature = Some(0.0);
    request
}
