//! The tools there are, made from the handles there are: a tool whose handle is missing does not exist.
//!
//! A new tool family is a folder and a line here. Which of the tools an agent may call, and which of them the
//! configuration takes away, is the policy's business.

use std::sync::Arc;

use openclaw_config::{Config, Environment};
use openclaw_ports::Clock;
use openclaw_ports::tool::{CommandHost, GatewayControl, Messenger, SessionDesk, Tool, Vision, WebClient};

use crate::files::{self, FileHandles, ProtectedPlaces};
use crate::image::{ImageHandles, ImageTool};
use crate::runtime;
use crate::web::{self, WebHandles};
use crate::{gateway, messaging, sessions};

/// What tools are made from.
#[derive(Clone)]
pub struct ToolHandles {
    /// The configuration as it is when a tool is called.
    pub settings: Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
    /// The variables, and what `~` stands for.
    pub environment: Environment,
    /// What file tools never touch.
    pub protected: ProtectedPlaces,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The web.
    pub web: Option<Arc<dyn WebClient>>,
    /// Commands.
    pub commands: Option<Arc<dyn CommandHost>>,
    /// Sessions and sub-agents.
    pub sessions: Option<Arc<dyn SessionDesk>>,
    /// Messages to people.
    pub messenger: Option<Arc<dyn Messenger>>,
    /// The gateway itself.
    pub control: Option<Arc<dyn GatewayControl>>,
    /// Models that see.
    pub vision: Option<Arc<dyn Vision>>,
}

/// All tools that the handles allow.
#[must_use]
pub fn tools(handles: &ToolHandles) -> Vec<Arc<dyn Tool>> {
    let file_handles = FileHandles {
        protected: handles.protected.clone().with_settings(&handles.settings),
        home: handles.environment.home().to_owned(),
    };
    let mut all = files::tools(&file_handles, &handles.settings);
    if let Some(host) = &handles.commands {
        all.extend(runtime::tools(host, &handles.clock));
    }
    if let Some(client) = &handles.web {
        all.extend(web::tools(&WebHandles {
            client: client.clone(),
            clock: handles.clock.clone(),
            settings: handles.settings.clone(),
            environment: handles.environment.clone(),
        }));
    }
    if let Some(vision) = &handles.vision {
        let image = ImageHandles { vision: vision.clone(), files: file_handles, web: handles.web.clone() };
        all.push(Arc::new(ImageTool::new(image)));
    }
    if let Some(desk) = &handles.sessions {
        all.extend(sessions::tools(desk));
    }
    if let Some(messenger) = &handles.messenger {
        all.extend(messaging::tools(messenger));
    }
    if let Some(control) = &handles.control {
        all.extend(gateway::tools(control, &handles.settings));
    }
    all
}

#[cfg(test)]
mod tests;
