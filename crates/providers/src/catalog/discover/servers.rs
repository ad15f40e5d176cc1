//! Where model servers may listen: the usual ports of this machine, or the addresses that a person configured.
//!
//! Pure; `find_local` looks there.

use openclaw_config::Environment;
use openclaw_config::sections::{ModelProvider, ModelsSection, SecretInput};
use openclaw_ports::model::normal_provider;
use openclaw_types::Secret;

use crate::catalog::vendor::Vendor;
use crate::catalog::vendors::vendor;

/// The addresses to look at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LocalServers {
    /// Each with what is expected there.
    pub all: Vec<LocalServer>,
}

/// One address to look at.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalServer {
    /// What is expected there.
    pub kind: LocalServerKind,
    /// The root of the server, without a version.
    pub root: String,
    /// The key, where one is known and a person named the address: what listens on a usual port gets none.
    pub key: Option<Secret<String>>,
    /// Whether a person named the address. Then any server of the right protocol will do; on a usual port it must
    /// say who it is, because anything may listen there.
    pub named: bool,
}

/// The servers that are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalServerKind {
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// vLLM.
    Vllm,
    /// The server of llama.cpp.
    LlamaCpp,
}

impl LocalServerKind {
    /// Every server, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Ollama, Self::LmStudio, Self::Vllm, Self::LlamaCpp];

    /// Its name in references.
    #[must_use]
    pub fn provider(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::LmStudio => "lmstudio",
            Self::Vllm => "vllm",
            Self::LlamaCpp => "llama.cpp",
        }
    }
}

impl LocalServers {
    /// The configured addresses, and the usual ones where none is configured.
    #[must_use]
    pub fn of(models: Option<&ModelsSection>, environment: &Environment) -> Self {
        let all =
            LocalServerKind::ALL.into_iter().filter_map(|kind| server(kind, models, environment)).collect();
        Self { all }
    }
}

fn server(
    kind: LocalServerKind,
    models: Option<&ModelsSection>,
    environment: &Environment,
) -> Option<LocalServer> {
    let known = vendor(kind.provider())?;
    let written = models.and_then(|models| {
        models
            .providers
            .iter()
            .find(|(name, _)| normal_provider(name) == kind.provider())
            .map(|(_, written)| written)
    });
    let address = written.map(|written| written.base_url.trim()).filter(|address| !address.is_empty());
    let address = address.map(str::to_owned).or_else(|| match kind {
        LocalServerKind::Ollama => environment.get_trimmed("OLLAMA_HOST").and_then(ollama_host),
        _ => None,
    });
    let key = address.as_ref().and_then(|_| key(known, written, environment));
    Some(LocalServer {
        kind,
        root: root_of(address.as_deref().unwrap_or(known.base_url)),
        key,
        named: address.is_some(),
    })
}

/// The key that is written for a server, or that its variable holds.
fn key(known: &Vendor, written: Option<&ModelProvider>, environment: &Environment) -> Option<Secret<String>> {
    if let Some(SecretInput::Text(text)) = written.and_then(|written| written.api_key.as_ref()) {
        return Some(text.secret().clone());
    }
    let value = known.variables.iter().find_map(|name| environment.get_trimmed(name))?;
    Some(Secret::new(value.to_owned()))
}

/// The root of a server from the root of its interface.
fn root_of(base_url: &str) -> String {
    let base = base_url.trim().split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let base = base.strip_suffix("/v1").or_else(|| base.strip_suffix("/api")).unwrap_or(base);
    base.trim_end_matches('/').to_owned()
}

/// The address in `OLLAMA_HOST`: a host, a port, both, or a whole address. The address on which a server listens
/// everywhere is here.
fn ollama_host(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['"', '\'']);
    let (scheme, rest, usual_port) = match text.split_once("://") {
        Some(("https", rest)) => ("https", rest, "443"),
        Some(("http", rest)) => ("http", rest, "80"),
        Some(_) => return None,
        None => ("http", text, "11434"),
    };
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = match rest.rsplit_once(':') {
        // A colon inside brackets, or the second of two, belongs to the host.
        Some((host, port)) if !port.contains(']') && (!host.contains(':') || host.ends_with(']')) => {
            (host, port)
        }
        _ => (rest, usual_port),
    };
    let port: u16 = port.parse().ok()?;
    let host = match host {
        "" | "0.0.0.0" | "[::]" | "::" => "127.0.0.1".to_owned(),
        bare if bare.contains(':') && !bare.starts_with('[') => format!("[{bare}]"),
        host => host.to_owned(),
    };
    Some(format!("{scheme}://{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::{ollama_host, root_of};

    #[test]
    fn the_address_of_ollama_has_many_forms() {
        let rows = [
            ("0.0.0.0", Some("http://127.0.0.1:11434")),
            ("box", Some("http://box:11434")),
            ("box:9999", Some("http://box:9999")),
            (":9999", Some("http://127.0.0.1:9999")),
            ("http://box", Some("http://box:80")),
            ("https://models.example/path", Some("https://models.example:443")),
            ("[::1]:8000", Some("http://[::1]:8000")),
            ("::1", Some("http://[::1]:11434")),
            ("ftp://box", None),
            ("box:nonsense", None),
        ];
        for (written, meant) in rows {
            assert_eq!(ollama_host(written).as_deref(), meant, "{written}");
        }
    }

    #[test]
    fn a_root_has_no_version() {
        let rows = [
            ("http://a:1/v1/", "http://a:1"),
            ("http://a:1/api", "http://a:1"),
            ("http://a:1", "http://a:1"),
            ("http://a:1/prefix/v1", "http://a:1/prefix"),
        ];
        for (base, root) in rows {
            assert_eq!(root_of(base), root);
        }
    }
}
