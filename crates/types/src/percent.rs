//! `%20` and its like in addresses, read back.

/// The bytes that a part of an address stands for. A `%` without two digits behind it stays as it is.
#[must_use]
pub fn percent_decoded(part: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = match after {
            [high, low, ..] if *first == b'%' => joined(*high, *low),
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    bytes
}

fn joined(high: u8, low: u8) -> Option<u8> {
    let digit = |sign: u8| char::from(sign).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? * 16 + digit(low)?)
}
