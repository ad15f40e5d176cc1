//! What all slots of a connected account share: the client of the API, what is known of rooms, who we are; and the way
//! from a conversation to the room the API wants.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_ports::channel::ChannelError;
use openclaw_types::{MessageId, SendTarget, UnixMillis};
use serde_json::{Value, json};
use tokio::sync::{OnceCell, mpsc};

use super::config::DiscordLogin;
use super::destination::{Aside, DiscordDestination, Home};
use super::rest::{ApiFault, Call, DiscordApi};
use super::rooms::{GuildFacts, Rooms};
use super::send::Answers;
use super::wire::{Channel, Guild};
use crate::shared::{AccountMemory, Method};

/// The code for a thread that is there already.
const THREAD_EXISTS: u64 = 160_004;

/// How many guilds are asked for. The others are met when something happens there.
const MOST_GUILDS: usize = 20;

/// What the slots share.
pub(super) struct DiscordKnown {
    /// Makes calls.
    pub(super) api: DiscordApi,
    /// What a line needs.
    pub(super) login: Arc<DiscordLogin>,
    /// Our id.
    pub(super) us: String,
    /// Our application.
    pub(super) application: String,
    /// Commands that are to be answered.
    pub(super) answers: Answers,
    /// Takes what people are to see us do to the line.
    pub(super) presence: mpsc::Sender<Value>,
    /// What is remembered.
    pub(super) kept: AccountMemory,
    rooms: Mutex<Rooms>,
    /// Whether all guilds were told, by the gateway or on a question.
    guilds: OnceCell<()>,
}

/// Who we are, and what belongs to us.
pub(super) struct Own {
    /// Our id.
    pub(super) us: String,
    /// Our application.
    pub(super) application: String,
    /// Commands that are to be answered.
    pub(super) answers: Answers,
    /// Takes what people are to see us do to the line.
    pub(super) presence: mpsc::Sender<Value>,
    /// What is remembered.
    pub(super) kept: AccountMemory,
    /// How our session began.
    pub(super) session: Session,
}

/// How a session began: whether the gateway tells all guilds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Session {
    /// Anew, with all guilds.
    New,
    /// It was taken up again; what was told before is not told again.
    TakenUp,
}

impl DiscordKnown {
    pub(super) fn new(api: DiscordApi, login: Arc<DiscordLogin>, own: Own) -> Self {
        let Own { us, application, answers, presence, kept, session } = own;
        let guilds = match session {
            Session::New => OnceCell::new_with(Some(())),
            Session::TakenUp => OnceCell::new(),
        };
        Self { api, login, us, application, answers, presence, kept, rooms: Mutex::default(), guilds }
    }

    /// The time of the machine.
    pub(super) fn now(&self) -> UnixMillis {
        self.api.now()
    }

    /// What is known of rooms.
    pub(super) fn rooms(&self) -> MutexGuard<'_, Rooms> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A room, asked for where it is not known. One the platform does not show us is a room of which nothing is known.
    pub(super) async fn channel(&self, id: &str) -> Result<Channel, ChannelError> {
        if let Some(known) = self.rooms().channel(id) {
            return Ok(known.clone());
        }
        let found = match self.api.read::<Channel>(Call::get(format!("/channels/{id}"))).await {
            Ok(found) => found,
            Err(ApiFault { error: ChannelError::Refused { .. }, .. }) => {
                Channel { id: id.to_owned(), ..Channel::default() }
            }
            Err(fault) => return Err(fault.error),
        };
        self.rooms().note(found.clone());
        Ok(found)
    }

    /// A guild, asked for where it is not known.
    pub(super) async fn guild(&self, id: &str) -> Result<GuildFacts, ChannelError> {
        if let Some(known) = self.rooms().guild(id) {
            return Ok(known.clone());
        }
        let found = match self.api.read::<Guild>(Call::get(format!("/guilds/{id}"))).await {
            Ok(found) => found,
            Err(ApiFault { error: ChannelError::Refused { .. }, .. }) => {
                Guild { id: id.to_owned(), ..Guild::default() }
            }
            Err(fault) => return Err(fault.error),
        };
        let mut rooms = self.rooms();
        rooms.enter(&found, &self.us);
        Ok(rooms.guild(id).cloned().unwrap_or_default())
    }

    /// Sees to it that our guilds and their rooms are known: asks once where the gateway has told them to an earlier run.
    pub(super) async fn all_guilds(&self) -> Result<(), ChannelError> {
        self.guilds.get_or_try_init(|| self.ask_for_guilds()).await.copied()
    }

    async fn ask_for_guilds(&self) -> Result<(), ChannelError> {
        let path = format!("/users/@me/guilds?limit={MOST_GUILDS}");
        let guilds: Vec<Guild> = self.api.read(Call::get(path)).await?;
        for guild in guilds {
            // Only the guild itself names our roles.
            self.guild(&guild.id).await?;
            let rooms: Vec<Channel> =
                self.api.read(Call::get(format!("/guilds/{}/channels", guild.id))).await?;
            for room in rooms {
                self.rooms().note(Channel { guild_id: Some(guild.id.clone()), ..room });
            }
        }
        Ok(())
    }

    /// The room of a conversation; a direct chat is opened where it is not.
    pub(super) async fn room_of(&self, home: &Home) -> Result<String, ChannelError> {
        let person = match home {
            Home::Channel(id) => return Ok(id.clone()),
            Home::User(person) => person,
        };
        if let Some(known) = self.rooms().direct(person) {
            return Ok(known.clone());
        }
        let body = json!({ "recipient_id": person });
        let opened: Channel = self.api.read(Call::with(Method::POST, "/users/@me/channels", body)).await?;
        self.rooms().note_direct(person, &opened.id);
        Ok(opened.id)
    }

    /// The room a message of a target is in.
    pub(super) async fn room_with(
        &self,
        target: &SendTarget,
        message: &MessageId,
    ) -> Result<String, ChannelError> {
        let destination = DiscordDestination::of(target).map_err(|reason| ChannelError::Wrong { reason })?;
        self.room_of(&destination.home_of(message)).await
    }

    /// The room of a target; a thread that is still to be made is made.
    pub(super) async fn room(&self, destination: &DiscordDestination) -> Result<String, ChannelError> {
        let room = self.room_of(&destination.home).await?;
        match &destination.aside {
            Aside::ThreadAt(message) => self.thread_at(&room, message).await,
            Aside::None | Aside::Interaction { .. } => Ok(room),
        }
    }

    /// The thread at a message, which has the message's id.
    async fn thread_at(&self, room: &str, message: &str) -> Result<String, ChannelError> {
        if self.rooms().channel(message).is_some() {
            return Ok(message.to_owned());
        }
        let name = self.rooms().thread_name(message).map(str::to_owned);
        let body = json!({ "name": name.unwrap_or_else(|| format!("Thread {message}")) });
        let path = format!("/channels/{room}/messages/{message}/threads");
        match self.api.read::<Channel>(Call::with(Method::POST, path, body)).await {
            Ok(made) => self.rooms().note(made),
            Err(ApiFault { code: THREAD_EXISTS, .. }) => {}
            Err(fault) => return Err(fault.error),
        }
        Ok(message.to_owned())
    }
}
