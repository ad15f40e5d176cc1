//! How much of their allowance vendors say is used: the contract between the surfaces and `providers::quota`.
//!
//! Vendors that sell by subscription count in windows of time. What calls cost in money is in `stores::usage`.

use async_trait::async_trait;
use openclaw_types::{ProviderId, UnixMillis};

/// Asks vendors how much of their allowance is used.
#[async_trait]
pub trait Quotas: Send + Sync {
    /// What vendors say, ordered by vendor. Only those that tell and that we can sign in at are in it; one that does
    /// not answer is in it with its `error`. Takes seconds at most, and asks vendors only now and then.
    async fn report(&self) -> Vec<ProviderQuota>;
}

/// What one vendor says.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderQuota {
    /// The vendor.
    pub provider: ProviderId,
    /// Its name for people.
    pub display_name: String,
    /// Its allowances.
    pub windows: Vec<QuotaWindow>,
    /// What was bought, in the vendor's words.
    pub plan: Option<String>,
    /// Why there is no answer. Holds no secret.
    pub error: Option<String>,
}

/// An allowance for a stretch of time or a kind of use.
#[derive(Debug, Clone, PartialEq)]
pub struct QuotaWindow {
    /// Which one, in a word.
    pub label: String,
    /// How much is used, from 0 to 100.
    pub used_percent: f64,
    /// When it is full again.
    pub reset_at: Option<UnixMillis>,
}
