//! Tests of the files of agents below the contract: where they are, when they are opened, checked and closed.
//!
//! What the contract promises is tested by the conformance suites in `crates/stores/tests`.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use openclaw_ports::SystemClock;
use openclaw_ports::stores::{Append, BranchQuery, BranchReach, SessionStore, StoreError, StoredEntry};
use openclaw_testkit::TempHome;
use openclaw_testkit::conformance::sessions::{agent, entry, session};
use openclaw_testkit::conformance::transcripts::{compacted, id, lines, said};
use openclaw_types::{AgentId, LineEntry, LineRecord, RunId, SessionKey, TranscriptLine, UnixMillis};
use rusqlite::Connection;

use super::super::migrate::{self, Schema};
use super::super::open;
use super::{AgentDatabases, SCHEMA};

/// A home without agents.
struct World {
    home: TempHome,
}

impl World {
    fn new() -> Self {
        Self { home: TempHome::new() }
    }

    fn databases(&self) -> AgentDatabases {
        AgentDatabases::within(self.home.state_dir(), Arc::new(SystemClock::new()))
    }

    /// The same with agents that were given folders below the state directory.
    fn given(&self, folders: &[(&str, &str)]) -> AgentDatabases {
        let given: BTreeMap<AgentId, PathBuf> =
            folders.iter().map(|(name, folder)| (agent(name), self.home.path(folder))).collect();
        self.databases().with_folders(Arc::new(move || given.clone()))
    }

    fn file(&self) -> PathBuf {
        self.home.path("agents/main/agent/agent.sqlite")
    }

    /// Fills the database of `main` with a branch of this length, and closes it.
    async fn filled(&self, length: usize) {
        let databases = self.databases();
        let mut parent = String::new();
        let mut chain = Vec::new();
        for number in 0..length {
            let name = format!("e{number}");
            chain.push(said(&name, &parent));
            parent = name;
        }
        databases.append(lines("s", chain)).await.unwrap();
        databases.close().await.unwrap();
    }

    /// Spoils pages in the middle of the file.
    fn spoil(&self) {
        let mut bytes = fs::read(self.file()).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 6000].fill(0xa5);
        fs::write(self.file(), bytes).unwrap();
    }
}

async fn put(databases: &AgentDatabases, of: &str) -> Result<(), StoreError> {
    let kept = Box::new(|_| Some(entry("s", 1)));
    databases.change(&agent(of), &SessionKey::global(), kept).await.map(drop)
}

async fn whole(databases: &AgentDatabases) -> Result<usize, StoreError> {
    let query =
        BranchQuery { agent: AgentId::main(), session: session("s"), leaf: None, reach: BranchReach::Whole };
    databases.branch(query).await.map(|branch| branch.len())
}

#[tokio::test]
async fn an_agents_file_is_private_and_made_by_its_first_write() {
    let world = World::new();
    let databases = world.databases();
    assert_eq!(databases.entries(&AgentId::main()).await.unwrap(), []);
    assert!(!world.home.path("agents").exists());
    put(&databases, "main").await.unwrap();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(world.file()), mode(world.home.path("agents/main/agent"))), (0o600, 0o700));
}

#[tokio::test]
async fn many_first_callers_share_one_database() {
    let world = World::new();
    let databases = Arc::new(world.databases());
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let databases = Arc::clone(&databases);
        tasks.spawn(async move { databases.database(&AgentId::main()).await.unwrap() });
    }
    let opened = tasks.join_all().await;
    assert!(opened.iter().all(|database| Arc::ptr_eq(database, &opened[0])));
}

#[tokio::test]
async fn folders_without_a_database_and_with_other_names_are_no_agents() {
    let world = World::new();
    let databases = world.databases();
    put(&databases, "ops").await.unwrap();
    for folder in ["agents/empty/agent", "agents/Loud/agent", "agents/a b/agent"] {
        fs::create_dir_all(world.home.path(folder)).unwrap();
    }
    for file in ["agents/Loud/agent/agent.sqlite", "agents/a b/agent/agent.sqlite", "agents/file"] {
        fs::write(world.home.path(file), "").unwrap();
    }
    assert_eq!(databases.agents().await.unwrap(), [agent("ops")]);
}

#[tokio::test]
async fn a_name_that_leaves_the_folder_makes_nothing_anywhere() {
    let world = World::new();
    let refused = put(&world.databases(), "../../escaped").await.unwrap_err();
    let StoreError::Failed { source, .. } = refused else { panic!("{refused:?}") };
    assert_eq!(
        source.to_string(),
        "agent ids that name a folder hold lower-case letters, digits, _ and - only, at most 64; \
         \"../../escaped\" does not fit"
    );
    let state = fs::read_dir(world.home.state_dir()).unwrap().count();
    let outside = fs::read_dir(world.home.state_dir().parent().unwrap()).unwrap().count();
    assert_eq!((state, outside), (0, 1));
}

#[tokio::test]
async fn everything_is_refused_after_closing() {
    let world = World::new();
    world.filled(1).await;
    let databases = world.databases();
    put(&databases, "ops").await.unwrap();
    for _ in 0..2 {
        databases.close().await.unwrap();
    }
    let answers = [
        put(&databases, "ops").await,
        put(&databases, "new").await,
        whole(&databases).await.map(drop),
        databases.agents().await.map(drop),
    ];
    for answer in answers {
        assert!(matches!(answer, Err(StoreError::Closed)), "{answer:?}");
    }
    assert!(!world.home.path("agents/new").exists());
}

#[tokio::test]
async fn a_released_agent_can_be_moved_away_and_begins_anew() {
    let world = World::new();
    let databases = world.databases();
    for name in ["main", "ops"] {
        put(&databases, name).await.unwrap();
    }
    databases.release(&AgentId::main()).await.unwrap();
    databases.release(&agent("nobody")).await.unwrap();
    fs::rename(world.home.path("agents/main"), world.home.path("trash")).unwrap();
    assert_eq!(databases.entries(&AgentId::main()).await.unwrap(), []);
    assert_eq!(databases.agents().await.unwrap(), [agent("ops")]);
    put(&databases, "main").await.unwrap();
    assert_eq!(databases.agents().await.unwrap(), [agent("main"), agent("ops")]);
    assert!(!world.home.path("trash/agent/agent.sqlite-wal").exists(), "the moved file was closed in order");
}

#[tokio::test]
async fn an_agent_keeps_its_file_in_the_folder_it_was_given() {
    let world = World::new();
    let databases = world.given(&[("ops", "else/where")]);
    for name in ["main", "ops"] {
        put(&databases, name).await.unwrap();
    }
    assert!(world.home.path("else/where/agent.sqlite").is_file() && world.file().is_file());
    assert!(!world.home.path("agents/ops").exists());
    assert_eq!(databases.file(&agent("ops")), world.home.path("else/where/agent.sqlite"));
    assert_eq!(databases.agents().await.unwrap(), [agent("main"), agent("ops")]);
    databases.close().await.unwrap();
    let again = world.given(&[("ops", "else/where")]);
    assert_eq!(again.entries(&agent("ops")).await.unwrap().len(), 1);
    again.examine(&agent("ops")).unwrap();
}

#[tokio::test]
async fn a_file_in_the_usual_folder_stays_in_use_until_there_is_one_in_the_given_folder() {
    let world = World::new();
    world.filled(3).await;
    let databases = world.given(&[("main", "new")]);
    let (old, new) = (world.file(), world.home.path("new/agent.sqlite"));
    assert_eq!(
        (databases.file(&AgentId::main()), databases.wanted_file(&AgentId::main())),
        (old.clone(), new.clone())
    );
    assert_eq!(whole(&databases).await.unwrap(), 3);
    put(&databases, "main").await.unwrap();
    databases.close().await.unwrap();
    assert!(!new.exists());
    // Somebody takes it along.
    fs::create_dir(world.home.path("new")).unwrap();
    fs::rename(&old, &new).unwrap();
    let moved = world.given(&[("main", "new")]);
    assert_eq!((moved.file(&AgentId::main()), whole(&moved).await.unwrap()), (new, 3));
    assert_eq!(moved.agents().await.unwrap(), [AgentId::main()]);
}

#[tokio::test]
async fn a_folder_that_was_given_to_one_agent_is_never_anothers() {
    let world = World::new();
    let plain = world.databases();
    for name in ["a", "b"] {
        put(&plain, name).await.unwrap();
    }
    plain.close().await.unwrap();
    let swapped = world.given(&[("a", "agents/b/agent"), ("b", "agents/a/agent")]);
    assert_eq!(swapped.file(&agent("a")), world.home.path("agents/b/agent/agent.sqlite"));
    let taken = world.given(&[("c", "agents/b/agent")]);
    assert_eq!(taken.agents().await.unwrap(), [agent("a"), agent("c")]);
    let fresh = world.given(&[("a", "empty"), ("b", "agents/a/agent")]);
    assert_eq!(fresh.file(&agent("a")), world.home.path("empty/agent.sqlite"));
}

#[tokio::test]
async fn an_agent_that_is_not_listed_does_not_come_to_the_file_in_its_usual_folder() {
    let world = World::new();
    let databases = world.given(&[("work", "agents/ops/agent")]);
    put(&databases, "work").await.unwrap();
    let refused = databases.entries(&agent("ops")).await.unwrap_err();
    let StoreError::Failed { source, .. } = refused else { panic!("{refused:?}") };
    assert_eq!(source.to_string(), "the folder of the agent ops was given to another agent with agentDir");
    put(&databases, "ops").await.unwrap_err();
    assert_eq!(databases.entries(&agent("work")).await.unwrap().len(), 1);
    assert_eq!(databases.agents().await.unwrap(), [agent("work")]);
}

#[tokio::test]
async fn a_folder_that_cannot_be_looked_at_is_told_by_its_own_agent_only() {
    let world = World::new();
    // A link to itself cannot be followed, whoever looks.
    std::os::unix::fs::symlink(world.home.path("loop"), world.home.path("loop")).unwrap();
    let databases = world.given(&[("ops", "loop/agent")]);
    put(&databases, "main").await.unwrap();
    assert_eq!(databases.agents().await.unwrap(), [agent("main"), agent("ops")]);
    databases.entries(&agent("ops")).await.unwrap_err();
    assert_eq!(databases.entries(&AgentId::main()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_given_folder_that_is_there_keeps_its_mode_and_the_file_in_it_is_private() {
    let world = World::new();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for folder in ["shared", "agents/main/agent"] {
        fs::create_dir_all(world.home.path(folder)).unwrap();
        fs::set_permissions(world.home.path(folder), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let databases = world.given(&[("ops", "shared"), ("new", "fresh")]);
    for name in ["main", "ops", "new"] {
        put(&databases, name).await.unwrap();
    }
    assert_eq!(mode(world.home.path("shared")), 0o755);
    assert_eq!(mode(world.home.path("shared/agent.sqlite")), 0o600);
    assert_eq!((mode(world.home.path("fresh")), mode(world.home.path("agents/main/agent"))), (0o700, 0o700));
}

#[tokio::test]
async fn what_was_written_is_there_after_opening_again() {
    let world = World::new();
    world.filled(50).await;
    let databases = world.databases();
    assert_eq!(whole(&databases).await.unwrap(), 50);
    assert_eq!(databases.leaf(&AgentId::main(), &session("s")).await.unwrap(), Some(id("e49")));
}

#[tokio::test]
async fn a_damaged_file_is_met_by_the_read_or_after_a_crash_by_the_opening() {
    let world = World::new();
    world.filled(300).await;
    world.spoil();
    world.databases().examine(&AgentId::main()).unwrap_err();
    // Closed in order: the damage shows where it is.
    let databases = world.databases();
    let met = whole(&databases).await;
    assert!(matches!(met, Err(StoreError::Corrupt { .. })), "{met:?}");
    databases.close().await.unwrap();
    // Cut off: the file is read through before it is used.
    fs::write(format!("{}-wal", world.file().display()), "left behind").unwrap();
    let refused = put(&world.databases(), "main").await;
    let Err(StoreError::Corrupt { detail }) = refused else { panic!("{refused:?}") };
    assert!(detail.contains("is damaged"), "{detail}");
}

#[tokio::test]
async fn an_agent_in_order_and_one_that_is_not_there_pass_an_examination() {
    let world = World::new();
    world.filled(10).await;
    for name in ["main", "nobody"] {
        world.databases().examine(&agent(name)).unwrap();
    }
    assert!(!world.home.path("agents/nobody").exists());
}

/// The real schema as it was at version `count`.
fn schema_at(count: usize) -> Schema {
    Schema { migrations: &SCHEMA.migrations[..count], ..SCHEMA }
}

fn shape(connection: &Connection) -> Vec<(String, String)> {
    let mut statement =
        connection.prepare("SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name").unwrap();
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().collect::<Result<_, _>>().unwrap()
}

#[tokio::test]
async fn every_earlier_version_becomes_the_newest_and_keeps_its_rows() {
    let fresh = World::new();
    let expected = shape(&open::writing(&fresh.file(), &SCHEMA, UnixMillis(0)).unwrap());
    for count in 1..=SCHEMA.migrations.len() {
        let world = World::new();
        let old = open::writing(&world.file(), &schema_at(count), UnixMillis(0)).unwrap();
        old.execute_batch(
            r#"INSERT INTO transcripts (number, session, leaf, lines, entries) VALUES (1, 's', 1, 1, 1);
               INSERT INTO entries (number, transcript, sequence, entry_id, body)
               VALUES (1, 1, 1, 'a', '{"type":"session_info","id":"a","parentId":null,"name":"kept"}');"#,
        )
        .unwrap();
        drop(old);
        let migrated = open::writing(&world.file(), &SCHEMA, UnixMillis(0)).unwrap();
        assert_eq!(shape(&migrated), expected, "from version {count}");
        assert_eq!(migrate::version(&migrated).unwrap(), SCHEMA.newest());
        drop(migrated);
        assert_eq!(whole(&world.databases()).await.unwrap(), 1);
    }
}

/// A branch is walked by numbers: no step of it looks at a whole table.
#[tokio::test]
async fn no_question_about_a_branch_reads_a_whole_table() {
    let world = World::new();
    let connection = open::writing(&world.file(), &SCHEMA, UnixMillis(0)).unwrap();
    for sql in [super::branch::COUNTED, super::branch::TO_KEPT] {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let count = statement.parameter_count();
        let steps: Vec<String> = statement
            .query_map(rusqlite::params_from_iter(vec![1; count]), |row| row.get(3))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert!(!steps.iter().any(|step| step == "SCAN entries"), "{steps:#?}");
    }
}

/// What one who never read it before finds.
async fn read_anew(world: &World) -> Vec<StoredEntry> {
    branch_of(&world.databases()).await
}

async fn branch_of(databases: &AgentDatabases) -> Vec<StoredEntry> {
    reached(databases, BranchReach::SinceCompaction).await
}

async fn newest_of(databases: &AgentDatabases, most: usize) -> Vec<StoredEntry> {
    reached(databases, BranchReach::Newest(most)).await
}

async fn reached(databases: &AgentDatabases, reach: BranchReach) -> Vec<StoredEntry> {
    let query = BranchQuery { agent: AgentId::main(), session: session("s"), leaf: None, reach };
    databases.branch(query).await.unwrap()
}

/// A line that follows the leaf, whatever that is.
fn following(name: &str) -> TranscriptLine {
    let LineRecord::Entry(entry) = said(name, "").record else {
        unreachable!("a person's message is an entry")
    };
    TranscriptLine::new(LineRecord::Entry(Box::new(LineEntry { id: None, parent: None, ..*entry })))
}

#[tokio::test]
async fn a_long_branch_that_was_read_before_is_what_it_would_be_read_anew() {
    let world = World::new();
    world.filled(300).await;
    let databases = world.databases();
    assert_eq!(branch_of(&databases).await.len(), 300);
    let grown = |from: &str, to: &str| lines("s", vec![said(to, from)]);
    let mut last = "e299".to_owned();
    for number in 0..200 {
        let next = format!("n{number}");
        databases.append(grown(&last, &next)).await.unwrap();
        last = next;
        assert_eq!(branch_of(&databases).await, read_anew(&world).await, "after {last}");
    }
    // What follows the leaf is remembered as it is written.
    for number in 0..40 {
        let both = vec![following(&format!("a{number}")), following(&format!("b{number}"))];
        databases.append(Append { run: RunId::new("r").ok(), ..lines("s", both) }).await.unwrap();
        if number % 3 != 1 {
            assert_eq!(branch_of(&databases).await, read_anew(&world).await, "after {number}");
        }
        for most in [1, 3, 250, 10_000] {
            let anew = newest_of(&world.databases(), most).await;
            assert_eq!(newest_of(&databases, most).await, anew, "the newest {most} after {number}");
        }
    }
    // A branch off an entry that is remembered, then off one that is not, then back to the first.
    for (from, to) in [("e250", "x"), ("n150", "y"), ("n199", "z")] {
        databases.append(grown(from, to)).await.unwrap();
        assert_eq!(branch_of(&databases).await, read_anew(&world).await, "after {to}");
    }
    databases.set_leaf(&AgentId::main(), &session("s"), &id("n10")).await.unwrap();
    assert_eq!(branch_of(&databases).await, read_anew(&world).await);
    assert_eq!(branch_of(&databases).await.len(), 311);
    databases.append(lines("s", vec![compacted("K", "n10", "n9"), said("k", "K")])).await.unwrap();
    assert_eq!(branch_of(&databases).await.len(), 4);
    assert_eq!(newest_of(&databases, 9).await, newest_of(&world.databases(), 9).await);
    databases.erase(&AgentId::main(), &session("s")).await.unwrap();
    assert_eq!(branch_of(&databases).await, []);
    databases.close().await.unwrap();
}

#[tokio::test]
async fn the_newest_entries_that_people_look_at_are_what_they_would_be_read_anew() {
    let world = World::new();
    world.filled(300).await;
    let databases = world.databases();
    let remembered =
        |reach| databases.recent.of(&AgentId::main(), &session("s"), reach).map(|known| known.entries.len());
    for (most, kept) in [(10, None), (100, Some(100)), (150, Some(150)), (120, Some(150)), (20, Some(150))] {
        assert_eq!(newest_of(&databases, most).await, newest_of(&world.databases(), most).await);
        assert_eq!(remembered(BranchReach::Newest(most)), kept, "after the newest {most}");
    }
    assert_eq!(remembered(BranchReach::SinceCompaction), None);
    for number in 0..5 {
        let more = vec![following(&format!("a{number}"))];
        databases.append(lines("s", more)).await.unwrap();
        assert_eq!(newest_of(&databases, 150).await, newest_of(&world.databases(), 150).await);
    }
    // What a run needs goes further back, and serves those who look as well.
    assert_eq!(branch_of(&databases).await, read_anew(&world).await);
    assert_eq!(branch_of(&databases).await.len(), 305);
    for most in [20, 305, 1_000] {
        assert_eq!(newest_of(&databases, most).await, newest_of(&world.databases(), most).await);
    }
    assert_eq!(remembered(BranchReach::Newest(1_000)), Some(305));
    // Beside a part that was summed up, a page is remembered apart.
    databases.append(lines("s", vec![compacted("K", "e299", "e298"), said("k", "K")])).await.unwrap();
    assert_eq!(branch_of(&databases).await, read_anew(&world).await);
    for _ in 0..2 {
        assert_eq!(newest_of(&databases, 150).await, newest_of(&world.databases(), 150).await);
        assert!(remembered(BranchReach::Newest(150)) >= Some(150));
        assert!(remembered(BranchReach::SinceCompaction) < Some(20));
    }
    databases.append(lines("s", vec![said("x", "e100")])).await.unwrap();
    assert_eq!(newest_of(&databases, 50).await, newest_of(&world.databases(), 50).await);
    databases.close().await.unwrap();
}

#[tokio::test]
async fn what_people_look_at_takes_no_room_from_what_runs_need() {
    let world = World::new();
    let databases = world.databases();
    for name in ["run", "one", "two", "three", "four", "five", "six"] {
        let said = (0..120).map(|number| following(&format!("{name}{number}"))).collect();
        databases.append(lines(name, said)).await.unwrap();
    }
    let reach =
        |name: &str, reach| BranchQuery { agent: AgentId::main(), session: session(name), leaf: None, reach };
    databases.branch(reach("run", BranchReach::SinceCompaction)).await.unwrap();
    for name in ["one", "two", "three", "four", "five", "six"] {
        databases.branch(reach(name, BranchReach::Newest(100))).await.unwrap();
    }
    let known = |name: &str| {
        databases.recent.of(&AgentId::main(), &session(name), BranchReach::Newest(100)).is_some()
    };
    assert!(known("run"));
    assert_eq!(["one", "two", "three", "six"].map(known), [false, false, true, true]);
    databases.close().await.unwrap();
}
