//! Reads the platform's Markdown strictly. It refuses none; what can go wrong is code that does not end where it should.

/// Whether code ends where it should.
///
/// # Errors
/// Code without an end.
pub fn read_marks(markup: &str) -> Result<(), String> {
    let mut rest = markup;
    while let Some(letter) = rest.chars().next() {
        rest = match letter {
            '\\' => rest[1..].strip_prefix(|sign: char| sign.is_ascii_punctuation()).unwrap_or(&rest[1..]),
            '`' => after_code(rest)?,
            _ => &rest[letter.len_utf8()..],
        };
    }
    Ok(())
}

/// What follows code: a block ends at the next three signs, other code at as many as it began with.
fn after_code(code: &str) -> Result<&str, String> {
    if let Some(block) = code.strip_prefix("```") {
        return block
            .split_once("```")
            .map(|(_, after)| after)
            .ok_or_else(|| format!("an open block: {code:?}"));
    }
    let inner = code.trim_start_matches('`');
    let signs = code.len() - inner.len();
    let mut rest = inner;
    while let Some(at) = rest.find('`') {
        let after = rest[at..].trim_start_matches('`');
        if rest.len() - at - after.len() == signs {
            return Ok(after);
        }
        rest = after;
    }
    Err(format!("code without an end: {code:?}"))
}
