//! What may be said from one conversation in another, and how it is marked there.

use crate::sections::{CrossContext, RawConfig};

/// What stands before such words where nothing is said.
const MARK: &str = "[from {channel}] ";

/// What may be said from one conversation in another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossContextSettings {
    /// Whether on the same channel.
    pub within: bool,
    /// Whether on other channels.
    pub across: bool,
    /// What stands before and behind such words; nothing where they are not marked.
    pub marker: Option<(String, String)>,
}

impl CrossContextSettings {
    /// What a configuration says. `allowCrossContextSend` is the earlier form and allows everything.
    #[must_use]
    pub fn resolve(raw: &RawConfig) -> Self {
        let message = raw.tools.as_ref().and_then(|tools| tools.message.as_ref());
        let all = message.and_then(|message| message.allow_cross_context_send) == Some(true);
        let none = CrossContext::default();
        let said = message.and_then(|message| message.cross_context.as_ref()).unwrap_or(&none);
        let marker = said.marker.clone().unwrap_or_default();
        let shown = marker.enabled != Some(false);
        let marks = || (marker.prefix.unwrap_or_else(|| MARK.to_owned()), marker.suffix.unwrap_or_default());
        Self {
            within: all || said.allow_within_provider != Some(false),
            across: all || said.allow_across_providers == Some(true),
            marker: shown.then(marks),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_for_another_conversation_stay_on_their_channel_and_are_marked_unless_the_file_says_otherwise() {
        let usual = CrossContextSettings {
            within: true,
            across: false,
            marker: Some((MARK.to_owned(), String::new())),
        };
        let marked = |prefix: &str, suffix: &str| Some((prefix.to_owned(), suffix.to_owned()));
        let rows = [
            (json!({}), usual.clone()),
            (
                json!({ "allowCrossContextSend": true, "crossContext": { "allowWithinProvider": false } }),
                CrossContextSettings { across: true, ..usual.clone() },
            ),
            (
                json!({ "crossContext": { "allowWithinProvider": false, "allowAcrossProviders": true } }),
                CrossContextSettings { within: false, across: true, ..usual.clone() },
            ),
            (
                json!({ "crossContext": { "marker": { "enabled": false, "prefix": "x" } } }),
                CrossContextSettings { marker: None, ..usual.clone() },
            ),
            (
                json!({ "crossContext": { "marker": { "prefix": "<{channel}> ", "suffix": " <<" } } }),
                CrossContextSettings { marker: marked("<{channel}> ", " <<"), ..usual },
            ),
        ];
        for (message, expected) in rows {
            let raw = serde_json::from_value(json!({ "tools": { "message": message } })).unwrap();
            assert_eq!(CrossContextSettings::resolve(&raw), expected, "{message}");
        }
    }
}
