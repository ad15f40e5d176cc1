//! Which line a call takes: the network, or the demonstration model inside this process.

use std::sync::Arc;

use openclaw_ports::Clock;
use openclaw_ports::model::{ModelLine, ModelRequest, ModelRoute, ModelStream};
use openclaw_providers::{DEMO_PROVIDER, DemoLine, Demonstration, Transport};

/// The lines there are.
pub(super) struct ModelLines {
    network: Transport,
    demonstration: Option<DemoLine>,
}

impl ModelLines {
    pub(super) fn new(network: Transport, demonstration: Demonstration, clock: Arc<dyn Clock>) -> Self {
        let demonstration = match demonstration {
            Demonstration::Absent => None,
            Demonstration::Present => Some(DemoLine::new(clock)),
        };
        Self { network, demonstration }
    }
}

impl ModelLine for ModelLines {
    fn open(&self, request: Arc<ModelRequest>, route: ModelRoute) -> ModelStream {
        match &self.demonstration {
            Some(line) if route.provider.as_str() == DEMO_PROVIDER => line.open(request, route),
            _ => self.network.open(request, route),
        }
    }
}
