//! Turns bytes into text: UTF-8, or the Western letters that old pages use. Pure.

/// The letters of Windows-1252 from 0x80 on, where it differs from Latin 1.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text of a page. What is no valid UTF-8 is read as Western text when that is what it says it is, or when it says
/// nothing.
pub(super) fn decode(bytes: &[u8], content_type: Option<&str>) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).to_lowercase();
    let said = content_type.map(str::to_lowercase).filter(|text| text.contains("charset=")).unwrap_or(head);
    let charset = said.split("charset=").nth(1).unwrap_or_default().trim_start_matches(['"', '\'']);
    let western = ["iso-8859-1", "iso-8859-15", "latin1", "windows-1252", "us-ascii"];
    if charset.is_empty() || western.iter().any(|name| charset.starts_with(name)) {
        return bytes.iter().map(|byte| western_letter(*byte)).collect();
    }
    String::from_utf8_lossy(bytes).into_owned()
}

fn western_letter(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte) - 0x80],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn utf_8_goes_first_and_western_letters_are_read_where_they_are_said_or_nothing_is() {
        assert_eq!(decode("grün".as_bytes(), Some("text/html; charset=iso-8859-1")), "grün");
        assert_eq!(decode(b"\xef\xbb\xbfa", None), "a");
        assert_eq!(decode(b"gr\xfcn \x93x\x94", Some("text/plain; charset=\"windows-1252\"")), "grün “x”");
        assert_eq!(decode(b"gr\xfcn", None), "grün");
        assert_eq!(decode(b"gr\xfcn", Some("text/html; charset=utf-8")), "gr\u{fffd}n");
    }
}
