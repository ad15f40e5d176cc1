//! A configuration file in memory that commands read and change.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use openclaw_config::{Config, KeyPath, PathStep};
use openclaw_ports::tool::{ControlFault, ControlRequest, GatewayControl};
use serde_json::{Value, json};

use crate::heart::{Settings, settings};

/// The file, and what it means.
pub(crate) struct File {
    written: Mutex<Value>,
    meant: Mutex<Arc<Config>>,
}

impl File {
    pub(crate) fn new(written: Value) -> Arc<Self> {
        let meant = Mutex::new(settings(written.clone())());
        Arc::new(Self { written: Mutex::new(written), meant })
    }

    pub(crate) fn settings(self: &Arc<Self>) -> Settings {
        let file = Arc::clone(self);
        Arc::new(move || Arc::clone(&file.meant.lock().unwrap()))
    }

    /// What stands at a path.
    pub(crate) fn at(&self, path: &str) -> Value {
        let path: KeyPath = path.parse().unwrap();
        path.find(&self.written.lock().unwrap()).cloned().unwrap_or_default()
    }
}

#[async_trait]
impl GatewayControl for File {
    async fn act(&self, request: ControlRequest) -> Result<Value, ControlFault> {
        let mut written = self.written.lock().unwrap();
        match request {
            ControlRequest::ConfigGet => {}
            ControlRequest::ConfigSet { path, value } => {
                let path: KeyPath = path.parse().unwrap();
                *place(&mut written, path.steps()) = value;
                *self.meant.lock().unwrap() = settings(written.clone())();
            }
            ControlRequest::ConfigRename { path, name } => {
                let path: KeyPath = path.parse().unwrap();
                let Some((PathStep::Key(last), above)) = path.steps().split_last() else {
                    return Err(ControlFault("this is no entry with a name".to_owned()));
                };
                let entries = place(&mut written, above).as_object_mut().unwrap();
                let value = entries.remove(last).unwrap();
                entries.insert(name, value);
                *self.meant.lock().unwrap() = settings(written.clone())();
            }
            other => return Err(ControlFault(format!("not here: {other:?}"))),
        }
        Ok(json!({ "config": written.clone() }))
    }
}

fn place<'a>(file: &'a mut Value, steps: &[PathStep]) -> &'a mut Value {
    steps.iter().fold(file, |place, step| match step {
        PathStep::Key(key) => &mut place[key.as_str()],
        PathStep::Index(index) => &mut place[*index],
    })
}
