//! What stands before every answer: `messages.responsePrefix` and its overrides.
//!
//! A template may name the model and the agent; `auto` stands for the agent's name in brackets. A name that is not known is
//! left as it is written, so that a mistake can be seen.

/// What a template may name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrefixFacts {
    /// The vendor of the model.
    pub provider: Option<String>,
    /// The model as the vendor names it.
    pub model: Option<String>,
    /// How hard the model thinks.
    pub thinking: Option<String>,
    /// The agent's name.
    pub identity: Option<String>,
}

/// What stands before an answer; nothing for an empty template, or for `auto` without a name.
#[must_use]
pub fn response_prefix(template: Option<&str>, facts: &PrefixFacts) -> Option<String> {
    let template = template?.trim();
    if template.eq_ignore_ascii_case("auto") {
        let name = facts.identity.as_deref()?.trim();
        return (!name.is_empty()).then(|| format!("[{name}]"));
    }
    let mut prefix = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        prefix.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.find('}').map_or(rest.len(), |end| end + 1);
        let name = rest[1..end].trim_end_matches('}');
        match rest[..end].ends_with('}').then(|| value(name, facts)).flatten() {
            Some(value) => {
                prefix.push_str(&value);
                rest = &rest[end..];
            }
            None => {
                prefix.push('{');
                rest = &rest[1..];
            }
        }
    }
    prefix.push_str(rest);
    (!prefix.is_empty()).then_some(prefix)
}

/// Puts a prefix before words, unless it stands there already.
#[must_use]
pub fn with_prefix(prefix: Option<&str>, words: &str) -> String {
    let Some(prefix) = prefix.filter(|prefix| !words.trim().is_empty() && !words.starts_with(prefix)) else {
        return words.to_owned();
    };
    // A block that must begin a line keeps its line.
    let joiner = if begins_block(words) { "\n\n" } else { " " };
    format!("{prefix}{joiner}{words}")
}

fn value(name: &str, facts: &PrefixFacts) -> Option<String> {
    match name.to_ascii_lowercase().as_str() {
        "model" => facts.model.as_deref().map(short_model),
        "modelfull" => match (&facts.provider, &facts.model) {
            (Some(provider), Some(model)) => Some(format!("{provider}/{model}")),
            (None, model) => model.clone(),
            (Some(_), None) => None,
        },
        "provider" => facts.provider.clone(),
        "thinkinglevel" | "think" => facts.thinking.clone(),
        "identity.name" | "identityname" => facts.identity.clone(),
        _ => None,
    }
}

/// A model without its vendor, its date and `latest`.
fn short_model(model: &str) -> String {
    let name = model.rsplit('/').next().unwrap_or(model);
    let name = match name.rsplit_once('-') {
        Some((stem, date)) if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) => stem,
        _ => name,
    };
    name.strip_suffix("-latest").unwrap_or(name).to_owned()
}

fn begins_block(words: &str) -> bool {
    let line = words.lines().next().unwrap_or("");
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = after_number.len() < line.len() && after_number.starts_with([')', '.']);
    let bullet = ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark));
    numbered
        || bullet
        || line.starts_with(['#', '>', '|'])
        || line.starts_with("```")
        || line.starts_with("~~~")
}
