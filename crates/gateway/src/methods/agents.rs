//! `agents.*`, `agent.identity.get`, `tools.catalog` and `commands.list`: who answers people, with what, and how they present themselves.
//!
//! `services` is what the gateway is given to answer people with; `list` shows agents, `change` makes and removes them,
//! `removal` says what goes with them, `files` opens their workspaces to people, `tools` shows what they can use, `commands` what people can type.

mod change;
mod commands;
mod files;
mod list;
mod removal;
mod services;
mod tools;

use std::sync::Arc;

use openclaw_protocol::methods::agents::{
    AgentIdentityGet, AgentsCreate, AgentsDelete, AgentsFilesGet, AgentsFilesList, AgentsFilesSet,
    AgentsList, AgentsUpdate,
};
use openclaw_protocol::methods::catalog::{CommandsList, ToolsCatalog};

pub use removal::AgentRemoval;
pub use services::AgentServices;
pub(crate) use services::run_id;

use super::registry::Registry;

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind::<AgentsList, _, _>(move |_, _| std::future::ready(list::list(&known)));
    let known = Arc::clone(services);
    registry.bind::<AgentIdentityGet, _, _>(move |_, params| list::identity(Arc::clone(&known), params));
    let known = Arc::clone(services);
    registry.bind::<AgentsCreate, _, _>(move |call, params| change::create(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<AgentsUpdate, _, _>(move |call, params| change::update(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<AgentsDelete, _, _>(move |call, params| change::delete(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<AgentsFilesList, _, _>(move |_, params| files::list(Arc::clone(&known), params));
    let known = Arc::clone(services);
    registry.bind::<AgentsFilesGet, _, _>(move |_, params| files::get(Arc::clone(&known), params));
    let known = Arc::clone(services);
    registry.bind::<AgentsFilesSet, _, _>(move |call, params| files::set(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<ToolsCatalog, _, _>(move |_, params| std::future::ready(tools::catalog(&known, &params)));
    let known = Arc::clone(services);
    registry.bind::<CommandsList, _, _>(move |_, params| std::future::ready(commands::list(&known, &params)));
}
