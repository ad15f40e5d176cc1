//! The catalog of the moment: rebuilt when the configuration changed or other servers were found, else shared.
//!
//! Nothing is built before somebody asks, so a gateway nobody talks to pays nothing for it.

use std::fs::{self, Metadata};
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwap, ArcSwapOption};
use openclaw_config::FileSnapshot;
use openclaw_ports::model::ModelCatalog;
use openclaw_providers::{
    Catalog, CatalogInputs, Demonstration, FoundServer, RegistryFile, read_registry_file,
};

/// A longer list that an older installation left is not read.
const LARGEST_LIST: u64 = 4 * 1024 * 1024;

/// Gives the configuration of the moment with its environment.
pub(crate) type CurrentSettings = Arc<dyn Fn() -> Arc<FileSnapshot> + Send + Sync>;

/// Builds the catalog when it is asked for and keeps it while it is true.
pub(crate) struct LiveCatalog {
    settings: CurrentSettings,
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
    pub(crate) fn new(
        settings: CurrentSettings,
        registry_path: PathBuf,
        demonstration: Demonstration,
    ) -> Self {
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
        let text = match read_own(&self.registry_path) {
            Ok(text) => text?,
            Err(fault) => {
                tracing::warn!(subsystem = "models", file = %self.registry_path.display(), "an older list of models is left out: {fault}");
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

/// Why the list an older installation left is not read.
#[derive(Debug, thiserror::Error)]
enum ListFault {
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    #[error("it is no plain file; delete it or put a file in its place")]
    NoFile,
    #[error("it belongs to another user; make it yours with chown, or delete it")]
    NotOurs,
    #[error("others may write to it; take that away with chmod 600, or delete it")]
    Writable,
    #[error("it is larger than {LARGEST_LIST} bytes; shorten or delete it")]
    TooLarge,
}

/// The content of a file that only we could have written; nothing where there is none.
fn read_own(path: &Path) -> Result<Option<Vec<u8>>, ListFault> {
    // Opening a pipe must not wait for somebody to write to it.
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = match fs::OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let about = file.metadata()?;
    judge(&about, rustix::process::geteuid().as_raw())?;
    let mut text = Vec::new();
    file.take(LARGEST_LIST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LARGEST_LIST { Err(ListFault::TooLarge) } else { Ok(Some(text)) }
}

fn judge(about: &Metadata, us: u32) -> Result<(), ListFault> {
    if !about.is_file() {
        Err(ListFault::NoFile)
    } else if about.uid() != us {
        Err(ListFault::NotOurs)
    } else if about.mode() & 0o022 != 0 {
        Err(ListFault::Writable)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use super::{LARGEST_LIST, ListFault, judge, read_own};

    #[test]
    fn only_a_list_of_bearable_size_that_nobody_else_could_write_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("models.json");
        assert!(matches!(read_own(&path), Ok(None)));
        assert!(matches!(read_own(folder.path()), Err(ListFault::NoFile)));
        fs::write(&path, "{}").unwrap();
        for (mode, is_read) in [(0o600, true), (0o644, true), (0o664, false), (0o602, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            match read_own(&path) {
                Ok(text) => assert!(is_read && text.as_deref() == Some(b"{}"), "{mode:o}"),
                Err(fault) => assert!(!is_read && matches!(fault, ListFault::Writable), "{mode:o}: {fault}"),
            }
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let about = fs::metadata(&path).unwrap();
        assert!(matches!(judge(&about, about.uid() + 1), Err(ListFault::NotOurs)));
        fs::File::options().write(true).open(&path).unwrap().set_len(LARGEST_LIST + 1).unwrap();
        assert!(matches!(read_own(&path), Err(ListFault::TooLarge)));
    }
}
