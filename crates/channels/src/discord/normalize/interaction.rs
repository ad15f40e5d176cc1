//! Commands from the platform's menu, buttons, menus and forms of ours.

use openclaw_types::{
    Attention, ChannelId, EventId, IdError, Inbound, InboundKind, MessageId, NativeCommand, Press,
};
use serde_json::Value;

use super::place::{person, place};
use super::{CHANNEL, Scene, made_at};
use crate::discord::destination::{Aside, DiscordDestination, Home};
use crate::discord::wire::{CommandOption, Interaction};

const COMMAND: u8 = 2;
const COMPONENT: u8 = 3;
const FORM: u8 = 5;

/// How a command is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Answered {
    /// Whether an answer can be given to the command itself.
    pub(in super::super) in_place: bool,
    /// Whether only who gave it may see the answer.
    pub(in super::super) alone: bool,
}

/// What somebody used; nothing for other questions of the platform.
pub(in super::super) fn interaction(
    used: &Interaction,
    answered: Answered,
    scene: &Scene<'_>,
) -> Result<Option<Inbound>, IdError> {
    let member = used.member.as_ref();
    let user = member.and_then(|member| member.user.as_ref()).or(used.user.as_ref());
    let channel = used.channel_id.as_deref().or(used.channel.as_ref().map(|channel| channel.id.as_str()));
    let (Some(user), Some(channel)) = (user, channel) else { return Ok(None) };
    let on = used.message.as_ref().map(|message| MessageId::new(&message.id)).transpose()?;
    let data = &used.data;
    let (kind, text) = match used.kind {
        COMMAND => {
            let arguments = arguments(&data.options);
            let text = format!("/{} {arguments}", data.name).trim_end().to_owned();
            (InboundKind::Command(NativeCommand { name: data.name.clone(), arguments }), text)
        }
        COMPONENT => {
            // A button carries what it means; in a menu, what was chosen does.
            let chosen = data.values.join(", ");
            let data = if chosen.is_empty() { data.custom_id.clone() } else { chosen };
            (InboundKind::Press(Press { data: data.clone(), on: on.clone() }), data)
        }
        FORM => {
            let press = Press { data: data.custom_id.clone(), on: on.clone() };
            (InboundKind::Press(press), filled(&data.components).join("\n"))
        }
        _ => return Ok(None),
    };
    let mut place = place(scene, channel, used.guild_id.as_deref(), &user.id)?;
    if used.kind == COMMAND
        && let Ok(DiscordDestination { home, .. }) = DiscordDestination::read(&place.to)
    {
        let only = (answered.alone && matches!(home, Home::Channel(_))).then(|| user.id.clone());
        place.private = only.is_some();
        let to = DiscordDestination { home, aside: Aside::Interaction { id: used.id.clone(), only } };
        place.later_to = answered.in_place.then(|| to.in_the_open().write());
        place.to = if answered.in_place { to.write() } else { to.in_the_open().write() };
    }
    Ok(Some(Inbound {
        channel: ChannelId::new(CHANNEL)?,
        account: scene.account.clone(),
        event: EventId::new(format!("interaction:{}", used.id))?,
        // A command is no message: it can be neither quoted nor reacted to.
        message: if used.kind == COMMAND { None } else { on },
        at: made_at(&used.id, scene.now),
        place,
        from: person(user, member)?,
        kind,
        text,
        attention: Attention { mentions_us: true, can_mention: true, ..Attention::default() },
        reply: None,
        forwarded: None,
        media: Vec::new(),
        facts: Vec::new(),
        bundle: None,
        moved: None,
    }))
}

/// What follows a command, as if it had been written.
fn arguments(options: &[CommandOption]) -> String {
    let mut words = Vec::new();
    for option in options {
        match &option.value {
            Some(Value::String(text)) => words.push(text.trim().to_owned()),
            Some(value) => words.push(value.to_string()),
            // A command inside a command.
            None => {
                words.push(option.name.clone());
                words.push(arguments(&option.options));
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

/// What was filled into a form, field by field.
fn filled(components: &[Value]) -> Vec<String> {
    let mut lines = Vec::new();
    for component in components {
        let name = component["custom_id"].as_str().unwrap_or_default();
        let value = component["value"].as_str().map(str::to_owned).or_else(|| {
            let values = component["values"].as_array()?;
            Some(values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
        });
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            lines.push(format!("{name}: {value}"));
        }
        // Older forms put fields into rows, newer ones below a label.
        lines.extend(filled(component["components"].as_array().map(Vec::as_slice).unwrap_or_default()));
        if component["component"].is_object() {
            lines.extend(filled(std::slice::from_ref(&component["component"])));
        }
    }
    lines
}
