//! Words for what happens in a chat without anybody writing: somebody joins, something is pinned, a group moves.

use super::super::wire::{ChatMember, ChatMemberUpdated, Message, User};
use super::{chat_name, user_name};

/// What a service message tells; nothing for messages that somebody wrote, and no words for what is told otherwise.
pub(super) fn words(message: &Message, us: &User) -> Option<String> {
    let service = &message.service;
    let who = actor(message);
    // Our own coming and going is told by another update, in the same words everywhere.
    let joined: Vec<String> =
        service.new_chat_members.iter().filter(|user| user.id != us.id).map(user_name).collect();
    if !service.new_chat_members.is_empty() {
        let alone = service
            .new_chat_members
            .iter()
            .all(|user| Some(user.id) == message.from.as_ref().map(|from| from.id));
        return Some(match (joined.is_empty(), alone) {
            (true, _) => String::new(),
            (false, true) => format!("{} joined the group", joined.join(", ")),
            (false, false) => format!("{who} added {} to the group", joined.join(", ")),
        });
    }
    if let Some(left) = &service.left_chat_member {
        let alone = message.from.as_ref().is_some_and(|from| from.id == left.id);
        return Some(match (left.id == us.id, alone) {
            (true, _) => String::new(),
            (false, true) => format!("{} left the group", user_name(left)),
            (false, false) => format!("{who} removed {} from the group", user_name(left)),
        });
    }
    if let Some(pinned) = &service.pinned_message {
        let text = pinned.text.as_deref().or(pinned.caption.as_deref()).unwrap_or_default();
        let said = if text.is_empty() { String::new() } else { format!(": {text}") };
        return Some(format!("{who} pinned message {}{said}", pinned.message_id));
    }
    moved(message).or_else(|| topic(message, &who)).or_else(|| about_chat(message, &who))
}

fn moved(message: &Message) -> Option<String> {
    let service = &message.service;
    match (service.migrate_to_chat_id, service.migrate_from_chat_id) {
        (Some(to), _) => Some(format!("this group became a supergroup and has the number {to} now")),
        (None, Some(from)) => Some(format!("this supergroup was the group {from} before")),
        (None, None) => None,
    }
}

fn topic(message: &Message, who: &str) -> Option<String> {
    let service = &message.service;
    if let Some(topic) = &service.forum_topic_created {
        return Some(format!("{who} made the topic \"{}\"", topic.name));
    }
    if let Some(topic) = &service.forum_topic_edited {
        return Some(match &topic.name {
            Some(name) => format!("{who} renamed the topic to \"{name}\""),
            None => format!("{who} changed the topic's picture"),
        });
    }
    let plain = [
        (service.forum_topic_closed.is_some(), "closed the topic"),
        (service.forum_topic_reopened.is_some(), "opened the topic again"),
        (service.general_forum_topic_hidden.is_some(), "hid the general topic"),
        (service.general_forum_topic_unhidden.is_some(), "showed the general topic again"),
    ];
    plain.iter().find(|(is, _)| *is).map(|(_, what)| format!("{who} {what}"))
}

fn about_chat(message: &Message, who: &str) -> Option<String> {
    let service = &message.service;
    if let Some(title) = &service.new_chat_title {
        return Some(format!("{who} renamed the chat to \"{title}\""));
    }
    if let Some(timer) = &service.message_auto_delete_timer_changed {
        return Some(match timer.message_auto_delete_time {
            0 => format!("{who} made messages stay"),
            seconds => format!("{who} made messages vanish after {seconds} seconds"),
        });
    }
    let plain = [
        (!service.new_chat_photo.is_empty(), "changed the chat's picture"),
        (service.delete_chat_photo, "removed the chat's picture"),
        (service.group_chat_created || service.supergroup_chat_created, "made the group"),
        (service.channel_chat_created, "made the channel"),
        (service.video_chat_started.is_some(), "began a video chat"),
        (service.video_chat_ended.is_some(), "ended the video chat"),
        (service.video_chat_scheduled.is_some(), "planned a video chat"),
    ];
    plain.iter().find(|(is, _)| *is).map(|(_, what)| format!("{who} {what}"))
}

fn actor(message: &Message) -> String {
    match (&message.sender_chat, &message.from) {
        (Some(chat), _) => chat_name(chat),
        (None, Some(user)) => user_name(user),
        (None, None) => chat_name(&message.chat),
    }
}

/// What became of our own standing in a chat; nothing where only our rights changed a little.
pub(super) fn standing(update: &ChatMemberUpdated) -> Option<String> {
    let who = user_name(&update.from);
    let is_private = update.chat.kind == "private";
    let administrator = |member: &ChatMember| member.status == "administrator";
    match (is_there(&update.old_chat_member), is_there(&update.new_chat_member)) {
        (false, true) if is_private => Some(format!("{who} started the chat with you")),
        (true, false) if is_private => Some(format!("{who} blocked you")),
        (false, true) => Some(format!("{who} added you to {}", chat_name(&update.chat))),
        (true, false) => Some(format!("{who} removed you from {}", chat_name(&update.chat))),
        _ => match (administrator(&update.old_chat_member), administrator(&update.new_chat_member)) {
            (false, true) => Some(format!("{who} made you an administrator")),
            (true, false) => Some(format!("{who} took your rights as an administrator")),
            _ => None,
        },
    }
}

fn is_there(member: &ChatMember) -> bool {
    match member.status.as_str() {
        "creator" | "administrator" | "member" => true,
        "restricted" => member.is_member,
        _ => false,
    }
}
