//! Workspaces on a real disk: what is made, what is never touched, what is seen.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use openclaw_config::{
    Config, Context, Environment, FirstFiles, Locations, Overrides, ProfileChoice, WorkspacePlace,
    WorkspaceSettings,
};
use openclaw_testkit::SimClock;
use openclaw_types::{AgentId, SessionKey, UnixMillis};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::inject::{LoadedFile, fit};
use super::prepare::{Seed, Sight, first_day};
use super::state::FirstDay;
use super::*;
use crate::{HostFacts, Zone};

pub(crate) fn config(file: Value) -> Config {
    let environment = Environment::fake([("A", "b")], "/home/ana");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    Config::resolve(serde_json::from_value(file).unwrap(), &context).0
}

fn agent(id: &str) -> AgentId {
    AgentId::new(id).unwrap()
}

fn place(file: Value, profile: Option<&str>, id: &str) -> PathBuf {
    let surroundings = HostFacts {
        state_dir: PathBuf::from("/var/claw"),
        home: PathBuf::from("/home/ana"),
        profile: profile.map(str::to_owned),
        host: String::new(),
        system: String::new(),
        shell: String::new(),
        version: String::new(),
    };
    workspace_dir(&config(file), &surroundings, &agent(id))
}

#[test]
fn every_agent_has_its_directory() {
    let two = |workspace: Value| json!({ "agents": { "defaults": { "workspace": workspace }, "list": [{ "id": "main" }, { "id": "Work", "workspace": "~/w/./x/.." }, { "id": "lab" }] } });
    let check = |file: Value, profile, id, path: &str| assert_eq!(place(file, profile, id), Path::new(path));
    check(json!({}), None, "main", "/home/ana/.openclaw/workspace");
    check(json!({}), Some("night"), "main", "/home/ana/.openclaw/workspace-night");
    check(json!({}), Some("Default"), "main", "/home/ana/.openclaw/workspace");
    check(json!({}), None, "other", "/var/claw/workspace-other");
    check(two(json!("~/claw")), Some("night"), "main", "/home/ana/claw");
    check(two(json!("~")), None, "main", "/home/ana");
    check(two(json!("/srv/claw")), None, "main", "/srv/claw");
    check(two(json!("   ")), None, "main", "/home/ana/.openclaw/workspace");
    check(two(json!("~/claw")), None, "work", "/home/ana/w");
    check(two(json!("~/claw")), Some("night"), "lab", "/var/claw/workspace-lab");
    check(two(json!("rel")), None, "main", "/home/ana/rel");
}

#[test]
fn the_settings_of_a_workspace_have_defaults() {
    let usual = WorkspaceSettings {
        place: WorkspacePlace::Usual,
        first_files: FirstFiles::Made,
        file_chars: 20_000,
        total_chars: 150_000,
    };
    assert_eq!(WorkspaceSettings::of(&config(json!({})), &agent("main")), usual);
    let file = json!({ "agents": { "defaults": { "workspace": "a\u{0}b", "skipBootstrap": true, "bootstrapMaxChars": 5, "bootstrapTotalMaxChars": 9 } } });
    let own = WorkspaceSettings {
        place: WorkspacePlace::Written("ab".to_owned()),
        first_files: FirstFiles::Skipped,
        file_chars: 5,
        total_chars: 9,
    };
    assert_eq!(WorkspaceSettings::of(&config(file), &agent("main")), own);
}

struct Home {
    folder: TempDir,
    clock: SimClock,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), clock: SimClock::new() }
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("ws")
    }

    async fn prepare(&self) -> Prepared {
        prepare(&self.dir(), FirstFiles::Made, &self.clock).await.unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.dir()).unwrap();
        fs::write(self.dir().join(name), text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.dir().join(name)).unwrap()
    }

    fn holds(&self, name: &str) -> bool {
        fs::symlink_metadata(self.dir().join(name)).is_ok()
    }

    /// Whether the first day is over, so that its file is listed no more.
    async fn is_onboarded(&self) -> bool {
        list_files(&self.dir()).await.unwrap().iter().all(|file| file.name != "BOOTSTRAP.md")
    }

    async fn load(&self, readers: Readers) -> Vec<(&'static str, Extent, String)> {
        let settings = WorkspaceSettings::of(&config(json!({})), &AgentId::main());
        let injection = load(&self.dir(), &settings, readers).await.unwrap();
        injection.files.into_iter().map(|file| (file.name, file.extent, file.text.to_string())).collect()
    }

    async fn names(&self, readers: Readers) -> Vec<&'static str> {
        self.load(readers).await.into_iter().map(|(name, ..)| name).collect()
    }
}

const ALL: [&str; 7] =
    ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md"];

#[tokio::test]
async fn a_new_workspace_gets_all_its_files_and_a_repository() {
    let home = Home::new();
    assert_eq!(home.prepare().await, Prepared { made: ALL.to_vec(), age: WorkspaceAge::New });
    assert!(home.holds(".git") && !home.holds("memory") && !home.holds("MEMORY.md"));
    let state: Value = serde_json::from_str(&home.text(".openclaw/workspace-state.json")).unwrap();
    let seeded = state["bootstrapSeededAt"].as_str().unwrap();
    assert_eq!(state, json!({ "version": 1, "bootstrapSeededAt": seeded }));
    assert!(seeded.ends_with('Z') && seeded.len() == "2026-11-16T04:22:25.123Z".len());
    assert_eq!(home.prepare().await, Prepared { made: vec![], age: WorkspaceAge::Known });
}

#[tokio::test]
async fn nothing_is_overwritten() {
    let home = Home::new();
    home.write("SOUL.md", "mine");
    symlink("/nowhere", home.dir().join("TOOLS.md")).unwrap();
    let prepared = home.prepare().await;
    assert_eq!(prepared.age, WorkspaceAge::Known);
    assert_eq!(prepared.made, ["AGENTS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md"]);
    assert_eq!(home.text("SOUL.md"), "mine");
    assert_eq!(fs::read_link(home.dir().join("TOOLS.md")).unwrap(), Path::new("/nowhere"));
    assert!(!home.holds(".git"));
}

#[tokio::test]
async fn a_deleted_first_day_stays_deleted() {
    let home = Home::new();
    home.prepare().await;
    assert!(!home.is_onboarded().await);
    fs::remove_file(home.dir().join("BOOTSTRAP.md")).unwrap();
    for _ in 0..2 {
        assert_eq!(home.prepare().await.made, Vec::<&str>::new());
        assert!(home.is_onboarded().await);
    }
    assert!(!home.holds("BOOTSTRAP.md"));
}

#[tokio::test]
async fn a_deleted_standing_file_comes_back() {
    let home = Home::new();
    home.prepare().await;
    fs::remove_file(home.dir().join("TOOLS.md")).unwrap();
    assert_eq!(home.prepare().await.made, ["TOOLS.md"]);
}

#[tokio::test]
async fn a_workspace_with_a_past_has_no_first_day() {
    let memory = Home::new();
    memory.write("MEMORY.md", "I know you.");
    memory.prepare().await;
    let card = Home::new();
    card.write("IDENTITY.md", "- Name: Ada");
    card.prepare().await;
    for home in [memory, card] {
        assert!(!home.holds("BOOTSTRAP.md"));
        assert!(home.is_onboarded().await);
    }
}

#[tokio::test]
async fn people_who_manage_files_themselves_get_only_the_directory() {
    let home = Home::new();
    prepare(&home.dir(), FirstFiles::Skipped, &home.clock).await.unwrap();
    assert_eq!(fs::read_dir(home.dir()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_state_that_makes_no_sense_counts_as_none() {
    let home = Home::new();
    fs::create_dir_all(home.dir().join(".openclaw")).unwrap();
    home.write(".openclaw/workspace-state.json", "{ oh");
    assert_eq!(home.prepare().await.made, ALL);
}

#[test]
fn the_first_day_follows_what_is_there() {
    let day = |seeded: Option<&str>, over: Option<&str>| {
        let text = json!({ "bootstrapSeededAt": seeded, "onboardingCompletedAt": over });
        serde_json::from_value::<FirstDay>(text).unwrap()
    };
    let check = |known: FirstDay, (bootstrap, touched), expected: FirstDay, seed: Seed| {
        assert_eq!(first_day(&known, Sight { bootstrap, touched }, "now"), (expected, seed));
    };
    check(day(None, None), (false, false), day(Some("now"), None), Seed::Yes);
    check(day(None, None), (false, true), day(None, Some("now")), Seed::No);
    check(day(None, None), (true, false), day(Some("now"), None), Seed::No);
    check(day(None, None), (true, true), day(Some("now"), None), Seed::No);
    check(day(Some("then"), None), (true, true), day(Some("then"), None), Seed::No);
    check(day(Some("then"), None), (false, true), day(Some("then"), Some("now")), Seed::No);
    check(day(Some("then"), Some("once")), (false, false), day(Some("then"), Some("once")), Seed::No);
    check(day(None, Some("once")), (true, false), day(None, Some("once")), Seed::No);
}

#[tokio::test]
async fn who_reads_along_decides_what_is_shown() {
    let home = Home::new();
    home.prepare().await;
    home.write("MEMORY.md", "She likes tea.");
    let mut person = ALL.to_vec();
    person.push("MEMORY.md");
    assert_eq!(home.names(Readers::Person).await, person);
    assert_eq!(home.names(Readers::Group).await, ALL);
    assert_eq!(
        home.names(Readers::Task).await,
        ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md"]
    );
}

#[test]
fn readers_are_known_from_the_session() {
    let of = |key: &str, standing| Readers::of(&key.parse::<SessionKey>().unwrap(), standing);
    let check = |key: &str, readers| assert_eq!(of(key, openclaw_types::SenderRank::Owner), readers);
    let guest = |key: &str, readers| assert_eq!(of(key, openclaw_types::SenderRank::Guest), readers);
    guest("agent:main:main", Readers::Person);
    guest("agent:main:pigeon:direct:ana", Readers::Group);
    guest("agent:main:subagent:5a0c", Readers::Task);
    check("agent:main:main", Readers::Person);
    check("agent:main:pigeon:direct:ana", Readers::Person);
    check("agent:main:pigeon:group:bakers", Readers::Group);
    check("agent:main:pigeon:channel:bakers", Readers::Group);
    check("agent:main:subagent:5a0c", Readers::Task);
    check("agent:main:cron:nightly", Readers::Task);
}

#[tokio::test]
async fn what_is_missing_is_told_and_what_is_blank_is_empty() {
    let home = Home::new();
    home.write("AGENTS.md", "Be kind.\n\n");
    home.write("SOUL.md", " \n");
    symlink("/etc/hostname", home.dir().join("TOOLS.md")).unwrap();
    symlink("AGENTS.md", home.dir().join("USER.md")).unwrap();
    fs::create_dir(home.dir().join("IDENTITY.md")).unwrap();
    let missing = |name: &'static str| {
        let text = format!("[MISSING] expected at {}", home.dir().join(name).display());
        (name, Extent::Missing, text)
    };
    let expected = vec![
        ("AGENTS.md", Extent::Whole, "Be kind.".to_owned()),
        ("SOUL.md", Extent::Whole, String::new()),
        missing("TOOLS.md"),
        missing("IDENTITY.md"),
        ("USER.md", Extent::Whole, "Be kind.".to_owned()),
        missing("HEARTBEAT.md"),
    ];
    assert_eq!(home.load(Readers::Person).await, expected);
}

#[tokio::test]
async fn a_workspace_that_does_not_exist_is_all_missing() {
    let found = Home::new().load(Readers::Task).await;
    assert!(found.len() == 5 && found.iter().all(|(_, extent, _)| *extent == Extent::Missing));
}

fn fitted(texts: &[&str], file_chars: usize, total_chars: usize) -> Vec<(usize, usize, Extent)> {
    let settings = WorkspaceSettings {
        place: WorkspacePlace::Usual,
        first_files: FirstFiles::Made,
        file_chars,
        total_chars,
    };
    let sources =
        texts.iter().map(|text| LoadedFile { name: "A.md", text: Some((*text).to_owned()) }).collect();
    let files = fit(Path::new("/w"), sources, &settings).files;
    files.into_iter().map(|file| (file.raw_chars, file.text.chars().count(), file.extent)).collect()
}

#[test]
fn a_long_file_keeps_its_head_and_its_tail() {
    let text = format!("{}{}", "é".repeat(30_000), "z".repeat(300));
    assert_eq!(fitted(&[&text], 1_000, 9_000), [(30_300, 1_000, Extent::Cut)]);
    let settings =
        WorkspaceSettings { file_chars: 1_000, ..WorkspaceSettings::of(&config(json!({})), &agent("a")) };
    let source = LoadedFile { name: "A.md", text: Some(text) };
    let shown = fit(Path::new("/w"), vec![source], &settings).files.remove(0).text;
    assert!(shown.starts_with("éééé") && shown.ends_with("zzzz"));
    assert!(shown.contains("[TRUNCATED: A.md has 30300 characters; read the file"));
}

#[test]
fn all_files_together_stay_below_the_total() {
    let (long, short) = ("x".repeat(900), "y".repeat(50));
    let whole = |size| (size, size, Extent::Whole);
    assert_eq!(fitted(&[&long, &short], 1_000, 2_000), [whole(900), whole(50)]);
    assert_eq!(
        fitted(&[&long, &long, &short], 1_000, 1_400),
        [whole(900), (900, 500, Extent::Cut), (50, 0, Extent::Cut)]
    );
    assert_eq!(fitted(&[&long, &long, &short], 1_000, 1_000), [whole(900), (900, 0, Extent::Cut), whole(50)]);
}

#[tokio::test]
async fn files_are_listed_read_and_written_by_name() {
    let home = Home::new();
    let missing = list_files(&home.dir()).await.unwrap();
    assert!(missing.iter().all(|file| file.facts.is_none()));
    let written = write_file(&home.dir(), "SOUL.md", "Calm.".to_owned()).await.unwrap();
    assert_eq!(written, read_file(&home.dir(), "SOUL.md").await.unwrap());
    assert_eq!((written.facts.unwrap().size, written.content.as_deref()), (5, Some("Calm.")));
    write_file(&home.dir(), "memory.md", "Tea.".to_owned()).await.unwrap();
    let listed = list_files(&home.dir()).await.unwrap();
    let there: Vec<(&str, bool)> = listed.iter().map(|file| (file.name, file.facts.is_some())).collect();
    let expected = [
        ("AGENTS.md", false),
        ("SOUL.md", true),
        ("TOOLS.md", false),
        ("IDENTITY.md", false),
        ("USER.md", false),
        ("HEARTBEAT.md", false),
        ("BOOTSTRAP.md", false),
        ("memory.md", true),
    ];
    assert_eq!(there, expected);
    let names: Vec<_> = fs::read_dir(home.dir()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "no drafts are left: {names:?}");
}

#[tokio::test]
async fn the_first_day_is_not_listed_once_it_is_over() {
    let home = Home::new();
    home.prepare().await;
    fs::remove_file(home.dir().join("BOOTSTRAP.md")).unwrap();
    home.prepare().await;
    let names: Vec<_> = list_files(&home.dir()).await.unwrap().into_iter().map(|file| file.name).collect();
    assert_eq!(
        names,
        ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "MEMORY.md"]
    );
}

#[tokio::test]
async fn a_written_file_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    home.write("USER.md", "old");
    fs::set_permissions(home.dir().join("USER.md"), fs::Permissions::from_mode(0o600)).unwrap();
    write_file(&home.dir(), "USER.md", "new".to_owned()).await.unwrap();
    let mode = fs::metadata(home.dir().join("USER.md")).unwrap().permissions().mode();
    assert_eq!((mode & 0o777, home.text("USER.md").as_str()), (0o600, "new"));
}

#[tokio::test]
async fn nothing_outside_the_workspace_can_be_reached() {
    let home = Home::new();
    home.write("AGENTS.md", "here");
    let outside = home.folder.path().join("secret");
    fs::write(&outside, "outside").unwrap();
    symlink(&outside, home.dir().join("SOUL.md")).unwrap();
    symlink("../secret", home.dir().join("TOOLS.md")).unwrap();
    fs::hard_link(&outside, home.dir().join("USER.md")).unwrap();
    symlink("/proc/self/environ", home.dir().join("IDENTITY.md")).unwrap();
    for name in ["SOUL.md", "TOOLS.md", "USER.md", "IDENTITY.md"] {
        let read = read_file(&home.dir(), name).await;
        assert!(matches!(read, Err(WorkspaceError::Unsafe { .. })), "{name}: {read:?}");
        let written = write_file(&home.dir(), name, "x".to_owned()).await;
        assert!(matches!(written, Err(WorkspaceError::Unsafe { .. })), "{name}: {written:?}");
    }
    for name in ["../secret", "secret", "/etc/passwd", "agents.md", "memory/x.md", ""] {
        let read = read_file(&home.dir(), name).await;
        assert!(matches!(read, Err(WorkspaceError::UnknownFile { .. })), "{name}: {read:?}");
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), "outside");
}

#[tokio::test]
async fn a_pipe_or_a_huge_file_does_not_hold_us() {
    let home = Home::new();
    home.write("SOUL.md", &"x".repeat(2 * 1024 * 1024 + 1));
    rustix::fs::mknodat(
        rustix::fs::CWD,
        home.dir().join("USER.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    for name in ["SOUL.md", "USER.md"] {
        let read = read_file(&home.dir(), name).await;
        assert!(matches!(read, Err(WorkspaceError::Unsafe { .. })), "{name}: {read:?}");
    }
}

#[tokio::test]
async fn a_state_folder_that_is_a_link_is_refused() {
    let home = Home::new();
    home.write("AGENTS.md", "here");
    symlink(home.folder.path(), home.dir().join(".openclaw")).unwrap();
    assert!(prepare(&home.dir(), FirstFiles::Made, &home.clock).await.is_err());
    assert!(!home.folder.path().join("workspace-state.json").exists());
}

fn card(name: Option<&str>, emoji: Option<&str>) -> CardIdentity {
    CardIdentity { name: name.map(str::to_owned), emoji: emoji.map(str::to_owned), ..CardIdentity::default() }
}

#[test]
fn a_card_is_read_in_all_the_ways_people_write_it() {
    let check =
        |text: &str, expected: CardIdentity| assert_eq!(CardIdentity::parse(text), expected, "{text}");
    check("", CardIdentity::default());
    check("- **Name:** Ada\n- **Emoji:** 🦉", card(Some("Ada"), Some("🦉")));
    check("Name: Ada: the First\r\n", card(Some("Ada: the First"), None));
    check("  - *Name*: _Ada_", card(Some("Ada"), None));
    check("- **Name:** _(choose one)_\n- **Emoji:**\n  _(one sign)_", CardIdentity::default());
    check("- Name: Ada\n- Name: Eve", card(Some("Eve"), None));
    let whole = CardIdentity {
        creature: Some("owl".to_owned()),
        vibe: Some("calm".to_owned()),
        theme: Some("night".to_owned()),
        avatar: Some("https://x.example/a.png".to_owned()),
        ..CardIdentity::default()
    };
    check("Creature: owl\nVIBE: calm\n- Theme: night\n- **Avatar:** https://x.example/a.png", whole);
    assert!(CardIdentity::parse(include_str!("templates/IDENTITY.md")).is_empty());
}

#[test]
fn a_card_is_changed_line_by_line() {
    let text = "# Card\n\n- **Name:**\n  _(choose one)_\n- Emoji: 🐢\n\nMore words.\n";
    let changed = CardIdentity { theme: Some("night\nshift".to_owned()), ..card(Some("Ada"), Some("🦉")) };
    let expected = "# Card\n\n- **Name:** Ada\n- **Emoji:** 🦉\n\nMore words.\n- **Theme:** night shift\n";
    assert_eq!(changed.write_into(text), expected);
    assert_eq!(changed.write_into(expected), expected);
}

#[tokio::test]
async fn a_card_is_kept_in_the_workspace() {
    let home = Home::new();
    assert_eq!(read_identity(&home.dir()).await.unwrap(), CardIdentity::default());
    write_identity(&home.dir(), card(Some("Ada"), None)).await.unwrap();
    write_identity(&home.dir(), card(None, Some("🦉"))).await.unwrap();
    assert_eq!(read_identity(&home.dir()).await.unwrap(), card(Some("Ada"), Some("🦉")));
}

#[test]
fn notes_belong_to_the_day_of_the_person() {
    let at = UnixMillis(1_763_249_400_000); // 2025-11-15T23:30:00Z
    assert_eq!(daily_note(at, &Zone::utc()), "memory/2025-11-15.md");
    assert_eq!(daily_note(at, &Zone::named("Europe/Berlin").unwrap()), "memory/2025-11-16.md");
    assert_eq!(daily_note(at, &Zone::named("America/New_York").unwrap()), "memory/2025-11-15.md");
}
