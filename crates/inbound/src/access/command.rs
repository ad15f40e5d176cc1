//! Who may give commands, and who is the owner.
//!
//! `commands.allowFrom` alone decides where it is written. Else those on the lists of the account may, or everybody who
//! is let in when `commands.useAccessGroups` is off; and where owners are named, only they. The owner is who stands in
//! `commands.ownerAllowFrom`, else who stands by id in the account's own list.

use openclaw_types::{ChatKind, DmPolicy, InboundKind};

use super::decide::AccessRequest;
use super::room::Room;
use super::{allow, command_text, dm};
use crate::commands::{ChatCommand, MessageReading, Rights, Who, read};

/// What somebody may do beside talking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Powers {
    /// Whether they own the assistant.
    pub(super) is_owner: bool,
    /// Whether they may give commands.
    pub(super) may_command: bool,
}

/// How a command was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    /// From the platform's menu.
    Native,
    /// As text.
    Text,
}

impl Powers {
    /// The same, as the reader of commands wants it.
    pub(super) fn who(self) -> Who {
        match (self.may_command, self.is_owner) {
            (true, true) => Who::Owner,
            (true, false) => Who::Allowed,
            (false, _) => Who::Stranger,
        }
    }
}

/// The command that an event gives, as a whole message.
pub(super) fn given(knock: &AccessRequest<'_>) -> Option<Given> {
    if matches!(knock.inbound.kind, InboundKind::Command(_)) {
        return Some(Given::Native);
    }
    let text = command_text(&knock.inbound.text, knock.us)?;
    // Words such as "stop" are talk in a room; only what looks like a command counts as one.
    if !knock.access.text || !text.starts_with(['/', '!']) {
        return None;
    }
    let rights = Rights { who: Who::Owner, settings: knock.commands, model_aliases: &[] };
    match read(&text, &rights) {
        MessageReading::Prompt(_) | MessageReading::Ignored => None,
        MessageReading::Abort
        | MessageReading::Command(_)
        | MessageReading::DirectivesOnly { .. }
        | MessageReading::Refused(_) => Some(Given::Text),
    }
}

/// Whether somebody may answer questions about commands: those who are named for it, else the owner.
pub(super) fn may_approve(knock: &AccessRequest<'_>, powers: Powers) -> bool {
    match &knock.rules.approvals {
        Some(_) => is_approver(knock),
        None => powers.is_owner,
    }
}

/// Whether an event is the answer of somebody who is asked about commands, and nothing else.
pub(super) fn answers(knock: &AccessRequest<'_>) -> bool {
    if !is_approver(knock) {
        return false;
    }
    let rights = Rights { who: Who::Allowed, settings: knock.commands, model_aliases: &[] };
    let words = match &knock.inbound.kind {
        InboundKind::Press(press) => press.data.clone(),
        InboundKind::Command(command) => format!("/{} {}", command.name, command.arguments),
        _ => command_text(&knock.inbound.text, knock.us).unwrap_or_default(),
    };
    matches!(read(&words, &rights), MessageReading::Command(ChatCommand::Approve { .. }))
}

fn is_approver(knock: &AccessRequest<'_>) -> bool {
    let named = knock.rules.approvals.as_ref().map(|rules| rules.approvers.as_slice()).unwrap_or_default();
    named.iter().any(|id| allow::same(id, knock.inbound.from.id.as_str()))
}

/// What somebody may do beside talking.
pub(super) fn rights(knock: &AccessRequest<'_>, room: &Room<'_>) -> Powers {
    let person = &knock.inbound.from;
    let access = knock.access;
    let means = |entry: &String| allow::means(entry, person, knock.names);
    let star = |list: &[String]| list.iter().any(|entry| entry == "*");
    let named: Vec<&String> = access.owners.iter().filter(|entry| *entry != "*").collect();
    let is_owner = match (named.is_empty(), star(&access.owners)) {
        (false, _) => named.into_iter().any(means),
        // Everybody may act as an owner, but nobody is one.
        (true, true) => false,
        (true, false) => stands_in_own_list(knock),
    };
    let may_command = match access.list_for(knock.inbound.channel.as_str()) {
        Some(list) => star(list) || list.iter().any(means),
        None => {
            let owners_only = !access.owners.is_empty() && !star(&access.owners);
            (!access.use_access_groups || on_lists(knock, room)) && (!owners_only || is_owner)
        }
    };
    Powers { is_owner, may_command }
}

/// Whether somebody stands by id in the account's list. A list that holds `*` makes nobody an owner.
fn stands_in_own_list(knock: &AccessRequest<'_>) -> bool {
    let list = &knock.rules.allow_from;
    !allow::everybody(list) && list.ids.iter().any(|id| allow::same(id, knock.inbound.from.id.as_str()))
}

/// Whether somebody is on one of the lists that hold there. Codes count in direct chats alone.
fn on_lists(knock: &AccessRequest<'_>, room: &Room<'_>) -> bool {
    let rules = knock.rules;
    let person = &knock.inbound.from;
    if allow::lists(&rules.allow_from, person) {
        return true;
    }
    if knock.inbound.place.kind == ChatKind::Direct {
        return rules.dm != DmPolicy::Allowlist && dm::is_paired(knock);
    }
    let listed = [room.allow_from(), rules.group_allow_from.as_ref()].into_iter().flatten();
    listed.into_iter().any(|list| allow::lists(list, person))
        || person.roles.iter().any(|role| room.roles().contains(role))
}
