//! Makes output readable for a model: no terminal sequences, no control characters, no invisible ones.
//!
//! Pure. A line that was overwritten with carriage returns shows what stood there last. The raw bytes stay in the file.

/// The readable form of raw output.
pub(crate) fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(trimmed(bytes));
    let stripped = without_sequences(&text);
    let mut lines = stripped.split('\n').map(last_writing);
    let mut cleaned = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        cleaned.push('\n');
        cleaned.push_str(line);
    }
    cleaned
}

/// The bytes without the pieces of a character that a cut left at either end.
fn trimmed(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    let bytes = bytes.get(start..).unwrap_or_default();
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.get(..error.valid_up_to()).unwrap_or_default(),
        _ => bytes,
    }
}

fn last_writing(line: &str) -> &str {
    let line = line.trim_end_matches('\r');
    line.rsplit('\r').next().unwrap_or(line)
}

fn without_sequences(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\u{1b}' => skip_sequence(&mut rest),
            '\u{9b}' => skip_parameters(&mut rest),
            '\n' | '\t' | '\r' => kept.push(next),
            '\u{8}' => {
                if !kept.ends_with('\n') {
                    kept.pop();
                }
            }
            other if other.is_control() || is_invisible(other) => {}
            other => kept.push(other),
        }
    }
    kept
}

fn skip_sequence(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.next() {
        Some('[') => skip_parameters(rest),
        // Titles, links, device control: up to the bell or the string terminator.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(next) = rest.next() {
                if next == '\u{7}' || (next == '\u{1b}' && rest.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        Some(' '..='/') => {
            while rest.next_if(|next| (' '..='/').contains(next)).is_some() {}
            rest.next();
        }
        _ => {}
    }
}

fn skip_parameters(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while rest.next_if(|next| (' '..='?').contains(next)).is_some() {}
    rest.next_if(|next| ('@'..='~').contains(next));
}

fn is_invisible(next: char) -> bool {
    matches!(next, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}
