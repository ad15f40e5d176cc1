//! Reads mrkdwn strictly. The platform refuses none, but angle brackets and entities mean something to it, and code must
//! end.

/// Whether the markup says what it looks like.
///
/// # Errors
/// What would be read as something else.
pub fn read_mrkdwn(markup: &str) -> Result<(), String> {
    let mut rest = markup;
    while let Some(at) = rest.find(['<', '>', '&']) {
        let (before, sign) = rest.split_at(at);
        let fresh = before.trim_start_matches("> ").is_empty() || before.ends_with('\n');
        rest = match sign.as_bytes()[0] {
            b'<' => {
                let (inner, after) = sign[1..].split_once('>').ok_or("an angle that is not closed")?;
                angles(inner)?;
                after
            }
            b'>' if fresh && sign.starts_with("> ") => &sign[2..],
            b'>' => return Err("an angle that was not opened".to_owned()),
            _ => ["&amp;", "&lt;", "&gt;"]
                .iter()
                .find_map(|entity| sign.strip_prefix(entity))
                .ok_or("a sign that is no entity")?,
        };
    }
    match markup.matches("```").count() % 2 {
        0 => Ok(()),
        _ => Err("a block of code does not end".to_owned()),
    }
}

/// What stands in angle brackets: somebody, a channel, or an address with words for it.
fn angles(inner: &str) -> Result<(), String> {
    let is_id = |id: &str| !id.is_empty() && id.chars().all(|letter| letter.is_ascii_alphanumeric());
    if inner.strip_prefix(['@', '#']).is_some_and(is_id) {
        return Ok(());
    }
    let (address, words) = inner.split_once('|').ok_or_else(|| format!("{inner:?} calls somebody"))?;
    let known = ["https://", "http://", "mailto:", "tel:", "slack://"];
    let leads = known.iter().any(|scheme| address.starts_with(scheme));
    let plain = |text: &str| !text.contains(['<', '>', '|', '\n']);
    match leads && !address.contains(' ') && plain(address) && plain(words) && !words.is_empty() {
        true => Ok(()),
        false => Err(format!("{inner:?} is no link")),
    }
}
