//! Other names that people use for vendors and their models, what answers when nobody chose, and which of them have a
//! habit that others must know of. Data only, shared by the catalog, by selection and by the agent.
//!
//! Tables and not rules: what is not in them is only trimmed, and vendors are lower-cased.

use std::borrow::Cow;

/// The protocol that answers of the gateway's own carry in transcripts, as the original writes it.
pub const INJECTED_API: &str = "openai-responses";

/// The vendor of a model that is named without one.
pub const DEFAULT_PROVIDER: &str = "anthropic";

/// The model of that vendor which answers when nobody chose.
pub const DEFAULT_MODEL: &str = "claude-opus-4-6";

/// What people write, and the vendor they mean.
const PROVIDERS: &[(&str, &str)] = &[
    ("z.ai", "zai"),
    ("z-ai", "zai"),
    ("opencode-zen", "opencode"),
    ("qwen", "qwen-portal"),
    ("kimi-code", "kimi-coding"),
    ("bedrock", "amazon-bedrock"),
    ("aws-bedrock", "amazon-bedrock"),
    ("bytedance", "volcengine"),
    ("doubao", "volcengine"),
    ("azure-openai-responses", "azure-openai"),
    ("lm-studio", "lmstudio"),
    ("llamacpp", "llama.cpp"),
    ("llama-cpp", "llama.cpp"),
];

/// What people write for a vendor's model, and the model they mean.
const MODELS: &[(&str, &str, &str)] = &[
    ("anthropic", "opus-4.6", "claude-opus-4-6"),
    ("anthropic", "opus-4.5", "claude-opus-4-5"),
    ("anthropic", "sonnet-4.6", "claude-sonnet-4-6"),
    ("anthropic", "sonnet-4.5", "claude-sonnet-4-5"),
    ("google", "gemini-3-pro", "gemini-3-pro-preview"),
    ("google", "gemini-3-flash", "gemini-3-flash-preview"),
];

/// Vendors that serve the models of others under `<maker>/<model>`: the vendor, how a name without a maker begins,
/// and its maker.
const MAKERS: &[(&str, &str, &str)] =
    &[("vercel-ai-gateway", "claude-", "anthropic"), ("openrouter", "", "openrouter")];

/// Models that a vendor serves only under another name of its own.
const MOVED: &[(&str, &str, &str)] = &[("openai", "gpt-5.3-codex", "openai-codex")];

/// Vendors whose models were taught to write patches.
const PATCH_WRITERS: &[&str] = &["openai", "openai-codex"];

/// Vendors whose models think in tags inside the text when they are asked to.
const TAG_THINKERS: &[&str] = &["minimax", "minimax-cn", "minimax-portal"];

/// Vendors that keep requests cached for a fixed time: the vendor, and how the names of such models begin.
const TIMED_CACHES: &[(&str, &str)] = &[
    ("anthropic", ""),
    ("moonshot", ""),
    ("zai", ""),
    ("openrouter", "anthropic/"),
    ("openrouter", "moonshot/"),
    ("openrouter", "moonshotai/"),
    ("openrouter", "zai/"),
    ("kilocode", "anthropic/"),
];

/// Whether a vendor's models were taught to write patches.
#[must_use]
pub fn writes_patches(provider: &str) -> bool {
    PATCH_WRITERS.contains(&normal_provider(provider).as_ref())
}

/// Whether a vendor's models write their thoughts into the text, between tags.
#[must_use]
pub fn thinks_in_tags(provider: &str) -> bool {
    TAG_THINKERS.contains(&normal_provider(provider).as_ref())
}

/// Whether a vendor keeps the requests of a model cached for a fixed time.
#[must_use]
pub fn has_timed_cache(provider: &str, model: &str) -> bool {
    let (provider, model) = (normal_provider(provider), model.to_lowercase());
    TIMED_CACHES.iter().any(|(vendor, begins)| *vendor == provider && model.starts_with(begins))
}

/// The name of a vendor as references, the catalog and stores spell it: trimmed, in lower case, aliases replaced.
#[must_use]
pub fn normal_provider(written: &str) -> Cow<'_, str> {
    let trimmed = written.trim();
    if let Some((_, meant)) = PROVIDERS.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(trimmed)) {
        return Cow::Borrowed(meant);
    }
    if trimmed.chars().any(char::is_uppercase) {
        return Cow::Owned(trimmed.to_lowercase());
    }
    Cow::Borrowed(trimmed)
}

/// A vendor and its model as they are spelled in references, whatever a person wrote for them.
#[must_use]
pub fn normal_model<'a>(provider: &'a str, model: &'a str) -> (Cow<'a, str>, Cow<'a, str>) {
    let provider = normal_provider(provider);
    let model = spelled(&provider, model.trim());
    let moved = MOVED.iter().find(|(from, family, _)| *from == provider && of_family(&model, family));
    match moved {
        Some((_, _, to)) => (Cow::Borrowed(to), model),
        None => (provider, model),
    }
}

fn spelled<'a>(provider: &str, model: &'a str) -> Cow<'a, str> {
    let known = |vendor: &str| {
        let row = MODELS.iter().find(|(of, alias, _)| *of == vendor && alias.eq_ignore_ascii_case(model));
        row.map(|(_, _, meant)| *meant)
    };
    if let Some(meant) = known(provider) {
        return Cow::Borrowed(meant);
    }
    for (vendor, begins, maker) in MAKERS {
        if *vendor != provider || model.is_empty() || model.contains('/') {
            continue;
        }
        let name = known(maker).unwrap_or(model);
        if name.starts_with(begins) {
            return Cow::Owned(format!("{maker}/{name}"));
        }
    }
    Cow::Borrowed(model)
}

/// Whether a model is `family` itself or `family-something`.
fn of_family(model: &str, family: &str) -> bool {
    let model = model.to_lowercase();
    model.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::{has_timed_cache, normal_model, normal_provider, writes_patches};

    #[test]
    fn some_vendors_keep_requests_for_a_fixed_time() {
        let rows = [
            ("anthropic", "claude-opus-4-6", true),
            ("Anthropic", "anything", true),
            ("openrouter", "Anthropic/claude-opus-4-6", true),
            ("openrouter", "openai/gpt-5", false),
            ("kilocode", "anthropic/claude", true),
            ("openai", "gpt-5", false),
        ];
        for (provider, model, expected) in rows {
            assert_eq!(has_timed_cache(provider, model), expected, "{provider}/{model}");
        }
    }

    #[test]
    fn some_vendors_write_patches() {
        assert_eq!(["openai", " OpenAI-Codex ", "anthropic"].map(writes_patches), [true, true, false]);
    }

    #[test]
    fn vendors_are_known_by_more_than_one_name() {
        let meant = ["Z.AI", " qwen ", "aws-bedrock", "Doubao", "OpenAI", "my-box"].map(normal_provider);
        assert_eq!(meant, ["zai", "qwen-portal", "amazon-bedrock", "volcengine", "openai", "my-box"]);
    }

    #[test]
    fn models_are_known_by_more_than_one_name() {
        let rows = [
            (("anthropic", "Opus-4.6"), ("anthropic", "claude-opus-4-6")),
            (("google", "gemini-3-pro"), ("google", "gemini-3-pro-preview")),
            (("vercel-ai-gateway", "opus-4.5"), ("vercel-ai-gateway", "anthropic/claude-opus-4-5")),
            (("vercel-ai-gateway", "gpt-5"), ("vercel-ai-gateway", "gpt-5")),
            (("openrouter", "auto"), ("openrouter", "openrouter/auto")),
            (("openrouter", "meta/llama"), ("openrouter", "meta/llama")),
            (("openai", "gpt-5.3-codex-spark"), ("openai-codex", "gpt-5.3-codex-spark")),
            (("openai", "gpt-5.3"), ("openai", "gpt-5.3")),
        ];
        for ((provider, model), (meant_provider, meant_model)) in rows {
            let (got_provider, got_model) = normal_model(provider, model);
            assert_eq!((&*got_provider, &*got_model), (meant_provider, meant_model), "{provider}/{model}");
        }
    }
}
