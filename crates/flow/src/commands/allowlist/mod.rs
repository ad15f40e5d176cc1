//! `/allowlist`: shows who may talk to us on a platform, and changes it.
//!
//! Who may change it was decided before. People are in two places: in the configuration file, and with those who were let
//! in by a code. How an entry is written is known to the platform alone, so that it is asked: two entries are the same
//! when it reads the same id out of both. Where in the file a list is, is decided in `shelf`.

mod shelf;

use openclaw_inbound::commands::{Allowlist, AllowlistAction, PeopleList, Shelf};
use openclaw_ports::channel::ChannelKind;
use openclaw_ports::tool::{ControlFault, ControlRequest};
use openclaw_types::{AccountId, AllowList, ChannelId, DmPolicy, GroupPolicy, RoomName, RoomRule};
use serde_json::{Value, json};

use super::{CommandCall, CommandTrouble};
use crate::channels::AccountView;
use shelf::{Kept, find};

/// An account whose lists are meant.
struct Subject<'a> {
    kind: &'a dyn ChannelKind,
    channel: ChannelId,
    account: AccountId,
    view: AccountView,
}

/// What an entry means to the platform.
struct Person {
    /// As it is written into a list.
    written: String,
    /// As the platform reads it.
    read: AllowList,
}

/// A change of one list.
struct Change<'a> {
    list: PeopleList,
    person: &'a Person,
    joins: bool,
}

/// Shows or changes who may talk.
pub(super) async fn allowlist(call: &CommandCall<'_>, order: Allowlist) -> Result<String, CommandTrouble> {
    let subject = match subject(call, &order) {
        Ok(subject) => subject,
        Err(refusal) => return Ok(refusal),
    };
    let (written, joins) = match &order.action {
        AllowlistAction::Show => return show(call, &subject, order.list).await,
        AllowlistAction::Add(entry) => (entry, true),
        AllowlistAction::Remove(entry) => (entry, false),
    };
    let Some(person) = person(call, &subject, written) else {
        return Ok(format!(
            "⚠️ {written} is no id on {}, and names change hands. /whoami tells people their id.",
            subject.view.descriptor.label
        ));
    };
    let change = Change { list: order.list, person: &person, joins };
    if let Some(refusal) = refused(call, &subject, &order, &person) {
        return Ok(refusal);
    }
    let mut places = Vec::new();
    if order.shelf != Shelf::Codes {
        match change_file(call, &subject, &change).await {
            Ok(path) => places.extend(path),
            Err(fault) => return Ok(format!("⚠️ {fault}")),
        }
    }
    let in_file = !places.is_empty();
    if order.shelf != Shelf::File && change_codes(call, &subject, &change).await? {
        places.push("the list of those who were let in by a code".to_owned());
    }
    let told = told(&subject, &change, &places);
    Ok(if in_file && owns(call, &subject, &change) { format!("{told}\n{OWNS}") } else { told })
}

/// Told with somebody whom a list makes an owner.
const OWNS: &str = "Who stands in that list owns this assistant too, as long as commands.ownerAllowFrom names nobody. With \
                    --store they may talk and no more.";

/// The account that is meant, or what is wrong.
fn subject<'a>(call: &'a CommandCall<'_>, order: &Allowlist) -> Result<Subject<'a>, String> {
    let channel_accounts = &call.flow.parts.channels;
    let named = order.channel.as_deref().unwrap_or_else(|| call.channel());
    let kind = channel_accounts.kind(named).ok_or_else(|| {
        let known: Vec<&str> = channel_accounts.kinds().iter().map(|kind| kind.id).collect();
        format!("⚠️ Unknown channel {named}. Add channel=<id> to the command: {}.", known.join(", "))
    })?;
    let unknown = |what: &str| format!("⚠️ There is no account{what} of {} here.", kind.descriptor().label);
    let channel = ChannelId::new(kind.descriptor().id).map_err(|_never| unknown(""))?;
    let from = &call.submission.from;
    let here = from.account.clone().filter(|_| from.channel.as_ref() == Some(&channel));
    let account = match &order.account {
        Some(account) => AccountId::new(account).ok(),
        None => here.or_else(|| channel_accounts.accounts_of(&channel).into_iter().next()),
    };
    let account = account.ok_or_else(|| unknown(""))?;
    let view = channel_accounts.view(&channel, &account).ok_or_else(|| unknown(&format!(" {account}")))?;
    Ok(Subject { kind, channel, account, view })
}

/// What an entry means; nothing for a name where only ids count.
fn person(call: &CommandCall<'_>, subject: &Subject<'_>, written: &str) -> Option<Person> {
    let read = read_entry(call, subject, &json!(written));
    match (read.ids.first(), read.names.first()) {
        (Some(id), _) => Some(Person { written: id.clone(), read }),
        (None, Some(_)) => Some(Person { written: written.to_owned(), read }),
        (None, None) => None,
    }
}

/// How the platform reads one entry of a list.
fn read_entry(call: &CommandCall<'_>, subject: &Subject<'_>, entry: &Value) -> AllowList {
    let settings =
        json!({ "allowFrom": [entry], "dangerouslyAllowNameMatching": subject.view.door.names_count });
    call.flow.parts.channels.door_in(subject.kind, &settings).allow_from
}

/// Why a change is not made, in words for people.
fn refused(
    call: &CommandCall<'_>,
    subject: &Subject<'_>,
    order: &Allowlist,
    person: &Person,
) -> Option<String> {
    let label = subject.view.descriptor.label;
    let is_id = person.read.ids.first().is_some_and(|id| id != "*");
    if order.shelf == Shelf::Codes && (order.list == PeopleList::Rooms || !is_id) {
        return Some("⚠️ Codes let single people into direct chats. Leave --store out.".to_owned());
    }
    if order.shelf != Shelf::Codes {
        if let Some(refusal) = call.may_not_write() {
            return Some(refusal);
        }
        if !subject.view.manner.config_writes {
            return Some(format!(
                "⚠️ The lists of {label} cannot be changed by commands: channels.{}.configWrites is false.",
                subject.channel
            ));
        }
    }
    let everybody = json!({ "groupAllowFrom": ["*"] });
    let goes_by_list = order.list != PeopleList::Rooms
        || call.flow.parts.channels.door_in(subject.kind, &everybody).group_allow_from
            == Some(AllowList { ids: vec!["*".to_owned()], names: Vec::new() });
    (!goes_by_list).then(|| {
        format!(
            "⚠️ {label} has no one list for all rooms: people are named for each room in channels.{}. Use /config.",
            subject.channel
        )
    })
}

/// Changes the list in the configuration file. Gives where it is; nothing when nothing changes.
async fn change_file(
    call: &CommandCall<'_>,
    subject: &Subject<'_>,
    change: &Change<'_>,
) -> Result<Option<String>, ControlFault> {
    let Some(control) = &call.handles().control else {
        return Err(ControlFault("The configuration cannot be reached from here.".to_owned()));
    };
    let answer = control.act(ControlRequest::ConfigGet).await?;
    let section =
        answer.get("config").and_then(|config| config.get("channels")?.get(subject.channel.as_str()));
    let key = match change.list {
        PeopleList::Rooms => "groupAllowFrom",
        PeopleList::Direct | PeopleList::All => "allowFrom",
    };
    let Kept { path, mut entries } = find(section, &subject.channel, &subject.account, key);
    let before = entries.len();
    let is_same = |entry: &Value| same(&read_entry(call, subject, entry), &change.person.read);
    match change.joins {
        true if entries.iter().any(is_same) => {}
        true => entries.push(json!(change.person.written)),
        false => entries.retain(|entry| !is_same(entry)),
    }
    if entries.len() == before {
        return Ok(None);
    }
    control.act(ControlRequest::ConfigSet { path: path.clone(), value: Value::Array(entries) }).await?;
    Ok(Some(path))
}

/// Whether a platform reads the same person out of two entries.
fn same(one: &AllowList, other: &AllowList) -> bool {
    let meets = |a: &[String], b: &[String]| a.iter().any(|a| b.iter().any(|b| a.eq_ignore_ascii_case(b)));
    meets(&one.ids, &other.ids) || meets(&one.names, &other.names)
}

/// Changes who was let in by a code. Gives whether anything changed.
async fn change_codes(
    call: &CommandCall<'_>,
    subject: &Subject<'_>,
    change: &Change<'_>,
) -> Result<bool, CommandTrouble> {
    let id = change.person.read.ids.first().filter(|id| *id != "*");
    let (Some(id), PeopleList::Direct) = (id, change.list) else { return Ok(false) };
    let senders = &call.flow.parts.senders;
    // Ids are compared without regard to case everywhere.
    let mut kept = senders.allowed(&subject.channel, &subject.account).await?;
    kept.retain(|each| each.eq_ignore_ascii_case(id));
    if change.joins {
        return Ok(kept.is_empty() && senders.allow(&subject.channel, &subject.account, id).await?);
    }
    let mut changed = false;
    for each in &kept {
        changed |= senders.disallow(&subject.channel, &subject.account, each).await?;
    }
    Ok(changed)
}

/// Whether a list makes somebody an owner.
fn owns(call: &CommandCall<'_>, subject: &Subject<'_>, change: &Change<'_>) -> bool {
    let rules = call.flow.rules();
    change.joins
        && change.list == PeopleList::Direct
        && change.person.read.ids.iter().any(|id| id != "*")
        && rules.access_on(subject.view.descriptor).owners.is_empty()
}

fn told(subject: &Subject<'_>, change: &Change<'_>, places: &[String]) -> String {
    let who = match change.person.written.as_str() {
        "*" => "Everybody",
        written => written,
    };
    let talk = match change.list {
        PeopleList::Rooms => "talk to me in rooms",
        PeopleList::Direct | PeopleList::All => "write to me",
    };
    let label = subject.view.descriptor.label;
    match (places.is_empty(), change.joins) {
        (true, true) => format!("⚙️ {who} is on the list already."),
        (true, false) => format!("⚙️ {who} is on no list of {label}."),
        (false, true) => format!("✅ {who} may {talk} on {label}. Changed: {}.", places.join(", ")),
        (false, false) => format!("✅ {who} is off the list of {label}. Changed: {}.", places.join(", ")),
    }
}

/// The lists, for people.
async fn show(
    call: &CommandCall<'_>,
    subject: &Subject<'_>,
    list: PeopleList,
) -> Result<String, CommandTrouble> {
    let door = &subject.view.door;
    let mut lines =
        vec![format!("🧾 Who may talk to me on {} ({})", subject.view.descriptor.label, subject.account)];
    if list != PeopleList::Rooms {
        let policy = match door.dm {
            DmPolicy::Pairing => "pairing",
            DmPolicy::Allowlist => "allowlist",
            DmPolicy::Open => "open",
            DmPolicy::Disabled => "disabled",
        };
        lines.push(format!("Direct chats ({policy}): {}", names(&door.allow_from)));
        let paired = call.flow.parts.senders.allowed(&subject.channel, &subject.account).await?;
        lines.push(format!("Let in by a code: {}", joined(&paired)));
    }
    if list != PeopleList::Direct {
        let policy = match door.group {
            GroupPolicy::Open => "open",
            GroupPolicy::Allowlist => "allowlist",
            GroupPolicy::Disabled => "disabled",
        };
        let people = match &door.group_allow_from {
            Some(list) => names(list),
            None => "as in direct chats".to_owned(),
        };
        lines.push(format!("Rooms ({policy}): {people}"));
        rooms(&door.rooms, "", &mut lines);
    }
    Ok(lines.join("\n"))
}

/// Rooms with a list of their own.
fn rooms(rules: &[RoomRule], above: &str, lines: &mut Vec<String>) {
    for rule in rules {
        let own = match &rule.room {
            RoomName::Any => "*",
            RoomName::Id(name) | RoomName::Name(name) => name,
        };
        let name = if above.is_empty() { own.to_owned() } else { format!("{above}/{own}") };
        if let Some(list) = &rule.allow_from {
            lines.push(format!("Room {name}: {}", names(list)));
        }
        rooms(&rule.children, &name, lines);
    }
}

fn names(list: &AllowList) -> String {
    joined(&list.ids.iter().chain(&list.names).cloned().collect::<Vec<_>>())
}

fn joined(names: &[String]) -> String {
    match names {
        [] => "nobody".to_owned(),
        names => names.join(", "),
    }
}
