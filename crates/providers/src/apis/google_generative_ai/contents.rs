//! Turns a conversation into turns of parts.
//!
//! The person speaks first, neighbours of the same role are one turn, and all results of one answer stand together in
//! a turn of their own. Proofs go back on the part they came on.

use std::sync::Arc;

use openclaw_ports::model::{ApiName, ModelTarget};
use openclaw_types::{Content, Image, ImageData, Message, ToolCall, ToolOutcome, ToolResultMessage};

use super::thinking::is_third_generation;
use super::wire::{Blob, Contents, FunctionCall, FunctionResponse, Part, ResponseValue, Role};
use crate::apis::shared::media_type;
use crate::history::{HistoryRules, IdRule, ImageRule, for_target};

/// Stands for the proof of a call that another model made. The third generation refuses calls without any; this word
/// is the documented way to say that there is none (ai.google.dev/gemini-api/docs/thought-signatures, January 2026).
const NO_PROOF: &str = "skip_thought_signature_validator";

/// What a model can do differently from the others of this protocol.
struct Ways {
    /// Calls and results carry ids: models of other vendors behind this protocol want them.
    ids: bool,
    /// Calls need a proof, and results may hold pictures.
    third_generation: bool,
}

/// The turns of a conversation.
pub(super) fn of(messages: &[Arc<Message>], target: &ModelTarget) -> Vec<Contents> {
    let name = target.model.rsplit('/').next().unwrap_or(&target.model);
    let ways = Ways {
        ids: name.starts_with("claude-") || name.starts_with("gpt-oss-"),
        third_generation: is_third_generation(name),
    };
    let rules = HistoryRules {
        api: ApiName::GoogleGenerativeAi,
        model: &target.model,
        ids: if ways.ids { IdRule::Restricted { max_len: 64 } } else { IdRule::None },
        images: if target.sees_images { ImageRule::Keep } else { ImageRule::Describe },
    };
    let mut turns = Turns::default();
    for message in for_target(messages, &rules) {
        match &*message {
            Message::User(user) => turns.say(Role::User, user.content.iter().map(said).collect()),
            Message::Assistant(answer) => turns.say(Role::Model, answer_parts(&answer.content, &ways)),
            Message::ToolResult(result) => turns.result(result, &ways),
            _ => {}
        }
    }
    turns.finish()
}

#[derive(Default)]
struct Turns {
    done: Vec<Contents>,
    /// The results of the answer before, and the pictures among them that have to wait for a turn of their own.
    results: Vec<Part>,
    pictures: Vec<Part>,
}

impl Turns {
    fn say(&mut self, role: Role, parts: Vec<Part>) {
        self.close_results();
        if parts.is_empty() {
            return;
        }
        if self.done.is_empty() && role == Role::Model {
            let opening = Part {
                text: Some("(The conversation begins with your message.)".to_owned()),
                ..Part::default()
            };
            self.done.push(Contents { role: Role::User, parts: vec![opening] });
        }
        match self.done.last_mut() {
            Some(last)
                if last.role == role && !last.parts.iter().any(|part| part.function_response.is_some()) =>
            {
                last.parts.extend(parts);
            }
            _ => self.done.push(Contents { role, parts }),
        }
    }

    fn result(&mut self, result: &ToolResultMessage, ways: &Ways) {
        let images: Vec<Part> = result
            .content
            .iter()
            .filter_map(|piece| match piece {
                Content::Image(image) => blob(image),
                _ => None,
            })
            .collect();
        let (inside, outside) =
            if ways.third_generation { (images, Vec::new()) } else { (Vec::new(), images) };
        let response = FunctionResponse {
            id: ways.ids.then(|| result.call.to_string()),
            name: result.tool.clone(),
            response: response_value(result),
            parts: inside,
        };
        self.results.push(Part { function_response: Some(response), ..Part::default() });
        if !outside.is_empty() {
            let label = format!("Pictures in the result of {}:", result.tool);
            self.pictures.push(Part { text: Some(label), ..Part::default() });
            self.pictures.extend(outside);
        }
    }

    fn close_results(&mut self) {
        for parts in [std::mem::take(&mut self.results), std::mem::take(&mut self.pictures)] {
            if !parts.is_empty() {
                self.done.push(Contents { role: Role::User, parts });
            }
        }
    }

    fn finish(mut self) -> Vec<Contents> {
        self.close_results();
        self.done
    }
}

fn said(piece: &Content) -> Part {
    match piece {
        Content::Text(text) => Part { text: Some(text.text.clone()), ..Part::default() },
        Content::Image(image) => blob(image).unwrap_or_else(|| elsewhere(image)),
        _ => Part::default(),
    }
}

fn blob(image: &Image) -> Option<Part> {
    let ImageData::Inline(data) = &image.data else { return None };
    let blob = Blob { mime_type: media_type(image).to_owned(), data: data.clone() };
    Some(Part { inline_data: Some(blob), ..Part::default() })
}

/// The protocol takes pictures only by value.
fn elsewhere(image: &Image) -> Part {
    let text = match &image.data {
        ImageData::Url(url) => format!("[picture at {url}]"),
        _ => "[picture]".to_owned(),
    };
    Part { text: Some(text), ..Part::default() }
}

fn answer_parts(content: &[Content], ways: &Ways) -> Vec<Part> {
    let mut proof_needed = ways.third_generation;
    content
        .iter()
        .filter_map(|piece| match piece {
            Content::Text(text) => Some(Part {
                text: Some(text.text.clone()),
                thought_signature: proof(text.signature.as_deref()),
                ..Part::default()
            }),
            Content::Thinking(thinking) => Some(Part {
                text: Some(thinking.text.clone()),
                thought: Some(true),
                thought_signature: proof(thinking.signature.as_deref()),
                ..Part::default()
            }),
            Content::ToolCall(call) => {
                // Of calls side by side only the first one has a proof.
                let fallback = std::mem::take(&mut proof_needed).then(|| NO_PROOF.to_owned());
                Some(call_part(call, fallback, ways))
            }
            _ => None,
        })
        .collect()
}

fn call_part(call: &ToolCall, fallback: Option<String>, ways: &Ways) -> Part {
    Part {
        thought_signature: proof(call.signature.as_deref()).or(fallback),
        function_call: Some(FunctionCall {
            id: ways.ids.then(|| call.id.to_string()),
            name: call.name.clone(),
            args: Some(call.arguments.clone()),
        }),
        ..Part::default()
    }
}

/// A proof is Base64 on this wire; anything else would make the server refuse the whole request.
fn proof(signature: Option<&str>) -> Option<String> {
    let signature = signature?;
    let body = signature.trim_end_matches('=');
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "+/-_".contains(letter);
    let valid = !body.is_empty()
        && signature.len() - body.len() <= 2
        && body.len() % 4 != 1
        && body.chars().all(plain);
    valid.then(|| signature.to_owned())
}

fn response_value(result: &ToolResultMessage) -> ResponseValue {
    let lines: Vec<String> = result
        .content
        .iter()
        .filter_map(|piece| match piece {
            Content::Text(text) => Some(text.text.clone()),
            Content::Image(image) if !matches!(image.data, ImageData::Inline(_)) => elsewhere(image).text,
            _ => None,
        })
        .collect();
    let text = if lines.is_empty() { "(see the pictures)".to_owned() } else { lines.join("\n") };
    match result.outcome {
        ToolOutcome::Done => ResponseValue::Output(text),
        ToolOutcome::Failed => ResponseValue::Error(text),
    }
}
