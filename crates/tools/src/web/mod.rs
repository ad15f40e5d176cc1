//! Tools for the web: `web_fetch` reads a page, `web_search` asks a search service.
//!
//! Both go through `ports::tool::WebClient`, which refuses everything that is not the public internet. What comes back
//! is fenced as something from outside.

mod cache;
mod charset;
mod extract;
mod fetch;
mod search;

use std::sync::Arc;

use openclaw_config::Environment;
use openclaw_ports::Clock;
use openclaw_ports::tool::{Tool, WebClient};

use crate::files::PatchSettings;

/// What the web tools need.
#[derive(Clone)]
pub(crate) struct WebHandles {
    pub(crate) client: Arc<dyn WebClient>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) settings: PatchSettings,
    pub(crate) environment: Environment,
}

/// The tools of this folder.
pub(crate) fn tools(handles: &WebHandles) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(search::SearchTool::new(handles.clone())), Arc::new(fetch::FetchTool::new(handles.clone()))]
}
