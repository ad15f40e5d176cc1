//! What `doctor --fix` does.
//!
//! Each repair is a value, so that looking and acting stay apart: `checks` proposes, this file acts. Every repair is
//! harmless or keeps what was there before, and says what it did.

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use openclaw_config::KeyPath;
use serde_json::json;

use crate::call::block_on;
use crate::commands::gateway::service_plan;
use crate::context::Context;
use crate::service::Manager;

/// Something that can be repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Repair {
    /// Make a private folder.
    MakeFolder(PathBuf),
    /// Take access from everybody but the owner.
    MakePrivate {
        /// The file or folder.
        path: PathBuf,
        /// The mode it should have.
        mode: u32,
    },
    /// Rewrite old keys of the configuration to their present places.
    MigrateConfig,
    /// Make a new gateway token.
    MakeToken,
    /// Write the service anew.
    ReinstallService,
}

/// Repairs and says what was done.
pub(super) fn apply(context: &Context, repair: &Repair) -> anyhow::Result<String> {
    match repair {
        Repair::MakeFolder(path) => {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(path)
                .with_context(|| format!("{} cannot be made", path.display()))?;
            Ok(format!("made {}", context.short(path)))
        }
        Repair::MakePrivate { path, mode } => {
            set_mode(path, *mode)?;
            Ok(format!("{} has mode {mode:o} now", context.short(path)))
        }
        Repair::MigrateConfig => match context.config_file().rewrite_legacy_keys()? {
            Some(snapshot) => Ok(format!(
                "old keys in {} were moved; the file before is beside it as .bak",
                context.short(&snapshot.path)
            )),
            None => Ok("nothing was left to move".to_owned()),
        },
        Repair::MakeToken => {
            let path: KeyPath = "gateway.auth.token".parse()?;
            let snapshot = context.config_file().set_value(&path, json!(new_token()?))?;
            Ok(format!(
                "a new gateway token is in {}; connected clients need it",
                context.short(&snapshot.path)
            ))
        }
        Repair::ReinstallService => {
            let manager = Manager::new(&context.environment, &context.locations, context.clock.as_ref());
            let plan = service_plan(context, None, None)?;
            block_on(async { Ok(manager.install(&plan).await?) })?;
            Ok(format!("wrote {} anew and restarted the service", context.short(manager.file())))
        }
    }
}

fn set_mode(path: &Path, mode: u32) -> anyhow::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .with_context(|| format!("the mode of {} cannot be changed; is it yours?", path.display()))
}

fn new_token() -> anyhow::Result<String> {
    let mut bytes = [0_u8; 24];
    getrandom::fill(&mut bytes).context("the system has no randomness for a token")?;
    Ok(hex::encode(bytes))
}
