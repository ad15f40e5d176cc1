//! What a connected account can do, apart from receiving: the slots of its `Surface`, shared by all who use the line.

use std::sync::Arc;

use openclaw_ports::channel::{
    Actions, DeleteMessage, Draft, EditMessage, FetchMedia, Login, Probe, React, Receive, SendMessage,
    Surface, Threads, Typing,
};

/// The slots of a line that is up.
pub(crate) struct Slots {
    pub(crate) send: Option<Arc<dyn SendMessage>>,
    pub(crate) edit: Option<Arc<dyn EditMessage>>,
    pub(crate) delete: Option<Arc<dyn DeleteMessage>>,
    pub(crate) react: Option<Arc<dyn React>>,
    pub(crate) typing: Option<Arc<dyn Typing>>,
    pub(crate) draft: Option<Arc<dyn Draft>>,
    pub(crate) threads: Option<Arc<dyn Threads>>,
    pub(crate) actions: Option<Arc<dyn Actions>>,
    pub(crate) fetch: Option<Arc<dyn FetchMedia>>,
    pub(crate) login: Option<Arc<dyn Login>>,
    pub(crate) probe: Option<Arc<dyn Probe>>,
}

impl Slots {
    /// Takes a surface apart: who listens, and everything else.
    pub(super) fn of(surface: Surface) -> (Option<Box<dyn Receive>>, Self) {
        let slots = Self {
            send: surface.send,
            edit: surface.edit,
            delete: surface.delete,
            react: surface.react,
            typing: surface.typing,
            draft: surface.draft,
            threads: surface.threads,
            actions: surface.actions,
            fetch: surface.fetch,
            login: surface.login,
            probe: surface.probe,
        };
        (surface.receive, slots)
    }
}
