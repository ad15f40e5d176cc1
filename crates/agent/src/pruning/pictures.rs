//! Leaves out the pictures that a model has answered already.
//!
//! A picture costs tokens and upload with every request, and what it shows is in the answer. Pictures in results of tools
//! stay, as in the original: the results around them are pruned as a whole.

use std::sync::Arc;

use openclaw_types::{AssistantSource, Content, Message, StopReason};

/// What stands in the place of a picture.
const PLACEHOLDER: &str = "[picture of an earlier message, left out: it was seen and answered]";

/// Replaces the pictures of people's messages that a model answered. `earlier` holds the conversation before the current
/// run, whose own pictures stay until it ends.
pub(crate) fn leave_out_answered_pictures(earlier: &mut [Arc<Message>]) {
    let answered = earlier.iter().rposition(is_answer).unwrap_or(0);
    for message in &mut earlier[..answered] {
        let Message::User(user) = &**message else { continue };
        if !user.content.iter().any(is_picture) {
            continue;
        }
        if let Message::User(user) = Arc::make_mut(message) {
            for piece in user.content.iter_mut().filter(|piece| is_picture(piece)) {
                *piece = Content::text(PLACEHOLDER);
            }
        }
    }
}

/// Whether a model looked at what came before: a call that failed, or was stopped before its first word, may not have.
fn is_answer(message: &Arc<Message>) -> bool {
    let Message::Assistant(answer) = &**message else { return false };
    let is_cut_off = matches!(answer.stop, Some(StopReason::Error | StopReason::Aborted));
    answer.source() == AssistantSource::Model && !is_cut_off && !answer.content.is_empty()
}

fn is_picture(piece: &Content) -> bool {
    matches!(piece, Content::Image(_))
}

#[cfg(test)]
mod tests {
    use openclaw_types::{AssistantMessage, Image, ImageData, UserMessage};

    use super::*;

    fn asked() -> Arc<Message> {
        let data = ImageData::Inline("x".to_owned());
        let picture = Content::Image(Image { media_type: None, data });
        Arc::new(Message::User(UserMessage { content: vec![picture], ..UserMessage::default() }))
    }

    fn answered(stop: StopReason, words: &[&str]) -> Arc<Message> {
        let content = words.iter().map(|words| Content::text(*words)).collect();
        let answer = AssistantMessage {
            model: Some("m".to_owned()),
            content,
            stop: Some(stop),
            ..AssistantMessage::default()
        };
        Arc::new(Message::Assistant(answer))
    }

    #[test]
    fn only_an_answer_of_a_model_counts() {
        for (answer, left) in [
            (answered(StopReason::Stop, &["a wall"]), 0),
            (answered(StopReason::Aborted, &[]), 1),
            (answered(StopReason::Error, &["no"]), 1),
            (answered(StopReason::Stop, &[]), 1),
        ] {
            let mut earlier = vec![asked(), answer.clone()];
            leave_out_answered_pictures(&mut earlier);
            let Message::User(user) = &*earlier[0] else { panic!("{earlier:?}") };
            assert_eq!(user.content.iter().filter(|piece| is_picture(piece)).count(), left, "{answer:?}");
        }
    }
}
