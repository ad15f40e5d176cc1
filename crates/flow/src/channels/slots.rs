//! What a connected account can do, apart from receiving: the slots of its `Surface`, shared by all who use the line.

use std::sync::Arc;

use openclaw_ports::channel::{
    Actions, CommandMenu, DeleteMessage, Directory, Draft, EditMessage, FetchMedia, Probe, React, Receive,
    SendMessage, Surface, Threads, Typing, Waiting, Webhook,
};

/// The slots of a line that is up.
pub(crate) struct AccountSlots {
    pub(crate) send: Option<Arc<dyn SendMessage>>,
    pub(crate) edit: Option<Arc<dyn EditMessage>>,
    pub(crate) delete: Option<Arc<dyn DeleteMessage>>,
    pub(crate) react: Option<Arc<dyn React>>,
    pub(crate) typing: Option<Arc<dyn Typing>>,
    pub(crate) draft: Option<Arc<dyn Draft>>,
    pub(crate) waiting: Option<Arc<dyn Waiting>>,
    pub(crate) threads: Option<Arc<dyn Threads>>,
    pub(crate) fetch: Option<Arc<dyn FetchMedia>>,
    pub(crate) probe: Option<Arc<dyn Probe>>,
    pub(crate) actions: Option<Arc<dyn Actions>>,
    pub(crate) directory: Option<Arc<dyn Directory>>,
    pub(crate) webhook: Option<Arc<dyn Webhook>>,
    pub(crate) menu: Option<Arc<dyn CommandMenu>>,
}

impl AccountSlots {
    /// Takes a surface apart: who listens, and everything else.
    pub(super) fn of(surface: Surface) -> (Option<Box<dyn Receive>>, Self) {
        let slots = Self {
            send: surface.send,
            edit: surface.edit,
            delete: surface.delete,
            react: surface.react,
            typing: surface.typing,
            draft: surface.draft,
            waiting: surface.waiting,
            threads: surface.threads,
            fetch: surface.fetch,
            probe: surface.probe,
            actions: surface.actions,
            directory: surface.directory,
            webhook: surface.webhook,
            menu: surface.menu,
        };
        (surface.receive, slots)
    }
}
