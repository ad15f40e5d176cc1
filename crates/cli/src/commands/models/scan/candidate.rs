//! What is known of a model at OpenRouter, which are looked at, and which comes first. Pure.
//!
//! Models that see pictures come first, then those that called a tool soonest, then those that read most, then the
//! largest.

use std::cmp::Ordering;
use std::time::Duration;

use openclaw_ports::model::Prices;
use openclaw_providers::RouterModel;
use serde::Serialize;

use crate::print;

/// Which models are looked at, besides that they cost nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Filter {
    pub(super) maker: Option<String>,
    pub(super) min_billions: f64,
    /// In seconds since 1970.
    pub(super) not_before: Option<i64>,
}

impl Filter {
    /// Whether a model is looked at.
    pub(super) fn fits(&self, model: &RouterModel) -> bool {
        let maker = model.id.split('/').next().unwrap_or_default().to_ascii_lowercase();
        model.is_free()
            && self.maker.as_ref().is_none_or(|wanted| *wanted == maker)
            && (self.min_billions <= 0.0 || model.billions.unwrap_or(0.0) >= self.min_billions)
            && self.not_before.is_none_or(|earliest| model.created.is_none_or(|at| at >= earliest))
    }
}

/// A model and what came of trying it, in the form that programs read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Candidate {
    pub(super) id: String,
    name: String,
    provider: &'static str,
    pub(super) model_ref: String,
    pub(super) context_length: Option<u64>,
    max_completion_tokens: Option<u64>,
    supports_tools_meta: bool,
    modality: &'static str,
    pub(super) inferred_param_b: Option<f64>,
    created_at_ms: Option<i64>,
    pricing: Option<Pricing>,
    is_free: bool,
    pub(super) tool: Tried,
    pub(super) image: Tried,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct Pricing {
    prompt: f64,
    completion: f64,
}

/// What came of one try.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tried {
    pub(super) ok: bool,
    pub(super) latency_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Candidate {
    /// A model that nobody tried.
    pub(super) fn untried(model: RouterModel) -> Self {
        Self {
            model_ref: format!("{}/{}", super::ROUTER, model.id),
            is_free: model.is_free(),
            provider: super::ROUTER,
            context_length: model.context,
            max_completion_tokens: model.output,
            supports_tools_meta: model.calls_tools,
            modality: if model.sees_images { "text+image->text" } else { "text->text" },
            inferred_param_b: model.billions,
            created_at_ms: model.created.map(|seconds| seconds.saturating_mul(1_000)),
            pricing: model
                .prices
                .map(|Prices { input, output, .. }| Pricing { prompt: input, completion: output }),
            tool: Tried::skipped(),
            image: Tried::skipped(),
            id: model.id,
            name: model.name,
        }
    }
}

impl Tried {
    /// It was not tried.
    pub(super) fn skipped() -> Self {
        Self { ok: false, latency_ms: None, skipped: Some(true), error: None }
    }

    /// It was, and took this long.
    pub(super) fn ended(total: Duration, error: Option<String>) -> Self {
        let latency = u64::try_from(total.as_millis()).ok();
        Self { ok: error.is_none(), latency_ms: latency, skipped: None, error }
    }

    /// The same for people.
    pub(super) fn shown(&self) -> String {
        match (self.ok, self.skipped, self.latency_ms) {
            (true, _, Some(latency)) => print::good(&format!("{latency} ms")),
            (true, _, None) => print::good("yes"),
            (false, Some(true), _) => "-".to_owned(),
            (false, ..) => print::bad("fails"),
        }
    }
}

/// Which of two comes first as a fallback.
pub(super) fn by_use(one: &Candidate, other: &Candidate) -> Ordering {
    let latency = |tried: &Tried| tried.latency_ms.unwrap_or(u64::MAX);
    other
        .image
        .ok
        .cmp(&one.image.ok)
        .then_with(|| latency(&one.tool).cmp(&latency(&other.tool)))
        .then_with(|| by_size(one, other))
}

/// Which of two comes first for pictures.
pub(super) fn by_image(one: &Candidate, other: &Candidate) -> Ordering {
    let latency = |tried: &Tried| tried.latency_ms.unwrap_or(u64::MAX);
    latency(&one.image).cmp(&latency(&other.image)).then_with(|| by_size(one, other))
}

fn by_size(one: &Candidate, other: &Candidate) -> Ordering {
    let billions = |candidate: &Candidate| candidate.inferred_param_b.unwrap_or(0.0);
    other
        .context_length
        .unwrap_or(0)
        .cmp(&one.context_length.unwrap_or(0))
        .then_with(|| billions(other).total_cmp(&billions(one)))
        .then_with(|| one.model_ref.cmp(&other.model_ref))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(id: &str, context: u64, billions: Option<f64>) -> RouterModel {
        RouterModel {
            id: id.to_owned(),
            name: id.to_owned(),
            context: Some(context),
            output: None,
            sees_images: false,
            calls_tools: true,
            thinks: false,
            billions,
            created: Some(1_000_000),
            prices: None,
        }
    }

    fn tried(id: &str, tool: u64, image: Option<u64>, context: u64) -> Candidate {
        let mut candidate = Candidate::untried(model(id, context, None));
        candidate.tool = Tried::ended(Duration::from_millis(tool), None);
        candidate.image =
            image.map_or_else(Tried::skipped, |time| Tried::ended(Duration::from_millis(time), None));
        candidate
    }

    #[test]
    fn sight_counts_most_then_speed_then_context_then_size() {
        let mut list = vec![
            tried("a/slow:free", 900, None, 1_000),
            tried("a/small:free", 100, None, 1_000),
            tried("a/large:free", 100, None, 9_000),
            tried("a/sees:free", 5_000, Some(80), 10),
        ];
        let mut parameters = Candidate::untried(model("b/big:free", 9_000, Some(70.0)));
        parameters.tool = Tried::ended(Duration::from_millis(100), None);
        list.push(parameters);
        list.sort_by(by_use);
        let names: Vec<&str> = list.iter().map(|candidate| candidate.id.as_str()).collect();
        assert_eq!(names, ["a/sees:free", "b/big:free", "a/large:free", "a/small:free", "a/slow:free"]);
    }

    #[test]
    fn only_free_models_of_the_wanted_kind_are_looked_at() {
        let filter =
            Filter { maker: Some("meta".to_owned()), min_billions: 8.0, not_before: Some(1_000_000) };
        let rows = [
            (model("meta/llama-70b:free", 1, Some(70.0)), true),
            (model("meta/llama-70b", 1, Some(70.0)), false),
            (model("other/llama-70b:free", 1, Some(70.0)), false),
            (model("meta/llama-3b:free", 1, Some(3.0)), false),
            (model("meta/unknown:free", 1, None), false),
            (RouterModel { created: Some(999_999), ..model("meta/old-70b:free", 1, Some(70.0)) }, false),
            (RouterModel { created: None, ..model("meta/ageless-70b:free", 1, Some(70.0)) }, true),
        ];
        for (model, expected) in rows {
            assert_eq!(filter.fits(&model), expected, "{}", model.id);
        }
    }
}
