//! What can be done on the platform beside sending pieces, one file for each kind of deed.

mod actions;
mod change;
mod directory;
mod fetch;
mod menu;
mod probe;
mod show;

use std::sync::Arc;

use openclaw_ports::channel::{ChannelContext, Surface};

use super::api::TelegramApi;
use super::config::TelegramLogin;
use super::memory::Memory;
use super::wire::User;

pub(super) use menu::MenuNames;
#[cfg(test)]
pub(super) use menu::entries;

/// What the slots of one line share.
#[derive(Clone)]
pub(super) struct TelegramSlots {
    pub(super) context: ChannelContext,
    pub(super) api: TelegramApi,
    pub(super) memory: Arc<Memory>,
    pub(super) us: User,
    pub(super) login: Arc<TelegramLogin>,
    pub(super) menu: Arc<MenuNames>,
}

impl TelegramSlots {
    /// Fills the slots of a surface.
    pub(super) fn fill(self, surface: &mut Surface) {
        let all = Arc::new(self);
        surface.edit = Some(Arc::clone(&all) as _);
        surface.delete = Some(Arc::clone(&all) as _);
        surface.react = Some(Arc::clone(&all) as _);
        surface.typing = Some(Arc::clone(&all) as _);
        surface.draft = Some(Arc::clone(&all) as _);
        surface.threads = Some(Arc::clone(&all) as _);
        surface.fetch = Some(Arc::clone(&all) as _);
        surface.directory = Some(Arc::clone(&all) as _);
        surface.menu = Some(Arc::clone(&all) as _);
        surface.probe = Some(Arc::clone(&all) as _);
        surface.actions = Some(Arc::new(actions::TelegramActions::new(all)));
    }
}
