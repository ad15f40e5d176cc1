//! Reads `/allowlist`: `list|add|remove [dm|group|all] [entry] [channel=<id>] [account=<id>] [--config|--store]`.
//!
//! The options may stand anywhere, also as `--channel <id>`. An entry is one word as the platform has it.

use super::command::{Allowlist, AllowlistAction, PeopleList, Shelf};

/// Reads what follows the name; nothing when it is not complete, or says too much.
pub(super) fn parse(rest: &str) -> Option<Allowlist> {
    let mut order = Allowlist::default();
    let mut plain = Vec::new();
    let mut words = rest.split_whitespace();
    while let Some(word) = words.next() {
        let option = word.strip_prefix("--");
        let (key, value) = match option.unwrap_or(word).split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (option.unwrap_or_default(), None),
        };
        match (key.to_lowercase().as_str(), value) {
            ("channel", Some(id)) => order.channel = Some(named(id)?),
            ("account", Some(id)) => order.account = Some(named(id)?),
            ("channel", None) => order.channel = Some(named(words.next()?)?),
            ("account", None) => order.account = Some(named(words.next()?)?),
            ("config", None) => order.shelf = Shelf::File,
            ("store", None) => order.shelf = Shelf::Codes,
            _ => plain.push(word),
        }
    }
    let mut plain = plain.into_iter().peekable();
    let action = match plain.peek().map(|word| word.to_lowercase()).as_deref() {
        Some("list") => next(&mut plain, Wanted::List),
        Some("add") => next(&mut plain, Wanted::Add),
        Some("remove" | "rm" | "delete") => next(&mut plain, Wanted::Remove),
        _ => Wanted::List,
    };
    let list = plain.peek().and_then(|word| people(word));
    if list.is_some() {
        plain.next();
    }
    let entry = plain.next().map(str::to_owned);
    if plain.next().is_some() {
        return None;
    }
    order.list = list.unwrap_or(if action == Wanted::List { PeopleList::All } else { PeopleList::Direct });
    order.action = match (action, entry) {
        (Wanted::List, None) => AllowlistAction::Show,
        (Wanted::Add, Some(entry)) if order.list != PeopleList::All => AllowlistAction::Add(entry),
        (Wanted::Remove, Some(entry)) if order.list != PeopleList::All => AllowlistAction::Remove(entry),
        _ => return None,
    };
    Some(order)
}

fn named(id: &str) -> Option<String> {
    (!id.is_empty()).then(|| id.to_lowercase())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    List,
    Add,
    Remove,
}

fn next<'a>(words: &mut impl Iterator<Item = &'a str>, wanted: Wanted) -> Wanted {
    words.next();
    wanted
}

fn people(word: &str) -> Option<PeopleList> {
    match word.to_lowercase().as_str() {
        "dm" => Some(PeopleList::Direct),
        "group" => Some(PeopleList::Rooms),
        "all" => Some(PeopleList::All),
        _ => None,
    }
}
