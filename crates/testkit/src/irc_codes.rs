//! Reads the codes of IRC strictly: what is no code of ours must not look like one.

/// Whether a line holds no other code than bold, italic and struck through.
///
/// # Errors
/// A sign that would be read as another code.
pub fn read_codes(markup: &str) -> Result<(), String> {
    let code = |letter: char| matches!(letter, '\n' | '\u{2}' | '\u{1d}' | '\u{1e}');
    match markup.chars().find(|letter| letter.is_control() && !code(*letter)) {
        Some(letter) => Err(format!("{letter:?} would be read as a code")),
        None => Ok(()),
    }
}
