//! Turns the names of keys into the bytes that a terminal sends, as `tmux send-keys` and xterm know them.
//!
//! Pure. `C-`, `M-` and `S-` before a key mean control, alt and shift; `^c` is control too. A word that is no key is
//! sent letter by letter.

const ESCAPE: &str = "\u{1b}";

/// Keys with a name of their own.
#[rustfmt::skip]
const NAMED: [(&str, &str); 54] = [
    ("enter", "\r"), ("return", "\r"), ("tab", "\t"), ("escape", "\u{1b}"), ("esc", "\u{1b}"), ("space", " "),
    ("bspace", "\u{7f}"), ("backspace", "\u{7f}"), ("up", "\u{1b}[A"), ("down", "\u{1b}[B"), ("right", "\u{1b}[C"),
    ("left", "\u{1b}[D"), ("home", "\u{1b}[1~"), ("end", "\u{1b}[4~"), ("pageup", "\u{1b}[5~"), ("pgup", "\u{1b}[5~"),
    ("ppage", "\u{1b}[5~"), ("pagedown", "\u{1b}[6~"), ("pgdn", "\u{1b}[6~"), ("npage", "\u{1b}[6~"),
    ("insert", "\u{1b}[2~"), ("ic", "\u{1b}[2~"), ("delete", "\u{1b}[3~"), ("del", "\u{1b}[3~"), ("dc", "\u{1b}[3~"),
    ("btab", "\u{1b}[Z"), ("f1", "\u{1b}OP"), ("f2", "\u{1b}OQ"), ("f3", "\u{1b}OR"), ("f4", "\u{1b}OS"),
    ("f5", "\u{1b}[15~"), ("f6", "\u{1b}[17~"), ("f7", "\u{1b}[18~"), ("f8", "\u{1b}[19~"), ("f9", "\u{1b}[20~"),
    ("f10", "\u{1b}[21~"), ("f11", "\u{1b}[23~"), ("f12", "\u{1b}[24~"), ("kp/", "\u{1b}Oo"), ("kp*", "\u{1b}Oj"),
    ("kp-", "\u{1b}Om"), ("kp+", "\u{1b}Ok"), ("kp0", "\u{1b}Op"), ("kp1", "\u{1b}Oq"), ("kp2", "\u{1b}Or"),
    ("kp3", "\u{1b}Os"), ("kp4", "\u{1b}Ot"), ("kp5", "\u{1b}Ou"), ("kp6", "\u{1b}Ov"), ("kp7", "\u{1b}Ow"),
    ("kp8", "\u{1b}Ox"), ("kp9", "\u{1b}Oy"), ("kp.", "\u{1b}On"), ("kpenter", "\u{1b}OM"),
];

#[derive(Debug, Clone, Copy, Default)]
struct Modifiers {
    control: bool,
    alt: bool,
    shift: bool,
}

/// The bytes of a key, and a warning when it is not understood.
pub(super) fn key(written: &str) -> (Vec<u8>, Option<String>) {
    let token = written.trim();
    if let Some(bytes) = caret(token) {
        return (bytes, None);
    }
    let (modifiers, base) = modifiers(token);
    let any = modifiers.control || modifiers.alt || modifiers.shift;
    let lower = base.to_lowercase();
    if lower == "tab" && modifiers.shift {
        return (format!("{ESCAPE}[Z").into_bytes(), None);
    }
    if let Some((_, sequence)) = NAMED.iter().find(|(name, _)| *name == lower) {
        return (named(sequence, modifiers), None);
    }
    let mut letters = base.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => (character(letter, modifiers), None),
        _ => (base.as_bytes().to_vec(), any.then(|| format!("'{base}' is no key; it was sent as text"))),
    }
}

/// The byte that two hexadecimal digits stand for.
pub(super) fn hex_byte(written: &str) -> Option<u8> {
    let text = written.trim().to_lowercase();
    let digits = text.strip_prefix("0x").unwrap_or(&text);
    let fits =
        !digits.is_empty() && digits.len() <= 2 && digits.chars().all(|digit| digit.is_ascii_hexdigit());
    fits.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// Text as a paste: terminals that know the marks do not take its lines for orders.
pub(super) fn paste(text: &str, bracketed: bool) -> Vec<u8> {
    if !bracketed {
        return text.as_bytes().to_vec();
    }
    // The mark of the end must not come from the text itself.
    format!("{ESCAPE}[200~{}{ESCAPE}[201~", text.replace("\u{1b}[201~", "")).into_bytes()
}

fn caret(token: &str) -> Option<Vec<u8>> {
    let mut letters = token.strip_prefix('^')?.chars();
    let letter = letters.next().filter(|_| letters.next().is_none())?;
    Some(vec![control(letter)?])
}

fn modifiers(token: &str) -> (Modifiers, &str) {
    let (mut modifiers, mut rest) = (Modifiers::default(), token);
    while rest.len() > 2 && rest.as_bytes().get(1) == Some(&b'-') {
        match rest.as_bytes().first() {
            Some(b'c' | b'C') => modifiers.control = true,
            Some(b'm' | b'M') => modifiers.alt = true,
            Some(b's' | b'S') => modifiers.shift = true,
            _ => break,
        }
        rest = rest.get(2..).unwrap_or_default();
    }
    (modifiers, rest)
}

/// xterm puts a number for the modifiers into the sequences of keys that move.
fn named(sequence: &str, modifiers: Modifiers) -> Vec<u8> {
    let number =
        1 + u8::from(modifiers.shift) + 2 * u8::from(modifiers.alt) + 4 * u8::from(modifiers.control);
    let inner = sequence.strip_prefix("\u{1b}[").filter(|_| number > 1);
    if let Some(digits) = inner.and_then(|inner| inner.strip_suffix('~')).filter(|digits| digits.len() == 1) {
        return format!("{ESCAPE}[{digits};{number}~").into_bytes();
    }
    if let Some(letter @ ("A" | "B" | "C" | "D")) = inner {
        return format!("{ESCAPE}[1;{number}{letter}").into_bytes();
    }
    let prefix = if modifiers.alt { ESCAPE } else { "" };
    format!("{prefix}{sequence}").into_bytes()
}

fn character(letter: char, modifiers: Modifiers) -> Vec<u8> {
    let letter = if modifiers.shift { letter.to_ascii_uppercase() } else { letter };
    let mut bytes = if modifiers.alt { ESCAPE.as_bytes().to_vec() } else { Vec::new() };
    match control(letter).filter(|_| modifiers.control) {
        Some(byte) => bytes.push(byte),
        None => bytes.extend(letter.to_string().as_bytes()),
    }
    bytes
}

fn control(letter: char) -> Option<u8> {
    match letter.to_ascii_uppercase() {
        '?' => Some(0x7f),
        upper @ '@'..='_' => u8::try_from(upper).ok().map(|byte| byte & 0x1f),
        _ => None,
    }
}
