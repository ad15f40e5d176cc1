//! The copy of the last configuration that was good, for a start when the file is broken.
//!
//! Kept with includes resolved and references to variables in place, so it needs no other file and holds no secret
//! that the configuration itself does not. Mode 0600 in the state directory.

use std::io;

use serde_json::{Map, Value};

use crate::write::replace_private;
use crate::{ConfigFile, FileSnapshot};

const HEADER: &str =
    "// The last configuration that was good. Used when the configuration file is broken; do not edit.\n";

impl ConfigFile {
    /// Keeps a copy of a snapshot that is valid. Any other is not kept, and neither is one that changes nothing.
    ///
    /// # Errors
    /// When the copy cannot be written.
    pub fn remember_good(&self, snapshot: &FileSnapshot) -> io::Result<()> {
        if !snapshot.valid || !snapshot.exists {
            return Ok(());
        }
        let path = self.locations().last_good_config();
        let text = format!("{HEADER}{:#}\n", without_stamp(&snapshot.source));
        if std::fs::read_to_string(&path).is_ok_and(|present| present == text) {
            return Ok(());
        }
        replace_private(&path, &text)
    }

    /// The last good configuration, when there is one and it is still good. Its `path` is that of the copy.
    #[must_use]
    pub fn last_good(&self) -> Option<FileSnapshot> {
        let path = self.locations().last_good_config();
        let text = std::fs::read_to_string(&path).ok()?;
        let snapshot = self.snapshot(&path, &text);
        snapshot.valid.then_some(snapshot)
    }
}

/// Without `meta`, which changes on every write and means nothing.
fn without_stamp(config: &Value) -> Value {
    let mut map: Map<String, Value> = config.as_object().cloned().unwrap_or_default();
    map.shift_remove("meta");
    Value::Object(map)
}
