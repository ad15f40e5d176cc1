//! Every rule can be told to people.

use super::*;

#[test]
fn every_rule_says_a_sentence() {
    for rule in [
        Rule::OwnMessage,
        Rule::Bot,
        Rule::DmDisabled,
        Rule::DmOpen,
        Rule::DmOpenWithoutStar,
        Rule::DmListed,
        Rule::DmPaired,
        Rule::Approver,
        Rule::DmStranger,
        Rule::DmNotListed,
        Rule::GroupDmOff,
        Rule::GroupDisabled,
        Rule::RoomOff,
        Rule::RoomNotListed,
        Rule::RoomListed,
        Rule::RoomRole,
        Rule::RoomNotForPerson,
        Rule::GroupOpen,
        Rule::GroupListed,
        Rule::GroupListEmpty,
        Rule::GroupNotListed,
        Rule::CommandNotAllowed,
        Rule::NotMentioned,
        Rule::ToldLater,
        Rule::ReactionNotTold,
    ] {
        let sentence = rule.to_string();
        assert!(sentence.ends_with('.') && sentence.len() > 15, "{sentence}");
    }
}
