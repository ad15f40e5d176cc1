//! Words that stop everything when they are the whole message.
//!
//! People in a hurry do not look up commands, so plain words of several languages count as well as `/stop`.

const WORDS: &[&str] = &[
    "stop",
    "esc",
    "abort",
    "wait",
    "exit",
    "interrupt",
    "halt",
    "detente",
    "deten",
    "detén",
    "arrete",
    "arrête",
    "停止",
    "やめて",
    "止めて",
    "रुको",
    "توقف",
    "стоп",
    "остановись",
    "останови",
    "остановить",
    "прекрати",
    "anhalten",
    "aufhören",
    "hoer auf",
    "stopp",
    "pare",
    "stop openclaw",
    "openclaw stop",
    "stop action",
    "stop current action",
    "stop run",
    "stop current run",
    "stop agent",
    "stop the agent",
    "stop don't do anything",
    "stop dont do anything",
    "stop do not do anything",
    "stop doing anything",
    "do not do that",
    "please stop",
    "stop please",
];

/// Whether a whole message asks to stop: one of the words or `/stop`, in any case, with any spaces inside and any
/// punctuation behind.
#[must_use]
pub fn is_abort_word(text: &str) -> bool {
    let lowered = text.to_lowercase().replace(['’', '`'], "'");
    let joined = lowered.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = joined.trim_end_matches(is_trailing).trim_end();
    bare == "/stop" || WORDS.contains(&bare)
}

fn is_trailing(c: char) -> bool {
    c.is_whitespace() || ".!?…,，。;；:：！？'\"’”)]}".contains(c)
}
