//! Fills the platforms' menus of commands: when a line comes up, and when the settings change.
//!
//! What a menu holds is decided by `commands.native` and the same key of the channel and of the account; a menu that is
//! switched off is emptied. What an adapter adds of its own, and which names its platform takes, is its business.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use openclaw_config::sections::ToggleOrAuto;
use openclaw_config::{CommandSettings, Config};
use openclaw_inbound::commands::{Dock, ListedCommand, dock_commands, list_commands};
use openclaw_ports::Deadline;
use openclaw_ports::channel::{Capability, ChannelDescriptor, CommandEntry};
use openclaw_types::{AccountId, ChannelId};
use serde_json::Value;

use super::{AccountSlots, own_part};
use crate::flow::{Flow, Inner};

/// How long a platform has to take a menu; the menus of other accounts wait.
const PUBLISHING: Duration = Duration::from_secs(60);

/// What was published on which line.
type Published = BTreeMap<(ChannelId, AccountId), (Weak<AccountSlots>, Vec<CommandEntry>)>;

/// Keeps the menus in step with lines and settings, as long as the flow lives.
pub(crate) fn keep_menus(flow: &Arc<Inner>) {
    let channel_accounts = &flow.parts.channels;
    let mut changes = channel_accounts.changes();
    let flow = Arc::downgrade(flow);
    channel_accounts.tasks().start_cancellable("command menus", async move {
        let mut published = Published::new();
        loop {
            let Some(flow) = flow.upgrade() else { return };
            publish(&flow, &mut published).await;
            drop(flow);
            if changes.changed().await.is_err() {
                return;
            }
        }
    });
}

async fn publish(flow: &Inner, published: &mut Published) {
    let config = flow.settings();
    let docks = docks(flow);
    for (channel, account, slots) in flow.parts.channels.live() {
        let Some(menu) = &slots.menu else { continue };
        let commands = commands((&config, &docks), &channel, &account);
        let key = (channel, account);
        let line = Arc::downgrade(&slots);
        let is_known =
            published.get(&key).is_some_and(|(known, held)| known.ptr_eq(&line) && *held == commands);
        if is_known {
            continue;
        }
        let clock = flow.parts.clock.as_ref();
        let done = Deadline::after(clock, PUBLISHING).bound(clock, menu.publish(&commands)).await;
        let failed = done.map_or_else(|late| Some(late.to_string()), |done| Some(done.err()?.to_string()));
        // A menu that could not be filled is tried again when the line comes up next, or the settings change.
        if let Some(error) = failed {
            tracing::warn!(subsystem = "channels", channel = %key.0, account = %key.1, %error, "the menu of commands could not be filled");
        }
        published.insert(key, (line, commands));
    }
}

/// What the menu of an account holds.
fn commands(
    (config, docks): (&Config, &[Dock]),
    channel: &ChannelId,
    account: &AccountId,
) -> Vec<CommandEntry> {
    if !is_wanted(config, channel, account) {
        return Vec::new();
    }
    listed(config, docks).iter().filter_map(entry).collect()
}

impl Flow {
    /// Every command that can be given here.
    #[must_use]
    pub fn commands(&self) -> Vec<ListedCommand> {
        listed(&self.inner().settings(), &docks(self.inner()))
    }
}

fn listed(config: &Config, docks: &[Dock]) -> Vec<ListedCommand> {
    let mut all = list_commands(&CommandSettings::resolve(&config.raw));
    all.extend(dock_commands(docks));
    all
}

/// The platforms that answers can be sent to: those with a menu where somebody has an identity.
pub(crate) fn docks(flow: &Inner) -> Vec<Dock> {
    let config = flow.settings();
    let ids = || config.session.identity_links.iter().flat_map(|link| &link.ids);
    let is_linked = |platform: &ChannelDescriptor| {
        ids().any(|id| id.split_once(':').is_some_and(|(channel, _)| platform.is_called(channel.trim())))
    };
    let kinds = flow.parts.channels.kinds().into_iter();
    let can = kinds.filter(|kind| kind.capabilities.contains(&Capability::NativeCommands));
    can.filter(|kind| is_linked(kind)).map(|kind| Dock { channel: kind.id, label: kind.label }).collect()
}

fn entry(command: &ListedCommand) -> Option<CommandEntry> {
    let choices = command.args.first().map(|argument| argument.choices.as_slice()).unwrap_or_default();
    Some(CommandEntry {
        name: command.native_name.as_deref()?.to_owned(),
        description: command.description.clone().into_owned(),
        choices: choices.iter().map(|choice| choice.value.to_owned()).collect(),
        takes_words: command.accepts_args,
    })
}

/// Whether the account, its channel or all of them want a menu; `auto` means yes, where there is one.
fn is_wanted(config: &Config, channel: &ChannelId, account: &AccountId) -> bool {
    let section = config.raw.channels.get(channel.as_str()).map(|section| section.value());
    let switch = |settings: &Value| settings.get("commands")?.get("native").cloned();
    let own =
        section.and_then(|section| own_part(section, account)).and_then(|(_, settings)| switch(settings));
    match own.or_else(|| section.and_then(switch)) {
        Some(Value::Bool(wanted)) => wanted,
        _ => !matches!(
            config.raw.commands.as_ref().and_then(|commands| commands.native.as_ref()),
            Some(ToggleOrAuto::Switch(false))
        ),
    }
}
