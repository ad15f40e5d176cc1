//! The catalog of the moment: rebuilt when the configuration changed or other servers were found, else shared.
//!
//! Nothing is built before somebody asks, so a gateway nobody talks to pays nothing for it.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwap, ArcSwapOption};
use openclaw_config::FileSnapshot;
use openclaw_ports::model::ModelCatalog;
use openclaw_providers::{
    Catalog, CatalogInputs, Demonstration, FoundServer, RegistryFile, read_registry_file,
};

/// Gives the configuration of the moment with its environment.
pub(crate) type Settings = Arc<dyn Fn() -> Arc<FileSnapshot> + Send + Sync>;

/// Builds the catalog when it is asked for and keeps it while it is true.
pub(crate) struct LiveCatalog {
    settings: Settings,
    demonstration: Demonstration,
    /// The list an older installation left, read once.
    registry_path: PathBuf,
    registry: OnceLock<Option<RegistryFile>>,
    found: ArcSwap<Vec<FoundServer>>,
    built: ArcSwapOption<Built>,
}

struct Built {
    from: Arc<FileSnapshot>,
    found: Arc<Vec<FoundServer>>,
    catalog: Arc<ModelCatalog>,
}

impl LiveCatalog {
    pub(crate) fn new(settings: Settings, registry_path: PathBuf, demonstration: Demonstration) -> Self {
        Self {
            settings,
            demonstration,
            registry_path,
            registry: OnceLock::new(),
            found: ArcSwap::default(),
            built: ArcSwapOption::empty(),
        }
    }

    /// The catalog as of now. Two callers may build it at the same moment; both get the same content.
    pub(crate) fn current(&self) -> Arc<ModelCatalog> {
        let from = (self.settings)();
        let found = self.found.load_full();
        if let Some(built) = &*self.built.load()
            && Arc::ptr_eq(&built.from, &from)
            && Arc::ptr_eq(&built.found, &found)
        {
            return Arc::clone(&built.catalog);
        }
        let catalog = Arc::new(Catalog::build(&CatalogInputs {
            models: from.config.raw.models.as_ref(),
            found: &found,
            registry: self.registry.get_or_init(|| self.read_registry()).as_ref(),
            environment: &from.environment,
            demonstration: self.demonstration,
        }));
        self.built.store(Some(Arc::new(Built { from, found, catalog: Arc::clone(&catalog) })));
        catalog
    }

    /// Takes over which servers listen on this machine.
    pub(crate) fn take_found(&self, servers: Vec<FoundServer>) {
        if **self.found.load() != servers {
            self.found.store(Arc::new(servers));
        }
    }

    fn read_registry(&self) -> Option<RegistryFile> {
        let text = match fs::read(&self.registry_path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::warn!(subsystem = "models", file = %self.registry_path.display(), %error, "an older list of models cannot be read");
                return None;
            }
        };
        match read_registry_file(&text) {
            Ok(registry) => Some(registry),
            Err(error) => {
                tracing::warn!(subsystem = "models", file = %self.registry_path.display(), %error, "an older list of models is left out");
                None
            }
        }
    }
}
