//! The rules that hold for a call, and the decision about a command under them.

use std::collections::BTreeMap;
use std::path::Path;

use openclaw_config::sections::{ElevatedLevel, ExecAsk, ExecHost, ExecSecurity, SandboxMode};
use openclaw_config::{
    Config, Context, ElevatedGates, Environment, ExecSettings, Locations, Overrides, ProfileChoice,
};
use openclaw_ports::stores::{ArgumentPattern, Grant};
use openclaw_ports::tool::ExecChoices;
use openclaw_types::{
    AgentId, ChannelId, ChatKind, PeerId, Sender, SenderRank, SessionKey, SessionScope, UnixMillis,
};

use super::effective::Bypass;
use super::*;
use crate::command_line::{LineInput, Located, Opaque, SearchPlace, locate, read};

/// The defaults as they are configured, for a place where one sender may be elevated.
pub(super) fn settings() -> ExecSettings {
    let home = Path::new("/home/nobody");
    let environment = Environment::fake([("HOME", "/home/nobody")], home);
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    let config = Config::resolve(serde_json::from_str("{}").unwrap(), &context).0;
    ExecSettings {
        elevated: ElevatedGates {
            default_level: ElevatedLevel::On,
            closed_by: None,
            allow_from: vec![BTreeMap::from([("telegram".to_owned(), vec!["7".to_owned()])])],
        },
        ..ExecSettings::of(&config, &AgentId::main())
    }
}

pub(super) fn strict(security: ExecSecurity, ask: ExecAsk) -> ExecRules {
    ExecRules {
        security,
        security_from: "tools.exec.security",
        ask,
        ask_from: "tools.exec.ask",
        ask_fallback: ExecSecurity::Deny,
        bypass: Bypass::No,
    }
}

fn file() -> FileRules {
    FileRules { security: None, ask: None, ask_fallback: ExecSecurity::Deny, allow: Vec::new() }
}

fn sender(channel: &str, peer: &str) -> Sender {
    Sender {
        standing: SenderRank::Owner,
        channel: Some(ChannelId::new(channel).unwrap()),
        account: None,
        peer: Some(PeerId::new(peer).unwrap()),
        name: Some("7".to_owned()),
        chat: ChatKind::Direct,
        to: None,
        thread: None,
    }
}

fn says(pairs: &[(&str, &str)]) -> ExecChoices {
    let get = |key: &str| pairs.iter().find(|(name, _)| *name == key).map(|(_, value)| (*value).to_owned());
    ExecChoices {
        host: get("host"),
        security: get("security"),
        ask: get("ask"),
        node: None,
        elevated: get("elevated"),
    }
}

struct Row {
    settings: ExecSettings,
    file: FileRules,
    session: ExecChoices,
    call: ExecChoices,
    sender: Sender,
    main: bool,
}

impl Row {
    fn new() -> Self {
        let nothing = ExecChoices::default();
        Self {
            settings: settings(),
            file: file(),
            session: nothing.clone(),
            call: nothing,
            sender: sender("webchat", "x"),
            main: true,
        }
    }

    fn rules(&self) -> Result<(ExecSecurity, ExecAsk), String> {
        let rules = effective(&Sources {
            settings: &self.settings,
            file: &self.file,
            session: &self.session,
            call: &self.call,
            trustee: ExecPrincipal { sender: &self.sender, in_main_session: self.main },
        });
        rules.map(|rules| (rules.security, rules.ask)).map_err(|refusal| refusal.0)
    }
}

#[test]
fn a_fresh_installation_runs_everything_and_a_named_host_is_strict() {
    let mut row = Row::new();
    assert_eq!(row.rules(), Ok((ExecSecurity::Full, ExecAsk::OnMiss)));
    row.settings.host = Some(ExecHost::Gateway);
    assert_eq!(row.rules(), Ok((ExecSecurity::Allowlist, ExecAsk::OnMiss)));
    row.settings.security = Some(ExecSecurity::Full);
    row.settings.ask = Some(ExecAsk::Off);
    assert_eq!(row.rules(), Ok((ExecSecurity::Full, ExecAsk::Off)));
}

#[test]
fn the_session_replaces_the_configuration_and_the_file_and_the_call_can_only_be_stricter() {
    let mut row = Row::new();
    row.settings.security = Some(ExecSecurity::Allowlist);
    row.session = says(&[("security", "full"), ("ask", "off")]);
    assert_eq!(row.rules(), Ok((ExecSecurity::Full, ExecAsk::Off)));
    row.file.security = Some(ExecSecurity::Allowlist);
    row.file.ask = Some(ExecAsk::OnMiss);
    assert_eq!(row.rules(), Ok((ExecSecurity::Allowlist, ExecAsk::OnMiss)));
    row.call = says(&[("security", "full"), ("ask", "off")]);
    assert_eq!(row.rules(), Ok((ExecSecurity::Allowlist, ExecAsk::OnMiss)));
    row.call = says(&[("security", " DENY "), ("ask", "always")]);
    assert_eq!(row.rules(), Ok((ExecSecurity::Deny, ExecAsk::Always)));
}

#[test]
fn what_is_not_understood_or_not_here_is_refused_and_never_replaced() {
    let refused = |change: &dyn Fn(&mut Row)| {
        let mut row = Row::new();
        change(&mut row);
        row.rules().expect_err("refused")
    };
    assert!(refused(&|row| row.call = says(&[("security", "everything")])).contains("security=everything"));
    assert!(refused(&|row| row.call = says(&[("host", "node")])).contains("host=node"));
    assert!(refused(&|row| row.call = says(&[("host", "sandbox")])).contains("host=sandbox"));
    assert!(refused(&|row| row.settings.host = Some(ExecHost::Node)).contains("node"));
    assert!(refused(&|row| row.settings.host = Some(ExecHost::Sandbox)).contains("sandbox"));
    assert!(refused(&|row| row.settings.sandbox = SandboxMode::All).contains("sandbox"));
    let in_group = |row: &mut Row| {
        row.settings.sandbox = SandboxMode::NonMain;
        row.main = false;
    };
    assert!(refused(&in_group).contains("sandbox"));
    assert!(
        refused(&|row| row.call = says(&[("elevated", "on")])).contains("tools.elevated.allowFrom.webchat")
    );
}

#[test]
fn elevated_is_open_for_listed_senders_and_only_the_session_makes_it_full() {
    let mut row = Row::new();
    row.sender = sender("telegram", "7");
    row.call = says(&[("elevated", "on")]);
    assert_eq!(row.rules(), Ok((ExecSecurity::Allowlist, ExecAsk::OnMiss)));
    row.session = says(&[("elevated", "full")]);
    row.file.security = Some(ExecSecurity::Deny);
    assert_eq!(row.rules(), Ok((ExecSecurity::Full, ExecAsk::Off)));
    row.settings.elevated.closed_by = Some("tools.elevated.enabled");
    assert!(row.rules().is_err());
    let mut stranger = Row::new();
    stranger.sender = sender("telegram", "8");
    stranger.call = says(&[("elevated", "on")]);
    assert!(stranger.rules().is_err(), "a name that anybody can choose opens nothing");
}

/// What a session says about commands.
type Said = &'static [(&'static str, &'static str)];

#[test]
fn what_a_session_may_say_is_held_against_what_holds() {
    let configured = |host, security, ask| ExecSettings { host, security, ask, ..settings() };
    let fresh = configured(None, None, None);
    let boxed = ExecSettings { sandbox: SandboxMode::NonMain, ..fresh.clone() };
    let denied = configured(Some(ExecHost::Gateway), Some(ExecSecurity::Deny), Some(ExecAsk::Always));
    let listed = configured(Some(ExecHost::Gateway), None, None);
    let away = configured(Some(ExecHost::Sandbox), None, None);
    let rows: &[(&ExecSettings, Said, Said, Option<&str>)] = &[
        (&denied, &[], &[("security", "full"), ("ask", "off")], Some("security")),
        (&denied, &[], &[("security", "allowlist")], Some("security")),
        (&denied, &[], &[("ask", "on-miss")], Some("ask")),
        (&denied, &[], &[("security", "deny"), ("ask", "always"), ("host", "gateway")], None),
        (&denied, &[("security", "full")], &[("security", "full")], None),
        (&denied, &[("security", "full")], &[("security", "deny")], None),
        (&listed, &[], &[("security", "full")], Some("security")),
        (&listed, &[], &[("ask", "off")], Some("ask")),
        (&listed, &[("ask", "always")], &[("ask", "on-miss")], Some("ask")),
        (&listed, &[], &[("ask", "always")], None),
        (&fresh, &[], &[("security", "full"), ("ask", "on-miss")], None),
        (&fresh, &[], &[("ask", "off")], Some("ask")),
        (&fresh, &[], &[("host", "gateway")], None),
        (&fresh, &[("host", "gateway")], &[("security", "full")], Some("security")),
        (&boxed, &[], &[("host", "gateway")], Some("host")),
        (&away, &[], &[("host", "gateway")], Some("host")),
        (&listed, &[("host", "sandbox")], &[("host", "gateway")], Some("host")),
        (&listed, &[], &[("host", "sandbox")], None),
        (&listed, &[("security", "odd")], &[("security", "deny")], Some("exec")),
        (&listed, &[], &[], None),
    ];
    for (settings, session, wanted, expected) in rows {
        assert_eq!(loosened(settings, &says(session), &says(wanted)), *expected, "{session:?} {wanted:?}");
    }
}

fn reading(line: &str) -> Result<Located, Opaque> {
    let place = SearchPlace {
        path: "/usr/bin:/bin".into(),
        directory: "/usr".into(),
        base: "/usr".into(),
        input: LineInput::Closed,
        git_configs: Vec::new(),
    };
    read(line, Path::new("/home/ana")).and_then(|line| locate(line, &place))
}

fn decided(
    rules: &ExecRules,
    line: &str,
    patterns: &[&str],
    grants: &[Grant],
    by: fn(&Case<'_>) -> ExecVerdict,
) -> ExecVerdict {
    let agent = AgentId::main();
    let allow: Vec<_> =
        patterns.iter().map(|pattern| AllowEntry { pattern: (*pattern).to_owned() }).collect();
    by(&Case {
        rules,
        reading: &reading(line),
        allow: &allow,
        grants,
        safe_bins: &SafeBins::of(&settings()),
        variables: &AddedVariables::default(),
        session: &SessionKey::new(&agent, SessionScope::Main),
        agent: &agent,
        home: Path::new("/home/ana"),
        now: UnixMillis(1_000),
    })
}

fn name(verdict: &ExecVerdict) -> &'static str {
    match verdict {
        ExecVerdict::Run(Basis::Full) => "full",
        ExecVerdict::Run(Basis::Listed { .. }) => "listed",
        ExecVerdict::Ask(_) => "ask",
        ExecVerdict::Refuse(_) => "refuse",
    }
}

#[test]
fn every_security_and_ask_gives_its_verdict() {
    use {ExecAsk as Ask, ExecSecurity as Security};
    let rows = [
        (Security::Deny, Ask::Off, "refuse", "refuse"),
        (Security::Deny, Ask::OnMiss, "refuse", "refuse"),
        (Security::Deny, Ask::Always, "refuse", "refuse"),
        (Security::Allowlist, Ask::Off, "listed", "refuse"),
        (Security::Allowlist, Ask::OnMiss, "listed", "ask"),
        (Security::Allowlist, Ask::Always, "ask", "ask"),
        (Security::Full, Ask::Off, "full", "full"),
        (Security::Full, Ask::OnMiss, "full", "full"),
        (Security::Full, Ask::Always, "ask", "ask"),
    ];
    for (security, ask, listed, unlisted) in rows {
        let rules = strict(security, ask);
        let verdict = |line| decided(&rules, line, &["/usr/bin/ls"], &[], decide);
        assert_eq!(
            (name(&verdict("ls -l")), name(&verdict("id"))),
            (listed, unlisted),
            "{security:?} {ask:?}"
        );
    }
}

#[test]
fn without_an_answer_the_fallback_decides() {
    for (fallback, listed, unlisted) in [
        (ExecSecurity::Deny, "refuse", "refuse"),
        (ExecSecurity::Allowlist, "listed", "refuse"),
        (ExecSecurity::Full, "full", "full"),
    ] {
        let rules = ExecRules { ask_fallback: fallback, ..strict(ExecSecurity::Allowlist, ExecAsk::Always) };
        let verdict = |line| decided(&rules, line, &["/usr/bin/ls"], &[], unanswered);
        assert_eq!((name(&verdict("ls")), name(&verdict("id"))), (listed, unlisted), "{fallback:?}");
    }
}

#[test]
fn patterns_cover_paths_and_bare_names_cover_nothing() {
    let rules = strict(ExecSecurity::Allowlist, ExecAsk::OnMiss);
    let rows = [
        ("/usr/bin/ls", "listed"),
        ("/bin/ls", "listed"),
        ("/usr/bin/*", "listed"),
        ("/usr/**", "listed"),
        ("/usr/*", "ask"),
        ("/usr/bin/l?", "listed"),
        ("*", "listed"),
        ("ls", "ask"),
        ("/usr/bin/LS", "ask"),
        ("", "ask"),
        ("/usr/bin/l", "ask"),
        ("**/ls", "listed"),
        ("~/bin/ls", "ask"),
    ];
    for (pattern, expected) in rows {
        assert_eq!(name(&decided(&rules, "ls", &[pattern], &[], decide)), expected, "{pattern:?}");
    }
}

#[test]
fn harmless_programs_run_unlisted_as_long_as_they_only_read_their_input() {
    let rules = strict(ExecSecurity::Allowlist, ExecAsk::OnMiss);
    let rows = [
        ("head -n 5", "listed"),
        ("wc -l", "listed"),
        ("tr a b", "listed"),
        ("cut -d , -f 2", "listed"),
        ("uniq -c", "listed"),
        ("tail -3", "listed"),
        ("ls | head", "listed"),
        ("head /etc/passwd", "ask"),
        ("head notes", "ask"),
        ("wc ./x", "ask"),
        ("wc --files0-from=x", "ask"),
        ("tr a", "listed"),
        ("tr", "ask"),
        ("tr a b c", "ask"),
        ("head -n /etc/x", "ask"),
        ("uniq a b", "ask"),
        ("tail -F", "ask"),
        ("head --line 5", "ask"),
        ("sort", "ask"),
        ("./head", "ask"),
        ("uniq --group", "listed"),
        ("uniq --group=both", "listed"),
        ("uniq --group pay.txt --group x/../../../home/u/.bashrc", "ask"),
        ("uniq --group in.txt", "ask"),
        ("uniq --all-repeated in.txt", "ask"),
        ("uniq -f 1 -w 3", "listed"),
        ("uniq -", "listed"),
        ("uniq - out", "ask"),
        ("tail -n x/../y", "ask"),
        ("cut -d a/b -f 1", "ask"),
        ("tr a ..", "ask"),
        ("head -n ..", "ask"),
        ("head ''", "ask"),
        ("head -- x", "ask"),
        ("tr - _", "listed"),
        ("tr -- - _ x", "ask"),
    ];
    for (line, expected) in rows {
        assert_eq!(name(&decided(&rules, line, &["/usr/bin/ls"], &[], decide)), expected, "{line:?}");
    }
}

/// Reads a line as if its program were in a trusted folder, whether it is installed or not.
fn is_harmless(line: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().canonicalize().unwrap();
    for name in ["jq", "grep", "sort", "uniq", "own"] {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(bin.join(name), "").unwrap();
        std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let own = openclaw_config::SafeBinRule {
        max_positional: Some(0),
        value_flags: vec!["--in".into(), "--out".into()],
        denied_flags: vec!["--out".into()],
        ..Default::default()
    };
    let settings = ExecSettings {
        safe_bins: ["jq", "grep", "sort", "uniq", "own"].map(str::to_owned).into(),
        safe_bin_dirs: vec![bin.display().to_string()],
        safe_bin_profiles: BTreeMap::from([("own".to_owned(), own)]),
        ..settings()
    };
    let place = SearchPlace {
        path: bin.display().to_string(),
        directory: "/".into(),
        base: "/".into(),
        input: LineInput::Closed,
        git_configs: Vec::new(),
    };
    let line = locate(read(line, Path::new("/")).unwrap(), &place).unwrap();
    line.steps.iter().all(|step| SafeBins::of(&settings).covers(step))
}

#[test]
fn options_of_harmless_programs_hide_no_file_behind_a_value() {
    let rows = [
        ("jq .a", true),
        ("jq -r --arg name value .a", true),
        ("jq --argjson n 5 .a", true),
        ("jq --arg name value", true),
        ("jq --arg name value .a file", false),
        ("jq --arg name", false),
        ("jq --arg=x y z", false),
        ("jq --argstr name .a", false),
        ("jq '' file", false),
        ("jq - file", false),
        ("jq .a/b", false),
        ("jq -f file", false),
        ("grep -e x", true),
        ("grep -c -e x", true),
        ("grep --context=2 -e x", true),
        ("grep -e x --context file", false),
        ("grep -e x --color file", false),
        ("grep -e x -C file", false),
        ("grep -e x -r", false),
        ("sort -k 2 -t ,", true),
        ("sort --check file", false),
        ("sort -o file", false),
        ("sort --output=file", false),
        ("own --in=x", true),
        ("own --out=x", false),
    ];
    for (line, expected) in rows {
        assert_eq!(is_harmless(line), expected, "{line}");
    }
}

#[test]
fn always_means_the_same_words_in_the_same_folder_for_the_same_agent() {
    let rules = strict(ExecSecurity::Allowlist, ExecAsk::OnMiss);
    let agent = AgentId::main();
    let session = SessionKey::new(&agent, SessionScope::Main);
    let line = reading("id -u").unwrap();
    let order = GrantFor {
        agent: &agent,
        session: &session,
        by: "ana",
        now: UnixMillis(5),
        scope: &GrantScope::default(),
        variables: &AddedVariables::default(),
    };
    let [grant] = grants_for(&line, &order).try_into().unwrap();
    let expected = Grant {
        id: grant.id.clone(),
        agent: agent.clone(),
        executable: "/usr/bin/id".into(),
        arguments: ArgumentPattern::Exact(vec!["-u".into()]),
        variables: None,
        directory: Some("/usr".into()),
        session: None,
        created_at: UnixMillis(5),
        granted_by: "ana".into(),
        expires_at: None,
        last_used_at: None,
    };
    assert_eq!(grant, expected);
    let with = |grant: Grant, line| name(&decided(&rules, line, &[], &[grant], decide));
    assert_eq!(with(grant.clone(), "id -u"), "listed");
    assert_eq!(with(grant.clone(), "cd /usr/bin && id -u"), "listed");
    for line in ["id", "id -u root", "id -g", "cd / && id -u", "id -u; id"] {
        assert_eq!(with(grant.clone(), line), "ask", "{line}");
    }
    let other = Grant { agent: AgentId::new("other").unwrap(), ..grant.clone() };
    let ended = Grant { expires_at: Some(UnixMillis(1_000)), ..grant.clone() };
    let elsewhere = Grant { session: Some(SessionKey::named(&agent, "group").unwrap()), ..grant.clone() };
    for narrow in [other, ended, elsewhere] {
        assert_eq!(with(narrow, "id -u"), "ask");
    }
    let wide = Grant { arguments: ArgumentPattern::Any, directory: None, ..grant.clone() };
    assert_eq!(with(wide, "cd / && id -g"), "listed");
    let shell = |arguments| Grant { executable: "/usr/bin/env".into(), arguments, ..grant.clone() };
    assert_eq!(
        with(shell(ArgumentPattern::Any), "env id"),
        "ask",
        "a wide grant never covers what runs other programs"
    );
    assert_eq!(with(shell(ArgumentPattern::Exact(vec!["id".into()])), "env id"), "listed");
}

#[test]
fn people_say_in_words_how_far_always_reaches() {
    let nz = |count| std::num::NonZeroUsize::new(count).unwrap();
    let hours = |count: u64| Some(std::time::Duration::from_secs(count * 3_600));
    let plain = GrantScope::default();
    let rows = [
        (
            "",
            plain,
            "exactly these arguments, in this folder and below, in every session of the agent, until it is taken back",
        ),
        ("exact here agent", plain, ""),
        ("SESSION", GrantScope { holder: GrantHolder::Session, ..plain }, ""),
        (
            "args anywhere session for 2h",
            GrantScope {
                words: GrantWords::Any,
                folder: GrantFolder::Anywhere,
                holder: GrantHolder::Session,
                lasts: hours(2),
            },
            "any arguments, in any folder, in this session only, for 2h",
        ),
        (
            "for=7d args=2",
            GrantScope { words: GrantWords::Leading(nz(2)), lasts: hours(168), ..plain },
            "the same first 2 arguments, then any, in this folder and below, in every session of the agent, for 1w",
        ),
        (
            "args=1 for 90m",
            GrantScope {
                words: GrantWords::Leading(nz(1)),
                lasts: Some(std::time::Duration::from_secs(5_400)),
                ..plain
            },
            "the same first argument, then any, in this folder and below, in every session of the agent, for 90m",
        ),
    ];
    for (text, expected, words) in rows {
        assert_eq!(GrantScope::read(text), Ok(expected), "{text}");
        assert!(words.is_empty() || expected.to_string() == words, "{text}: {expected}");
    }
    for (text, wrong) in [
        ("forever", "forever"),
        ("session args=0", "args=0"),
        ("args=-1", "args=-1"),
        ("for", "for"),
        ("for soon", "soon"),
        ("for 0h", "0h"),
        ("for 2", "2"),
        ("for 99999999999999999999w", "99999999999999999999w"),
        ("for=-2h", "for=-2h"),
    ] {
        assert_eq!(GrantScope::read(text), Err(UnknownScope(wrong.to_owned())), "{text}");
    }
}
