//! Finds the models of an Ollama server.
//!
//! The list names the models, a question for each tells its context and what it can do. A model without an answer to
//! that stays in the list.

use std::collections::HashMap;

use futures_util::future::join_all;
use openclaw_ports::model::{FaultReason, ModelFault};
use serde_json::json;

use super::answers::Asker;
use super::found::{FoundModel, FoundServer};
use super::servers::LocalServer;
use crate::apis::{OllamaModel, read_ollama_model, read_ollama_models};

/// So many questions at once.
const AT_ONCE: usize = 8;
/// So many models are asked about; the others are listed by name.
const MOST_QUESTIONS: usize = 64;
/// The most context that is asked for unless a model is configured with more: the server sets the memory for all of
/// it aside when the model is loaded.
const MOST_CONTEXT: u64 = 131_072;

/// Looks for the server.
pub(super) async fn look(asker: &Asker<'_>, server: &LocalServer) -> Result<Option<FoundServer>, ModelFault> {
    let body = asker.get(format!("{}/api/tags", server.root)).await?;
    let mut names = Vec::new();
    for model in read_ollama_models(&body)? {
        if !only_embeds(&model) {
            names.push(model.name);
        }
    }
    let told = describe_all(asker, server, &names).await;
    let models = names.iter().filter_map(|name| told.get(name).cloned().or_else(|| guessed(name)));
    Ok(FoundServer::local(server.kind, server.root.clone(), models.collect()))
}

/// What the server tells of its models, by their names. A server that stops answering is not asked on and on.
async fn describe_all(
    asker: &Asker<'_>,
    server: &LocalServer,
    names: &[String],
) -> HashMap<String, FoundModel> {
    let mut told = HashMap::new();
    let asked = &names[..names.len().min(MOST_QUESTIONS)];
    for some in asked.chunks(AT_ONCE) {
        let mut questions = Vec::with_capacity(some.len());
        for name in some {
            questions.push(describe(asker, server, name));
        }
        for answer in join_all(questions).await {
            match answer {
                Ok(Some(model)) => drop(told.insert(model.id.clone(), model)),
                Err(fault) if fault.reason == FaultReason::Timeout => return told,
                Ok(None) | Err(_) => {}
            }
        }
    }
    told
}

async fn describe(
    asker: &Asker<'_>,
    server: &LocalServer,
    name: &str,
) -> Result<Option<FoundModel>, ModelFault> {
    let body = asker.post(format!("{}/api/show", server.root), json!({ "model": name })).await?;
    let shown = read_ollama_model(&body)?;
    let configured = shown.configured_context;
    let context = configured.or(shown.context_window.map(|tokens| tokens.min(MOST_CONTEXT)));
    Ok(guessed(name).map(|guess| FoundModel {
        context,
        sees_images: shown.sees_images.unwrap_or(false),
        thinks: shown.thinks.unwrap_or(guess.thinks),
        ..guess
    }))
}

/// What a name alone tells: families of models that think have it in their names.
fn guessed(name: &str) -> Option<FoundModel> {
    let lower = name.to_ascii_lowercase();
    let thinks = lower.contains("r1") || lower.contains("reasoning");
    FoundModel::on_this_machine(name).map(|model| FoundModel { thinks, ..model })
}

fn only_embeds(model: &OllamaModel) -> bool {
    model.family.as_deref().is_some_and(|family| family.contains("bert"))
}
