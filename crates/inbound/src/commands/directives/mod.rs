//! Settings that people write inside a message: `/think high`, `/model opus`, `/queue collect cap:5`.
//!
//! `extract` finds them and gives the text without them. Code, paths and addresses are never touched. A message that is
//! nothing but settings may leave arguments out or get them wrong; inside a sentence only what is surely a setting
//! counts, so that "what does /think do?" stays a question.

mod options;
mod scan;

use openclaw_config::QueueOverrides;
use openclaw_types::ThinkingLevel;

use super::registry::{CommandName, CommandPosition, find};
use super::words::{
    ElevatedLevel, ExecAsk, ExecHost, ExecSecurity, ReasoningLevel, VerboseLevel, parse_thinking,
};
use scan::{Cut, Mark};

/// Settings that were found. Where one is given twice, the last counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directives {
    /// How hard to think.
    pub think: Option<Level<ThinkingLevel>>,
    /// How much of the tools is shown.
    pub verbose: Option<Level<VerboseLevel>>,
    /// Whether thoughts are shown.
    pub reasoning: Option<Level<ReasoningLevel>>,
    /// Whether commands may leave the sandbox.
    pub elevated: Option<Level<ElevatedLevel>>,
    /// Where and how commands run.
    pub exec: Option<ExecDirective>,
    /// The model.
    pub model: Option<ModelDirective>,
    /// What becomes of messages while an answer is made.
    pub queue: Option<QueueDirective>,
}

impl Directives {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A level that somebody asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Level<T> {
    /// Show the current one. Only in a message that is nothing but settings.
    Show,
    /// Set this one.
    Set(T),
    /// A word that is no level. Only in a message that is nothing but settings.
    Unknown(String),
}

/// Where and how commands run. Nothing at all asks to show what holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExecDirective {
    /// Where.
    pub host: Option<ExecHost>,
    /// Which.
    pub security: Option<ExecSecurity>,
    /// When a person is asked.
    pub ask: Option<ExecAsk>,
    /// On which node.
    pub node: Option<String>,
    /// What was not understood.
    pub wrong: Vec<WrongOption>,
}

/// The model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelDirective {
    /// Show the current one.
    Show,
    /// List those that can be chosen.
    List,
    /// Show the current one with its sign-in.
    Status,
    /// Choose one by its number in the list.
    Number(usize),
    /// Choose one by name.
    Set {
        /// `provider/model`, an alias, or a part of a name.
        model: String,
        /// The sign-in.
        profile: Option<String>,
    },
}

/// What becomes of messages while an answer is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueDirective {
    /// Show what holds.
    Show,
    /// Let the configuration decide.
    Reset,
    /// Choose.
    Set {
        /// What.
        choices: QueueOverrides,
        /// What was not understood.
        wrong: Vec<WrongOption>,
    },
}

/// An option with a value that is not one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongOption {
    /// The option.
    pub name: &'static str,
    /// What was given, shortened.
    pub value: String,
}

/// A command that may stand inside a message: it is carried out, and the rest goes to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shortcut {
    /// `/help`
    Help,
    /// `/commands`
    Commands,
    /// `/status`
    Status,
    /// `/whoami`
    Whoami,
}

/// What a text holds beside what is for the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    /// Settings.
    pub directives: Directives,
    /// Commands, each once, in order.
    pub shortcuts: Vec<Shortcut>,
    /// The text without them.
    pub rest: String,
}

/// Finds settings and short commands in a text. An alias of a model counts as a setting of its own (`/opus`).
#[must_use]
pub fn extract(text: &str, model_aliases: &[String]) -> Extracted {
    let text = text.trim();
    let marks = scan::marks(text);
    let all = gather(text, &marks, model_aliases, Doubt::Take);
    if all.rest.is_empty() {
        return all;
    }
    gather(text, &marks, model_aliases, Doubt::Leave)
}

/// What to do with marks that may be settings or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    Take,
    Leave,
}

/// How sure it is that a mark is a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sureness {
    Sure,
    Doubtful,
}

struct Found {
    directive: Option<Part>,
    end: usize,
    sureness: Sureness,
}

enum Part {
    Think(Level<ThinkingLevel>),
    Verbose(Level<VerboseLevel>),
    Reasoning(Level<ReasoningLevel>),
    Elevated(Level<ElevatedLevel>),
    Exec(ExecDirective),
    Model(ModelDirective),
    Queue(QueueDirective),
    Shortcut(Shortcut),
}

fn gather(text: &str, marks: &[Mark], aliases: &[String], doubt: Doubt) -> Extracted {
    let mut extracted = Extracted::default();
    let mut cuts: Vec<Cut> = Vec::new();
    for (index, mark) in marks.iter().enumerate() {
        if cuts.last().is_some_and(|cut| mark.start < cut.end) {
            continue;
        }
        let limit = marks.get(index + 1).map_or(text.len(), |next| next.start);
        let found = look(text, mark, limit, aliases);
        let Some(part) = found.directive else { continue };
        if found.sureness == Sureness::Doubtful && doubt == Doubt::Leave {
            continue;
        }
        keep(&mut extracted, part);
        cuts.push(Cut { start: mark.start, end: found.end });
    }
    extracted.rest = scan::without(text, &cuts);
    extracted
}

fn keep(extracted: &mut Extracted, part: Part) {
    let directives = &mut extracted.directives;
    match part {
        Part::Think(level) => directives.think = Some(level),
        Part::Verbose(level) => directives.verbose = Some(level),
        Part::Reasoning(level) => directives.reasoning = Some(level),
        Part::Elevated(level) => directives.elevated = Some(level),
        Part::Exec(exec) => directives.exec = Some(exec),
        Part::Model(model) => directives.model = Some(model),
        Part::Queue(queue) => directives.queue = Some(queue),
        Part::Shortcut(shortcut) if extracted.shortcuts.contains(&shortcut) => {}
        Part::Shortcut(shortcut) => extracted.shortcuts.push(shortcut),
    }
}

/// Reads one mark. Its arguments end where the next mark begins.
fn look(text: &str, mark: &Mark, limit: usize, aliases: &[String]) -> Found {
    let name = &text[mark.start + 1..mark.name_end];
    let nothing = Found { directive: None, end: mark.end, sureness: Sureness::Sure };
    if let Some(alias) = aliases.iter().find(|alias| alias.eq_ignore_ascii_case(name)) {
        let model = ModelDirective::Set { model: alias.clone(), profile: None };
        return Found { directive: Some(Part::Model(model)), ..nothing };
    }
    let Some(spec) = find(name).filter(|spec| spec.place != CommandPosition::Alone) else { return nothing };
    let arguments = scan::arguments(text, mark, limit);
    match spec.name {
        CommandName::Think => level(&arguments, mark, parse_thinking, Part::Think),
        CommandName::Verbose => level(&arguments, mark, VerboseLevel::parse, Part::Verbose),
        CommandName::Reasoning => level(&arguments, mark, ReasoningLevel::parse, Part::Reasoning),
        CommandName::Elevated => level(&arguments, mark, ElevatedLevel::parse, Part::Elevated),
        CommandName::Exec => {
            let read = options::exec(&arguments);
            Found {
                sureness: sure_if(read.used > 0),
                end: end_of(&arguments, read.used, mark),
                directive: Some(Part::Exec(read.value)),
            }
        }
        CommandName::Queue => {
            let read = options::queue(&arguments);
            Found {
                sureness: sure_if(read.used > 0 && !names_no_mode(&read.value)),
                end: end_of(&arguments, read.used, mark),
                directive: Some(Part::Queue(read.value)),
            }
        }
        CommandName::Model => model(&arguments, mark, aliases),
        CommandName::Help => shortcut(mark, Shortcut::Help),
        CommandName::Commands => shortcut(mark, Shortcut::Commands),
        CommandName::Status => shortcut(mark, Shortcut::Status),
        CommandName::Whoami => shortcut(mark, Shortcut::Whoami),
        _ => nothing,
    }
}

fn shortcut(mark: &Mark, shortcut: Shortcut) -> Found {
    Found { directive: Some(Part::Shortcut(shortcut)), end: mark.end, sureness: Sureness::Sure }
}

fn level<T>(
    arguments: &[scan::Word<'_>],
    mark: &Mark,
    parse: impl Fn(&str) -> Option<T>,
    part: impl Fn(Level<T>) -> Part,
) -> Found {
    let Some(word) = arguments.first() else {
        return Found { directive: Some(part(Level::Show)), end: mark.end, sureness: Sureness::Doubtful };
    };
    // A level may end a clause: "/think high, then look at this".
    let bare = word.text.trim_end_matches([',', '.', ';', ':', '!', '?']);
    match parse(bare) {
        Some(level) => Found {
            directive: Some(part(Level::Set(level))),
            end: word.start + word.text.len(),
            sureness: Sureness::Sure,
        },
        None => Found {
            directive: Some(part(Level::Unknown(options::shortened(bare)))),
            end: word.start + word.text.len(),
            sureness: Sureness::Doubtful,
        },
    }
}

fn model(arguments: &[scan::Word<'_>], mark: &Mark, aliases: &[String]) -> Found {
    let Some(word) = arguments.first() else {
        let show = Some(Part::Model(ModelDirective::Show));
        return Found { directive: show, end: mark.end, sureness: Sureness::Doubtful };
    };
    let read = options::model(word.text);
    let looks_like_one = match &read {
        ModelDirective::Set { model, .. } => {
            mark.start == 0
                || model.contains(|c: char| matches!(c, '/' | '-' | '.' | ':') || c.is_ascii_digit())
                || aliases.iter().any(|alias| alias.eq_ignore_ascii_case(model))
        }
        ModelDirective::Number(_) => true,
        ModelDirective::Show | ModelDirective::List | ModelDirective::Status => false,
    };
    Found {
        directive: Some(Part::Model(read)),
        end: word.start + word.text.len(),
        sureness: sure_if(looks_like_one),
    }
}

/// Whether a word after `/queue` was taken for a mode and is none; it may be the next word of a sentence.
fn names_no_mode(queue: &QueueDirective) -> bool {
    matches!(queue, QueueDirective::Set { wrong, .. } if wrong.iter().any(|option| option.name == "mode"))
}

fn end_of(arguments: &[scan::Word<'_>], used: usize, mark: &Mark) -> usize {
    match used.checked_sub(1).and_then(|last| arguments.get(last)) {
        Some(word) => word.start + word.text.len(),
        None => mark.end,
    }
}

fn sure_if(condition: bool) -> Sureness {
    match condition {
        true => Sureness::Sure,
        false => Sureness::Doubtful,
    }
}
