//! How far "from now on" reaches: what a person may say, in words, and what a command lets them say.
//!
//! Pure. `grants` makes and matches grants with it; the queue compares a scope with the grant width of a command. Every surface
//! reads and prints scopes through this file, so that the words are the same everywhere.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

/// How far a grant reaches. Without a wish: the same words, this folder and below, the agent, for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GrantScope {
    /// Which words it covers.
    pub words: GrantWords,
    /// Where it holds.
    pub folder: GrantFolder,
    /// For whom it holds.
    pub holder: GrantHolder,
    /// How long it holds; until it is taken back when absent.
    pub lasts: Option<Duration>,
}

/// Which words a grant covers, for each program of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrantWords {
    /// Exactly these.
    #[default]
    Exact,
    /// So many of the words after the program's name, then whatever.
    Leading(NonZeroUsize),
    /// Whatever.
    Any,
}

/// Where a grant holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrantFolder {
    /// In the folder of the command and below.
    #[default]
    HereAndBelow,
    /// Anywhere.
    Anywhere,
}

/// For whom a grant holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrantHolder {
    /// Every session of the agent.
    #[default]
    Agent,
    /// This session.
    Session,
}

/// How wide a grant for a command may be, narrowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GrantWidth {
    /// Whoever asked decides what "from now on" means; nothing is kept here.
    Foreign,
    /// The rules ask every time (`ask` is `always`): "from now on" lets it run this once.
    EveryTime,
    /// It cannot be granted: "from now on" lets it run this once.
    Nothing,
    /// These words in this folder: it runs what it is given, or sets variables.
    Exact,
    /// Leading words as well, in this folder: some of its options run other programs.
    Leading,
    /// Anything.
    Wide,
}

/// A word that says nothing about a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" says nothing about how far the permission reaches. Words: {words}", words = GrantScope::WORDS)]
pub struct UnknownScope(pub String);

impl GrantScope {
    /// The words that people may write.
    pub const WORDS: &str =
        "exact | args | args=<count>, here | anywhere, agent | session, for <time such as 30m, 2h or 7d>";

    /// Reads the words of a person, in any order.
    ///
    /// # Errors
    /// The first word that is not understood.
    pub fn read(text: &str) -> Result<Self, UnknownScope> {
        let mut scope = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let unknown = || UnknownScope(word.to_owned());
            match word.to_ascii_lowercase().as_str() {
                "exact" => scope.words = GrantWords::Exact,
                "args" | "any-args" | "args=any" => scope.words = GrantWords::Any,
                "here" => scope.folder = GrantFolder::HereAndBelow,
                "anywhere" => scope.folder = GrantFolder::Anywhere,
                "agent" => scope.holder = GrantHolder::Agent,
                "session" => scope.holder = GrantHolder::Session,
                "for" => {
                    let span = words.next().ok_or_else(unknown)?;
                    scope.lasts = Some(span_of(span).ok_or_else(|| UnknownScope(span.to_owned()))?);
                }
                other => match (other.strip_prefix("args="), other.strip_prefix("for=")) {
                    (Some(count), _) => {
                        scope.words = GrantWords::Leading(count.parse().map_err(|_no_count| unknown())?);
                    }
                    (_, Some(span)) => scope.lasts = Some(span_of(span).ok_or_else(unknown)?),
                    (None, None) => return Err(unknown()),
                },
            }
        }
        Ok(scope)
    }

    /// Whether a command with this width may be granted so.
    pub(crate) fn fits(&self, latitude: GrantWidth) -> bool {
        let words = match self.words {
            GrantWords::Exact => GrantWidth::Exact,
            GrantWords::Leading(_) => GrantWidth::Leading,
            GrantWords::Any => GrantWidth::Wide,
        };
        let folder = match self.folder {
            GrantFolder::HereAndBelow => GrantWidth::Exact,
            GrantFolder::Anywhere => GrantWidth::Wide,
        };
        *self == Self::default() || words.max(folder) <= latitude
    }
}

impl fmt::Display for GrantScope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words {
            GrantWords::Exact => out.write_str("exactly these arguments")?,
            GrantWords::Leading(count) if count.get() == 1 => {
                out.write_str("the same first argument, then any")?;
            }
            GrantWords::Leading(count) => write!(out, "the same first {count} arguments, then any")?,
            GrantWords::Any => out.write_str("any arguments")?,
        }
        out.write_str(match self.folder {
            GrantFolder::HereAndBelow => ", in this folder and below",
            GrantFolder::Anywhere => ", in any folder",
        })?;
        out.write_str(match self.holder {
            GrantHolder::Agent => ", in every session of the agent",
            GrantHolder::Session => ", in this session only",
        })?;
        match self.lasts {
            Some(span) => write!(out, ", for {}", span_text(span)),
            None => out.write_str(", until it is taken back"),
        }
    }
}

impl GrantWidth {
    /// What a person who is asked has to know about "from now on"; nothing where whoever asked decides.
    #[must_use]
    pub fn hint(self) -> Option<&'static str> {
        match self {
            Self::Foreign => None,
            Self::EveryTime => Some(
                "allow-always lets it run this once only: exec asks every time here (ask is always), and nothing is remembered.",
            ),
            Self::Nothing => {
                Some("allow-always lets it run this once only: such a command cannot be remembered.")
            }
            Self::Exact => {
                Some("allow-always remembers exactly this command in this folder. Narrower: session, for 2h.")
            }
            Self::Leading => Some(
                "allow-always remembers exactly this command in this folder. Narrower: session, for 2h. Wider: args=1.",
            ),
            Self::Wide => Some(
                "allow-always remembers exactly this command in this folder. Narrower: session, for 2h. Wider: args=1, \
                 args, anywhere.",
            ),
        }
    }
}

const UNITS: [(&str, u64); 5] = [("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];
/// Ten years; whoever means longer means for good.
const LONGEST: u64 = 10 * 365 * 86_400;

/// A span such as `2h`. Never zero.
fn span_of(text: &str) -> Option<Duration> {
    let text = text.to_ascii_lowercase();
    let (number, unit) =
        UNITS.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, *seconds)))?;
    let seconds = number.parse::<u64>().ok()?.checked_mul(unit)?;
    (1..=LONGEST).contains(&seconds).then(|| Duration::from_secs(seconds))
}

/// The span in its largest whole unit.
fn span_text(span: Duration) -> String {
    let seconds = span.as_secs().max(1);
    let whole = UNITS.iter().find(|(_, unit)| seconds.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{seconds}s"), |(name, unit)| format!("{}{name}", seconds / unit))
}
