//! Makes the line of an account: checks the token, opens the gateway, fills the slots.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::Clock;
use openclaw_ports::channel::{
    Account, Capability, ChannelContext, ChannelError, Health, Identity, Probe, Surface,
};
use openclaw_types::PeerId;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::actions::DiscordActions;
use super::config::DiscordLogin;
use super::directory::DiscordDirectory;
use super::gateway::{Gate, Intents, limited};
use super::known::{DiscordKnown, Own, Session};
use super::media::DiscordMedia;
use super::menu::DiscordMenu;
use super::named::named_rooms;
use super::receive::{Begun, DiscordReceive, keep, kept};
use super::rest::{ApiSettings, Call, DiscordApi};
use super::send::{Answers, DiscordSend};
use super::slots::DiscordSlots;
use super::wire::{Application, User};
use crate::shared::{AccountMemory, Http, HttpSettings};

/// An account.
pub(super) struct DiscordAccount {
    login: Arc<DiscordLogin>,
}

impl DiscordAccount {
    pub(super) fn new(login: Arc<DiscordLogin>) -> Self {
        Self { login }
    }

    fn api(&self, clock: &Arc<dyn Clock>) -> Result<DiscordApi, ChannelError> {
        let settings = HttpSettings { proxy: self.login.proxy.clone(), ..HttpSettings::default() };
        let http = Http::new(Arc::clone(clock), &settings)?;
        let settings = ApiSettings { root: self.login.root.clone(), token: self.login.token.clone() };
        Ok(DiscordApi::new(http, settings, Arc::clone(clock)))
    }
}

#[async_trait]
impl Account for DiscordAccount {
    async fn connect(&self, context: ChannelContext) -> Result<Surface, ChannelError> {
        let api = self.api(&context.clock)?;
        let user: User = api.read(Call::get("/users/@me")).await?;
        let application: Application = api.read(Call::get("/applications/@me")).await?;
        let (intents, missing) = Intents::choose(self.login.wants, application.flags);
        let mut gate = Gate {
            api: api.clone(),
            login: Arc::clone(&self.login),
            clock: Arc::clone(&context.clock),
            health: Arc::clone(&context.health),
            us: user.id.clone(),
            intents,
        };
        let noted = kept(&context).await.filter(|noted| gate.fits(noted));
        let (opened, session) = match noted {
            // A session that cannot be reached now is not over: the host tries again, and loses nothing that came
            // meanwhile.
            Some(noted) => (gate.resume(noted).await?, Session::TakenUp),
            None => (gate.fresh().await?, Session::New),
        };
        keep(&context, &opened.resume).await;
        let identity = identity(&user, &application)?;
        let named_rooms = named_rooms(&api, &self.login.named).await;
        let (presence, shown) = mpsc::channel(8);
        let answers =
            Answers::new(Arc::clone(&context.state), context.namespace.clone(), Arc::clone(&context.clock));
        let kept = AccountMemory::new(&context);
        let own = Own { us: user.id, application: application.id, answers, presence, kept, session };
        let known = Arc::new(DiscordKnown::new(api, Arc::clone(&self.login), own));
        let mut surface = surface(&context, &known, identity.clone());
        surface.named_rooms = named_rooms;
        let begun = Begun { gate, opened, identity: identity.clone(), presence: shown };
        context.health.tell(Health::Connected(identity));
        if !missing.is_empty() {
            context.health.tell(Health::Limited { reason: limited(&missing) });
        }
        surface.receive = Some(Box::new(DiscordReceive::new(context, known, begun)));
        Ok(surface)
    }
}

fn surface(context: &ChannelContext, known: &Arc<DiscordKnown>, identity: Identity) -> Surface {
    let slots = Arc::new(DiscordSlots::new(Arc::clone(known)));
    let mut surface = Surface::empty(identity);
    surface.send = Some(Arc::new(DiscordSend::new(Arc::clone(known))));
    surface.sends = [
        Capability::Polls,
        Capability::SendMedia,
        Capability::Buttons,
        Capability::Panels,
        Capability::Reply,
    ]
    .into();
    surface.edit = Some(Arc::clone(&slots) as _);
    surface.delete = Some(Arc::clone(&slots) as _);
    surface.react = Some(Arc::clone(&slots) as _);
    surface.typing = Some(Arc::clone(&slots) as _);
    surface.waiting = Some(Arc::clone(&slots) as _);
    surface.threads = Some(slots as _);
    surface.fetch = Some(Arc::new(DiscordMedia::new(Arc::clone(known), context.media.clone())));
    surface.directory = Some(Arc::new(DiscordDirectory::new(Arc::clone(known))));
    surface.menu = Some(Arc::new(DiscordMenu::new(Arc::clone(known))));
    surface.actions = Some(Arc::new(DiscordActions::new(Arc::clone(known))));
    surface.probe =
        Some(Arc::new(DiscordProbe { known: Arc::clone(known), clock: Arc::clone(&context.clock) }));
    surface
}

fn identity(user: &User, application: &Application) -> Result<Identity, ChannelError> {
    let id = PeerId::new(&user.id).map_err(|error| ChannelError::Wrong { reason: error.to_string() })?;
    Ok(Identity {
        id,
        handle: Some(user.username.clone()),
        name: user.global_name.clone().or_else(|| Some(user.username.clone())),
        facts: json!({ "applicationId": application.id }),
    })
}

/// Asks who we are and what is switched on for us.
struct DiscordProbe {
    known: Arc<DiscordKnown>,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Probe for DiscordProbe {
    async fn probe(&self) -> Result<Value, ChannelError> {
        let began = self.clock.elapsed();
        let user: User = self.known.api.read(Call::get("/users/@me")).await?;
        let took = self.clock.elapsed().saturating_sub(began);
        let application: Application = self.known.api.read(Call::get("/applications/@me")).await?;
        let intent = |full: u64, small: u64| match application.flags {
            flags if flags & full != 0 => "enabled",
            flags if flags & small != 0 => "limited",
            _ => "disabled",
        };
        Ok(json!({
            "ok": true,
            "elapsedMs": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "bot": { "id": user.id, "username": user.username },
            "application": {
                "id": application.id,
                "flags": application.flags,
                "intents": {
                    "presence": intent(1 << 12, 1 << 13),
                    "guildMembers": intent(1 << 14, 1 << 15),
                    "messageContent": intent(1 << 18, 1 << 19),
                },
            },
        }))
    }
}
