//! Takes apart what a person wrote for a model: vendor, model, and the sign-in to use.
//!
//! Knows nothing of aliases for whole references and of the catalog; `names` does.

use openclaw_ports::model::{normal_model, normal_provider};
use openclaw_types::{AuthProfileId, ModelRef, ProviderId};

use crate::SelectionError;

/// A model that a person wrote down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The model.
    pub model: ModelRef,
    /// The alias it was called by, as the configuration spells it.
    pub alias: Option<String>,
    /// The sign-in named after an `@`.
    pub profile: Option<AuthProfileId>,
}

/// Splits `model@profile`. An `@` before the last slash belongs to the model, and so does one before a date, which
/// some vendors write for versions.
pub(super) fn split_profile(text: &str) -> (&str, Option<&str>) {
    let text = text.trim();
    let Some((model, profile)) = text.rsplit_once('@') else { return (text, None) };
    let (model, profile) = (model.trim(), profile.trim());
    let is_date = profile.len() == 8 && profile.bytes().all(|byte| byte.is_ascii_digit());
    if model.is_empty() || profile.is_empty() || profile.contains('/') || is_date {
        return (text, None);
    }
    (model, Some(profile))
}

/// Reads `<provider>/<model>`, split at the first slash, or a bare name that belongs to `provider`.
pub(super) fn read(text: &str, provider: &ProviderId) -> Result<ModelRef, SelectionError> {
    let invalid = || SelectionError::Invalid(text.trim().to_owned());
    let (provider, model) = match text.trim().split_once('/') {
        Some((provider, model)) => (provider, model),
        None => (provider.as_str(), text),
    };
    if normal_provider(provider).is_empty() || model.trim().is_empty() {
        return Err(invalid());
    }
    let (provider, model) = normal_model(provider, model);
    let provider = ProviderId::new(&*provider).map_err(|_not_an_id| invalid())?;
    ModelRef::new(provider, &model).map_err(|_no_model| invalid())
}
