//! Finds answers that say work was done: a file saved, a message sent. When no tool did it, the model is asked once.
//!
//! Pure, and careful rather than complete: a sentence counts only when it speaks of a deed as done, by the speaker, on
//! a thing outside the conversation. Texts that are shown in the answer itself, plans, questions, negations and quoted
//! words do not count. Most closely in English; `tongues` has what else is read.

mod tongues;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Whether an answer says that something was done to the world.
pub(crate) fn claims_a_deed(answer: &str) -> bool {
    own_lines(answer).iter().any(|line| sentences(&without_quotes(line)).iter().any(is_claim))
}

/// Deeds that need a tool, whatever they are done to.
const PLAIN_DEEDS: &[&str] = &[
    "saved",
    "sent",
    "emailed",
    "deleted",
    "scheduled",
    "booked",
    "installed",
    "uninstalled",
    "deployed",
    "pushed",
    "uploaded",
    "downloaded",
    "committed",
    "merged",
    "restarted",
    "rebooted",
    "executed",
    "posted",
    "published",
    "renamed",
    "forwarded",
    "archived",
    "moved",
    "copied",
];

/// Deeds that are also done to words in the answer itself: they need a thing that is outside.
const WORDY_DEEDS: &[&str] = &[
    "written",
    "wrote",
    "created",
    "updated",
    "edited",
    "changed",
    "modified",
    "added",
    "removed",
    "fixed",
    "set",
    "made",
    "configured",
    "replaced",
    "appended",
    "stored",
    "recorded",
    "enabled",
    "disabled",
    "started",
    "stopped",
    "ran",
    "run",
    "built",
    "cleaned",
    "closed",
    "opened",
    "cancelled",
    "canceled",
];

/// All of them, those of other languages included.
static DEEDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| PLAIN_DEEDS.iter().chain(WORDY_DEEDS).copied().chain(tongues::deeds()).collect());

/// Things that are outside the conversation.
const THINGS: &[&str] = &[
    "file",
    "files",
    "folder",
    "folders",
    "directory",
    "directories",
    "message",
    "messages",
    "email",
    "emails",
    "mail",
    "reminder",
    "reminders",
    "event",
    "calendar",
    "meeting",
    "invite",
    "invitation",
    "appointment",
    "commit",
    "branch",
    "pr",
    "config",
    "configuration",
    "setting",
    "settings",
    "package",
    "packages",
    "dependency",
    "dependencies",
    "server",
    "service",
    "container",
    "database",
    "record",
    "records",
    "document",
    "spreadsheet",
    "cron",
    "job",
    "repo",
    "repository",
    "ticket",
    "issue",
    "alarm",
    "timer",
    "backup",
    "script",
    "workspace",
    "memory",
    "channel",
    "website",
    "site",
    "build",
    "tests",
    "command",
    "order",
    "playlist",
    "lights",
    "light",
    "thermostat",
    "process",
];

/// Words behind which a sentence speaks of something else than what the deed was done to.
const TURNS: &[&str] = &["about", "for", "of", "with", "like", "as", "describing", "that", "which", "how"];

/// What stands for a thing right behind a deed.
const POINTERS: &[&str] = &["it", "them", "that", "this", "everything", "those", "these", "both", "you"];

/// Words that may stand between the speaker and the deed.
const BETWEEN: &[&str] = &[
    "just",
    "now",
    "also",
    "already",
    "successfully",
    "gone",
    "went",
    "ahead",
    "and",
    "then",
    "have",
    "quickly",
];

/// Words that say a sentence does not speak of something done, or not by the speaker, or shows it right here.
const DOUBTS: &[&str] = &[
    "not",
    "no",
    "never",
    "cannot",
    "unable",
    "failed",
    "without",
    "if",
    "once",
    "when",
    "after",
    "before",
    "until",
    "would",
    "could",
    "should",
    "might",
    "may",
    "can",
    "will",
    "shall",
    "must",
    "unless",
    "whether",
    "below",
    "above",
    "example",
    "draft",
    "drafted",
    "suppose",
    "imagine",
    "would've",
    "could've",
    "earlier",
    "yesterday",
    "previously",
    "ago",
    "last",
    "you've",
    "they've",
    "he",
    "she",
    "they",
    "someone",
];

struct Sentence<'a> {
    words: Vec<Cow<'a, str>>,
    end: char,
}

fn is_claim(sentence: &Sentence<'_>) -> bool {
    if matches!(sentence.end, '?' | ':') {
        return false;
    }
    // Most sentences tell of no deed in any language, so that is looked at first.
    if !sentence.words.iter().any(|word| DEEDS.contains(word.as_ref())) {
        return false;
    }
    if !sentence.words.iter().any(|word| is_deed(word)) {
        return tongues::claims(sentence);
    }
    if sentence.words.iter().any(|word| is_doubt(word)) {
        return false;
    }
    let words: Vec<&str> = sentence.words.iter().map(AsRef::as_ref).collect();
    spoken_deed(&words) || opening_deed(&words) || passive_deed(&words)
}

fn is_doubt(word: &str) -> bool {
    DOUBTS.contains(&word) || word.ends_with("n't") || word.ends_with("'ll") || word.ends_with("'d")
}

/// “I have saved …”, “I sent …”.
fn spoken_deed(words: &[&str]) -> bool {
    words.iter().enumerate().any(|(place, word)| {
        matches!(*word, "i" | "i've" | "we've" | "we") && {
            let rest = words.get(place + 1..).unwrap_or_default();
            // “I removed … and committed …”: the speaker stays the same.
            let more = rest.iter().enumerate().filter(|(_, word)| **word == "and");
            deed_ahead(rest)
                || more.into_iter().any(|(at, _)| deed_ahead(rest.get(at + 1..).unwrap_or_default()))
        }
    })
}

/// “Saved to notes.md”, “Done, sent it”, “Successfully created the file”.
fn opening_deed(words: &[&str]) -> bool {
    let polite =
        ["done", "all", "ok", "okay", "sure", "great", "perfect", "successfully", "yes", "and", "finished"];
    let skipped = words.iter().take_while(|word| polite.contains(word)).count();
    let rest = words.get(skipped..).unwrap_or_default();
    let first_is_deed =
        rest.first().is_some_and(|word| PLAIN_DEEDS.contains(word) || WORDY_DEEDS.contains(word));
    // A bare imperative such as “Set the timer” is advice: without a sign of success only forms that are past alone count.
    let is_past = rest.first().is_some_and(|word| !matches!(*word, "set" | "run"));
    first_is_deed && (is_past || skipped > 0) && deed_with_object(rest)
}

/// “The file has been saved”, “Your reminder is set”.
fn passive_deed(words: &[&str]) -> bool {
    words.iter().enumerate().any(|(place, word)| {
        let (Some(before), Some(after)) = (words.get(..place), words.get(place + 1..)) else { return false };
        let mut after = after.iter().skip_while(|word| BETWEEN.contains(word) || **word == "been");
        let deed = after.next();
        let done = match *word {
            "has" | "have" | "was" | "were" => deed.is_some_and(|deed| is_deed(deed)),
            "is" | "are" => {
                deed.is_some_and(|deed| matches!(*deed, "set" | "scheduled" | "booked" | "saved" | "sent"))
            }
            _ => false,
        };
        let subject = before.iter().rev().take(3).any(|word| THINGS.contains(word) || is_path(word));
        // “The file was created by …” tells about somebody else.
        done && subject && !words.contains(&"by")
    })
}

/// A deed within reach of the speaker, and its object.
fn deed_ahead(words: &[&str]) -> bool {
    let between = words.iter().take_while(|word| BETWEEN.contains(word)).count();
    words
        .get(between..)
        .is_some_and(|rest| rest.first().is_some_and(|word| is_deed(word)) && deed_with_object(rest))
}

/// Whether the words, which begin with a deed, name a thing that it was done to.
fn deed_with_object(words: &[&str]) -> bool {
    let Some((deed, rest)) = words.split_first() else { return false };
    let near = rest.iter().take(6).take_while(|word| !TURNS.contains(word));
    let thing = near.into_iter().any(|word| THINGS.contains(word)) || rest.iter().any(|word| is_path(word));
    let pointed = rest.first().is_some_and(|word| POINTERS.contains(word));
    let bare = rest.is_empty() && PLAIN_DEEDS.contains(deed);
    thing || bare || (pointed && PLAIN_DEEDS.contains(deed))
}

fn is_deed(word: &str) -> bool {
    PLAIN_DEEDS.contains(&word) || WORDY_DEEDS.contains(&word)
}

/// `notes.md`, `/etc/hosts`, `~/todo`: the name of something on disk.
fn is_path(word: &str) -> bool {
    let name = word.trim_matches(|letter: char| matches!(letter, '`' | '"' | '\''));
    let ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=5).contains(&ending.len())
            && ending.chars().all(|letter| letter.is_ascii_alphanumeric())
            && ending.chars().any(|letter| letter.is_ascii_alphabetic())
    });
    let rooted =
        name.len() > 1 && (name.starts_with('/') || name.starts_with("~/") || name.starts_with("./"));
    ending || rooted
}

/// The lines of an answer that the speaker says: no code, no quotations.
fn own_lines(answer: &str) -> Vec<&str> {
    let mut own = Vec::new();
    let mut fenced = false;
    for line in answer.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if fenced || line.starts_with('>') {
            continue;
        }
        own.push(line.trim_start_matches(|letter: char| {
            !letter.is_alphanumeric() && !matches!(letter, '"' | '“' | '`' | '/' | '~')
        }));
    }
    own
}

/// A line without what stands in quotation marks. Marks that are never closed quote nothing.
fn without_quotes(line: &str) -> Cow<'_, str> {
    if !line.contains(['"', '“']) {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(['"', '“']) {
        let (before, quoted) = rest.split_at(start);
        out.push_str(before);
        let inside = quoted.get(quoted.chars().next().map_or(0, char::len_utf8)..).unwrap_or("");
        match inside.find(['"', '”']) {
            Some(end) => {
                let close = inside.get(end..).and_then(|text| text.chars().next()).map_or(0, char::len_utf8);
                rest = inside.get(end + close..).unwrap_or("");
            }
            None => {
                out.push_str(inside);
                rest = "";
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn sentences(line: &str) -> Vec<Sentence<'_>> {
    let mut sentences = Vec::new();
    let mut words = Vec::new();
    for word in line.split_whitespace() {
        let bare = word.trim_end_matches([')', '*', '_', '"', '”', '\'']);
        let end = bare.chars().last().unwrap_or(' ');
        let clean = plain(word.trim_matches(|letter: char| {
            !letter.is_alphanumeric() && !matches!(letter, '/' | '~') || matches!(letter, '*' | '_')
        }));
        if !clean.is_empty() {
            words.push(clean);
        }
        if matches!(end, '.' | '!' | '?' | ':' | ';') || word == "—" || word == "–" {
            sentences.push(Sentence { words: std::mem::take(&mut words), end });
        }
    }
    if !words.is_empty() {
        sentences.push(Sentence { words, end: ' ' });
    }
    sentences
}

/// A word in lower case, with the apostrophe that everybody types.
fn plain(word: &str) -> Cow<'_, str> {
    match word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(word.replace('’', "'").to_lowercase()),
    }
}

#[cfg(test)]
mod tests;
