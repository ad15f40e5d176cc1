//! The files of a workspace that we know by name, and their first contents.

/// How the agent works.
pub(crate) const AGENTS: &str = "AGENTS.md";
/// Who the agent is.
pub(crate) const SOUL: &str = "SOUL.md";
/// Notes about the place.
pub(crate) const TOOLS: &str = "TOOLS.md";
/// The agent's card.
pub(crate) const IDENTITY: &str = "IDENTITY.md";
/// The agent's person.
pub(crate) const USER: &str = "USER.md";
/// What is looked at now and then.
pub(crate) const HEARTBEAT: &str = "HEARTBEAT.md";
/// The first day.
pub(crate) const BOOTSTRAP: &str = "BOOTSTRAP.md";
/// What stays true.
pub(crate) const MEMORY: &str = "MEMORY.md";
/// The same, as some people write it.
pub(crate) const MEMORY_LOWER: &str = "memory.md";
/// The folder of daily notes.
pub(crate) const MEMORY_FOLDER: &str = "memory";

/// The repository of a workspace.
pub(crate) const GIT: &str = ".git";

/// What else says how a workspace stands.
pub(crate) const OTHERS: [&str; 5] = [BOOTSTRAP, MEMORY, MEMORY_LOWER, MEMORY_FOLDER, GIT];

/// The files that every workspace has, in the order in which a model reads them.
pub(crate) const STANDING: [&str; 6] = [AGENTS, SOUL, TOOLS, IDENTITY, USER, HEARTBEAT];

/// What a file says when it is made.
pub(crate) fn first_text(name: &str) -> Option<&'static str> {
    match name {
        AGENTS => Some(include_str!("templates/AGENTS.md")),
        SOUL => Some(include_str!("templates/SOUL.md")),
        TOOLS => Some(include_str!("templates/TOOLS.md")),
        IDENTITY => Some(include_str!("templates/IDENTITY.md")),
        USER => Some(include_str!("templates/USER.md")),
        HEARTBEAT => Some(include_str!("templates/HEARTBEAT.md")),
        BOOTSTRAP => Some(include_str!("templates/BOOTSTRAP.md")),
        _ => None,
    }
}
