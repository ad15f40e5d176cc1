//! Cleans what a client sends as text. Pure.

use icu_normalizer::ComposingNormalizerBorrowed;

/// The text in its normal form, without control characters.
pub(in crate::methods) fn cleaned(text: &str) -> Result<String, String> {
    if text.contains('\0') {
        return Err("message must not contain null bytes".to_owned());
    }
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(text);
    Ok(composed
        .chars()
        .filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\r' | '\t'))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::cleaned;

    #[test]
    fn text_is_composed_and_loses_its_control_characters() {
        for (given, expected) in [
            ("plain", Ok("plain".to_owned())),
            ("e\u{301}", Ok("\u{e9}".to_owned())),
            ("a\u{7}b\tc\nd\r", Ok("ab\tc\nd\r".to_owned())),
            ("a\0b", Err("message must not contain null bytes".to_owned())),
        ] {
            assert_eq!(cleaned(given), expected);
        }
    }
}
