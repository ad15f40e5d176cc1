//! Fills in the parts of vendors' addresses that belong to a person: projects, regions, resources, gateways.
//!
//! They come from the variables that the vendors' own tools read. What is not set stays in braces, so that an error
//! about the address says what is missing.

use openclaw_config::Environment;

/// The parts, and the variables that may hold them, the first that is set counts.
const PARTS: &[(&str, &[&str])] = &[
    ("{project}", &["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"]),
    ("{location}", &["GOOGLE_CLOUD_LOCATION"]),
    ("{region}", &["AWS_REGION", "AWS_DEFAULT_REGION"]),
    ("{resource}", &["AZURE_OPENAI_RESOURCE_NAME"]),
    ("{account}", &["CLOUDFLARE_ACCOUNT_ID"]),
    ("{gateway}", &["CLOUDFLARE_AI_GATEWAY_ID", "CLOUDFLARE_GATEWAY_ID"]),
];

/// Variables that hold a whole address instead of its parts.
const WHOLE: &[(&str, &str)] = &[("{resource}", "AZURE_OPENAI_BASE_URL")];

/// Where calls to AWS go when nobody said.
const USUAL_REGION: &str = "us-east-1";

/// An address with its parts filled in.
pub(super) fn fill(base_url: &str, environment: &Environment) -> String {
    if !base_url.contains('{') {
        return base_url.to_owned();
    }
    for (part, variable) in WHOLE {
        if let Some(address) = environment.get_trimmed(variable).filter(|_| base_url.contains(part)) {
            return address.trim_end_matches('/').to_owned();
        }
    }
    let mut filled = base_url.to_owned();
    for (part, variables) in PARTS {
        let value = variables.iter().find_map(|variable| environment.get_trimmed(variable));
        let value = value.or((*part == "{region}").then_some(USUAL_REGION));
        if let Some(value) = value.filter(|value| is_plain(value)) {
            // The worldwide location has no name in front of its host.
            if *part == "{location}" && value == "global" {
                filled = filled.replace("{location}-", "");
            }
            filled = filled.replace(part, value);
        }
    }
    filled
}

/// Whether a value can stand in a host or path without changing where it leads.
pub(super) fn is_plain(value: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | ':');
    !value.is_empty() && value.chars().all(fits) && !value.contains("..")
}
