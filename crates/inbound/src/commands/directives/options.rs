//! Reads the arguments of `/exec`, `/queue` and `/model`.
//!
//! Options are read as long as words are options; what follows is text. A value that is none is kept for the answer.

use openclaw_config::{DurationUnit, QueueOverrides, parse_duration};

use super::scan::Word;
use super::{ExecDirective, ModelDirective, QueueDirective, WrongOption};
use crate::commands::words::{ExecAsk, ExecHost, ExecSecurity, parse_queue_drop, parse_queue_mode};

/// How much of a wrong value is repeated.
const SHOWN: usize = 40;

/// What was read, and how many words it took.
pub(super) struct Read<T> {
    pub(super) value: T,
    pub(super) used: usize,
}

/// `host=… security=… ask=… node=…`
pub(super) fn exec(words: &[Word<'_>]) -> Read<ExecDirective> {
    let mut value = ExecDirective::default();
    let mut used = 0;
    for word in words {
        let Some((key, given)) = pair(word.text) else { break };
        match key.as_str() {
            "host" => note(&mut value.host, ExecHost::parse(given), "host", given, &mut value.wrong),
            "security" => {
                note(&mut value.security, ExecSecurity::parse(given), "security", given, &mut value.wrong);
            }
            "ask" => note(&mut value.ask, ExecAsk::parse(given), "ask", given, &mut value.wrong),
            "node" => {
                let node = (!given.is_empty()).then(|| given.to_owned());
                note(&mut value.node, node, "node", given, &mut value.wrong);
            }
            _ => break,
        }
        used += 1;
    }
    Read { value, used }
}

/// `mode debounce:2s cap:25 drop:summarize`, or `reset`.
pub(super) fn queue(words: &[Word<'_>]) -> Read<QueueDirective> {
    let mut choices = QueueOverrides::default();
    let mut wrong = Vec::new();
    let mut used = 0;
    for word in words {
        let lowered = word.text.to_lowercase();
        if matches!(lowered.as_str(), "default" | "reset" | "clear") {
            return Read { value: QueueDirective::Reset, used: used + 1 };
        }
        match pair(word.text) {
            Some((key, given)) => match key.as_str() {
                "debounce" => {
                    let span = parse_duration(given, DurationUnit::Milliseconds).ok();
                    note(&mut choices.debounce, span, "debounce", given, &mut wrong);
                }
                "cap" => {
                    let cap = given.parse().ok().filter(|cap| *cap > 0);
                    note(&mut choices.cap, cap, "cap", given, &mut wrong);
                }
                "drop" => note(&mut choices.drop, parse_queue_drop(given), "drop", given, &mut wrong),
                _ => break,
            },
            None => match parse_queue_mode(word.text) {
                Some(mode) => choices.mode = Some(mode),
                // A lone word is a mode that does not exist; more words are a sentence.
                None if used == 0 && words.len() == 1 => {
                    wrong.push(WrongOption { name: "mode", value: shortened(word.text) });
                    return Read { value: QueueDirective::Set { choices, wrong }, used: 1 };
                }
                None => break,
            },
        }
        used += 1;
    }
    let value = match used {
        0 => QueueDirective::Show,
        _ => QueueDirective::Set { choices, wrong },
    };
    Read { value, used }
}

/// `provider/model`, an alias, a number, `list`, `status`; `@` begins the sign-in.
pub(super) fn model(word: &str) -> ModelDirective {
    match word.to_lowercase().as_str() {
        "list" => return ModelDirective::List,
        "status" => return ModelDirective::Status,
        _ => {}
    }
    if let Ok(number) = word.parse() {
        return ModelDirective::Number(number);
    }
    let slash = word.rfind('/').map_or(0, |at| at + 1);
    match word.rfind('@') {
        Some(at) if at > slash && at + 1 < word.len() => {
            ModelDirective::Set { model: word[..at].to_owned(), profile: Some(word[at + 1..].to_owned()) }
        }
        _ => ModelDirective::Set { model: word.to_owned(), profile: None },
    }
}

/// The beginning of something that was typed.
pub(super) fn shortened(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

fn pair(word: &str) -> Option<(String, &str)> {
    let (key, value) = word.split_once(['=', ':'])?;
    Some((key.to_lowercase(), value))
}

fn note<T>(
    slot: &mut Option<T>,
    read: Option<T>,
    name: &'static str,
    given: &str,
    wrong: &mut Vec<WrongOption>,
) {
    match read {
        Some(value) => *slot = Some(value),
        None => wrong.push(WrongOption { name, value: shortened(given) }),
    }
}
