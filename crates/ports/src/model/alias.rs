//! Other names that people use for vendors. Data only, shared by the catalog and by selection.
//!
//! A table and not a rule: what is not in it is only trimmed and lower-cased.

use std::borrow::Cow;

/// What people write, and the vendor they mean.
const ALIASES: &[(&str, &str)] = &[
    ("z.ai", "zai"),
    ("z-ai", "zai"),
    ("opencode-zen", "opencode"),
    ("qwen", "qwen-portal"),
    ("kimi-code", "kimi-coding"),
    ("bedrock", "amazon-bedrock"),
    ("aws-bedrock", "amazon-bedrock"),
    ("bytedance", "volcengine"),
    ("doubao", "volcengine"),
];

/// The name of a vendor as references, the catalog and stores spell it: trimmed, in lower case, aliases replaced.
#[must_use]
pub fn normal_provider(written: &str) -> Cow<'_, str> {
    let trimmed = written.trim();
    if let Some((_, meant)) = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(trimmed)) {
        return Cow::Borrowed(meant);
    }
    if trimmed.chars().any(char::is_uppercase) {
        return Cow::Owned(trimmed.to_lowercase());
    }
    Cow::Borrowed(trimmed)
}

#[cfg(test)]
mod tests {
    use super::normal_provider;

    #[test]
    fn vendors_are_known_by_more_than_one_name() {
        let meant = ["Z.AI", " qwen ", "aws-bedrock", "Doubao", "OpenAI", "my-box"].map(normal_provider);
        assert_eq!(meant, ["zai", "qwen-portal", "amazon-bedrock", "volcengine", "openai", "my-box"]);
    }
}
