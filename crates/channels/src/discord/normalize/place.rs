//! Where something happened, and who did it.

use openclaw_types::{ChatKind, ChatPlace, GroupId, IdError, PeerId, Person, ThreadId};

use super::Scene;
use crate::discord::destination::{Aside, DiscordDestination, Home};
use crate::discord::wire::{Member, User};

/// Where something happened: in a room of a guild, in a thread there, or in a direct chat with `person`.
pub(super) fn place(
    scene: &Scene<'_>,
    channel: &str,
    guild: Option<&str>,
    person: &str,
) -> Result<ChatPlace, IdError> {
    let Some(guild) = guild else { return direct(scene, channel, person) };
    let room = scene.room;
    let parent = room.filter(|room| room.is_thread()).and_then(|room| room.parent_id.as_deref());
    // Rules name the room; a thread has those of the room above.
    let named = if parent.is_some() { scene.parent } else { room };
    let name = |channel: Option<&super::Channel>| channel.and_then(|channel| channel.name.clone());
    Ok(ChatPlace {
        thread: parent.is_some().then(|| ThreadId::new(channel)).transpose()?,
        parent: parent.map(PeerId::new).transpose()?,
        guild: Some(GroupId::new(guild)?),
        name: name(named),
        thread_name: if parent.is_some() { name(room) } else { None },
        space_name: scene.guild.and_then(|guild| guild.name.clone()),
        subject: named.and_then(|named| named.topic.clone()).filter(|topic| !topic.trim().is_empty()),
        ..ChatPlace::new(ChatKind::Channel, PeerId::new(channel)?, to(Home::Channel(channel.to_owned())))
    })
}

fn direct(scene: &Scene<'_>, channel: &str, person: &str) -> Result<ChatPlace, IdError> {
    if scene.room.is_some_and(super::Channel::is_group) {
        let home = to(Home::Channel(channel.to_owned()));
        let name = scene.room.and_then(|room| room.name.clone());
        return Ok(ChatPlace { name, ..ChatPlace::new(ChatKind::Group, PeerId::new(channel)?, home) });
    }
    Ok(ChatPlace::new(ChatKind::Direct, PeerId::new(person)?, to(Home::User(person.to_owned()))))
}

fn to(home: Home) -> String {
    DiscordDestination { home, aside: Aside::None }.write()
}

/// Somebody, with what they are called and their roles there.
pub(super) fn person(user: &User, member: Option<&Member>) -> Result<Person, IdError> {
    let nick = member.and_then(|member| member.nick.clone()).filter(|nick| !nick.trim().is_empty());
    let shown = user.global_name.clone().filter(|name| !name.trim().is_empty());
    let handle = match user.discriminator.as_deref() {
        Some(number) if !number.is_empty() && number != "0" && number != "0000" => {
            format!("{}#{number}", user.username)
        }
        _ => user.username.clone(),
    };
    let handle = Some(handle).filter(|handle| !handle.is_empty());
    Ok(Person {
        name: nick.or(shown).or_else(|| handle.clone()),
        handle,
        bot: user.bot,
        roles: member.map(|member| member.roles.clone()).unwrap_or_default(),
        ..Person::new(PeerId::new(&user.id)?)
    })
}
