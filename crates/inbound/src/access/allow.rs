//! Whether somebody is on a list.
//!
//! Ids decide. Names and handles change hands, so they count only where the account says that it accepts that.

use openclaw_types::{AllowList, Person};

/// Whether a person is on a list.
pub(super) fn lists(list: &AllowList, person: &Person) -> bool {
    everybody(list)
        || list.ids.iter().any(|entry| ids(person).any(|id| same(entry, id)))
        || names(person).any(|name| list.names.contains(&name))
}

/// Whether a list stands for everybody.
pub(super) fn everybody(list: &AllowList) -> bool {
    list.ids.iter().any(|entry| entry.trim() == "*")
}

/// Whether a list names nobody.
pub(super) fn is_empty(list: &AllowList) -> bool {
    list.ids.is_empty() && list.names.is_empty()
}

/// Whether an entry of a list for all channels means a person on the channel with these names: the id alone, or with
/// one of the names, `user` or `id` in front.
pub(super) fn means(entry: &str, person: &Person, names: &[&str]) -> bool {
    let id = person.id.as_str();
    let after = |prefix: &str| {
        let (head, tail) = entry.split_once(':')?;
        head.trim().eq_ignore_ascii_case(prefix).then_some(tail)
    };
    same(entry, id)
        || names.iter().copied().chain(["user", "id"]).any(|name| {
            after(name).is_some_and(|rest| {
                same(rest, id)
                    || rest.split_once(':').is_some_and(|(head, tail)| is_user(head) && same(tail, id))
            })
        })
}

fn is_user(word: &str) -> bool {
    word.trim().eq_ignore_ascii_case("user")
}

/// Ids are compared without regard to case, as the original does on every platform.
pub(super) fn same(entry: &str, id: &str) -> bool {
    entry.trim().eq_ignore_ascii_case(id.trim())
}

fn ids(person: &Person) -> impl Iterator<Item = &str> {
    std::iter::once(person.id.as_str()).chain(person.also.iter().map(String::as_str))
}

fn names(person: &Person) -> impl Iterator<Item = String> {
    [&person.handle, &person.name].into_iter().flatten().map(|name| name.trim().to_lowercase())
}
