//! A model line without sockets: every request is answered by a script.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::{StreamExt, stream};
use openclaw_ports::Clock;
use openclaw_ports::model::{ModelLine, ModelRequest, ModelRoute, ModelStream};

use super::play::{Cast, play};
use super::{Asked, Scripts};

/// Answers every request, whatever its route, with a script.
pub struct ScriptedLine {
    scripts: Scripts,
    clock: Arc<dyn Clock>,
    answers: Arc<AtomicU64>,
}

impl ScriptedLine {
    /// A line that plays these scripts, with pauses on this clock.
    #[must_use]
    pub fn new(scripts: impl Into<Scripts>, clock: Arc<dyn Clock>) -> Self {
        Self { scripts: scripts.into(), clock, answers: Arc::new(AtomicU64::new(0)) }
    }
}

impl ModelLine for ScriptedLine {
    fn open(&self, request: Arc<ModelRequest>, route: ModelRoute) -> ModelStream {
        let (scripts, clock, answers) = (self.scripts.clone(), self.clock.clone(), self.answers.clone());
        let opened = async move {
            let script = scripts.choose(&Asked::of(&request, &route.target));
            let number = answers.fetch_add(1, Ordering::Relaxed) + 1;
            play(&script, Cast { model: route.target.model.clone(), number }, clock)
        };
        Box::pin(stream::once(opened).flatten())
    }
}

impl fmt::Debug for ScriptedLine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ScriptedLine").field("scripts", &self.scripts).finish_non_exhaustive()
    }
}
