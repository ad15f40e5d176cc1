//! MiniMax's coding plans: prompts in a window of hours.
//!
//! The answer has had several shapes and spellings. The reader looks for the object that says most about an allowance,
//! whatever it is called and wherever it lies, within bounds.

use std::cmp::Reverse;
use std::collections::VecDeque;

use openclaw_ports::model::{CallCredential, CredentialKind};
use serde_json::{Map, Value};

use super::reading::{moment, number, percent, text, window};
use super::vendor::{Ask, QuotaVendor, Told, bearer, plain, status_alone};

pub(super) const VENDOR: QuotaVendor = QuotaVendor {
    provider: "minimax",
    name: "MiniMax",
    address: "https://api.minimaxi.com/v1/api/openplatform/coding_plan/remains",
    zones: &["minimax.io", "minimaxi.com"],
    kinds: &[CredentialKind::ApiKey, CredentialKind::Token],
    ask,
    read,
    explain: status_alone,
};

/// How far the search goes.
const DEPTH: usize = 4;
const OBJECTS: usize = 60;

// Keys without underscores and capitals: `used_percent` and `usedPercent` are the same word.
const PERCENT: &[&str] = &["usedpercent", "usagepercent", "usedrate", "usagerate", "usedratio", "usageratio"];
const USED: &[&str] = &[
    "used",
    "usage",
    "usedamount",
    "usedtokens",
    "usedquota",
    "usedtimes",
    "promptused",
    "usedprompt",
    "promptsused",
    "currentintervalusagecount",
    "consumed",
];
const TOTAL: &[&str] = &[
    "total",
    "totalamount",
    "totaltokens",
    "totalquota",
    "totaltimes",
    "prompttotal",
    "totalprompt",
    "promptlimit",
    "limitprompt",
    "promptstotal",
    "totalprompts",
    "currentintervaltotalcount",
    "limit",
    "quota",
    "quotalimit",
    "max",
];
const LEFT: &[&str] = &[
    "remain",
    "remaining",
    "remainamount",
    "remainingamount",
    "remaintokens",
    "remainingtokens",
    "remainquota",
    "remainingquota",
    "remaintimes",
    "remainingtimes",
    "promptremain",
    "remainprompt",
    "promptremaining",
    "remainingprompt",
    "promptsremaining",
    "promptleft",
    "promptsleft",
    "left",
];
const RESET: &[&str] = &[
    "resetat",
    "resettime",
    "nextresetat",
    "nextresettime",
    "expiresat",
    "expireat",
    "endtime",
    "windowend",
];
const PLAN: &[&str] = &["plan", "planname", "product", "tier"];
const HOURS: &[&str] = &["windowhours", "durationhours", "hours"];
const MINUTES: &[&str] = &["windowminutes", "durationminutes", "minutes"];

fn ask(access: &CallCredential) -> Option<Ask> {
    Some(Ask::get([bearer(access)?, plain("mm-api-source", "OpenClaw")]))
}

fn read(answer: &Value) -> Result<Told, String> {
    let base = &answer["base_resp"];
    if base["status_code"].as_i64().is_some_and(|code| code != 0) {
        return Err(text(&base["status_msg"]).unwrap_or_else(|| "API error".to_owned()));
    }
    let payload = answer["data"].as_object().or_else(|| answer.as_object()).ok_or("Invalid JSON")?;
    let found = candidates(payload).into_iter().find_map(|object| Some((object, used(object)?)));
    let (object, used) = found.ok_or("Unsupported response shape")?;
    let reset = first(object, RESET, moment).or_else(|| first(payload, RESET, moment));
    Ok(Told {
        windows: vec![window(label(object), used, reset)],
        plan: first(object, PLAN, text).or_else(|| first(payload, PLAN, text)),
    })
}

/// Objects that say something about an allowance: those that say most first, then those that lie nearest.
fn candidates(root: &Map<String, Value>) -> Vec<&Map<String, Value>> {
    let mut waiting = VecDeque::from([(root, 0)]);
    let mut found = Vec::new();
    let mut seen = 0;
    while let Some((object, depth)) = waiting.pop_front()
        && seen < OBJECTS
    {
        seen += 1;
        found.push((object, Reverse(score(object)), depth));
        if depth < DEPTH {
            let below = object.values().flat_map(|value| match value {
                Value::Array(list) => list.iter().take(OBJECTS).collect(),
                value => vec![value],
            });
            waiting.extend(below.filter_map(Value::as_object).map(|object| (object, depth + 1)));
        }
    }
    found.sort_by_key(|(_, score, depth)| (*score, *depth));
    found.into_iter().map(|(object, ..)| object).collect()
}

fn score(object: &Map<String, Value>) -> u32 {
    let has = |words: &[&str]| object.keys().any(|key| words.contains(&word(key).as_str()));
    let points =
        [(4, has(PERCENT)), (3, has(TOTAL)), (2, has(USED) || has(LEFT)), (1, has(RESET)), (1, has(PLAN))];
    points.iter().filter(|(_, has)| *has).map(|(points, _)| points).sum()
}

/// How much is used, by counts where there are any: a share may be of one or of a hundred, counts are plain.
fn used(object: &Map<String, Value>) -> Option<f64> {
    let total = first(object, TOTAL, number).filter(|total| *total > 0.0);
    let used = first(object, USED, number);
    let by_counts = total.and_then(|total| {
        let used = used.or_else(|| Some(total - first(object, LEFT, number)?))?;
        Some(percent(used / total * 100.0))
    });
    by_counts.or_else(|| {
        let share = first(object, PERCENT, number)?;
        Some(percent(if share <= 1.0 { share * 100.0 } else { share }))
    })
}

fn label(object: &Map<String, Value>) -> String {
    let length = |words, letter| {
        first(object, words, number).filter(|count| *count > 0.0).map(|count| format!("{count}{letter}"))
    };
    length(HOURS, "h").or_else(|| length(MINUTES, "m")).unwrap_or_else(|| "5h".to_owned())
}

/// The value of the first word that is there and can be read.
fn first<T>(object: &Map<String, Value>, words: &[&str], read: fn(&Value) -> Option<T>) -> Option<T> {
    words.iter().find_map(|wanted| {
        let fits = object.iter().filter(|(key, _)| word(key) == *wanted);
        fits.into_iter().find_map(|(_, value)| read(value))
    })
}

fn word(key: &str) -> String {
    key.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase).collect()
}
