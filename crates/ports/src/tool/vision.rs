//! Having a model look at pictures, for the `image` tool and for models that cannot see.

use async_trait::async_trait;
use openclaw_types::{AgentId, Image};

use super::ToolContext;

/// Asks a model that sees.
#[async_trait]
pub trait Vision: Send + Sync {
    /// Whether any model that sees is set up for an agent.
    fn is_ready(&self, agent: &AgentId) -> bool;

    /// Asks about pictures and gives the answer. Counted and limited like every call of a model.
    async fn ask(&self, context: &ToolContext, question: PictureQuestion) -> Result<String, VisionFault>;
}

/// A question about pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureQuestion {
    /// What is asked.
    pub prompt: String,
    /// The pictures.
    pub pictures: Vec<Image>,
    /// The model, where somebody chose one.
    pub model: Option<String>,
}

/// Why there is no answer. The text is for the model, without secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct VisionFault(pub String);
