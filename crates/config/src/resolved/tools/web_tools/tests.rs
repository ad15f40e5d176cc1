//! From a file's content to how the web is searched and read.

use std::time::Duration;

use serde_json::{Value, json};

use super::{WebFetchSettings, WebSearchSettings, WebToolSettings};
use crate::sections::SearchProvider;
use crate::{Config, Context, Environment, Locations, Overrides, ProfileChoice};

fn settings(web: Value) -> WebToolSettings {
    let environment = Environment::fake([("HOME", "/home/ana")], "/home/ana");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    let raw = serde_json::from_value(json!({ "tools": { "web": web } })).unwrap();
    let (config, _problems) = Config::resolve(raw, &context);
    WebToolSettings::of(&config)
}

#[test]
fn both_tools_are_there_with_the_documented_limits() {
    let quarter = Duration::from_secs(900);
    let half_a_minute = Duration::from_secs(30);
    let expected = WebToolSettings {
        search: WebSearchSettings {
            enabled: true,
            provider: None,
            results: 5,
            timeout: half_a_minute,
            kept: quarter,
        },
        fetch: WebFetchSettings {
            enabled: true,
            chars: 50_000,
            most_chars: 50_000,
            timeout: half_a_minute,
            kept: quarter,
            redirects: 3,
            user_agent: None,
            trusts_proxy: false,
        },
    };
    assert_eq!(settings(json!({})), expected);
}

#[test]
fn what_is_written_counts_within_sensible_bounds() {
    let found = settings(json!({
        "search": {
            "enabled": false, "provider": "searxng", "maxResults": 50, "timeoutSeconds": 5, "cacheTtlMinutes": 0,
            "searxng": { "baseUrl": "http://localhost:8080" },
        },
        "fetch": {
            "enabled": false, "maxChars": 9000, "maxCharsCap": 2000, "timeoutSeconds": 9000,
            "cacheTtlMinutes": 0.5, "maxRedirects": 0, "userAgent": " me ",
            "useTrustedEnvProxy": true,
        },
    }));
    let expected = WebToolSettings {
        search: WebSearchSettings {
            enabled: false,
            provider: Some(SearchProvider::Searxng),
            results: 10,
            timeout: Duration::from_secs(5),
            kept: Duration::ZERO,
        },
        fetch: WebFetchSettings {
            enabled: false,
            chars: 2000,
            most_chars: 2000,
            timeout: Duration::from_secs(600),
            kept: Duration::from_secs(30),
            redirects: 0,
            user_agent: Some("me".to_owned()),
            trusts_proxy: true,
        },
    };
    assert_eq!(found, expected);
}
