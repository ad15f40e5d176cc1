//! Files and addresses that a model attaches to its answer: lines that begin with `MEDIA:`.
//!
//! Only the reading. Whether a file may be sent is decided by whoever sends it.

const WORD: &str = "MEDIA:";
/// The longest line that is read; a longer one is text.
const LONGEST: usize = 4096;

/// What a line attaches; nothing when it is an ordinary line.
pub(crate) fn parse_line(line: &str) -> Option<Vec<String>> {
    if line.len() > LONGEST {
        return None;
    }
    let body = line.trim().strip_prefix(WORD)?.trim();
    if let Some(quoted) = unquoted(body) {
        return source(quoted).map(|source| vec![source]);
    }
    let words: Option<Vec<String>> = body.split_whitespace().map(source).collect();
    match words {
        Some(words) if !words.is_empty() => Some(words),
        // A path with spaces in it.
        _ => source(body).map(|source| vec![source]),
    }
}

/// Whether the beginning of a line may become one that attaches something.
pub(crate) fn may_become_line(line: &str) -> bool {
    let line = line.trim_start();
    line.len() <= LONGEST && (WORD.starts_with(line) || line.starts_with(WORD))
}

fn unquoted(text: &str) -> Option<&str> {
    ['"', '\'', '`'].into_iter().find_map(|quote| {
        text.strip_prefix(quote)?.strip_suffix(quote).map(str::trim).filter(|inner| !inner.is_empty())
    })
}

/// A file or an address, without what models put around it.
fn source(text: &str) -> Option<String> {
    let text = text.trim_start_matches(['`', '"', '\'', '[', '{', '(']);
    let text = text.trim_end_matches(['`', '"', '\'', '\\', '}', ')', ']', ',']);
    let text = text.strip_prefix("file://").unwrap_or(text);
    (is_address(text) || is_path(text)).then(|| text.to_owned())
}

fn is_address(text: &str) -> bool {
    let lowered = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    (lowered.starts_with("http://") || lowered.starts_with("https://")) && !text.contains(char::is_whitespace)
}

fn is_path(text: &str) -> bool {
    let begins = ["/", "./", "../", "~/", "\\\\"].iter().any(|start| text.starts_with(start));
    let drive = matches!(text.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    let scheme = text.split_once(':').is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
    });
    let inner = !scheme && !text.contains(char::is_whitespace) && text.contains(['/', '\\']);
    begins || drive || inner || (!scheme && is_file_name(text))
}

fn is_file_name(text: &str) -> bool {
    text.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=10).contains(&extension.len())
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
    })
}
