//! Reads what a call of `web_search` asks. Pure.

use jiff::civil::Date;

use super::services::{Freshnesses, Service};
use crate::arguments::{ToolArguments, WrongArgument};

const MOST_RESULTS: u64 = 10;
/// The longest question.
const LONGEST: usize = 2000;

/// A question to a search service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SearchQuestion {
    pub(super) query: String,
    pub(super) count: usize,
    /// Two letters, or `ALL`.
    pub(super) country: Option<String>,
    /// Two small letters.
    pub(super) language: Option<String>,
    /// Language and country, such as `de-DE`.
    pub(super) interface: Option<String>,
    pub(super) freshness: Option<Freshness>,
}

/// How new results must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Freshness {
    Day,
    Week,
    Month,
    Year,
    /// Between two days, as `YYYY-MM-DDtoYYYY-MM-DD`.
    Range(String),
}

impl Freshness {
    /// Reads what was written; nothing when it makes no sense.
    fn read(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "pd" | "day" => return Some(Self::Day),
            "pw" | "week" => return Some(Self::Week),
            "pm" | "month" => return Some(Self::Month),
            "py" | "year" => return Some(Self::Year),
            _ => {}
        }
        let (from, to) = text.split_once("to")?;
        let (from, to) = (day(from)?, day(to)?);
        (from <= to).then(|| Self::Range(format!("{from}to{to}")))
    }

    /// As people write it.
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Day => "pd",
            Self::Week => "pw",
            Self::Month => "pm",
            Self::Year => "py",
            Self::Range(range) => range,
        }
    }

    /// As a word: `day`, `week`, `month`, `year`; nothing for a range.
    pub(super) fn word(&self) -> Option<&'static str> {
        match self {
            Self::Day => Some("day"),
            Self::Week => Some("week"),
            Self::Month => Some("month"),
            Self::Year => Some("year"),
            Self::Range(_) => None,
        }
    }
}

fn day(text: &str) -> Option<Date> {
    let text = text.trim();
    text.parse::<Date>().ok().filter(|_| text.len() == 10)
}

/// A code and a text about something in the question that the model can put right.
pub(super) type Complaint = (&'static str, String);

impl SearchQuestion {
    /// Reads the arguments for a service.
    pub(super) fn read(
        given: &ToolArguments,
        results: u64,
        service: &Service,
    ) -> Result<Result<Self, Complaint>, WrongArgument> {
        let query: String = given.needed_word(&["query", "q"])?.chars().take(LONGEST).collect();
        let count = given.whole("count")?.unwrap_or(results).clamp(1, MOST_RESULTS);
        let country = given.word(&["country"])?;
        let (language, interface) = ordered(given.word(&["search_lang"])?, given.word(&["ui_lang"])?);
        let language = match language.map(|text| two_letters(&text).ok_or(text)).transpose() {
            Ok(language) => language,
            Err(text) => return Ok(Err(bad("search_lang", &text, "two letters such as en"))),
        };
        let interface = match interface.map(|text| locale(&text).ok_or(text)).transpose() {
            Ok(interface) => interface,
            Err(text) => return Ok(Err(bad("ui_lang", &text, "a language and a country such as en-US"))),
        };
        let freshness = match given.word(&["freshness"])? {
            None => None,
            Some(text) => match checked_freshness(&text, service) {
                Ok(freshness) => Some(freshness),
                Err(complaint) => return Ok(Err(complaint)),
            },
        };
        let count = usize::try_from(count).unwrap_or(1);
        Ok(Ok(Self { query, count, country, language, interface, freshness }))
    }

    /// What tells this question from others.
    pub(super) fn key(&self) -> String {
        format!("{self:?}")
    }
}

fn checked_freshness(text: &str, service: &Service) -> Result<Freshness, Complaint> {
    let bad = |text: String| Err(("unsupported_freshness", text));
    match (Freshness::read(text), service.freshness) {
        (None, _) => Err((
            "invalid_freshness",
            "freshness must be pd, pw, pm, py, or two days such as 2026-01-01to2026-02-01.".to_owned(),
        )),
        (Some(_), Freshnesses::None) => {
            bad(format!("{} cannot be asked for new results only.", service.label))
        }
        (Some(Freshness::Range(_)), Freshnesses::Words) => {
            bad(format!("{} takes pd, pw, pm or py, not days.", service.label))
        }
        (Some(freshness), _) => Ok(freshness),
    }
}

/// Models mix the two up; what is clearly meant is put right.
fn ordered(language: Option<String>, interface: Option<String>) -> (Option<String>, Option<String>) {
    match (&language, &interface) {
        (Some(one), Some(other)) if locale(one).is_some() && two_letters(other).is_some() => {
            (interface, language)
        }
        _ => (language, interface),
    }
}

fn bad(name: &'static str, text: &str, rule: &str) -> Complaint {
    let code = if name == "ui_lang" { "invalid_ui_lang" } else { "invalid_search_lang" };
    (code, format!("{name} must be {rule}, not {text:?}."))
}

fn two_letters(text: &str) -> Option<String> {
    let fits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    fits.then(|| text.to_ascii_lowercase())
}

fn locale(text: &str) -> Option<String> {
    let (language, country) = text.split_once(['-', '_'])?;
    Some(format!("{}-{}", two_letters(language)?, two_letters(country)?.to_ascii_uppercase()))
}
