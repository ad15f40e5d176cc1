//! The words of a message as commands are read from them: without what only names us.

use openclaw_types::PeerId;

/// Who we are on a platform.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Us<'a> {
    /// Our id there.
    pub id: Option<&'a PeerId>,
    /// Our handle there, without a sign before it.
    pub handle: Option<&'a str>,
}

/// The words that commands are read from: without mentions of us in front and behind, and with `/name@us` as `/name`.
/// Nothing when the command is for somebody else: `/name@other`.
#[must_use]
pub fn command_text(text: &str, us: Us<'_>) -> Option<String> {
    let mut rest = text.trim();
    while let Some(after) = without_front(rest, us) {
        rest = after;
    }
    while let Some(before) = without_end(rest, us) {
        rest = before;
    }
    if !rest.starts_with('/') {
        return Some(rest.to_owned());
    }
    let (name, arguments) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
    match name.split_once('@') {
        None => Some(rest.to_owned()),
        Some((name, handle)) => {
            let ours = us.handle.is_some_and(|own| own.eq_ignore_ascii_case(handle.trim_end_matches(':')));
            ours.then(|| format!("{name}{arguments}"))
        }
    }
}

/// What follows a mention of us in front; nothing when there is none.
fn without_front<'t>(text: &'t str, us: Us<'_>) -> Option<&'t str> {
    mentions(us).iter().find_map(|mention| {
        let head = text.get(..mention.len())?;
        let tail = text.get(mention.len()..)?;
        let whole = tail.starts_with(|next: char| next.is_whitespace() || matches!(next, ',' | ':'));
        (head.eq_ignore_ascii_case(mention) && whole)
            .then(|| tail.trim_start_matches(|next: char| next.is_whitespace() || matches!(next, ',' | ':')))
    })
}

/// What precedes a mention of us behind; nothing when there is none.
fn without_end<'t>(text: &'t str, us: Us<'_>) -> Option<&'t str> {
    mentions(us).iter().find_map(|mention| {
        let start = text.len().checked_sub(mention.len())?;
        let (head, tail) = (text.get(..start)?, text.get(start..)?);
        (tail.eq_ignore_ascii_case(mention) && head.ends_with(char::is_whitespace)).then(|| head.trim_end())
    })
}

fn mentions(us: Us<'_>) -> Vec<String> {
    let ids = us.id.into_iter().flat_map(|id| [format!("<@{id}>"), format!("<@!{id}>")]);
    ids.chain(us.handle.map(|handle| format!("@{handle}"))).collect()
}
