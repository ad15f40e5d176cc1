//! A conversation in turns as both protocols demand it: the person speaks first, and the two sides take turns.
//!
//! A turn is written alike on both wires. What stands in it is each protocol's own.

use serde::Serialize;

/// Everything one side says before the other one speaks.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SpokenTurn<B> {
    /// Who speaks.
    pub(crate) role: Speaker,
    /// What is said; never nothing.
    pub(crate) content: Vec<B>,
}

/// Who speaks. Tools answer in the person's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Speaker {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// What the person says where a conversation begins with the model.
pub(crate) const OPENING: &str = "(The conversation goes on.)";

/// Joins what one side says in a row to one turn. Where the model speaks first, `opening` stands before it.
pub(crate) fn alternate<B>(
    said: impl IntoIterator<Item = (Speaker, Vec<B>)>,
    opening: impl Fn() -> B,
) -> Vec<SpokenTurn<B>> {
    let mut turns: Vec<SpokenTurn<B>> = Vec::new();
    for (role, content) in said.into_iter().filter(|(_, content)| !content.is_empty()) {
        match turns.last_mut() {
            Some(last) if last.role == role => last.content.extend(content),
            Some(_) => turns.push(SpokenTurn { role, content }),
            None if role == Speaker::Assistant => {
                turns.push(SpokenTurn { role: Speaker::User, content: vec![opening()] });
                turns.push(SpokenTurn { role, content });
            }
            None => turns.push(SpokenTurn { role, content }),
        }
    }
    turns
}
