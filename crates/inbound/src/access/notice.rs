//! Events that nobody answers: reactions, changed messages, things that happened. Only of those who may talk there.

use openclaw_types::{InboundKind, ReactionNotices};

use super::decide::AccessRequest;
use super::verdict::AccessVerdict;
use super::{Rule, allow};

pub(super) fn decide(knock: &AccessRequest<'_>) -> AccessVerdict {
    let told = match &knock.inbound.kind {
        InboundKind::Reaction(reaction) => match knock.reactions {
            ReactionNotices::Off => false,
            ReactionNotices::Own => reaction.on_ours,
            ReactionNotices::All => true,
            ReactionNotices::From(people) => {
                people.iter().any(|id| id.trim() == "*" || allow::means(id, &knock.inbound.from, knock.names))
            }
        },
        _ => true,
    };
    match told {
        true => AccessVerdict::Notice { rule: Rule::ToldLater },
        false => AccessVerdict::Drop { rule: Rule::ReactionNotTold },
    }
}
