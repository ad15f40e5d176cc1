//! What can be done with messages on platforms, as one table: each row is a command, and builds the parameters of one
//! action of the tool `message`. Whether a channel can do it is for the gateway to say.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, Error, FromArgMatches, Subcommand, value_parser};
use serde_json::{Map, Value, json};

use super::PlaceArgs;

/// A command below `openclaw message`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MessageSubcommand {
    /// The group it stands in, where it does.
    group: Option<&'static str>,
    /// Its word.
    word: &'static str,
    /// What the gateway calls it.
    pub(super) name: &'static str,
    about: &'static str,
    /// Options that have to be given.
    needed: &'static [&'static str],
    /// Options that may be given.
    more: &'static [&'static str],
}

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Text,
    Number,
    /// One text each time it is given.
    Several,
    Nothing,
}

/// Every option: its name, what it takes, and what for. The gateway knows it by the same name, in camel case.
const OPTIONS: &[(&str, &str, Takes, &str)] = &[
    ("target", "dest", Takes::Text, "The conversation: a room, a person"),
    ("message", "text", Takes::Text, "The words"),
    ("media", "path-or-url", Takes::Text, "A file or an address to send along"),
    ("message-id", "id", Takes::Text, "The message"),
    ("thread-id", "id", Takes::Text, "The thread"),
    ("reply-to", "id", Takes::Text, "The message it answers"),
    ("emoji", "emoji", Takes::Text, "The sign"),
    ("remove", "", Takes::Nothing, "Take the sign back"),
    ("participant", "id", Takes::Text, "Who wrote the message, in a group where that is asked for"),
    ("from-me", "", Takes::Nothing, "The message is ours"),
    ("target-author", "id", Takes::Text, "Who wrote the message, by number or id"),
    ("target-author-uuid", "uuid", Takes::Text, "Who wrote the message, by their long id"),
    ("limit", "n", Takes::Number, "How many at most"),
    ("before", "id", Takes::Text, "Only older ones than this"),
    ("guild-id", "id", Takes::Text, "The server or workspace"),
    ("query", "text", Takes::Text, "What to look for"),
    ("channel-id", "id", Takes::Text, "The room"),
    ("channel-ids", "id", Takes::Several, "A room; may be given several times"),
    ("author-id", "id", Takes::Text, "Who wrote it"),
    ("author-ids", "id", Takes::Several, "Somebody who wrote it; may be given several times"),
    ("thread-name", "name", Takes::Text, "The name of the thread"),
    ("auto-archive-min", "n", Takes::Number, "After how many quiet minutes the thread is put away"),
    ("include-archived", "", Takes::Nothing, "Those too that were put away"),
    ("emoji-name", "name", Takes::Text, "The name of the sign"),
    ("role-ids", "id", Takes::Several, "A role that may use it; may be given several times"),
    ("sticker-id", "id", Takes::Several, "The sticker; may be given several times"),
    ("sticker-name", "name", Takes::Text, "The name of the sticker"),
    ("sticker-desc", "text", Takes::Text, "What the sticker shows"),
    ("sticker-tags", "tags", Takes::Text, "Words under which the sticker is found"),
    ("user-id", "id", Takes::Text, "The person"),
    ("role-id", "id", Takes::Text, "The role"),
    ("event-name", "name", Takes::Text, "The name of the event"),
    ("start-time", "iso", Takes::Text, "When it begins"),
    ("end-time", "iso", Takes::Text, "When it ends"),
    ("desc", "text", Takes::Text, "What it is about"),
    ("location", "text", Takes::Text, "Where it is"),
    ("event-type", "stage|external|voice", Takes::Text, "What kind of place that is"),
    ("duration-min", "n", Takes::Number, "For how many minutes"),
    ("until", "iso", Takes::Text, "Until when"),
    ("reason", "text", Takes::Text, "Why, for the platform's own records"),
    ("delete-days", "n", Takes::Number, "Of how many days their messages are deleted"),
];

const ACTIONS: &[MessageSubcommand] = &[
    one("react", "react", "Put a sign on a message, or take it back", &["target", "message-id"]).with(&[
        "emoji",
        "remove",
        "participant",
        "from-me",
        "target-author",
        "target-author-uuid",
    ]),
    one("reactions", "reactions", "Show the signs on a message", &["target", "message-id"]).with(&["limit"]),
    one("edit", "edit", "Change a message of ours", &["message-id", "message", "target"])
        .with(&["thread-id"]),
    one("delete", "delete", "Take a message back", &["message-id", "target"]),
    one("pin", "pin", "Pin a message", &["target", "message-id"]),
    one("unpin", "unpin", "Take the pin off a message", &["target", "message-id"]),
    one("pins", "list-pins", "Show pinned messages", &["target"]).with(&["limit"]),
    one("permissions", "permissions", "Show what we may do in a room", &["target"]),
    one("search", "search", "Look for messages", &["guild-id", "query"]).with(&[
        "channel-id",
        "channel-ids",
        "author-id",
        "author-ids",
        "limit",
    ]),
    of("thread", "create", "thread-create", "Begin a thread", &["thread-name", "target"]).with(&[
        "message-id",
        "message",
        "auto-archive-min",
    ]),
    of("thread", "list", "thread-list", "Show threads", &["guild-id"]).with(&[
        "channel-id",
        "include-archived",
        "before",
        "limit",
    ]),
    of("thread", "reply", "thread-reply", "Write into a thread", &["message", "target"])
        .with(&["media", "reply-to"]),
    of("emoji", "list", "emoji-list", "Show the signs of a server", &[]).with(&["guild-id"]),
    of("emoji", "upload", "emoji-upload", "Give a server a sign", &["guild-id", "emoji-name", "media"])
        .with(&["role-ids"]),
    of("sticker", "send", "sticker", "Send a sticker", &["target", "sticker-id"]).with(&["message"]),
    of(
        "sticker",
        "upload",
        "sticker-upload",
        "Give a server a sticker",
        &["guild-id", "sticker-name", "sticker-desc", "sticker-tags", "media"],
    ),
    of("role", "info", "role-info", "Show the roles of a server", &["guild-id"]),
    of("role", "add", "role-add", "Give somebody a role", &["guild-id", "user-id", "role-id"]),
    of("role", "remove", "role-remove", "Take a role from somebody", &["guild-id", "user-id", "role-id"]),
    of("channel", "info", "channel-info", "Show what is known of a room", &["target"]),
    of("channel", "list", "channel-list", "Show the rooms of a server", &["guild-id"]),
    of("member", "info", "member-info", "Show what is known of somebody", &["user-id"]).with(&["guild-id"]),
    of("voice", "status", "voice-status", "Show where somebody speaks", &["guild-id", "user-id"]),
    of("event", "list", "event-list", "Show the events of a server", &["guild-id"]),
    of("event", "create", "event-create", "Plan an event", &["guild-id", "event-name", "start-time"])
        .with(&["end-time", "desc", "channel-id", "location", "event-type"]),
    one("timeout", "timeout", "Keep somebody from writing for a while", &["guild-id", "user-id"]).with(&[
        "duration-min",
        "until",
        "reason",
    ]),
    one("kick", "kick", "Put somebody out", &["guild-id", "user-id"]).with(&["reason"]),
    one("ban", "ban", "Put somebody out for good", &["guild-id", "user-id"]).with(&["reason", "delete-days"]),
];

const GROUPS: &[(&str, &str)] = &[
    ("thread", "Begin threads, show them, write into them"),
    ("emoji", "Show signs and add them"),
    ("sticker", "Send stickers and add them"),
    ("role", "Show roles, give and take them"),
    ("channel", "Show rooms"),
    ("member", "Show people"),
    ("voice", "Show who speaks where"),
    ("event", "Show events and plan them"),
];

const fn one(
    word: &'static str,
    name: &'static str,
    about: &'static str,
    needed: &'static [&'static str],
) -> MessageSubcommand {
    MessageSubcommand { group: None, word, name, about, needed, more: &[] }
}

const fn of(
    group: &'static str,
    word: &'static str,
    name: &'static str,
    about: &'static str,
    needed: &'static [&'static str],
) -> MessageSubcommand {
    MessageSubcommand { group: Some(group), ..one(word, name, about, needed) }
}

impl MessageSubcommand {
    const fn with(self, more: &'static [&'static str]) -> Self {
        Self { more, ..self }
    }

    fn command(&self) -> Command {
        let needed = self.needed.iter().map(|name| (name, true));
        let more = self.more.iter().map(|name| (name, false));
        let options = needed.chain(more).filter_map(|(name, needed)| Some(option(name)?.required(needed)));
        PlaceArgs::augment_args(Command::new(self.word).about(self.about).args(options))
    }

    fn params(&self, matches: &ArgMatches) -> Map<String, Value> {
        let given = self.needed.iter().chain(self.more).filter_map(|name| {
            let (_, _, takes, _) = OPTIONS.iter().find(|(known, ..)| known == name)?;
            let value = match takes {
                Takes::Text => json!(matches.get_one::<String>(name)?.trim()),
                Takes::Number => json!(matches.get_one::<u64>(name)?),
                Takes::Several => json!(matches.get_many::<String>(name)?.collect::<Vec<_>>()),
                Takes::Nothing => matches.get_flag(name).then(|| json!(true))?,
            };
            Some((camel(name), value))
        });
        given.collect()
    }
}

fn option(name: &'static str) -> Option<Arg> {
    let (_, value, takes, about) = OPTIONS.iter().find(|(known, ..)| *known == name)?;
    let option = Arg::new(name).long(name).help(*about);
    let option = match name {
        "target" => option.short('t'),
        "message" => option.short('m'),
        _ => option,
    };
    Some(match takes {
        Takes::Text => option.value_name(*value),
        Takes::Number => option.value_name(*value).value_parser(value_parser!(u64)),
        Takes::Several => option.value_name(*value).action(ArgAction::Append),
        Takes::Nothing => option.action(ArgAction::SetTrue),
    })
}

fn camel(name: &str) -> String {
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut all, word| {
        let (head, rest) = word.split_at(word.len().min(1));
        all.push_str(&head.to_uppercase());
        all.push_str(rest);
        all
    })
}

/// An action that somebody wants.
#[derive(Debug)]
pub(super) struct Act {
    /// Which.
    pub(super) action: &'static MessageSubcommand,
    /// With what.
    pub(super) params: Map<String, Value>,
    /// Where.
    pub(super) place: PlaceArgs,
}

impl Subcommand for Act {
    fn augment_subcommands(command: Command) -> Command {
        let below = |group: Option<&'static str>| {
            ACTIONS.iter().filter(move |action| action.group == group).map(MessageSubcommand::command)
        };
        let groups = GROUPS.iter().map(|(group, about)| {
            let group = Command::new(*group).about(*about).subcommands(below(Some(group)));
            group.subcommand_required(true).arg_required_else_help(true)
        });
        command.subcommands(below(None)).subcommands(groups)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        ACTIONS.iter().any(|action| action.group.unwrap_or(action.word) == name)
    }
}

impl FromArgMatches for Act {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let missing = || Error::new(ErrorKind::MissingSubcommand);
        let (first, below) = matches.subcommand().ok_or_else(missing)?;
        let (group, word, matches) = match below.subcommand() {
            Some((word, matches)) => (Some(first), word, matches),
            None => (None, first, below),
        };
        let found = ACTIONS.iter().find(|action| action.group == group && action.word == word);
        let action = found.ok_or_else(missing)?;
        let place = PlaceArgs::from_arg_matches(matches)?;
        Ok(Self { action, params: action.params(matches), place })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[&str]) -> Result<Act, String> {
        let command = Act::augment_subcommands(Command::new("message"));
        let matches = command.try_get_matches_from([&["message"], line].concat());
        matches.and_then(|matches| Act::from_arg_matches(&matches)).map_err(|error| error.to_string())
    }

    #[test]
    fn every_option_that_a_command_names_is_known() {
        for action in ACTIONS {
            for name in action.needed.iter().chain(action.more) {
                assert!(option(name).is_some(), "{name} of {}", action.name);
            }
        }
    }

    #[test]
    fn a_command_becomes_the_parameters_of_an_action() {
        let rows = [
            (
                &["react", "-t", "room", "--message-id", "7", "--emoji", "👍", "--remove"][..],
                "react",
                json!({ "target": "room", "messageId": "7", "emoji": "👍", "remove": true }),
            ),
            (
                &[
                    "search",
                    "--guild-id",
                    "1",
                    "--query",
                    "soup",
                    "--author-ids",
                    "a",
                    "--author-ids",
                    "b",
                    "--limit",
                    "3",
                ],
                "search",
                json!({ "guildId": "1", "query": "soup", "authorIds": ["a", "b"], "limit": 3 }),
            ),
            (
                &["thread", "create", "-t", "room", "--thread-name", "Soup", "--auto-archive-min", "60"],
                "thread-create",
                json!({ "threadName": "Soup", "target": "room", "autoArchiveMin": 60 }),
            ),
            (&["pins", "-t", "room"], "list-pins", json!({ "target": "room" })),
            (&["pins", "-t", "room", "--limit", "5"], "list-pins", json!({ "target": "room", "limit": 5 })),
        ];
        for (line, name, params) in rows {
            let act = read(line).unwrap();
            assert_eq!((act.action.name, Value::Object(act.params)), (name, params), "{line:?}");
        }
        assert!(read(&["kick", "--guild-id", "1"]).unwrap_err().contains("--user-id <id>"));
    }
}
