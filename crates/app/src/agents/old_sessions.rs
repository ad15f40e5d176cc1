//! Which lists of sessions an earlier installation may have left. Pure.
//!
//! The gateway takes them over when it starts, the command line before it answers without a gateway.

use std::path::{Path, PathBuf};

use openclaw_config::{AgentPlaces, Config, SessionList};
use openclaw_session::ImportOrder;

/// What there may be to take over, each list once; the files need not be there.
#[must_use]
pub fn old_sessions(config: &Config, state_dir: &Path) -> Vec<ImportOrder> {
    let lists = config.places.session_lists(state_dir, &config.agents);
    let order = |list: SessionList| {
        let agent = list.agents.first()?.clone();
        // A list that was moved may name transcripts that stayed in the usual folders.
        let usual = list.agents.iter().map(|agent| AgentPlaces::usual_sessions_dir(state_dir, agent));
        let further: Vec<PathBuf> =
            usual.filter(|folder| list.path.parent() != Some(folder.as_path())).collect();
        Some(ImportOrder { agent, list: list.path, further })
    };
    lists.into_iter().filter_map(order).collect()
}
