//! Makes a line: asks who we are, tells the platform how updates come, and fills the slots.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::channel::{Account, Capability, ChannelContext, ChannelError, Health, Identity, Surface};
use openclaw_types::PeerId;
use serde_json::{Map, json};

use super::api::TelegramApi;
use super::config::{Push, TelegramLogin};
use super::hear::{TOLD, UpdateReader};
use super::memory::Memory;
use super::receive::TelegramReceive;
use super::send::TelegramSend;
use super::slots::{MenuNames, TelegramSlots};
use super::webhook::TelegramWebhook;
use super::wire::{User, WebhookInfo};

/// How often the platform is asked whether it still brings updates to us.
const LOOK: Duration = Duration::from_secs(10 * 60);

/// A bot.
pub(super) struct TelegramAccount {
    login: Arc<TelegramLogin>,
}

impl TelegramAccount {
    pub(super) fn new(login: Arc<TelegramLogin>) -> Self {
        Self { login }
    }
}

#[async_trait]
impl Account for TelegramAccount {
    async fn connect(&self, context: ChannelContext) -> Result<Surface, ChannelError> {
        let login = &self.login;
        let api = TelegramApi::new(login, Arc::clone(&context.clock))?;
        let us: User = api.call("getMe", Map::new()).await?;
        match &login.push {
            Some(push) => bring(&api, push).await?,
            None => ask(&api).await?,
        }
        let identity = identity(&us)?;
        let memory = Arc::new(Memory::new(&context));
        let menu = Arc::new(MenuNames::new(memory.menu().await.names));
        let ears = Arc::new(UpdateReader {
            context: context.clone(),
            api: api.clone(),
            memory: Arc::clone(&memory),
            us: us.clone(),
            buttons: login.buttons,
            menu: Arc::clone(&menu),
        });
        let mut surface = Surface::empty(identity.clone());
        match &login.push {
            Some(push) => {
                surface.webhook = Some(Arc::new(TelegramWebhook::new(ears, push)));
                watch(&context, &api, Arc::clone(login), identity.clone());
            }
            None => {
                let offset = memory.offset().await;
                surface.receive = Some(Box::new(TelegramReceive::new(ears, identity.clone(), offset)));
            }
        }
        surface.send = Some(Arc::new(TelegramSend::new(api.clone(), Arc::clone(&memory), Arc::clone(login))));
        surface.sends = BTreeSet::from([
            Capability::SendMedia,
            Capability::Polls,
            Capability::Buttons,
            Capability::Reply,
        ]);
        TelegramSlots {
            context: context.clone(),
            api,
            memory,
            us: us.clone(),
            login: Arc::clone(login),
            menu,
        }
        .fill(&mut surface);
        context.health.tell(Health::Connected(identity));
        if login.hears_all && us.can_read_all_group_messages == Some(false) {
            let reason = "a group is to be heard without mentions, but the bot's privacy mode hides its messages: turn \
                          it off with /setprivacy at @BotFather, then remove the bot from the group and add it again";
            context.health.tell(Health::Limited { reason: reason.to_owned() });
        }
        Ok(surface)
    }
}

/// Tells the platform to bring updates.
async fn bring(api: &TelegramApi, push: &Push) -> Result<(), ChannelError> {
    let fields = Map::from_iter([
        ("url".to_owned(), json!(push.url)),
        ("secret_token".to_owned(), json!(push.secret.reveal())),
        ("allowed_updates".to_owned(), json!(TOLD)),
    ]);
    Ok(api.order("setWebhook", fields).await?)
}

/// Looks now and then whether the platform still brings updates: a token that was revoked, or a webhook that somebody
/// else took away, is heard of in no other way.
fn watch(context: &ChannelContext, api: &TelegramApi, login: Arc<TelegramLogin>, identity: Identity) {
    let (clock, health, api) = (Arc::clone(&context.clock), Arc::clone(&context.health), api.clone());
    context.tasks.start_cancellable("watch the webhook", async move {
        let Some(push) = &login.push else { return };
        let mut is_up = true;
        loop {
            clock.sleep(LOOK).await;
            match still_brings(&api, push).await {
                Ok(()) if is_up => {}
                Ok(()) => {
                    is_up = true;
                    health.tell(Health::Connected(identity.clone()));
                }
                // The host makes the line again when it stays so.
                Err(error) => {
                    is_up = false;
                    health.tell(Health::Reconnecting { reason: error.to_string() });
                }
            }
        }
    });
}

/// Sees to it that updates come here.
async fn still_brings(api: &TelegramApi, push: &Push) -> Result<(), ChannelError> {
    let info: WebhookInfo = api.call("getWebhookInfo", Map::new()).await?;
    if info.url != push.url {
        tracing::warn!(subsystem = "channels", "somebody else changed the bot's webhook; it is set again");
        bring(api, push).await?;
    }
    Ok(())
}

/// Sees to it that the platform lets us ask for updates.
async fn ask(api: &TelegramApi) -> Result<(), ChannelError> {
    let info: WebhookInfo = api.call("getWebhookInfo", Map::new()).await?;
    if !info.url.is_empty() {
        api.order("deleteWebhook", Map::new()).await?;
    }
    Ok(())
}

fn identity(us: &User) -> Result<Identity, ChannelError> {
    let id =
        PeerId::new(us.id.to_string()).map_err(|error| ChannelError::Wrong { reason: error.to_string() })?;
    Ok(Identity {
        id,
        handle: us.username.clone(),
        name: Some(us.first_name.clone()).filter(|name| !name.is_empty()),
        facts: json!({
            "canJoinGroups": us.can_join_groups,
            "canReadAllGroupMessages": us.can_read_all_group_messages,
            "supportsInlineQueries": us.supports_inline_queries,
            "hasTopicsEnabled": us.has_topics_enabled,
        }),
    })
}
