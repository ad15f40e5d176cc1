//! Which script answers which request.
//!
//! Rules with a condition come first, in the order they were added; then the queue; then what is said otherwise. A rule
//! of the queue answers once, a rule with a condition as often as it fits, unless it was added for one answer only.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_ports::model::FaultReason;

use super::{Asked, LastTurn, Rejection, Script};

/// The scripts of a model. Clones are the same scripts.
#[derive(Clone, Default)]
pub struct Scripts {
    rules: Arc<Mutex<Rules>>,
}

#[derive(Default)]
struct Rules {
    conditional: Vec<Rule>,
    queue: VecDeque<Script>,
    otherwise: Otherwise,
}

struct Rule {
    fits: Condition,
    script: Script,
    uses: Uses,
}

type Condition = Box<dyn Fn(&Asked) -> bool + Send + Sync>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Uses {
    Once,
    Always,
}

#[derive(Default)]
enum Otherwise {
    #[default]
    Fail,
    Echo,
    Say(Script),
}

impl Scripts {
    /// No scripts yet: every request is rejected with words that say so.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers the next request that no condition fits, once.
    #[must_use]
    pub fn then(self, script: Script) -> Self {
        self.push(script);
        self
    }

    /// Answers every request that the test accepts.
    #[must_use]
    pub fn when(self, fits: impl Fn(&Asked) -> bool + Send + Sync + 'static, script: Script) -> Self {
        self.add(Rule { fits: Box::new(fits), script, uses: Uses::Always })
    }

    /// Answers the first request that the test accepts.
    #[must_use]
    pub fn once_when(self, fits: impl Fn(&Asked) -> bool + Send + Sync + 'static, script: Script) -> Self {
        self.add(Rule { fits: Box::new(fits), script, uses: Uses::Once })
    }

    /// Answers every request that ends with a person whose words contain `words`.
    #[must_use]
    pub fn when_last_user_contains(self, words: impl Into<String>, script: Script) -> Self {
        let words = words.into();
        self.when(move |asked| asked.last_turn == LastTurn::User && asked.last_user.contains(&words), script)
    }

    /// Answers every request that ends with a tool's answer.
    #[must_use]
    pub fn after_tool_result(self, script: Script) -> Self {
        self.when(|asked| matches!(asked.last_turn, LastTurn::ToolResult(_)), script)
    }

    /// Answers every request that ends with a tool's answer that contains `words`.
    #[must_use]
    pub fn after_tool_result_contains(self, words: impl Into<String>, script: Script) -> Self {
        let words = words.into();
        let fits = move |asked: &Asked| match &asked.last_turn {
            LastTurn::ToolResult(text) => text.contains(&words),
            _ => false,
        };
        self.when(fits, script)
    }

    /// Answers whatever is left with this script.
    #[must_use]
    pub fn otherwise(self, script: Script) -> Self {
        self.lock().otherwise = Otherwise::Say(script);
        self
    }

    /// Answers whatever is left by repeating the person's words.
    #[must_use]
    pub fn otherwise_echo(self) -> Self {
        self.lock().otherwise = Otherwise::Echo;
        self
    }

    /// Adds a script to the end of the queue.
    pub fn push(&self, script: Script) {
        self.lock().queue.push_back(script);
    }

    /// Adds a script that answers one request for this model, before the queue is asked.
    pub fn push_for(&self, model: impl Into<String>, script: Script) {
        let model = model.into();
        let fits: Condition = Box::new(move |asked| asked.model == model);
        self.lock().conditional.push(Rule { fits, script, uses: Uses::Once });
    }

    /// How many scripts of the queue have not been asked for.
    #[must_use]
    pub fn left(&self) -> usize {
        self.lock().queue.len()
    }

    /// Takes the script for a request.
    #[must_use]
    pub fn choose(&self, asked: &Asked) -> Script {
        let mut rules = self.lock();
        if let Some(at) = rules.conditional.iter().position(|rule| (rule.fits)(asked)) {
            return match rules.conditional[at].uses {
                Uses::Always => rules.conditional[at].script.clone(),
                Uses::Once => rules.conditional.remove(at).script,
            };
        }
        if let Some(script) = rules.queue.pop_front() {
            return script;
        }
        match &rules.otherwise {
            Otherwise::Say(script) => script.clone(),
            Otherwise::Echo => Script::new().say(echo(asked)),
            Otherwise::Fail => Script::new().reject(nothing_left(asked)),
        }
    }

    fn add(self, rule: Rule) -> Self {
        self.lock().conditional.push(rule);
        self
    }

    fn lock(&self) -> MutexGuard<'_, Rules> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<Script> for Scripts {
    fn from(script: Script) -> Self {
        Self::new().then(script)
    }
}

impl<const N: usize> From<[Script; N]> for Scripts {
    fn from(scripts: [Script; N]) -> Self {
        scripts.into_iter().fold(Self::new(), Self::then)
    }
}

impl From<Vec<Script>> for Scripts {
    fn from(scripts: Vec<Script>) -> Self {
        scripts.into_iter().fold(Self::new(), Self::then)
    }
}

impl fmt::Debug for Scripts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = self.lock();
        out.debug_struct("Scripts")
            .field("conditional", &rules.conditional.len())
            .field("queue", &rules.queue)
            .finish_non_exhaustive()
    }
}

fn echo(asked: &Asked) -> String {
    match &asked.last_turn {
        LastTurn::ToolResult(text) => format!("The tool said: {text}"),
        _ if asked.last_user.is_empty() => "You said nothing.".to_owned(),
        _ => format!("You said: {}", asked.last_user),
    }
}

fn nothing_left(asked: &Asked) -> Rejection {
    let beginning: String = asked.last_user.chars().take(80).collect();
    Rejection::new(FaultReason::Format).saying(format!(
        "no script is left for this request (model {:?}, {} turns, the person said {beginning:?}); push one or set \
         what is said otherwise",
        asked.model, asked.turns
    ))
}
