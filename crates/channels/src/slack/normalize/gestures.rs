//! Commands that somebody typed and buttons that somebody pressed. Pure.

use openclaw_types::{
    Attention, ChatKind, IdError, Inbound, InboundKind, MessageId, NativeCommand, Press, ThreadId,
};

use super::super::target;
use super::super::wire::{Action, Event, Interaction, SlashCommand};
use super::{Base, Facts, SlackContext, kind, moment};

/// Commands that Slack keeps for itself, by the names apps use instead.
const OTHER_NAMES: &[(&str, &str)] = &[("agentstatus", "status")];

/// A command somebody typed; nothing where the account does not hear commands.
pub(in super::super) fn command(
    command: &SlashCommand,
    hearing: &SlackContext<'_>,
) -> Result<Option<Inbound>, IdError> {
    let name = command.command.trim().trim_start_matches('/').to_lowercase();
    let is_talk = hearing.habits.slash.as_deref() == Some(name.as_str());
    let words = match command.text.trim() {
        // Whoever says nothing is told what can be said.
        "" if is_talk => "/help",
        words => words,
    };
    if name.is_empty() || command.user_id.is_empty() || command.channel_id.is_empty() {
        return Ok(None);
    }
    if !is_talk && !hearing.habits.commands {
        return Ok(None);
    }
    let moment = command.trigger_id.as_deref().unwrap_or_default();
    let base = Base {
        room: &command.channel_id,
        kind: place_kind(command, hearing.facts),
        sender: &command.user_id,
        at: hearing.now,
        event: format!("command:{}:{}:{moment}", command.channel_id, command.user_id),
    };
    let mut inbound = base.inbound(hearing)?;
    if inbound.from.handle.is_none() {
        inbound.from.handle.clone_from(&command.user_name);
    }
    if inbound.place.kind != ChatKind::Direct && hearing.habits.slash_only_for_them {
        inbound.place.to = target::SlackDestination::OnlyFor {
            room: command.channel_id.clone(),
            person: command.user_id.clone(),
        }
        .to_string();
        // What is for one person alone says nothing about where the room's conversation is. Talk by command has a session
        // of its own, whose place this is.
        inbound.place.private = !is_talk;
    }
    inbound.attention = Attention { mentions_us: true, can_mention: true, ..Attention::default() };
    if is_talk {
        // Talk by command stays apart from what the room says, whoever sees the answers.
        inbound.place.own_session = Some(format!("{}:{}", hearing.habits.slash_session, command.user_id));
        inbound.text = super::readable(words);
        return Ok(Some(inbound));
    }
    let own = OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name.as_str(), |(_, own)| own);
    inbound.text = format!("/{own} {words}").trim_end().to_owned();
    inbound.kind = InboundKind::Command(NativeCommand { name: own.to_owned(), arguments: words.to_owned() });
    Ok(Some(inbound))
}

/// A button somebody pressed, or a choice they made; nothing for other things people can touch.
pub(in super::super) fn press(
    touched: &Interaction,
    hearing: &SlackContext<'_>,
) -> Result<Option<Inbound>, IdError> {
    let container = touched.container.as_ref();
    let room = touched.channel.as_ref().map(|channel| channel.id.as_str());
    let room = room.or_else(|| container?.channel_id.as_deref()).filter(|room| !room.is_empty());
    let data: Vec<String> = touched.actions.iter().filter_map(carried).collect();
    let (true, Some(room), false) =
        (touched.kind == "block_actions" && !touched.user.id.is_empty(), room, data.is_empty())
    else {
        return Ok(None);
    };
    let message = touched.message.as_deref();
    let on = message.and_then(|message| message.ts.as_deref());
    let on = on.or_else(|| container?.message_ts.as_deref());
    let stamp = touched.actions.first().and_then(|action| action.action_ts.as_deref());
    let base = Base {
        room,
        kind: kind(&Event::default(), room, &hearing.facts.room),
        sender: &touched.user.id,
        at: stamp.and_then(moment).unwrap_or(hearing.now),
        event: format!(
            "press:{room}:{}:{}:{}",
            on.unwrap_or_default(),
            touched.user.id,
            stamp.or(touched.trigger_id.as_deref()).unwrap_or_default()
        ),
    };
    let mut inbound = base.inbound(hearing)?;
    if inbound.from.handle.is_none() {
        inbound.from.handle = touched.user.username.clone().or_else(|| touched.user.name.clone());
    }
    let thread = message.and_then(|message| message.thread_ts.as_deref());
    let thread = thread.or_else(|| container?.thread_ts.as_deref()).filter(|thread| Some(*thread) != on);
    if let Some(thread) = thread {
        inbound.place.thread = Some(ThreadId::new(thread)?);
        inbound.place.session_thread = Some(ThreadId::new(thread)?);
    }
    if container.is_some_and(|container| container.is_ephemeral) && inbound.place.kind != ChatKind::Direct {
        inbound.place.to =
            target::SlackDestination::OnlyFor { room: room.to_owned(), person: touched.user.id.clone() }
                .to_string();
        inbound.place.private = true;
    }
    let data = data.join(", ");
    inbound.attention = Attention { mentions_us: true, can_mention: true, ..Attention::default() };
    inbound.text.clone_from(&data);
    inbound.kind = InboundKind::Press(Press { data, on: on.map(MessageId::new).transpose()? });
    Ok(Some(inbound))
}

/// Where a command was typed. In a direct chat, also one between others, it is said to us alone.
fn place_kind(command: &SlashCommand, facts: &Facts) -> ChatKind {
    match command.channel_name.as_deref() {
        Some("directmessage") => ChatKind::Direct,
        Some(name) if name.starts_with("mpdm-") => ChatKind::Group,
        _ => kind(&Event::default(), &command.channel_id, &facts.room),
    }
}

/// What something that was touched carries.
fn carried(action: &Action) -> Option<String> {
    let several: Vec<&str> = action.selected_options.iter().map(|choice| choice.value.as_str()).collect();
    let one = [
        action.selected_option.as_ref().map(|choice| &choice.value),
        action.selected_user.as_ref(),
        action.selected_conversation.as_ref(),
        action.selected_channel.as_ref(),
        action.selected_date.as_ref(),
        action.selected_time.as_ref(),
        action.value.as_ref(),
        action.action_id.as_ref().filter(|_| action.kind == "button"),
    ];
    match several.is_empty() {
        false => Some(several.join(", ")),
        true => one.into_iter().flatten().find(|value| !value.is_empty()).cloned(),
    }
}
