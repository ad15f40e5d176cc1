//! Collects the text of one run for a reader who waits for it: the HTTP interfaces and `agent`.
//!
//! Text piles up until it is taken, so a slow reader costs memory in proportion to the answer and never holds up the run.
//! `run_events` fills the texts; a reader closes its own when it goes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_types::RunId;
use tokio::sync::Notify;

use crate::context::GatewayContext;

/// What stands between two messages of one answer.
const BETWEEN: &str = "\n\n";

/// Somebody who listens to a run, until dropped.
pub(crate) struct RunTextReader {
    context: Arc<GatewayContext>,
    run: RunId,
    text: RunText,
}

impl RunTextReader {
    /// Listens to a run from now on; nothing when somebody does already.
    pub(crate) fn new(context: &Arc<GatewayContext>, run: &RunId) -> Option<Self> {
        let text = context.runs.open_text(run)?;
        Some(Self { context: Arc::clone(context), run: run.clone(), text })
    }

    /// Waits for more words, or for the end.
    pub(crate) async fn next(&self) -> TextChunk {
        self.text.next().await
    }

    /// Everything that is said until the end.
    pub(crate) async fn rest(&self) -> String {
        let mut all = String::new();
        while let TextChunk::Words(words) = self.next().await {
            all.push_str(&words);
        }
        all
    }
}

impl Drop for RunTextReader {
    fn drop(&mut self) {
        self.context.runs.close_text(&self.run);
    }
}

/// Where the words of a run pile up.
#[derive(Debug, Clone, Default)]
pub(super) struct RunText(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    state: Mutex<State>,
    news: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: String,
    spoke: bool,
    over: bool,
}

/// What was heard since the last time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TextChunk {
    /// More words.
    Words(String),
    /// Nothing more comes.
    Over,
}

impl RunText {
    async fn next(&self) -> TextChunk {
        loop {
            {
                let mut state = self.state();
                if !state.waiting.is_empty() {
                    return TextChunk::Words(std::mem::take(&mut state.waiting));
                }
                if state.over {
                    return TextChunk::Over;
                }
            }
            self.0.news.notified().await;
        }
    }

    /// More words of the same message, or the first of a new one.
    pub(super) fn words(&self, delta: &str, place: TextPosition) {
        let mut state = self.state();
        if place == TextPosition::Beginning && state.spoke {
            state.waiting.push_str(BETWEEN);
        }
        state.waiting.push_str(delta);
        state.spoke = true;
        drop(state);
        self.0.news.notify_one();
    }

    /// Nothing more comes.
    pub(super) fn over(&self) {
        self.state().over = true;
        self.0.news.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where in a message words stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextPosition {
    /// They begin one.
    Beginning,
    /// They go on.
    Further,
}
