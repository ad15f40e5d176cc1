//! Leaves out the pictures that a model has answered already.
//!
//! A picture costs tokens and upload with every request, and what it shows is in the answer. Pictures in results of tools
//! stay, as in the original: the results around them are pruned as a whole.

use std::sync::Arc;

use openclaw_types::{AssistantSource, Content, Message};

/// What stands in the place of a picture.
const PLACEHOLDER: &str = "[picture of an earlier message, left out: it was seen and answered]";

/// Replaces the pictures of people's messages that a model answered. `earlier` holds the conversation before the current
/// run, whose own pictures stay until it ends.
pub(crate) fn leave_out_answered_pictures(earlier: &mut [Arc<Message>]) {
    let is_answer = |message: &Arc<Message>| matches!(&**message, Message::Assistant(answer) if answer.source() == AssistantSource::Model);
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

fn is_picture(piece: &Content) -> bool {
    matches!(piece, Content::Image(_))
}
