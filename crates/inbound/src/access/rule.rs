//! Why a verdict is what it is, for logs and for people who ask.

use std::fmt;

/// The rule that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// It is our own message.
    OwnMessage,
    /// A program wrote it, and programs are not heard.
    Bot,
    /// Direct chats are off.
    DmDisabled,
    /// Direct chats are open to everybody.
    DmOpen,
    /// Direct chats are said to be open, but the list does not say `*`.
    DmOpenWithoutStar,
    /// The person is on the list.
    DmListed,
    /// The person was let in by a code.
    DmPaired,
    /// The person is a stranger and gets a code.
    DmStranger,
    /// The person is not on the list.
    DmNotListed,
    /// Direct chats with several people are off.
    GroupDmOff,
    /// Rooms are off.
    GroupDisabled,
    /// This room is switched off.
    RoomOff,
    /// This room is not on the list.
    RoomNotListed,
    /// The person is on the room's list.
    RoomListed,
    /// The person has a role on the room's list.
    RoomRole,
    /// The person is not on the room's list.
    RoomNotForPerson,
    /// Rooms are open to everybody.
    GroupOpen,
    /// The person is on the list for rooms.
    GroupListed,
    /// Nobody is on the list for rooms.
    GroupListEmpty,
    /// The person is not on the list for rooms.
    GroupNotListed,
    /// A command of somebody who may not give any.
    CommandNotAllowed,
    /// The answer of somebody who is asked about commands.
    Approver,
    /// The message does not name us, and the room asks for that.
    NotMentioned,
    /// Something happened that is told with the next message.
    ToldLater,
    /// Reactions like this one are not told.
    ReactionNotTold,
}

impl Rule {
    /// A sentence for people, with what would change it.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::OwnMessage => "This is our own message.",
            Self::Bot => "A program wrote this, and allowBots is off.",
            Self::DmDisabled => "Direct chats are switched off (dmPolicy is disabled).",
            Self::DmOpen => "Direct chats are open to everybody (dmPolicy is open and allowFrom holds *).",
            Self::DmOpenWithoutStar => {
                "dmPolicy is open, but allowFrom does not hold *; add * to let everybody in."
            }
            Self::DmListed => "The person is on allowFrom.",
            Self::DmPaired => "The person was let in by a pairing code.",
            Self::DmStranger => "The person is not known yet and gets a pairing code (dmPolicy is pairing).",
            Self::DmNotListed => "The person is not on allowFrom (dmPolicy is allowlist).",
            Self::GroupDmOff => "Direct chats with several people are switched off.",
            Self::GroupDisabled => "Rooms are switched off (groupPolicy is disabled).",
            Self::RoomOff => "This room is switched off in the account's list of rooms.",
            Self::RoomNotListed => {
                "This room is not on the account's list of rooms (groupPolicy is allowlist)."
            }
            Self::RoomListed => "The person is on the list of this room.",
            Self::RoomRole => "The person has a role that may talk in this room.",
            Self::RoomNotForPerson => "The person is not on the list of this room.",
            Self::GroupOpen => "Rooms are open to everybody (groupPolicy is open).",
            Self::GroupListed => "The person is on groupAllowFrom, or on allowFrom where that is missing.",
            Self::GroupListEmpty => {
                "Nobody may talk in rooms: groupPolicy is allowlist, and neither groupAllowFrom nor allowFrom names \
                 anybody."
            }
            Self::GroupNotListed => "The person is not on groupAllowFrom (groupPolicy is allowlist).",
            Self::Approver => {
                "The person is asked about commands of the agent (execApprovals.approvers) and answers."
            }
            Self::CommandNotAllowed => {
                "This is a command of somebody who may not give any (commands.allowFrom, the lists of the account)."
            }
            Self::NotMentioned => {
                "The message does not name the assistant, and the room asks for that (requireMention); it is kept as \
                 context."
            }
            Self::ToldLater => "This is told together with the next message.",
            Self::ReactionNotTold => "Reactions like this one are not told (reactionNotifications).",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.sentence())
    }
}
