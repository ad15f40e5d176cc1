//! Says each kind of message as one of the three kinds that every protocol has, or leaves it out.
//!
//! Left out are failed answers, what the model may not see, kinds we do not know, and what is empty. Of an answer
//! that someone stopped, the words stay: people have read them. Its thoughts and calls go, they may be cut in half.
//! What can stay as it is is not copied; of the rest fields are copied one by one, so that no picture is copied only to be
//! dropped again.

use std::borrow::Cow;

use openclaw_types::{
    AssistantMessage, Content, Message, ShellMessage, StopReason, ToolResultMessage, UnixMillis, UserMessage,
    Visibility,
};

use super::{HistoryRules, pieces};

/// The message for the target; nothing when it has no place there.
pub(super) fn message<'a>(message: &'a Message, rules: &HistoryRules<'_>) -> Option<Cow<'a, Message>> {
    let said = match message {
        Message::User(user) => match pieces::for_people(&user.content, rules.images) {
            Cow::Borrowed([]) => return None,
            Cow::Borrowed(_same) => return Some(Cow::Borrowed(message)),
            Cow::Owned(content) => (!content.is_empty()).then(|| Message::User(with_content(user, content))),
        },
        Message::Assistant(answer) => match answer_pieces(answer, rules) {
            Cow::Borrowed([]) => return None,
            Cow::Borrowed(_same) => return Some(Cow::Borrowed(message)),
            Cow::Owned(content) => with_pieces(answer, content).map(Message::Assistant),
        },
        Message::ToolResult(result) => match pieces::for_people(&result.content, rules.images) {
            Cow::Borrowed([_, ..]) => return Some(Cow::Borrowed(message)),
            content => Some(Message::ToolResult(tool_result(result, content.into_owned()))),
        },
        Message::Shell(shell) if shell.for_model == Visibility::Shown => said(shell_text(shell), shell.at),
        Message::Shell(_) | Message::Other(_) => None,
        Message::Custom(custom) => {
            let content = pieces::for_people(&custom.content, rules.images).into_owned();
            (!content.is_empty())
                .then(|| Message::User(UserMessage { content, at: custom.at, ..UserMessage::default() }))
        }
        Message::CompactionSummary { summary, at, .. } => {
            story("Earlier parts of this conversation were replaced by this summary:", summary, *at)
        }
        Message::BranchSummary { summary, at, .. } => {
            story("This conversation left another branch behind, which is summarised here:", summary, *at)
        }
    };
    said.map(Cow::Owned)
}

fn answer_pieces<'a>(answer: &'a AssistantMessage, rules: &HistoryRules<'_>) -> Cow<'a, [Content]> {
    match answer.stop {
        Some(StopReason::Error) => Cow::Borrowed(&[]),
        Some(StopReason::Aborted) => pieces::words(&answer.content),
        _ => pieces::of_answer(&answer.content, origin(answer, rules)),
    }
}

fn with_pieces(answer: &AssistantMessage, content: Vec<Content>) -> Option<AssistantMessage> {
    (!content.is_empty()).then(|| AssistantMessage {
        content,
        api: answer.api.clone(),
        provider: answer.provider.clone(),
        model: answer.model.clone(),
        usage: answer.usage,
        stop: answer.stop.clone(),
        error: answer.error.clone(),
        at: answer.at,
        idempotency_key: answer.idempotency_key.clone(),
        abort: answer.abort.clone(),
    })
}

fn origin(answer: &AssistantMessage, rules: &HistoryRules<'_>) -> pieces::Origin {
    let same_api = answer.api.as_deref() == Some(rules.api.as_str());
    if same_api && answer.model.as_deref() == Some(rules.model) {
        pieces::Origin::Target
    } else {
        pieces::Origin::Elsewhere
    }
}

fn tool_result(result: &ToolResultMessage, mut content: Vec<Content>) -> ToolResultMessage {
    if content.is_empty() {
        content.push(Content::text("(no output)"));
    }
    ToolResultMessage {
        call: result.call.clone(),
        tool: result.tool.clone(),
        content,
        outcome: result.outcome,
        details: None,
        at: result.at,
    }
}

fn with_content(user: &UserMessage, content: Vec<Content>) -> UserMessage {
    UserMessage {
        content,
        at: user.at,
        provenance: user.provenance.clone(),
        idempotency_key: user.idempotency_key.clone(),
    }
}

fn story(intro: &str, summary: &str, at: Option<UnixMillis>) -> Option<Message> {
    let summary = summary.trim();
    if summary.is_empty() { None } else { said(format!("{intro}\n\n{summary}"), at) }
}

fn shell_text(shell: &ShellMessage) -> String {
    let mut text = format!("I ran this command myself:\n```\n{}\n```\n", shell.command.trim_end());
    match shell.output.trim_end() {
        "" => text.push_str("It printed nothing."),
        output => text.push_str(&format!("It printed:\n```\n{output}\n```")),
    }
    if shell.truncated {
        text.push_str("\nThe output was shortened.");
        if let Some(path) = &shell.full_output_path {
            text.push_str(&format!(" All of it is in {path}."));
        }
    }
    match shell.exit_code {
        _ if shell.cancelled => text.push_str("\nI stopped it before it ended."),
        Some(0) => {}
        Some(code) => text.push_str(&format!("\nIt ended with exit code {code}.")),
        None => text.push_str("\nIt did not end by itself."),
    }
    text
}

fn said(text: String, at: Option<UnixMillis>) -> Option<Message> {
    Some(Message::User(UserMessage { content: vec![Content::text(text)], at, ..UserMessage::default() }))
}
