//! Finds what the rules say about a room. The most exact rule wins: the topic, then the room, then what holds for all.
//!
//! Top rules name a room, or a guild or team whose rooms stand below it. An id wins over a name, which people can
//! change; a name wins over `*`. What an exact rule leaves unsaid, the rule for all says, apart from being switched off:
//! a room that is listed is on, whatever holds for the others.

use openclaw_types::{AllowList, ChatPlace, GroupPolicy, Person, RoomName, RoomRule, ToolRule};

use super::allow;
use super::verdict::RoomFacts;

/// What the rules say about a room: the rules that fit, the most exact first.
#[derive(Debug, Clone)]
pub(super) struct Room<'a> {
    below: Fitting<'a>,
    top: Fitting<'a>,
    listing: RoomListing,
}

/// The exact rule of a level, and that for all.
#[derive(Debug, Clone, Copy, Default)]
struct Fitting<'a> {
    exact: Option<&'a RoomRule>,
    any: Option<&'a RoomRule>,
}

/// Whether a room is on the list of rooms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoomListing {
    /// There is no list.
    NoList,
    /// It is on it.
    Listed,
    /// It is not.
    Missing,
}

/// What a top rule names when it fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// The room itself, or the room a thread hangs below.
    Room,
    /// The guild or team.
    Space,
}

impl<'a> Room<'a> {
    /// Looks for the rules of a place.
    pub(super) fn find(rules: &'a [RoomRule], place: &ChatPlace) -> Self {
        let room = fitting(rules, |name| fits_room(name, place));
        let space = fitting(rules, |name| fits_space(name, place));
        let (top, level) = match (room.exact, space.exact) {
            (None, Some(_)) => (space, Level::Space),
            _ => (room, Level::Room),
        };
        let below = match top.one() {
            // `*` may stand for guilds: what is below it can be rooms as well as topics.
            Some(rule) => fitting(&rule.children, |name| match level {
                Level::Space => fits_room(name, place),
                Level::Room => fits_thread(name, place) || (top.exact.is_none() && fits_room(name, place)),
            }),
            None => Fitting::default(),
        };
        let listing = match (rules.is_empty(), top.one()) {
            (true, _) => RoomListing::NoList,
            (false, None) => RoomListing::Missing,
            (false, Some(rule)) if below.one().is_none() && lists_rooms(rule, level, place) => {
                RoomListing::Missing
            }
            (false, Some(_)) => RoomListing::Listed,
        };
        Self { below, top, listing }
    }

    /// Whether the room is on the list of rooms.
    pub(super) fn listing(&self) -> RoomListing {
        self.listing
    }

    /// Whether the room, or the topic, is switched off.
    pub(super) fn is_off(&self) -> bool {
        [self.top, self.below].iter().any(|level| level.one().is_some_and(|rule| rule.enabled == Some(false)))
    }

    /// Who may talk there.
    pub(super) fn policy(&self) -> Option<GroupPolicy> {
        self.rules().find_map(|rule| rule.policy)
    }

    /// Whether we answer only when named.
    pub(super) fn require_mention(&self) -> Option<bool> {
        self.rules().find_map(|rule| rule.require_mention)
    }

    /// Who may talk there, by id. An empty list is a list: it lets nobody in.
    pub(super) fn allow_from(&self) -> Option<&'a AllowList> {
        self.rules().find_map(|rule| rule.allow_from.as_ref())
    }

    /// Roles whose members may talk there.
    pub(super) fn roles(&self) -> &'a [String] {
        self.rules().map(|rule| rule.roles.as_slice()).find(|roles| !roles.is_empty()).unwrap_or_default()
    }

    /// Whether programs are heard there.
    pub(super) fn allow_bots(&self) -> Option<bool> {
        self.rules().find_map(|rule| rule.allow_bots)
    }

    /// What holds there for a person.
    pub(super) fn facts(&self, person: &Person) -> RoomFacts {
        let prompts: Vec<&str> = [self.top, self.below]
            .iter()
            .filter_map(|level| level.one()?.system_prompt.as_deref())
            .map(str::trim)
            .filter(|prompt| !prompt.is_empty())
            .collect();
        RoomFacts {
            tools: self.rules().find_map(|rule| tools(rule, person)),
            skills: self.rules().find_map(|rule| rule.skills.clone()),
            system_prompt: (!prompts.is_empty()).then(|| prompts.join("\n\n")),
        }
    }

    /// The rules that fit, the most exact first.
    fn rules(&self) -> impl Iterator<Item = &'a RoomRule> {
        [self.below.exact, self.below.any, self.top.exact, self.top.any].into_iter().flatten()
    }
}

impl<'a> Fitting<'a> {
    /// The exact rule, else that for all.
    fn one(self) -> Option<&'a RoomRule> {
        self.exact.or(self.any)
    }
}

/// Whether what stands below a rule is a list of rooms: below a guild or team, and below `*` where the place is in one.
fn lists_rooms(rule: &RoomRule, level: Level, place: &ChatPlace) -> bool {
    let in_space = place.guild.is_some() || place.team.is_some();
    !rule.children.is_empty() && (level == Level::Space || (rule.room == RoomName::Any && in_space))
}

/// The best rule by id, else by name; and that for all.
fn fitting<'a>(rules: &'a [RoomRule], fits: impl Fn(&RoomName) -> bool) -> Fitting<'a> {
    let exact =
        |wanted: fn(&RoomName) -> bool| rules.iter().find(|rule| wanted(&rule.room) && fits(&rule.room));
    Fitting {
        exact: exact(|name| matches!(name, RoomName::Id(_)))
            .or_else(|| exact(|name| matches!(name, RoomName::Name(_)))),
        any: rules.iter().find(|rule| rule.room == RoomName::Any),
    }
}

/// Whether an entry of a list means a room: all, or this one.
pub(super) fn names(name: &RoomName, place: &ChatPlace) -> bool {
    *name == RoomName::Any || fits_room(name, place)
}

fn fits_room(name: &RoomName, place: &ChatPlace) -> bool {
    match name {
        RoomName::Any => false,
        RoomName::Id(id) => {
            allow::same(id, place.id.as_str())
                || place.parent.as_ref().is_some_and(|parent| allow::same(id, parent.as_str()))
        }
        RoomName::Name(name) => is_called(place.name.as_deref(), name),
    }
}

fn fits_space(name: &RoomName, place: &ChatPlace) -> bool {
    match name {
        RoomName::Any => false,
        RoomName::Id(id) => {
            [&place.guild, &place.team].into_iter().flatten().any(|space| allow::same(id, space.as_str()))
        }
        RoomName::Name(name) => is_called(place.space_name.as_deref(), name),
    }
}

fn fits_thread(name: &RoomName, place: &ChatPlace) -> bool {
    match name {
        RoomName::Any => false,
        RoomName::Id(id) => place.thread.as_ref().is_some_and(|thread| allow::same(id, thread.as_str())),
        RoomName::Name(name) => is_called(place.thread_name.as_deref(), name),
    }
}

fn is_called(called: Option<&str>, name: &str) -> bool {
    let plain = |text: &str| text.trim().trim_start_matches('#').to_lowercase().replace(' ', "-");
    called.is_some_and(|called| plain(called) == plain(name) && !plain(name).is_empty())
}

/// Which tools a person may use by one rule: their own entry by id, else `*`, else what holds for all. People choose their
/// names and handles themselves, so that what stands under those may take tools away and never gives any.
fn tools(rule: &RoomRule, person: &Person) -> Option<ToolRule> {
    let by_sender = &rule.tools_by_sender;
    let entry = |fits: &dyn Fn(&str) -> bool| {
        by_sender.iter().find(|(key, _)| fits(key.trim())).map(|(_, tools)| tools)
    };
    let given = entry(&|key| allow::means(key, person, &["e164"]))
        .or_else(|| entry(&|key| key == "*"))
        .or(rule.tools.as_ref())
        .cloned();
    let called = |key: &str| {
        let Some((head, rest)) = key.split_once(':') else { return false };
        let wanted = match head.to_ascii_lowercase().as_str() {
            "username" => person.handle.as_ref(),
            "name" => person.name.as_ref(),
            _ => None,
        };
        let rest = rest.trim().trim_start_matches('@');
        wanted.is_some_and(|wanted| rest.eq_ignore_ascii_case(wanted.trim()))
    };
    let refused: Vec<String> = by_sender
        .iter()
        .filter(|(key, _)| called(key.trim()))
        .flat_map(|(_, rule)| rule.deny.clone())
        .collect();
    if refused.is_empty() {
        return given;
    }
    let mut rule = given.unwrap_or_default();
    rule.deny.extend(refused);
    Some(rule)
}
