//! Finds models that no list can know: servers on this machine, and lists that vendors publish.
//!
//! Asking goes through the transport with short deadlines; reading is pure, lenient and bounded, because anything may
//! listen on a port. What was found is given to `Catalog::build`; when to look is the caller's business.

mod answers;
mod bedrock;
mod found;
mod llama_cpp;
mod lm_studio;
mod ollama;
mod openrouter;
mod servers;
mod vllm;

#[cfg(test)]
mod tests;

use futures_util::future::join_all;
use openclaw_ports::model::ServerReach;

pub use bedrock::{BedrockQuestion, ask_bedrock};
pub use found::{FoundModel, FoundServer};
pub use openrouter::{RouterModel, ask_openrouter, read_openrouter};
pub use servers::{LocalServer, LocalServerKind, LocalServers};

use crate::transport::Transport;
use answers::Asker;

/// Looks at every address at once and tells which model servers listen there. An address where nothing listens, or
/// something that is no model server, is left out. Takes a few seconds at most; dropping it stops looking.
pub async fn find_local(transport: &Transport, servers: &LocalServers) -> Vec<FoundServer> {
    let mut looks = Vec::with_capacity(servers.all.len());
    for server in &servers.all {
        looks.push(look(transport, server));
    }
    join_all(looks).await.into_iter().flatten().collect()
}

async fn look(transport: &Transport, server: &LocalServer) -> Option<FoundServer> {
    let asker = Asker::new(transport, server.key.as_ref(), ServerReach::Anywhere);
    let found = match server.kind {
        LocalServerKind::Ollama => ollama::look(&asker, server).await,
        LocalServerKind::LmStudio => lm_studio::look(&asker, server).await,
        LocalServerKind::Vllm => vllm::look(&asker, server).await,
        LocalServerKind::LlamaCpp => llama_cpp::look(&asker, server).await,
    };
    match found {
        Ok(found) => found,
        Err(fault) => {
            tracing::debug!(
                subsystem = "models",
                server = server.kind.provider(),
                reason = fault.reason.as_str(),
                "no model server found"
            );
            None
        }
    }
}
