//! Keeps secrets out of logs, whatever line they were about to appear in.
//!
//! Two nets: the exact values of secrets known at run time, and the shapes that keys and tokens usually have. Both
//! outputs pass through here last, so a careless message elsewhere cannot leak. Pure, the registry apart.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use arc_swap::ArcSwap;
use openclaw_types::Secret;
use regex_lite::{Captures, Regex};

/// What stands where a secret stood.
const MARK: &str = "[redacted]";
/// Shorter values are too common to search for: they would blank out ordinary words.
const SHORTEST_KNOWN: usize = 6;

/// Fields whose name holds one of these are never shown.
const SECRET_NAMES: [&str; 7] = ["token", "passw", "secret", "api_key", "apikey", "private_key", "cookie"];

/// The secrets this process holds, and the patterns its owner added, shared with the log sinks.
#[derive(Debug, Clone, Default)]
pub struct KnownSecrets {
    values: Arc<ArcSwap<Vec<Secret<String>>>>,
    patterns: Arc<ArcSwap<Vec<Regex>>>,
}

impl KnownSecrets {
    /// Replaces the whole list, longest first so that a secret inside another leaves no tail.
    pub fn replace(&self, secrets: impl IntoIterator<Item = Secret<String>>) {
        let mut list: Vec<_> =
            secrets.into_iter().filter(|secret| secret.reveal().len() >= SHORTEST_KNOWN).collect();
        list.sort_by_key(|secret| std::cmp::Reverse(secret.reveal().len()));
        self.values.store(Arc::new(list));
    }

    /// Replaces the owner's own patterns. One that is not a regular expression is told and left out.
    pub fn set_patterns(&self, patterns: &[String]) {
        let mut compiled = Vec::new();
        for pattern in patterns {
            match Regex::new(pattern) {
                Ok(pattern) => compiled.push(pattern),
                Err(error) => {
                    tracing::warn!(subsystem = "config", %error, "a pattern in logging.redactPatterns is not used");
                }
            }
        }
        self.patterns.store(Arc::new(compiled));
    }

    /// The value of a named field without any secret in it. A name that says that it is secret is believed.
    #[must_use]
    pub fn redact_field<'a>(&self, name: &str, value: &'a str) -> Cow<'a, str> {
        let name = name.to_ascii_lowercase();
        if SECRET_NAMES.iter().any(|word| name.contains(word)) {
            Cow::Borrowed(MARK)
        } else {
            self.redact(value)
        }
    }

    /// The text without any secret in it.
    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for secret in self.values.load().iter() {
            let value = secret.reveal().as_str();
            if text.contains(value) {
                text = Cow::Owned(text.replace(value, MARK));
            }
        }
        for pattern in self.patterns.load().iter() {
            if pattern.is_match(&text) {
                text = Cow::Owned(pattern.replace_all(&text, MARK).into_owned());
            }
        }
        redact_shapes(text)
    }
}

/// Blanks out what looks like a key or a token.
fn redact_shapes(text: Cow<'_, str>) -> Cow<'_, str> {
    let lower = text.to_ascii_lowercase();
    let mut text = text;
    for shape in SHAPES.iter().filter(|shape| shape.hints.iter().any(|hint| lower.contains(hint))) {
        if let Some(changed) = shape.apply(&text) {
            text = Cow::Owned(changed);
        }
    }
    text
}

/// The look of a kind of secret.
struct Shape {
    /// One of these, in lower case, is in every text that matches. Most lines hold none, and are done with.
    hints: &'static [&'static str],
    /// Compiled when a hint is first met.
    pattern: LazyLock<Option<Regex>, Compile>,
    /// The group that holds the secret; what is around it stays readable.
    group: usize,
}

type Compile = Box<dyn FnOnce() -> Option<Regex> + Send>;

impl Shape {
    fn new(hints: &'static [&'static str], pattern: &'static str, group: usize) -> Self {
        // A pattern that does not compile matches nothing; the test that tries them all fails then.
        let compile: Compile = Box::new(move || Regex::new(pattern).ok());
        Self { hints, pattern: LazyLock::new(compile), group }
    }

    fn apply(&self, text: &str) -> Option<String> {
        let pattern = self.pattern.as_ref()?;
        if !pattern.is_match(text) {
            return None;
        }
        let replaced = pattern.replace_all(text, |found: &Captures<'_>| {
            // By place, not by text: a name in front may read like its value.
            match (found.get(0), found.get(self.group)) {
                (Some(whole), Some(secret)) => {
                    let (before, after) = (secret.start() - whole.start(), secret.end() - whole.start());
                    format!("{}{MARK}{}", &whole.as_str()[..before], &whole.as_str()[after..])
                }
                _ => MARK.to_owned(),
            }
        });
        Some(replaced.into_owned())
    }
}

static SHAPES: LazyLock<Vec<Shape>> = LazyLock::new(|| {
    vec![
        // A whole key file.
        Shape::new(
            &["private key-----"],
            r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
            0,
        ),
        // Authorization headers.
        Shape::new(&["bearer", "basic"], r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{8,})", 1),
        // name=value and "name": "value" where the name says that it is secret.
        Shape::new(
            &["token", "passw", "secret", "key", "cookie"],
            r#"(?i)["']?[\w-]*(?:token|password|passwd|secret|api[_-]?key|private[_-]?key|cookie)["']?\s*[:=]\s*["']?([^\s"',;&}\])]{6,})"#,
            1,
        ),
        // Query parameters and credentials inside addresses.
        Shape::new(&["="], r"(?i)[?&#](?:token|key|secret|password|access_token|auth|code)=([^\s&#]+)", 1),
        Shape::new(&["@"], r"[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@]+:([^\s/@]+)@", 1),
        // Well-known shapes of issued keys.
        Shape::new(&["sk-", "pk-", "rk-"], r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}", 0),
        Shape::new(&["gh", "github_pat_"], r"\b(?:ghp|gho|ghu|ghs|ghr|github_pat)_[A-Za-z0-9_]{16,}", 0),
        Shape::new(&["xox"], r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}", 0),
        Shape::new(&["xapp-"], r"\bxapp-[A-Za-z0-9-]{10,}", 0),
        Shape::new(&["aiza"], r"\bAIza[A-Za-z0-9_-]{20,}", 0),
        Shape::new(&["akia", "asia"], r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", 0),
        Shape::new(&["ya29."], r"\bya29\.[A-Za-z0-9_-]{20,}", 0),
        Shape::new(&["gsk_"], r"\bgsk_[A-Za-z0-9]{16,}", 0),
        Shape::new(&["hf_"], r"\bhf_[A-Za-z0-9]{16,}", 0),
        Shape::new(&["npm_"], r"\bnpm_[A-Za-z0-9]{20,}", 0),
        // A bot's number and its key.
        Shape::new(
            &["0:", "1:", "2:", "3:", "4:", "5:", "6:", "7:", "8:", "9:"],
            r"\b[0-9]{6,}:[A-Za-z0-9_-]{30,}",
            0,
        ),
        Shape::new(&["eyj"], r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", 0),
    ]
});

/// How many patterns there are and how many of them compile.
#[cfg(test)]
pub(super) fn shapes_that_compile() -> (usize, usize) {
    (SHAPES.len(), SHAPES.iter().filter(|shape| shape.pattern.is_some()).count())
}
