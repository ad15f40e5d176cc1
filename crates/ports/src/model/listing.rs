//! What surfaces may know about models and limits without knowing the engine that decides about them.

use std::sync::Arc;

use openclaw_types::{ModelRef, UnixMillis};

use super::ModelCatalog;
use crate::stores::Limit;

/// Says which models there are and which of them people may choose.
pub trait ModelListing: Send + Sync {
    /// Every model, as of now. The same `Arc` as long as nothing changed.
    fn catalog(&self) -> Arc<ModelCatalog>;

    /// The models people may choose, in the order of the configuration; any model when empty.
    fn allowed(&self) -> Vec<ModelRef>;
}

/// Says which limits on spending hold.
pub trait SpendingLimits: Send + Sync {
    /// The limits at a moment: the total before single agents, days before months.
    fn limits(&self, now: UnixMillis) -> Vec<OpenLimit>;
}

/// A limit and the end of its stretch of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenLimit {
    /// The limit.
    pub limit: Limit,
    /// When counting starts anew.
    pub resets_at: UnixMillis,
}
