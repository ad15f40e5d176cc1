//! Lines, signing in, names and formatting, without a socket. The real server is in `tests/irc_server.rs`.

mod nick;
mod outlet;
pub(super) mod recorded;

use openclaw_ports::channel::{ChannelError, ChannelKind as _, Readiness, Resolver};
use openclaw_types::{
    AccountId, ChatKind, DmPolicy, LinkSpan, RichText, RoomName, Secret, Style, StyleSpan, UnixMillis,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::config::IrcLogin;
use super::line::{IrcLine, LINE_BYTES, Prefix, fit, write};
use super::normalize::{IrcContext, inbound, listed, target};
use super::register::{RegisterOutcome, Registration};
use super::{Irc, format};

fn line(text: &str) -> IrcLine {
    IrcLine::read(text).expect("a line")
}

#[test]
fn lines_are_read() {
    let read =
        line("@time=2026-11-16T08:00:00.000Z;x=a\\sb\\: :ana!a@host.example PRIVMSG #room :hello there");
    let expected = IrcLine {
        tags: vec![("time".into(), "2026-11-16T08:00:00.000Z".into()), ("x".into(), "a b;".into())],
        prefix: Some(Prefix {
            nick: "ana".into(),
            user: Some("a".into()),
            host: Some("host.example".into()),
        }),
        command: "PRIVMSG".into(),
        params: vec!["#room".into(), "hello there".into()],
    };
    assert_eq!(read, expected);
    assert_eq!(line("ping :x").command, "PING");
    assert_eq!(line(":server 001 me").param(0), "me");
    for text in ["", ":only", "@tags", " ", ":a ", "PRIV MSG!"] {
        assert!(IrcLine::read(text).is_none_or(|line| line.command == "PRIV"), "{text:?}");
    }
}

#[test]
fn words_never_become_commands() {
    assert_eq!(write("PRIVMSG", &["#a b\r\n"], Some("x\r\nQUIT :y\0")), "PRIVMSG #ab :xQUIT :y");
}

#[test]
fn long_words_are_cut_at_spaces_and_never_inside_a_character() {
    assert_eq!(fit("one\n\ntwo  \r\n", 100), ["one", "two"]);
    let long = "wörter 🙂 ".repeat(100);
    let lines = fit(&long, 100);
    assert!(lines.iter().all(|line| line.len() <= LINE_BYTES - 100));
    assert_eq!(lines.join(" "), long.trim_end());
}

proptest! {
    #[test]
    fn nothing_is_lost_when_words_are_cut(text in "[a-zäß🙂 \n]{0,900}", spent in 0usize..600) {
        let lines = fit(&text, spent);
        let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
        prop_assert_eq!(letters(&lines.concat()), letters(&text));
        prop_assert!(lines.iter().all(|line| !line.is_empty() && line.len() <= LINE_BYTES.saturating_sub(spent).max(32)));
    }

    #[test]
    fn no_line_makes_reading_panic(text in "\\PC{0,300}") {
        if let Some(line) = IrcLine::read(&text) {
            let account = AccountId::new("default").expect("an id");
            let hearing = IrcContext { account: &account, nick: "claw", now: UnixMillis(1), serial: "1-1".into() };
            if let Ok(Some(event)) = inbound(&line, &hearing) {
                prop_assert!(!event.text.is_empty());
            }
        }
    }
}

fn hear(text: &str) -> Option<openclaw_types::Inbound> {
    let account = AccountId::new("default").expect("an id");
    let hearing = IrcContext { account: &account, nick: "Claw", now: UnixMillis(5), serial: "5-1".into() };
    inbound(&line(text), &hearing).expect("ids in order")
}

#[test]
fn a_room_message_has_its_room_its_sender_and_whether_we_are_named() {
    let event = hear(":Ana!ana@Host PRIVMSG #Room :claw: are you there?").expect("a message");
    assert_eq!(
        (event.place.kind, event.place.id.as_str(), event.place.to.as_str()),
        (ChatKind::Group, "#room", "#room")
    );
    assert_eq!((event.from.id.as_str(), event.from.handle.as_deref()), ("ana!ana@host", Some("Ana")));
    assert_eq!(event.from.also, ["ana!ana", "ana@host"]);
    assert!(event.attention.mentions_us);
    let plain = hear(":Ana!ana@Host PRIVMSG #Room :clawed things").expect("a message");
    assert!(!plain.attention.mentions_us && plain.attention.can_mention);
}

#[test]
fn a_direct_message_is_answered_to_the_nick_and_known_by_more() {
    let event = hear(":Ana!ana@Host PRIVMSG Claw :hi").expect("a message");
    assert_eq!(
        (event.place.kind, event.place.id.as_str(), event.place.to.as_str()),
        (ChatKind::Direct, "ana!ana@host", "Ana")
    );
    assert_eq!((event.event.as_str(), event.at), ("5-1", UnixMillis(5)));
}

#[test]
fn tags_of_the_server_name_the_message_and_its_time() {
    let event = hear("@msgid=abc;time=1970-01-01T00:00:09Z :a!b@c PRIVMSG Claw :hi").expect("a message");
    assert_eq!((event.event.as_str(), event.at), ("abc", UnixMillis(9_000)));
}

#[test]
fn codes_are_taken_out_actions_are_told_and_other_requests_are_not_heard() {
    assert_eq!(
        hear(":a!b@c PRIVMSG Claw :\u{2}bold\u{2} \u{3}04,12red\u{3} 5").expect("words").text,
        "bold red 5"
    );
    assert_eq!(hear(":a!b@c PRIVMSG Claw :\u{1}ACTION waves\u{1}").expect("words").text, "* a waves");
    for silent in [
        ":a!b@c PRIVMSG Claw :\u{1}VERSION\u{1}",
        ":a!b@c NOTICE Claw :hello",
        ":claw!b@c PRIVMSG #room :our own words",
        ":a!b@c PRIVMSG Claw :   ",
        "PRIVMSG Claw :nobody",
    ] {
        assert_eq!(hear(silent), None, "{silent}");
    }
}

#[test]
fn targets_as_people_write_them() {
    for (written, meant) in [
        ("#Room", "#room"),
        ("irc:#room", "#room"),
        ("channel:room", "#room"),
        ("IRC:channel:#room", "#room"),
        ("user:Ana", "Ana"),
        ("irc:user:Ana", "Ana"),
        ("ana!a@host", "ana"),
        ("&local", "&local"),
    ] {
        assert_eq!(target(written).as_deref(), Ok(meant), "{written}");
    }
    for wrong in ["", "irc:", "two words", "a:b", "#a,#b"] {
        assert!(target(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_nick_alone_is_no_id() {
    assert_eq!(listed("irc:user:Ana!a@Host").as_deref(), Some("ana!a@host"));
    assert_eq!(listed("ana"), None);
}

#[test]
fn words_are_formatted_for_irc() {
    let text = "bold code link\nquote";
    let styles = vec![
        StyleSpan { start: 0, end: 4, style: Style::Bold },
        StyleSpan { start: 5, end: 9, style: Style::Code },
        StyleSpan { start: 15, end: 20, style: Style::Quote },
    ];
    let links = vec![LinkSpan { start: 10, end: 14, address: "https://a.example/".into() }];
    let rich = RichText::new(text, styles, links);
    assert_eq!(format::format(&rich), "\u{2}bold\u{2} `code` link <https://a.example/>\n> quote");
    assert_eq!(format::format(&RichText::plain("a\u{3}4b\tc")), "a4b c");
}

#[test]
fn codes_that_are_open_where_a_line_ends_are_opened_again() {
    for (text, lines) in [
        ("a \u{2}b\nc\u{2} d", vec!["a \u{2}b", "\u{2}c\u{2} d"]),
        (
            "\u{2}a \u{1d}b\nc\nd\u{1d}\u{2}",
            vec!["\u{2}a \u{1d}b", "\u{2}\u{1d}c", "\u{2}\u{1d}d\u{1d}\u{2}"],
        ),
        ("\u{2}a\n\u{2}\nb", vec!["\u{2}a", "b"]),
    ] {
        assert_eq!(format::reopened(fit(text, 100)), lines);
    }
}

struct Nothing;

impl Resolver for Nothing {
    fn variable(&self, name: &str) -> Option<Secret<String>> {
        (name == "IRC_NICK").then(|| Secret::new("fromenv".to_owned()))
    }

    fn file(&self, path: &str) -> Result<Secret<String>, String> {
        Err(format!("{path} cannot be read"))
    }

    fn secret(&self, value: &Value) -> Result<Secret<String>, String> {
        value.as_str().map(|text| Secret::new(text.to_owned())).ok_or_else(|| "a text is wanted".to_owned())
    }
}

#[test]
fn a_section_becomes_accounts_with_rules() {
    let section = json!({
        "host": "irc.example", "channels": ["#a", "not a room"], "allowFrom": ["ana!a@h", "bob"], "dmPolicy": "allowlist",
        "groups": { "#A": { "requireMention": false }, "*": { "enabled": false } },
        "accounts": { "second": { "nick": "two", "tls": false, "passwordFile": "/gone" } }
    });
    let (plans, faults) = Irc.accounts(&section, &Nothing);
    assert_eq!(plans.len(), 2);
    let (first, second) = (&plans[0], &plans[1]);
    assert_eq!((first.id.as_str(), &first.ready), ("default", &Readiness::Ready));
    assert_eq!((&first.facts["nick"], &first.facts["port"]), (&json!("fromenv"), &json!(6697)));
    assert_eq!(
        (first.door.dm, first.door.allow_from.ids.as_slice()),
        (DmPolicy::Allowlist, ["ana!a@h".to_owned()].as_slice())
    );
    let rooms: Vec<_> =
        first.door.rooms.iter().map(|rule| (rule.room.clone(), rule.require_mention, rule.enabled)).collect();
    assert_eq!(rooms, [(RoomName::Id("#a".into()), Some(false), None), (RoomName::Any, None, Some(false))]);
    assert_eq!(second.facts["port"], json!(6667));
    // Each line takes seconds: an answer of many lines becomes several messages.
    assert_eq!((first.manner.text_limit, first.manner.line_limit), (350, Some(8)));
    assert_ne!(first.fingerprint, second.fingerprint);
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].path, "accounts.second.password");
}

#[test]
fn what_is_missing_is_named() {
    let (plans, _) = Irc.accounts(&json!({ "nick": "claw" }), &Nothing);
    assert_eq!(plans[0].ready, Readiness::Missing("set channels.irc.host".into()));
    assert!(plans[0].account.is_none());
}

fn login() -> IrcLogin {
    IrcLogin {
        host: "irc.example".into(),
        port: 6697,
        tls: true,
        nick: "claw".into(),
        username: "claw".into(),
        realname: "OpenClaw".into(),
        password: None,
        sasl: false,
        service: "NickServ".into(),
        account: None,
        register_email: None,
        rooms: vec!["#a".into()],
    }
}

fn say(outcome: Result<RegisterOutcome, ChannelError>) -> Vec<String> {
    match outcome.expect("goes on") {
        RegisterOutcome::Say(lines) => lines,
        RegisterOutcome::Welcome { .. } => panic!("not in yet"),
    }
}

#[test]
fn signing_in_with_sasl() {
    let login = IrcLogin { sasl: true, account: Some(Secret::new("pw".to_owned())), ..login() };
    let mut registration = Registration::new(&login);
    assert_eq!(registration.begin(), ["CAP LS 302", "NICK claw", "USER claw 0 * :OpenClaw"]);
    assert_eq!(say(registration.on(&line(":s CAP * LS * :server-time away-notify"))), Vec::<String>::new());
    assert_eq!(
        say(registration.on(&line(":s CAP * LS :sasl=PLAIN,EXTERNAL"))),
        ["CAP REQ :server-time sasl"]
    );
    assert_eq!(say(registration.on(&line(":s CAP claw ACK :server-time sasl"))), ["AUTHENTICATE PLAIN"]);
    assert_eq!(say(registration.on(&line("AUTHENTICATE +"))), ["AUTHENTICATE Y2xhdwBjbGF3AHB3"]);
    assert_eq!(say(registration.on(&line(":s 903 claw :ok"))), ["CAP END"]);
    let welcome = registration.on(&line(":s 001 claw :Welcome")).expect("in");
    // Signed in already: NickServ is not bothered.
    assert_eq!(welcome, RegisterOutcome::Welcome { nick: "claw".into(), say: vec!["JOIN #a".into()] });
}

#[test]
fn a_nick_that_is_to_be_registered_goes_on_with_the_service_where_sasl_does_not_know_it() {
    let account = Some(Secret::new("pw".to_owned()));
    let login = IrcLogin { sasl: true, account, register_email: Some("claw@a.example".into()), ..login() };
    let mut registration = Registration::new(&login);
    assert_eq!(say(registration.on(&line(":s CAP * LS :sasl"))), ["CAP REQ :sasl"]);
    assert_eq!(say(registration.on(&line(":s CAP claw ACK :sasl"))), ["AUTHENTICATE PLAIN"]);
    assert_eq!(say(registration.on(&line(":s 908 claw PLAIN :are available"))), Vec::<String>::new());
    assert_eq!(say(registration.on(&line(":s 904 claw :SASL authentication failed"))), ["CAP END"]);
    let welcome = registration.on(&line(":s 001 claw :Welcome")).expect("in");
    let say =
        ["PRIVMSG NickServ :REGISTER pw claw@a.example", "PRIVMSG NickServ :IDENTIFY claw pw", "JOIN #a"];
    assert_eq!(
        welcome,
        RegisterOutcome::Welcome { nick: "claw".into(), say: say.map(str::to_owned).to_vec() }
    );
}

#[test]
fn without_sasl_the_service_is_asked_and_a_taken_nick_is_taken_back() {
    let login = IrcLogin { sasl: true, account: Some(Secret::new("pw".to_owned())), ..login() };
    let mut registration = Registration::new(&login);
    assert_eq!(say(registration.on(&line(":s CAP * LS :multi-prefix"))), ["CAP END"]);
    assert_eq!(say(registration.on(&line(":s 433 * claw :taken"))), ["NICK claw_"]);
    let RegisterOutcome::Welcome { nick, say } = registration.on(&line(":s 001 claw_ :Welcome")).expect("in")
    else {
        panic!("in")
    };
    assert_eq!(nick, "claw_");
    assert_eq!(
        say,
        ["PRIVMSG NickServ :GHOST claw pw", "NICK claw", "PRIVMSG NickServ :IDENTIFY claw pw", "JOIN #a"]
    );
}

#[test]
fn sasl_is_asked_for_where_the_server_takes_passwords_that_way() {
    let login = IrcLogin { sasl: true, account: Some(Secret::new("pw".to_owned())), ..login() };
    for (offered, asked) in [
        ("sasl", "CAP REQ :sasl"),
        ("sasl=", "CAP REQ :sasl"),
        ("sasl=EXTERNAL,plain", "CAP REQ :sasl"),
        ("sasl=EXTERNAL,SCRAM-SHA-256", "CAP END"),
        ("chghost sasl=EXTERNAL", "CAP REQ :chghost"),
    ] {
        let mut registration = Registration::new(&login);
        assert_eq!(say(registration.on(&line(&format!(":s CAP * LS :{offered}")))), [asked], "{offered}");
    }
    let mut registration = Registration::new(&login);
    let aborted = registration.on(&line(":s 906 * :SASL authentication aborted"));
    assert!(matches!(aborted, Err(ChannelError::Unreachable { .. })), "{aborted:?}");
}

#[test]
fn a_nick_is_taken_back_after_sasl_and_without_a_password_too() {
    for (account, expected) in [
        (Some("pw"), ["PRIVMSG NickServ :GHOST claw pw", "NICK claw", "JOIN #a"].as_slice()),
        (None, ["NICK claw", "JOIN #a"].as_slice()),
    ] {
        let account = account.map(|password| Secret::new(password.to_owned()));
        let login = IrcLogin { sasl: account.is_some(), account, ..login() };
        let mut registration = Registration::new(&login);
        if login.sasl {
            assert_eq!(say(registration.on(&line(":s 903 claw :ok"))), ["CAP END"]);
        }
        let welcome = registration.on(&line(":s 001 claw_ :Welcome")).expect("in");
        let RegisterOutcome::Welcome { say, .. } = welcome else { panic!("in") };
        assert_eq!(say, expected);
    }
}

#[test]
fn trouble_at_the_door_says_what_to_do() {
    let login = login();
    let on = |text: &str| Registration::new(&login).on(&line(text));
    assert!(matches!(on(":s 464 * :Bad"), Err(ChannelError::Unauthorized { .. })));
    assert!(matches!(on(":s 904 * :no"), Err(ChannelError::Unauthorized { .. })));
    assert!(matches!(on(":s 432 * x :bad nick"), Err(ChannelError::Wrong { .. })));
    assert!(matches!(on("ERROR :closing"), Err(ChannelError::Unreachable { .. })));
    let mut registration = Registration::new(&login);
    for _ in 0..5 {
        assert!(registration.on(&line(":s 433 * claw :taken")).is_ok());
    }
    assert!(matches!(registration.on(&line(":s 433 * claw :taken")), Err(ChannelError::Conflict { .. })));
}
