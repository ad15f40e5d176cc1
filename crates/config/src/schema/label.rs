//! Makes a label for people of a key: `allowedOrigins` → "Allowed origins", `controlUi` → "Control UI".
//!
//! By rule, with two small tables for what the rule would spell wrongly. `hints` is the only caller.

/// Keys whose label is not made of their words.
const LABELS: [(&str, &str); 12] = [
    ("acp", "Agent Client Protocol"),
    ("cdpUrl", "Browser debugging URL"),
    ("cdpPort", "Browser debugging port"),
    ("seamColor", "Accent color"),
    ("mainKey", "Main session name"),
    ("dmScope", "Direct message sessions"),
    ("embeddedPi", "Embedded agent runtime"),
    ("talk", "Talk mode"),
    ("web", "Web sessions"),
    ("tts", "Text to speech"),
    ("qmd", "QMD memory search"),
    ("mcporter", "MCP bridge"),
];

/// Words that are written in their own way.
const WORDS: [(&str, &str); 25] = [
    ("acp", "ACP"),
    ("ai", "AI"),
    ("api", "API"),
    ("ca", "CA"),
    ("cdp", "CDP"),
    ("cli", "CLI"),
    ("dm", "DM"),
    ("dns", "DNS"),
    ("http", "HTTP"),
    ("id", "ID"),
    ("ids", "IDs"),
    ("ip", "IP"),
    ("json", "JSON"),
    ("mb", "(MB)"),
    ("mdns", "mDNS"),
    ("mmr", "MMR"),
    ("ms", "(ms)"),
    ("otel", "OpenTelemetry"),
    ("pdf", "PDF"),
    ("px", "(px)"),
    ("ssh", "SSH"),
    ("ssrf", "SSRF"),
    ("tls", "TLS"),
    ("ui", "UI"),
    ("url", "URL"),
];

pub(super) fn label(key: &str) -> String {
    if let Some((_, label)) = LABELS.iter().find(|(name, _)| *name == key) {
        return (*label).to_owned();
    }
    let mut label = String::new();
    for word in words(key) {
        let written =
            WORDS.iter().find(|(name, _)| *name == word).map_or(word.as_str(), |(_, written)| written);
        if !label.is_empty() {
            label.push(' ');
        }
        label.push_str(written);
    }
    let mut letters = label.chars();
    match letters.next() {
        Some(first)
            if label.starts_with(|first: char| first.is_lowercase()) && !label.starts_with("mDNS") =>
        {
            first.to_uppercase().chain(letters).collect()
        }
        _ => label,
    }
}

/// Cuts at capitals, dashes and underscores; the words come out in lower case.
fn words(key: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut begin = true;
    for letter in key.chars() {
        if letter == '-' || letter == '_' {
            begin = true;
            continue;
        }
        if begin || letter.is_uppercase() {
            words.push(String::new());
        }
        begin = false;
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words
}
