//! `channels.resolve` and `directory.list`: who is meant by a name, and who is there.

use std::sync::Arc;

use openclaw_flow::{Accounts, Look, LookupFault};
use openclaw_ports::channel::{DirectoryEntry, DirectoryKind};
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::accounts::{
    ChannelsResolve, ChannelsResolveParams, ChannelsResolveResult, DirectoryItem, DirectoryList,
    DirectoryListParams, DirectoryListResult, ResolvedName,
};
use openclaw_types::{AccountId, ChannelId, ChatKind};

use super::super::agents::AgentServices;
use super::super::registry::Registry;
use super::meant;

/// How many are listed where nobody says.
const LISTED: u64 = 50;
/// The most that is listed.
const MOST: u64 = 1_000;
/// How many names are looked up at once, at most.
const MOST_NAMES: usize = 200;
/// How many are looked at to find one by name.
const CANDIDATES: usize = 50;

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind::<ChannelsResolve, _, _>(move |_, params| resolve(Arc::clone(&known), params));
    let known = Arc::clone(services);
    registry.bind::<DirectoryList, _, _>(move |_, params| list(Arc::clone(&known), params));
}

async fn list(
    services: Arc<AgentServices>,
    params: DirectoryListParams,
) -> Result<DirectoryListResult, ErrorShape> {
    let (channel, account) = meant(&services, params.channel.as_deref(), params.account_id.as_deref())?;
    let limit = usize::try_from(params.limit.unwrap_or(LISTED).clamp(1, MOST)).unwrap_or(usize::MAX);
    let words = params.query.unwrap_or_default();
    let search = |kind| Look::Search { kind, words: words.trim().to_owned(), limit };
    let look = match (params.what.as_str(), params.group_id.as_deref().map(str::trim)) {
        ("self", _) => Look::Me,
        ("peers", _) => search(DirectoryKind::People),
        ("groups", _) => search(DirectoryKind::Rooms),
        ("members", Some(room)) if !room.is_empty() => Look::Members { room: room.to_owned(), limit },
        ("members", _) => return Err(ErrorShape::invalid_request("groupId is needed: whose members?")),
        _ => return Err(ErrorShape::invalid_request("what is one of self, peers, groups, members")),
    };
    let found =
        services.flow.channels().look(&channel, &account, look).await.map_err(|error| fault(&error))?;
    Ok(DirectoryListResult {
        channel: channel.as_str().to_owned(),
        account_id: account.as_str().to_owned(),
        entries: found.into_iter().map(item).collect(),
    })
}

fn item(entry: DirectoryEntry) -> DirectoryItem {
    let kind = match entry.kind {
        ChatKind::Direct => "user",
        ChatKind::Group => "group",
        _ => "channel",
    };
    DirectoryItem { kind: kind.to_owned(), id: entry.id, name: entry.name, handle: entry.handle }
}

fn fault(error: &LookupFault) -> ErrorShape {
    match error {
        LookupFault::Down | LookupFault::Platform(_) => ErrorShape::unavailable(error.to_string()),
        LookupFault::NoDirectory => ErrorShape::invalid_request(error.to_string()),
    }
}

async fn resolve(
    services: Arc<AgentServices>,
    params: ChannelsResolveParams,
) -> Result<ChannelsResolveResult, ErrorShape> {
    let (channel, account) = meant(&services, params.channel.as_deref(), params.account_id.as_deref())?;
    let kinds: &[DirectoryKind] = match params.kind.as_deref().unwrap_or("auto") {
        "auto" => &[DirectoryKind::People, DirectoryKind::Rooms],
        "user" => &[DirectoryKind::People],
        "group" => &[DirectoryKind::Rooms],
        _ => return Err(ErrorShape::invalid_request("kind is one of auto, user, group")),
    };
    if params.entries.is_empty() || params.entries.len() > MOST_NAMES {
        return Err(ErrorShape::invalid_request(format!("name between 1 and {MOST_NAMES} entries")));
    }
    let finder = Finder { channel_accounts: services.flow.channels(), channel, account, kinds };
    let mut results = Vec::with_capacity(params.entries.len());
    for entry in params.entries {
        results.push(finder.find(entry).await);
    }
    Ok(ChannelsResolveResult { results })
}

/// Finds ids of one account.
struct Finder<'a> {
    channel_accounts: &'a Accounts,
    channel: ChannelId,
    account: AccountId,
    kinds: &'a [DirectoryKind],
}

impl Finder<'_> {
    async fn find(&self, input: String) -> ResolvedName {
        let words = input.trim().trim_start_matches(['@', '#']).to_owned();
        let mut found: Vec<DirectoryEntry> = Vec::new();
        for kind in self.order(&input) {
            let look = Look::Search { kind, words: words.clone(), limit: CANDIDATES };
            match self.channel_accounts.look(&self.channel, &self.account, look).await {
                Ok(entries) => found.extend(entries.into_iter().filter(|entry| is_named(entry, &words))),
                Err(LookupFault::NoDirectory | LookupFault::Down) => return self.as_target(input),
                Err(error) => return unresolved(input, error.to_string()),
            }
            if !found.is_empty() {
                break;
            }
        }
        match found.as_slice() {
            [] => unresolved(input, "nobody and nothing of that name is to be seen".to_owned()),
            [only] => ResolvedName {
                input,
                resolved: true,
                id: Some(only.id.clone()),
                name: only.name.clone(),
                note: None,
            },
            several => {
                let ids: Vec<&str> = several.iter().map(|entry| entry.id.as_str()).collect();
                unresolved(input, format!("several have that name: {}", ids.join(", ")))
            }
        }
    }

    /// A sign before a name says what it is.
    fn order(&self, input: &str) -> Vec<DirectoryKind> {
        let signed = match input.trim().chars().next() {
            Some('#') => Some(DirectoryKind::Rooms),
            Some('@') => Some(DirectoryKind::People),
            _ => None,
        };
        self.kinds.iter().copied().filter(|kind| signed.is_none_or(|signed| signed == *kind)).collect()
    }

    /// Without a directory, what reads like a target is one.
    fn as_target(&self, input: String) -> ResolvedName {
        match self.channel_accounts.target(&self.channel, &input) {
            Ok(id) => {
                let note = Some("read as it is written; nobody was asked".to_owned());
                ResolvedName { input, resolved: true, id: Some(id), name: None, note }
            }
            Err(why) => unresolved(input, why),
        }
    }
}

fn is_named(entry: &DirectoryEntry, words: &str) -> bool {
    let same = |text: &str| text.trim_start_matches(['@', '#']).to_lowercase() == words.to_lowercase();
    same(&entry.id) || entry.handle.as_deref().is_some_and(same) || entry.name.as_deref().is_some_and(same)
}

fn unresolved(input: String, note: String) -> ResolvedName {
    ResolvedName { input, resolved: false, id: None, name: None, note: Some(note) }
}
