//! Answers references to secrets at the moment of use.
//!
//! Each source is asked once at a time: callers that come meanwhile find the answer in the cache. The cache is short,
//! in memory, and wiped when an entry goes. Nothing here knows who uses a secret.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use openclaw_ports::Clock;
use openclaw_types::Secret;

use super::{file, program, reference};
use crate::Environment;
use crate::error::SecretError;
use crate::sections::{EnvSecrets, SecretInput, SecretProvider, SecretRef, SecretsSection};

/// How long an answer may be given again without asking the source.
const KEEP: Duration = Duration::from_secs(60);
const DEFAULT_CONCURRENCY: u64 = 4;
const DEFAULT_MAX_REFS: u64 = 512;
const DEFAULT_MAX_BATCH_BYTES: u64 = 256 * 1024;

/// Finds secrets and remembers them for a minute.
pub struct SecretResolver {
    clock: Arc<dyn Clock>,
    found: Mutex<HashMap<Key, Kept>>,
    /// One for each source, held while it is asked.
    asking: Mutex<Turns>,
}

/// Where secrets are looked up: the section and the variables of one moment.
#[derive(Clone, Copy)]
pub struct SecretSources<'a> {
    /// The `secrets` section, where there is one.
    pub section: Option<&'a SecretsSection>,
    /// The variables, and where `~` is.
    pub environment: &'a Environment,
}

/// Source, provider and id.
type Key = (&'static str, String, String);

/// Who asks a source now, by source and provider.
type Turns = HashMap<(&'static str, String), Arc<tokio::sync::Mutex<()>>>;

struct Kept {
    value: Secret<String>,
    since: Duration,
}

impl SecretResolver {
    /// A resolver that has found nothing yet.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, found: Mutex::default(), asking: Mutex::default() }
    }

    /// The secret behind a reference.
    ///
    /// # Errors
    /// Says what is wrong and how to repair it. No error holds a secret.
    pub async fn resolve(
        &self,
        reference: &SecretRef,
        sources: SecretSources<'_>,
    ) -> Result<Secret<String>, SecretError> {
        let mut found = self.resolve_all(std::slice::from_ref(reference), sources).await?;
        found.pop().ok_or_else(|| SecretError::Empty { reference: reference::name(reference) })
    }

    /// A secret that may be written out or referred to.
    ///
    /// # Errors
    /// The same as `resolve`.
    pub async fn resolve_input(
        &self,
        input: &SecretInput,
        sources: SecretSources<'_>,
    ) -> Result<Secret<String>, SecretError> {
        match input {
            SecretInput::Text(text) => Ok(text.secret().clone()),
            SecretInput::Reference(reference) => self.resolve(reference, sources).await,
        }
    }

    /// The secrets behind several references, in their order. Each source is asked once for all of its references.
    ///
    /// # Errors
    /// The first that cannot be found decides.
    pub async fn resolve_all(
        &self,
        references: &[SecretRef],
        sources: SecretSources<'_>,
    ) -> Result<Vec<Secret<String>>, SecretError> {
        let resolution = sources.section.and_then(|section| section.resolution.as_ref());
        let at_once = resolution
            .and_then(|limits| limits.max_provider_concurrency)
            .map_or(DEFAULT_CONCURRENCY, |limit| limit.get());
        let mut groups: BTreeMap<(&'static str, &str), Vec<&SecretRef>> = BTreeMap::new();
        for reference in references {
            let (source, provider, _) = reference::parts(reference);
            groups.entry((source, provider)).or_default().push(reference);
        }
        let asked: Vec<_> = groups.into_values().map(|group| self.ask(group, sources)).collect();
        let answers: Vec<BTreeMap<Key, Secret<String>>> =
            stream::iter(asked).buffer_unordered(usize::try_from(at_once).unwrap_or(1)).try_collect().await?;
        let answers: BTreeMap<Key, Secret<String>> = answers.into_iter().flatten().collect();
        references
            .iter()
            .map(|reference| {
                answers
                    .get(&key(reference))
                    .cloned()
                    .ok_or_else(|| SecretError::Empty { reference: reference::name(reference) })
            })
            .collect()
    }

    /// Forgets everything, so that the next use looks again.
    pub fn clear(&self) {
        self.cache().clear();
    }

    /// Forgets one secret, as when a vendor refused it, if what is remembered is still that one.
    pub fn forget(&self, reference: &SecretRef, is_it: impl FnOnce(&str) -> bool) {
        let mut cache = self.cache();
        let key = key(reference);
        if cache.get(&key).is_some_and(|kept| is_it(kept.value.reveal())) {
            cache.remove(&key);
        }
    }

    /// Asks one source for all references of a group.
    async fn ask(
        &self,
        group: Vec<&SecretRef>,
        sources: SecretSources<'_>,
    ) -> Result<BTreeMap<Key, Secret<String>>, SecretError> {
        let Some(first) = group.first().copied() else { return Ok(BTreeMap::new()) };
        let (source, provider, _) = reference::parts(first);
        let settings = settings(first, sources)?;
        let turn = Arc::clone(self.turns().entry((source, provider.to_owned())).or_default());
        let _turn = turn.lock().await;
        let mut answers = self.remembered(&group);
        let mut ids: Vec<String> = group
            .iter()
            .filter(|reference| !answers.contains_key(&key(reference)))
            .map(|reference| reference::parts(reference).2.to_owned())
            .collect();
        ids.sort();
        ids.dedup();
        if ids.is_empty() {
            return Ok(answers);
        }
        let found = self.look_up(provider, settings.as_ref(), &ids, sources).await?;
        for (id, value) in found {
            if value.reveal().trim().is_empty() {
                return Err(SecretError::Empty { reference: format!("{source}:{provider}:{id}") });
            }
            let key = (source, provider.to_owned(), id);
            self.cache().insert(key.clone(), Kept { value: value.clone(), since: self.clock.elapsed() });
            answers.insert(key, value);
        }
        Ok(answers)
    }

    async fn look_up(
        &self,
        provider: &str,
        settings: &SecretProvider,
        ids: &[String],
        sources: SecretSources<'_>,
    ) -> Result<BTreeMap<String, Secret<String>>, SecretError> {
        let resolution = sources.section.and_then(|section| section.resolution.as_ref());
        let most = resolution
            .and_then(|limits| limits.max_refs_per_provider)
            .map_or(DEFAULT_MAX_REFS, |limit| limit.get());
        if ids.len() as u64 > most {
            let what = format!("the number of secrets asked of the provider {provider}");
            return Err(SecretError::TooLarge {
                what,
                limit: most,
                setting: "resolution.maxRefsPerProvider",
            });
        }
        let batch = resolution
            .and_then(|limits| limits.max_batch_bytes)
            .map_or(DEFAULT_MAX_BATCH_BYTES, |limit| limit.get());
        let clock = self.clock.as_ref();
        match settings {
            SecretProvider::Env(settings) => variables(provider, settings, ids, sources.environment),
            SecretProvider::File(settings) => {
                file::look_up(clock, sources.environment, (provider, settings), ids).await
            }
            SecretProvider::Exec(settings) => {
                program::look_up(clock, sources.environment, (provider, settings), (ids, batch)).await
            }
        }
    }

    fn remembered(&self, group: &[&SecretRef]) -> BTreeMap<Key, Secret<String>> {
        let now = self.clock.elapsed();
        let mut cache = self.cache();
        cache.retain(|_, kept| now.saturating_sub(kept.since) < KEEP);
        group
            .iter()
            .filter_map(|reference| {
                let key = key(reference);
                let value = cache.get(&key)?.value.clone();
                Some((key, value))
            })
            .collect()
    }

    fn cache(&self) -> MutexGuard<'_, HashMap<Key, Kept>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for SecretResolver {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SecretResolver").field("found", &self.cache().len()).finish_non_exhaustive()
    }
}

fn key(reference: &SecretRef) -> Key {
    let (source, provider, id) = reference::parts(reference);
    (source, provider.to_owned(), id.to_owned())
}

/// The settings of a reference's provider. Variables need none: the default provider reads any.
fn settings<'a>(
    reference: &SecretRef,
    sources: SecretSources<'a>,
) -> Result<std::borrow::Cow<'a, SecretProvider>, SecretError> {
    let (source, provider, _) = reference::parts(reference);
    let named = sources.section.and_then(|section| section.providers.get(provider));
    let fits = match (named, source) {
        (Some(SecretProvider::Env(_)), "env")
        | (Some(SecretProvider::File(_)), "file")
        | (Some(SecretProvider::Exec(_)), "exec") => true,
        (None, "env") => {
            let defaults = sources.section.and_then(|section| section.defaults.as_ref());
            if provider == reference::default_for("env", defaults) {
                return Ok(std::borrow::Cow::Owned(SecretProvider::Env(EnvSecrets::default())));
            }
            false
        }
        _ => false,
    };
    match named {
        Some(named) if fits => Ok(std::borrow::Cow::Borrowed(named)),
        Some(_) => Err(SecretError::WrongSource {
            reference: reference::name(reference),
            provider: provider.to_owned(),
        }),
        None => Err(SecretError::UnknownProvider {
            reference: reference::name(reference),
            provider: provider.to_owned(),
        }),
    }
}

fn variables(
    provider: &str,
    settings: &EnvSecrets,
    ids: &[String],
    environment: &Environment,
) -> Result<BTreeMap<String, Secret<String>>, SecretError> {
    ids.iter()
        .map(|id| {
            if settings.allowlist.as_ref().is_some_and(|allowed| !allowed.contains(id)) {
                return Err(SecretError::NotAllowed { variable: id.clone(), provider: provider.to_owned() });
            }
            match environment.get_trimmed(id) {
                Some(value) => Ok((id.clone(), Secret::new(value.to_owned()))),
                None => Err(SecretError::NotSet { variable: id.clone() }),
            }
        })
        .collect()
}
