//! Where something goes, as people and `Place::to` write it: `user:1`, `channel:1`, `<@1>`. Pure.
//!
//! Two places need more than a room. `channel:1:thread:2` is the thread at message 2, which is made when something goes
//! there first (such a thread has the id of its message). `channel:1:interaction:2` is the answer to a command, as long
//! as the platform lets us give one, and the room after that; `channel:1:interaction:2:only:3` is one that only person 3
//! may see, and goes to them alone after that.

use openclaw_types::{ChatKind, ChatPlace, MessageId, PeerId, SendTarget};

/// Where something goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DiscordDestination {
    /// The conversation.
    pub(super) home: Home,
    /// What is special about it.
    pub(super) aside: Aside,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Home {
    /// A room or a thread.
    Channel(String),
    /// A person.
    User(String),
}

/// What is special about a destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Aside {
    /// Nothing.
    None,
    /// The thread at this message.
    ThreadAt(String),
    /// The answer to this interaction.
    Interaction {
        /// Which one.
        id: String,
        /// Who alone may see the answer.
        only: Option<String>,
    },
}

/// The conversation that a target is. A thread is a room of its own.
pub(super) fn place(target: &SendTarget) -> Option<ChatPlace> {
    let destination = DiscordDestination::of(target).ok()?;
    let (kind, id) = match (destination.home, destination.aside) {
        (_, Aside::Interaction { .. }) => return None,
        (Home::User(person), _) => (ChatKind::Direct, person),
        (Home::Channel(_), Aside::ThreadAt(thread)) => (ChatKind::Channel, thread),
        (Home::Channel(room), Aside::None) => (ChatKind::Channel, room),
    };
    Some(ChatPlace::new(kind, PeerId::new(id).ok()?, target.to.clone()))
}

impl DiscordDestination {
    /// Reads a destination.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let named = text.trim();
        let wrong = || {
            format!(
                "\"{named}\" is no Discord target: write channel:<id> for a channel or thread, user:<id> for a person"
            )
        };
        if named.bytes().all(|byte| byte.is_ascii_digit()) && !named.is_empty() {
            return Err(format!(
                "\"{named}\" may be a person or a channel: write user:{named} or channel:{named}"
            ));
        }
        let mut parts = strip(named, "discord:").unwrap_or(named).split(':');
        let first = parts.next().unwrap_or_default().trim();
        let home = match first.to_lowercase().as_str() {
            "channel" => Home::Channel(id(parts.next()).ok_or_else(wrong)?),
            "user" => Home::User(id(parts.next()).ok_or_else(wrong)?),
            _ => mention(first, named).ok_or_else(wrong)?,
        };
        let rest: Vec<&str> = parts.collect();
        let aside = match rest.as_slice() {
            [] => Aside::None,
            ["thread", at] => Aside::ThreadAt(id(Some(at)).ok_or_else(wrong)?),
            ["interaction", of] => Aside::Interaction { id: id(Some(of)).ok_or_else(wrong)?, only: None },
            ["interaction", of, "only", person] => Aside::Interaction {
                id: id(Some(of)).ok_or_else(wrong)?,
                only: Some(id(Some(person)).ok_or_else(wrong)?),
            },
            _ => return Err(wrong()),
        };
        Ok(Self { home, aside })
    }

    /// The destination of a target. A thread that is named is a room of its own.
    pub(super) fn of(target: &SendTarget) -> Result<Self, String> {
        let read = Self::read(&target.to)?;
        match &target.thread {
            Some(thread) if read.aside == Aside::None => {
                let thread = id(Some(thread.as_str())).ok_or_else(|| format!("\"{thread}\" is no thread"))?;
                Ok(Self { home: Home::Channel(thread), aside: Aside::None })
            }
            _ => Ok(read),
        }
    }

    /// Where something goes that is no answer to an interaction any more: what only one person may see, to them alone.
    pub(super) fn in_the_open(&self) -> Self {
        match &self.aside {
            Aside::Interaction { only: Some(person), .. } => {
                Self { home: Home::User(person.clone()), aside: Aside::None }
            }
            Aside::Interaction { only: None, .. } => Self { home: self.home.clone(), aside: Aside::None },
            Aside::None | Aside::ThreadAt(_) => self.clone(),
        }
    }

    /// The room a message of this destination is in, where that is not plain: a thread's first message is in the room
    /// above, all others are in the thread.
    pub(super) fn home_of(&self, message: &MessageId) -> Home {
        match &self.aside {
            Aside::ThreadAt(at) if at != message.as_str() => Home::Channel(at.clone()),
            _ => self.in_the_open().home,
        }
    }

    /// As `Place::to` writes it.
    pub(super) fn write(&self) -> String {
        let home = match &self.home {
            Home::Channel(id) => format!("channel:{id}"),
            Home::User(id) => format!("user:{id}"),
        };
        match &self.aside {
            Aside::None => home,
            Aside::ThreadAt(id) => format!("{home}:thread:{id}"),
            Aside::Interaction { id, only: None } => format!("{home}:interaction:{id}"),
            Aside::Interaction { id, only: Some(person) } => format!("{home}:interaction:{id}:only:{person}"),
        }
    }
}

/// `<@1>`, `<@!1>`, `@1`, `<#1>`, `#1`, and `discord:1`, which is a person.
fn mention(first: &str, named: &str) -> Option<Home> {
    let inner = first.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(first);
    if let Some(room) = inner.strip_prefix('#') {
        return id(Some(room)).map(Home::Channel);
    }
    let person = match inner.strip_prefix('@') {
        Some(rest) => rest.strip_prefix('!').unwrap_or(rest),
        None => strip(named, "discord:").filter(|rest| *rest == inner)?,
    };
    id(Some(person)).map(Home::User)
}

/// Whether something can be an id of the platform.
pub(super) fn is_id(text: &str) -> bool {
    id(Some(text)).is_some_and(|id| id == text)
}

/// An id of the platform: a number.
fn id(text: Option<&str>) -> Option<String> {
    let text = text?.trim();
    let whole = !text.is_empty() && text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit());
    whole.then(|| text.to_owned())
}

/// An entry of a list as an id; nothing for a name.
pub(super) fn listed(entry: &str) -> Option<String> {
    let entry = entry.trim();
    let inner = entry.strip_prefix("<@").and_then(|rest| rest.strip_suffix('>'));
    let entry = inner.map_or(entry, |rest| rest.trim_start_matches('!'));
    let entry = strip(entry, "discord:").unwrap_or(entry);
    let entry = strip(entry, "user:").unwrap_or(entry);
    id(Some(entry))
}

fn strip<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.get(..prefix.len())
        .filter(|head| head.eq_ignore_ascii_case(prefix))
        .map(|_| text[prefix.len()..].trim())
}
