//! The built-in demonstration model: `demo/scripted`, played in process by `openclaw gateway --demo`.
//!
//! Every answer says that it is no AI. What it says about what is in `topics`; here are its place in the catalog, its
//! pace and its counts.

mod topics;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use openclaw_ports::Clock;
use openclaw_ports::model::{
    ApiName, Compatibility, Endpoint, ModelFacts, ModelLine, ModelRequest, ModelRoute, ModelStream, Prices,
    ProviderFacts, ProviderOrigin, ServerReach, SignIn,
};
use openclaw_types::{IdError, ProviderId, ThinkingLevel, Usage};

use super::play::{Cast, play};
use super::{Asked, Script};

/// The provider's name in references.
pub const DEMO_PROVIDER: &str = "demo";
/// The model's name in references.
pub const DEMO_MODEL: &str = "scripted";

/// No socket is opened: the address only has to be one.
const ADDRESS: &str = "demo://scripted";
/// How long the demonstration waits between two words: slow enough to be seen, quick enough not to bore.
const BETWEEN_WORDS: Duration = Duration::from_millis(25);
/// How many characters make a token, about.
const CHARACTERS_PER_TOKEN: u64 = 4;

/// What the catalog says about the demonstration model.
///
/// # Errors
/// Never in practice: the name is fixed and is a name.
pub fn demo_provider() -> Result<ProviderFacts, IdError> {
    let free = Prices { input: 0.0, output: 0.0, cache_read: 0.0, cache_write: 0.0 };
    let model = ModelFacts {
        id: DEMO_MODEL.to_owned(),
        name: "Demonstration (scripted, not an AI)".to_owned(),
        api: ApiName::OpenaiCompletions,
        base_url: ADDRESS.to_owned(),
        context_window: 200_000,
        max_output_tokens: 8_192,
        sees_images: false,
        thinking: vec![ThinkingLevel::Low, ThinkingLevel::Medium, ThinkingLevel::High],
        prices: Some(free),
        headers: BTreeMap::new(),
        compatibility: Compatibility::default(),
    };
    Ok(ProviderFacts {
        id: ProviderId::new(DEMO_PROVIDER)?,
        name: "Built-in demonstration".to_owned(),
        origin: ProviderOrigin::BuiltIn,
        reach: ServerReach::Anywhere,
        sign_in: SignIn::Nothing,
        key_variables: Vec::new(),
        endpoint: Some(Endpoint { api: ApiName::OpenaiCompletions, base_url: ADDRESS.to_owned() }),
        models: vec![model],
    })
}

/// Answers every request in the name of the demonstration model.
pub struct DemoLine {
    clock: Arc<dyn Clock>,
    answers: Arc<AtomicU64>,
}

impl DemoLine {
    /// A line that keeps its pace on this clock.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, answers: Arc::new(AtomicU64::new(0)) }
    }
}

impl ModelLine for DemoLine {
    fn open(&self, request: Arc<ModelRequest>, route: ModelRoute) -> ModelStream {
        let (clock, answers) = (self.clock.clone(), self.answers.clone());
        let opened = async move {
            let script = script(&Asked::of(&request, &route.target));
            let number = answers.fetch_add(1, Ordering::Relaxed) + 1;
            play(&script, Cast { model: DEMO_MODEL.to_owned(), number }, clock)
        };
        Box::pin(stream::once(opened).flatten())
    }
}

impl fmt::Debug for DemoLine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("DemoLine").finish_non_exhaustive()
    }
}

/// What the demonstration answers: word by word, with a thought before it when one was asked for.
pub(super) fn script(asked: &Asked) -> Script {
    let answer = topics::answer(asked);
    let thought = if asked.thinking { topics::thought(asked) } else { String::new() };
    let mut script = Script::new().in_pieces_of(usize::MAX);
    for word in words(&thought) {
        script = script.think(word).pause(BETWEEN_WORDS);
    }
    for word in words(&answer) {
        script = script.say(word).pause(BETWEEN_WORDS);
    }
    script.usage(usage(asked, &thought, &answer))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

fn usage(asked: &Asked, thought: &str, answer: &str) -> Usage {
    let tokens =
        |text: &str| u64::try_from(text.chars().count()).unwrap_or(u64::MAX).div_ceil(CHARACTERS_PER_TOKEN);
    let reasoning = tokens(thought);
    let usage = Usage {
        input: tokens(&asked.system).saturating_add(tokens(&asked.last_user)),
        output: tokens(answer).saturating_add(reasoning),
        reasoning,
        ..Usage::default()
    };
    Usage { total_tokens: usage.sum(), ..usage }
}
