//! Commands that stand alone, and who may give them.

use super::*;

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn fresh(words: &str) -> Fresh {
    Fresh { text: text(words) }
}

fn page(provider: Option<&str>, page: usize, size: usize, all: bool) -> ChatCommand {
    ChatCommand::Models(ModelsPage { provider: provider.map(str::to_owned), page, size, all })
}

#[test]
fn commands_are_understood_in_every_spelling() {
    let rows = [
        ("/help", ChatCommand::Help),
        (" /HELP ", ChatCommand::Help),
        ("/help:", ChatCommand::Help),
        ("/commands", ChatCommand::Commands),
        ("/commands 2", ChatCommand::Commands),
        ("/status", ChatCommand::Status),
        ("/whoami", ChatCommand::Whoami),
        ("/id", ChatCommand::Whoami),
        ("/context", ChatCommand::Context(ContextView::Help)),
        ("/context list", ChatCommand::Context(ContextView::List)),
        ("/context: Deep", ChatCommand::Context(ContextView::Detail)),
        ("/context json", ChatCommand::Context(ContextView::Json)),
        ("/export-session", ChatCommand::ExportSession { path: None }),
        ("/export out dir/a.html", ChatCommand::ExportSession { path: text("out dir/a.html") }),
        ("/reset", ChatCommand::Reset(Fresh::default())),
        ("/reset hello\nworld", ChatCommand::Reset(fresh("hello\nworld"))),
        ("/new", ChatCommand::New(Fresh::default())),
        ("/new opus hello", ChatCommand::New(fresh("opus hello"))),
        ("/new: hello", ChatCommand::New(fresh("hello"))),
        ("/compact", ChatCommand::Compact { instructions: None }),
        ("/compact: keep the names", ChatCommand::Compact { instructions: text("keep the names") }),
        ("/models", page(None, 1, 20, false)),
        ("/models OpenAI", page(Some("openai"), 1, 20, false)),
        ("/models openai 2", page(Some("openai"), 2, 20, false)),
        ("/models openai page=3 size=500", page(Some("openai"), 3, 100, false)),
        ("/models openai all", page(Some("openai"), 1, 20, true)),
        ("/usage", ChatCommand::Usage(UsageChoice::Next)),
        ("/usage on", ChatCommand::Usage(UsageChoice::Set(UsageDisplay::Tokens))),
        ("/usage full", ChatCommand::Usage(UsageChoice::Set(UsageDisplay::Full))),
        ("/usage cost", ChatCommand::Usage(UsageChoice::Cost)),
        (
            "/approve abc allow-once",
            ChatCommand::Approve {
                id: "abc".to_owned(),
                choice: ApprovalChoice::AllowOnce,
                scope: String::new(),
            },
        ),
        (
            "/approve always abc",
            ChatCommand::Approve {
                id: "abc".to_owned(),
                choice: ApprovalChoice::AllowAlways,
                scope: String::new(),
            },
        ),
        (
            "/approve abc always  session for 2h",
            ChatCommand::Approve {
                id: "abc".to_owned(),
                choice: ApprovalChoice::AllowAlways,
                scope: "session for 2h".to_owned(),
            },
        ),
        (
            "/approve deny reject",
            ChatCommand::Approve {
                id: "deny".to_owned(),
                choice: ApprovalChoice::Deny,
                scope: String::new(),
            },
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(owner(text), MessageReading::Command(expected), "{text:?}");
    }
}

#[test]
fn commands_with_several_arguments_are_understood() {
    let one = || KillTarget::One("research".to_owned());
    let rows = [
        ("/kill all", ChatCommand::Kill(KillTarget::All)),
        ("/kill research", ChatCommand::Kill(one())),
        ("/steer 1 go left", ChatCommand::Steer { target: "1".to_owned(), message: "go left".to_owned() }),
        ("/tell 1 go left", ChatCommand::Steer { target: "1".to_owned(), message: "go left".to_owned() }),
        ("/subagents", ChatCommand::Subagents(Subagents::List)),
        ("/subagents list", ChatCommand::Subagents(Subagents::List)),
        ("/subagents kill research", ChatCommand::Subagents(Subagents::Kill(one()))),
        ("/subagents info 2", ChatCommand::Subagents(Subagents::Info { target: "2".to_owned() })),
        (
            "/subagents log 2 10 tools",
            ChatCommand::Subagents(Subagents::Log { target: "2".to_owned(), limit: Some(10), tools: true }),
        ),
        (
            "/subagents send 2 hi there",
            ChatCommand::Subagents(Subagents::Send {
                target: "2".to_owned(),
                message: "hi there".to_owned(),
            }),
        ),
        (
            "/subagents steer 2 hi",
            ChatCommand::Subagents(Subagents::Steer { target: "2".to_owned(), message: "hi".to_owned() }),
        ),
        (
            "/subagents spawn main look it up --model a/b --thinking high",
            ChatCommand::Subagents(Subagents::Spawn {
                agent: text("main"),
                task: "look it up".to_owned(),
                model: text("a/b"),
                thinking: text("high"),
            }),
        ),
        ("/config", ChatCommand::Config(ConfigEdit::Show { path: None })),
        ("/config get gateway.port", ChatCommand::Config(ConfigEdit::Show { path: text("gateway.port") })),
        (
            "/config set gateway.port=1 2",
            ChatCommand::Config(ConfigEdit::Set { path: "gateway.port".to_owned(), value: "1 2".to_owned() }),
        ),
        (
            "/config set gateway.port 1",
            ChatCommand::Config(ConfigEdit::Set { path: "gateway.port".to_owned(), value: "1".to_owned() }),
        ),
        ("/config unset a.b", ChatCommand::Config(ConfigEdit::Unset { path: "a.b".to_owned() })),
        ("/debug", ChatCommand::Debug(DebugEdit::Show)),
        ("/debug reset", ChatCommand::Debug(DebugEdit::Reset)),
        (
            "/debug set a=b",
            ChatCommand::Debug(DebugEdit::Set { path: "a".to_owned(), value: "b".to_owned() }),
        ),
        ("/debug unset a", ChatCommand::Debug(DebugEdit::Unset { path: "a".to_owned() })),
        ("/send", ChatCommand::Send(SendChoice::Show)),
        ("/send on", ChatCommand::Send(SendChoice::On)),
        ("/send OFF", ChatCommand::Send(SendChoice::Off)),
        ("/send inherit", ChatCommand::Send(SendChoice::Inherit)),
        ("/activation", ChatCommand::Activation(ActivationChoice::Show)),
        ("/activation Mention", ChatCommand::Activation(ActivationChoice::Mention)),
        ("/activation always", ChatCommand::Activation(ActivationChoice::Always)),
        ("/restart", ChatCommand::Restart),
        ("/bash ls -la", ChatCommand::Bash(Bash::Run("ls -la".to_owned()))),
        ("/bash poll", ChatCommand::Bash(Bash::Poll(None))),
        ("/bash", ChatCommand::Bash(Bash::Help)),
        ("! ls -la", ChatCommand::Bash(Bash::Run("ls -la".to_owned()))),
        ("!ls", ChatCommand::Bash(Bash::Run("ls".to_owned()))),
        ("!poll", ChatCommand::Bash(Bash::Poll(None))),
        ("!stop 12", ChatCommand::Bash(Bash::Stop(text("12")))),
    ];
    for (text, expected) in rows {
        assert_eq!(owner(text), MessageReading::Command(expected), "{text:?}");
    }
}

#[test]
fn what_only_looks_like_a_command_is_for_the_model() {
    for text in [
        "/unknown",
        "/usr/bin/env",
        "/",
        "//",
        "/ help",
        "/restart the server please",
        "/context of this is odd",
        "/send this to ana",
        "/usage of commas here",
        "/stop now and then",
        "hello",
        "!!!",
        "/helpme",
    ] {
        assert_eq!(owner(text), prompt(text), "{text:?}");
    }
}

#[test]
fn a_command_that_only_the_original_has_is_refused_and_never_reaches_the_model() {
    for (text, word) in [
        ("/tts on", "tts"),
        ("/vc join", "vc"),
        ("/acp", "acp"),
        ("/skill weather Berlin", "skill"),
        ("/pair", "pair"),
        ("/phone arm all", "phone"),
        ("/voice list", "voice"),
    ] {
        let MessageReading::Refused(CommandRefusal::NotHere(absent)) = owner(text) else {
            panic!("{text:?}")
        };
        assert_eq!(absent.word, word, "{text:?}");
        assert!(
            CommandRefusal::NotHere(absent).text().starts_with(&format!("⚠️ This gateway has no /{word}. "))
        );
        assert_eq!(read_as(Who::Stranger, text), MessageReading::Ignored, "{text:?}");
        assert_eq!(read_as(Who::Program, text), prompt(text), "{text:?}");
    }
}

#[test]
fn a_command_that_lacks_something_is_refused_with_its_usage() {
    for (text, name) in [
        ("/approve", CommandName::Approve),
        ("/approve abc perhaps", CommandName::Approve),
        ("/approve abc deny session", CommandName::Approve),
        ("/kill", CommandName::Kill),
        ("/steer 1", CommandName::Steer),
        ("/subagents dance", CommandName::Subagents),
        ("/subagents spawn main", CommandName::Subagents),
        ("/config set a", CommandName::Config),
        ("/config dance", CommandName::Config),
        ("/debug set =1", CommandName::Debug),
        ("/send perhaps", CommandName::Send),
        ("/usage perhaps", CommandName::Usage),
        ("/context perhaps", CommandName::Context),
    ] {
        assert_eq!(owner(text), MessageReading::Refused(CommandRefusal::Usage(name)), "{text:?}");
    }
}

#[test]
fn owners_commands_are_refused_to_others() {
    for (text, name) in [
        ("/config show", CommandName::Config),
        ("/debug", CommandName::Debug),
        ("/send on", CommandName::Send),
        ("/restart", CommandName::Restart),
        ("/bash ls", CommandName::Bash),
        ("! ls", CommandName::Bash),
    ] {
        assert_eq!(
            read_as(Who::Allowed, text),
            MessageReading::Refused(CommandRefusal::OwnersOnly(name)),
            "{text:?}"
        );
    }
    assert_eq!(read_as(Who::Allowed, "/status"), MessageReading::Command(ChatCommand::Status));
}

#[test]
fn strangers_are_not_heard_and_programs_are_taken_literally() {
    for text in ["/status", "/stop", "/new hello", "/config show", "! ls"] {
        assert_eq!(read_as(Who::Stranger, text), MessageReading::Ignored, "{text:?}");
        assert_eq!(read_as(Who::Program, text), prompt(text), "{text:?}");
    }
    for text in ["stop", "/think high", "hello /status", "/think high hello", "/unknown"] {
        assert_eq!(read_as(Who::Stranger, text), prompt(text), "{text:?}");
        assert_eq!(read_as(Who::Program, text), prompt(text), "{text:?}");
    }
}

#[test]
fn what_is_switched_off_says_how_to_switch_it_on() {
    let settings = CommandSettings { restart: false, ..CommandSettings::default() };
    let rights = Rights { who: Who::Owner, settings: &settings, model_aliases: &[] };
    for (text, name, switch) in [
        ("/config show", CommandName::Config, Switch::Config),
        ("/debug", CommandName::Debug, Switch::Debug),
        ("/restart", CommandName::Restart, Switch::Restart),
        ("/bash ls", CommandName::Bash, Switch::Bash),
        ("! ls", CommandName::Bash, Switch::Bash),
        ("!poll", CommandName::Bash, Switch::Bash),
    ] {
        assert_eq!(
            read(text, &rights),
            MessageReading::Refused(CommandRefusal::SwitchedOff(name, switch)),
            "{text:?}"
        );
    }
    for text in ["!important: read this", "!", "!!", "!ls"] {
        assert_eq!(read(text, &rights), prompt(text), "{text:?}");
    }
}

#[test]
fn a_new_conversation_may_begin_with_a_model() {
    let hint = |model: &str, rest: Option<&str>| ModelHint {
        model: model.to_owned(),
        rest: rest.map(str::to_owned),
    };
    for (words, expected) in [
        ("opus", vec![hint("opus", None)]),
        ("openai/gpt-5 hello  there", vec![hint("openai/gpt-5", Some("hello  there"))]),
        (
            "openai gpt-5 hello",
            vec![hint("openai/gpt-5", Some("hello")), hint("openai", Some("gpt-5 hello"))],
        ),
    ] {
        assert_eq!(fresh(words).hints(), expected, "{words:?}");
    }
    assert_eq!(Fresh::default().hints(), []);
}

#[test]
fn lists_of_people_are_shown_and_changed() {
    let add = |entry: &str| AllowlistAction::Add(entry.to_owned());
    let of = |action, list| Allowlist { action, list, ..Allowlist::default() };
    let show = |list| of(AllowlistAction::Show, list);
    let rows = [
        ("/allowlist", show(PeopleList::All)),
        ("/allowlist list", show(PeopleList::All)),
        ("/allowlist group", show(PeopleList::Rooms)),
        (
            "/allowlist list DM channel=Telegram --account work",
            Allowlist { channel: text("telegram"), account: text("work"), ..show(PeopleList::Direct) },
        ),
        ("/allowlist add 7", of(add("7"), PeopleList::Direct)),
        ("/allowlist: add dm U7Ab", of(add("U7Ab"), PeopleList::Direct)),
        ("/allowlist add --store 7", Allowlist { shelf: Shelf::Codes, ..of(add("7"), PeopleList::Direct) }),
        (
            "/allowlist channel=irc remove group a=b!c@d --config",
            Allowlist {
                channel: text("irc"),
                shelf: Shelf::File,
                ..of(AllowlistAction::Remove("a=b!c@d".to_owned()), PeopleList::Rooms)
            },
        ),
    ];
    for (words, expected) in rows {
        assert_eq!(owner(words), MessageReading::Command(ChatCommand::Allowlist(expected)), "{words:?}");
    }
    for words in [
        "/allowlist dance",
        "/allowlist list 7",
        "/allowlist add",
        "/allowlist add dm",
        "/allowlist add all 7",
        "/allowlist remove 7 8",
        "/allowlist add 7 channel=",
        "/allowlist list --channel",
    ] {
        assert_eq!(
            owner(words),
            MessageReading::Refused(CommandRefusal::Usage(CommandName::Allowlist)),
            "{words:?}"
        );
    }
}

#[test]
fn who_may_talk_is_changed_by_owners_alone_and_only_where_the_file_may_be_changed() {
    let name = CommandName::Allowlist;
    assert!(matches!(
        read_as(Who::Allowed, "/allowlist"),
        MessageReading::Command(ChatCommand::Allowlist(_))
    ));
    for change in ["/allowlist add 7", "/allowlist remove group 7 --store"] {
        assert_eq!(
            read_as(Who::Allowed, change),
            MessageReading::Refused(CommandRefusal::OwnersOnly(name)),
            "{change}"
        );
        let settings = CommandSettings::default();
        let rights = Rights { who: Who::Owner, settings: &settings, model_aliases: &[] };
        let off = CommandRefusal::SwitchedOff(name, Switch::Config);
        assert_eq!(read(change, &rights), MessageReading::Refused(off), "{change}");
        assert!(matches!(read("/allowlist", &rights), MessageReading::Command(_)));
        assert_eq!(read_as(Who::Stranger, change), MessageReading::Ignored);
    }
}

#[test]
fn a_dock_is_named_by_its_platform() {
    let dock = |channel: &str| MessageReading::Command(ChatCommand::Dock { channel: channel.to_owned() });
    for (words, channel) in [("/dock-telegram", "telegram"), ("/Dock_Slack", "slack"), ("/dock-off:", "off")]
    {
        assert_eq!(owner(words), dock(channel), "{words}");
        assert_eq!(read_as(Who::Allowed, words), dock(channel), "{words}");
        assert_eq!(read_as(Who::Stranger, words), MessageReading::Ignored, "{words}");
        assert_eq!(read_as(Who::Program, words), prompt(words), "{words}");
    }
    for words in ["/dock-", "/dock", "/dock-telegram is what I type", "/docking"] {
        assert_eq!(owner(words), prompt(words), "{words}");
    }
}

#[test]
fn sessions_are_bound_to_threads() {
    let ttl = |choice| MessageReading::Command(ChatCommand::SessionTtl(choice));
    let seconds = |count| ttl(TtlChoice::Set(std::time::Duration::from_secs(count)));
    let focus = |target: &str| MessageReading::Command(ChatCommand::Focus { target: target.to_owned() });
    for (words, expected) in [
        ("/agents", MessageReading::Command(ChatCommand::Agents)),
        ("/unfocus", MessageReading::Command(ChatCommand::Unfocus)),
        ("/focus 2", focus("2")),
        ("/focus: agent:main:main", focus("agent:main:main")),
        ("/session ttl", ttl(TtlChoice::Show)),
        ("/session ttl OFF", ttl(TtlChoice::Off)),
        ("/session ttl 90m", seconds(5_400)),
        ("/session ttl 2h", seconds(7_200)),
        ("/focus", MessageReading::Refused(CommandRefusal::Usage(CommandName::Focus))),
        ("/session", MessageReading::Refused(CommandRefusal::Usage(CommandName::Session))),
        ("/session ttl soon", MessageReading::Refused(CommandRefusal::Usage(CommandName::Session))),
        ("/session notes of today", prompt("/session notes of today")),
        ("/agents are great", prompt("/agents are great")),
    ] {
        assert_eq!(owner(words), expected, "{words}");
    }
}
