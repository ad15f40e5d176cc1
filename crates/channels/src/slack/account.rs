//! One account: checks its credentials and makes the line.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::channel::{Account, Capability, ChannelContext, ChannelError, Health, Identity, Surface};
use openclaw_types::PeerId;
use serde_json::{Value, json};

use super::actions::SlackActions;
use super::api::{As, SlackApi, SlackArguments};
use super::config::{Mode, SlackLogin};
use super::directory::SlackDirectory;
use super::fetch::SlackFetch;
use super::intake::Intake;
use super::known::SlackKnown;
use super::normalize::Us;
use super::receive::{SlackReceive, open};
use super::send::{Desk, SlackChange, SlackDraft, SlackSend, Streams};
use super::webhook::SlackWebhook;
use crate::shared::AccountMemory;

/// An account that can be connected.
pub(super) struct SlackAccount {
    login: Arc<SlackLogin>,
}

impl SlackAccount {
    /// An account with these credentials.
    pub(super) fn new(login: Arc<SlackLogin>) -> Self {
        Self { login }
    }
}

#[async_trait]
impl Account for SlackAccount {
    async fn connect(&self, context: ChannelContext) -> Result<Surface, ChannelError> {
        let api = SlackApi::new(Arc::clone(&self.login), Arc::clone(&context.clock))?;
        let answer = api.call(As::Us, "auth.test", SlackArguments::default()).await?;
        let (us, identity) = who(&answer)?;
        let us = Arc::new(us);
        let known = SlackKnown::new(Arc::clone(&context.clock));
        let kept = Arc::new(AccountMemory::new(&context));
        let knows = (known.clone(), Arc::clone(&kept));
        let intake = Intake::new(context.clone(), api.clone(), knows, Arc::clone(&us));
        let mut surface = Surface::empty(identity.clone());
        match (self.login.mode, &self.login.signing) {
            (Mode::Http, Some(secret)) => {
                let path = self.login.path.clone();
                let clock = Arc::clone(&context.clock);
                surface.webhook = Some(Arc::new(SlackWebhook::new(path, secret.clone(), clock, intake)));
            }
            (Mode::Http, None) => {
                return Err(ChannelError::Wrong { reason: "the account has no signing secret".into() });
            }
            (Mode::Socket, _) => {
                let line = open(&api, &context).await?;
                let receive = SlackReceive::new(context.clone(), api.clone(), intake, (identity, line));
                surface.receive = Some(Box::new(receive));
            }
        }
        let desk = Desk { api, known, clock: Arc::clone(&context.clock), us, kept };
        let streams = Streams::new(Arc::clone(&context.state), context.namespace.clone());
        streams.clear(&desk).await;
        fill(&mut surface, &desk, (&context, streams));
        let directory = SlackDirectory::new(desk.api.clone(), Arc::clone(&desk.us), Arc::clone(&desk.clock));
        surface.named_rooms = directory.named(&self.login.named).await;
        context.health.tell(Health::Connected(surface.identity.clone()));
        Ok(surface)
    }
}

fn fill(surface: &mut Surface, desk: &Desk, (context, streams): (&ChannelContext, Streams)) {
    let change = Arc::new(SlackChange::new(desk.clone()));
    let directory =
        Arc::new(SlackDirectory::new(desk.api.clone(), Arc::clone(&desk.us), Arc::clone(&desk.clock)));
    surface.send = Some(Arc::new(SlackSend::new(desk.clone(), streams.clone())));
    surface.sends = [Capability::SendMedia, Capability::Buttons, Capability::Reply].into();
    surface.edit = Some(change.clone());
    surface.delete = Some(change.clone());
    surface.react = Some(change.clone());
    surface.typing = Some(change.clone());
    surface.threads = Some(change);
    surface.draft = Some(Arc::new(SlackDraft::new(desk.clone(), streams)));
    surface.fetch = Some(Arc::new(SlackFetch::new(desk.api.clone(), context.media.clone())));
    surface.directory = Some(directory.clone());
    surface.probe = Some(directory);
    surface.actions = Some(Arc::new(SlackActions::new(desk.clone())));
}

/// Who we are, as `auth.test` tells.
fn who(answer: &Value) -> Result<(Us, Identity), ChannelError> {
    let text = |key: &str| answer[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let unclear = || ChannelError::Refused { reason: "auth.test: Slack does not say who we are".into() };
    let user = text("user_id").ok_or_else(unclear)?;
    let id = PeerId::new(&user).map_err(|_wrong| unclear())?;
    let us = Us {
        user,
        bot: text("bot_id"),
        team: text("team_id"),
        many_teams: answer["is_enterprise_install"] == Value::Bool(true),
    };
    let facts = json!({
        "team": { "id": answer["team_id"], "name": answer["team"] },
        "botId": answer["bot_id"],
        "url": answer["url"],
    });
    Ok((us, Identity { id, handle: text("user"), name: text("user"), facts }))
}
