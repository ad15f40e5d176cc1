//! The platforms and their accounts, put together: which there are, where they keep things, how they find secrets.

use std::sync::Arc;

use openclaw_config::sections::SecretInput;
use openclaw_config::{Config, Environment, SecretResolver, SecretSources};
use openclaw_flow::{Accounts, AccountsParts, SectionFault};
use openclaw_ports::Clock;
use openclaw_ports::channel::{AccountPlan, ChannelDescriptor, Resolver};
use openclaw_types::Secret;
use serde_json::Value;

use super::AgentRuntimeParts;

/// The longest file that is read for a secret, in bytes.
const LONGEST_SECRET: u64 = 64 * 1024;

/// The channel_accounts, without an account yet.
pub(super) fn channel_accounts(parts: &AgentRuntimeParts<'_>) -> Accounts {
    Accounts::new(AccountsParts {
        kinds: (parts.platforms)(),
        resolver: Arc::new(Finder {
            config: Box::new({
                let live = parts.config.clone();
                move || live.current()
            }),
            environment: parts.environment.clone(),
            secrets: SecretResolver::new(Arc::clone(parts.clock)),
        }),
        state: parts.store.clone(),
        clock: Arc::clone(parts.clock),
        tasks: parts.tasks.child("channels"),
        media: parts.locations.state_dir.join("media").join("inbound"),
        public_url: None,
    })
}

/// The accounts that a configuration describes, by platform, without connecting any, and what is wrong with them beyond
/// the form of their sections: secrets that cannot be found.
#[must_use]
pub fn configured_accounts(
    config: &Arc<Config>,
    environment: &Environment,
    clock: &Arc<dyn Clock>,
) -> (Vec<(&'static ChannelDescriptor, AccountPlan)>, Vec<SectionFault>) {
    let known = Arc::clone(config);
    let finder = Finder {
        config: Box::new(move || Arc::clone(&known)),
        environment: environment.clone(),
        secrets: SecretResolver::new(Arc::clone(clock)),
    };
    let (mut all, mut faults) = (Vec::new(), Vec::new());
    for kind in openclaw_channels::kinds() {
        let descriptor = kind.descriptor();
        if let Some(section) = config.raw.channels.meant(descriptor.id) {
            let (plans, wrong) = kind.accounts(&section, &finder);
            all.extend(plans.into_iter().map(|plan| (descriptor, plan)));
            let channel = descriptor.id.to_owned();
            faults.extend(wrong.into_iter().map(|fault| SectionFault { channel: channel.clone(), fault }));
        }
    }
    (all, faults)
}

/// Finds what the sections of platforms only refer to.
struct Finder {
    config: Box<dyn Fn() -> Arc<Config> + Send + Sync>,
    environment: Environment,
    secrets: SecretResolver,
}

impl Resolver for Finder {
    fn variable(&self, name: &str) -> Option<Secret<String>> {
        self.environment.get_trimmed(name).map(|value| Secret::new(value.to_owned()))
    }

    fn file(&self, path: &str) -> Result<Secret<String>, String> {
        let path = match path.strip_prefix("~/") {
            Some(below) => self.environment.home().join(below),
            None => path.into(),
        };
        let trouble = |error: std::io::Error| format!("{} cannot be read: {error}", path.display());
        let facts = std::fs::metadata(&path).map_err(trouble)?;
        if !facts.is_file() || facts.len() > LONGEST_SECRET {
            return Err(format!("{} is no small file", path.display()));
        }
        let text = std::fs::read_to_string(&path).map_err(trouble)?;
        Ok(Secret::new(text.trim().to_owned()))
    }

    fn secret(&self, value: &Value) -> Result<Secret<String>, String> {
        let input: SecretInput = serde_json::from_value(value.clone())
            .map_err(|_shape| "it is neither a text nor a reference to a secret".to_owned())?;
        if let SecretInput::Text(text) = &input {
            return Ok(text.secret().clone());
        }
        // References may ask programs and files, which takes a runtime of its own and so a thread of its own. Whoever asks
        // here is on a thread that may wait.
        let looked_up = std::thread::scope(|scope| scope.spawn(|| self.look_up(&input)).join());
        looked_up.unwrap_or_else(|_panic| Err("the secret could not be looked up".to_owned()))
    }
}

impl Finder {
    fn look_up(&self, input: &SecretInput) -> Result<Secret<String>, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let config = (self.config)();
        let sources = SecretSources { section: config.raw.secrets.as_ref(), environment: &self.environment };
        runtime.block_on(self.secrets.resolve_input(input, sources)).map_err(|error| error.to_string())
    }
}
