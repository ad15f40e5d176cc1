//! Coming from every earlier version, failing half way, and the backups taken before.

use std::time::Duration;

use openclaw_ports::stores::{ArgumentPattern, Grant, GrantStore, GrantedVariables};
use openclaw_testkit::SimClock;
use openclaw_testkit::conformance::grants::grant;
use rusqlite::Connection;

use super::super::migrate::{self, Schema};
use super::super::open;
use super::super::state_database::SCHEMA;
use super::World;
use crate::error::OpenError;

/// The real schema as it was at version `count`.
fn schema_at(count: usize) -> Schema {
    Schema { migrations: &SCHEMA.migrations[..count], ..SCHEMA }
}

/// Every table, index and trigger with its definition.
fn shape(connection: &Connection) -> Vec<(String, String)> {
    let mut statement =
        connection.prepare("SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name").unwrap();
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Rows as a gateway of that version would have left them.
fn leave_rows(connection: &Connection) {
    connection
        .execute_batch(
            r#"INSERT INTO state_values VALUES ('legacy', 'k', '{"kept":true}');
               INSERT INTO paired_devices VALUES
               ('d1', 'key', NULL, 'linux', NULL, 'cli', 'cli', 'operator', '["operator"]', '["operator.read"]', NULL, 1, 2);"#,
        )
        .unwrap();
}

fn kept(connection: &Connection) -> (String, String) {
    let value = "SELECT value FROM state_values WHERE namespace = 'legacy' AND key = 'k'";
    let scopes = "SELECT approved_scopes FROM paired_devices WHERE device_id = 'd1'";
    let text = |sql| connection.query_row(sql, [], |row| row.get(0)).unwrap();
    (text(value), text(scopes))
}

#[test]
fn every_earlier_version_becomes_the_newest_and_keeps_its_rows() {
    let fresh = World::new();
    let expected = shape(&open::writing(&fresh.file(), &SCHEMA, fresh.now()).unwrap());
    for count in 1..=SCHEMA.migrations.len() {
        let world = World::new();
        leave_rows(&open::writing(&world.file(), &schema_at(count), world.now()).unwrap());
        let migrated = open::writing(&world.file(), &SCHEMA, world.now()).unwrap();
        assert_eq!(shape(&migrated), expected, "from version {count}");
        assert_eq!(migrate::version(&migrated).unwrap(), SCHEMA.newest());
        assert_eq!(kept(&migrated), (r#"{"kept":true}"#.to_owned(), r#"["operator.read"]"#.to_owned()));
    }
}

#[test]
fn a_backup_of_the_old_version_is_taken_before_a_migration_and_only_then() {
    let world = World::new();
    leave_rows(&open::writing(&world.file(), &schema_at(1), world.now()).unwrap());
    assert_eq!(world.names(), ["gateway.sqlite"]);
    open::writing(&world.file(), &SCHEMA, world.now()).unwrap();
    open::writing(&world.file(), &SCHEMA, world.now()).unwrap();
    let backup = "gateway.sqlite.backup-v1-20260101T000000.000Z";
    assert_eq!(world.names(), ["gateway.sqlite", backup]);
    let copy = Connection::open(world.file().with_file_name(backup)).unwrap();
    assert_eq!(migrate::version(&copy).unwrap(), 1);
    assert_eq!(kept(&copy).0, r#"{"kept":true}"#);
}

#[test]
fn a_backup_opens_in_place_of_the_database() {
    let world = World::new();
    leave_rows(&open::writing(&world.file(), &schema_at(1), world.now()).unwrap());
    drop(open::writing(&world.file(), &SCHEMA, world.now()).unwrap());
    std::fs::remove_file(world.file()).unwrap();
    let backup = world.file().with_file_name("gateway.sqlite.backup-v1-20260101T000000.000Z");
    std::fs::copy(backup, world.file()).unwrap();
    let restored = open::writing(&world.file(), &SCHEMA, world.now()).unwrap();
    assert_eq!(kept(&restored).0, r#"{"kept":true}"#);
}

const STEPS: [&str; 5] = [
    "CREATE TABLE one (a)",
    "CREATE TABLE two (a)",
    "CREATE TABLE three (a)",
    "CREATE TABLE four (a)",
    "CREATE TABLE five (a)",
];
const STEPPED: Schema = Schema { application_id: 0x7e57, migrations: &STEPS };

#[tokio::test]
async fn the_last_three_backups_stay() {
    let world = World::new();
    let clock = SimClock::new();
    for count in 1..=STEPS.len() {
        let schema = Schema { migrations: &STEPPED.migrations[..count], ..STEPPED };
        open::writing(&world.file(), &schema, openclaw_ports::Clock::now(&clock)).unwrap();
        clock.advance(Duration::from_secs(60)).await;
    }
    assert_eq!(
        world.names(),
        [
            "gateway.sqlite",
            "gateway.sqlite.backup-v2-20260101T000200.000Z",
            "gateway.sqlite.backup-v3-20260101T000300.000Z",
            "gateway.sqlite.backup-v4-20260101T000400.000Z",
        ]
    );
}

#[test]
fn a_migration_that_fails_leaves_the_version_before_it() {
    let world = World::new();
    drop(open::writing(
        &world.file(),
        &Schema { migrations: &STEPPED.migrations[..1], ..STEPPED },
        world.now(),
    ));
    let broken = Schema {
        migrations: &[STEPS[0], STEPS[1], "CREATE TABLE half (a); INSERT INTO nowhere VALUES (1);"],
        ..STEPPED
    };
    let refused = open::writing(&world.file(), &broken, world.now()).unwrap_err();
    assert!(matches!(refused, OpenError::Migration { from: 2, to: 3, .. }), "{refused:?}");
    let left = world.raw();
    assert_eq!(migrate::version(&left).unwrap(), 2);
    let tables: Vec<_> = shape(&left).into_iter().map(|(name, _)| name).collect();
    assert_eq!(tables, ["one", "two"]);
}

#[test]
fn a_draft_of_a_backup_that_a_crash_left_is_not_in_the_way() {
    let world = World::new();
    drop(open::writing(&world.file(), &schema_at(1), world.now()).unwrap());
    let draft = world.file().with_file_name("gateway.sqlite.backup-v1-20260101T000000.000Z.partial");
    std::fs::write(&draft, "half of a backup").unwrap();
    drop(open::writing(&world.file(), &SCHEMA, world.now()).unwrap());
    assert_eq!(world.names(), ["gateway.sqlite", "gateway.sqlite.backup-v1-20260101T000000.000Z"]);
}

#[tokio::test]
async fn grants_that_bound_variables_by_a_marked_word_get_the_field() {
    let world = World::new();
    let old = open::writing(&world.file(), &schema_at(5), world.now()).unwrap();
    let digest = "ab".repeat(32);
    let bound = Grant {
        arguments: ArgumentPattern::Exact(vec![
            format!("\0MODE,X_1=sha256:{digest}"),
            "a \"b\"".to_owned(),
            "\u{1f980}=sha256:".to_owned(),
        ]),
        variables: None,
        last_used_at: None,
        ..grant("bound", 1)
    };
    let alone = Grant {
        arguments: ArgumentPattern::Exact(vec![format!("\0MODE=sha256:{digest}")]),
        id: "alone".to_owned(),
        ..bound.clone()
    };
    let free = Grant { arguments: ArgumentPattern::Any, id: "free".to_owned(), ..bound.clone() };
    let plain = Grant {
        arguments: ArgumentPattern::Exact(vec!["A=sha256:1".to_owned()]),
        id: "plain".to_owned(),
        ..bound.clone()
    };
    for (grant, at) in [(&bound, 1), (&alone, 2), (&free, 3), (&plain, 4)] {
        let record = serde_json::to_string(grant).unwrap();
        let row = rusqlite::params![grant.id, at, record];
        old.execute("INSERT INTO grants (id, created_at, record) VALUES (?1, ?2, ?3)", row).unwrap();
    }
    drop(old);
    let variables = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Some(GrantedVariables { names, digest: digest.clone() })
    };
    let expected = [
        Grant {
            arguments: ArgumentPattern::Exact(vec!["a \"b\"".to_owned(), "\u{1f980}=sha256:".to_owned()]),
            variables: variables(&["MODE", "X_1"]),
            ..bound
        },
        Grant { arguments: ArgumentPattern::Exact(vec![]), variables: variables(&["MODE"]), ..alone },
        free,
        plain,
    ];
    let database = world.open().await.unwrap();
    assert_eq!(database.all().await.unwrap(), expected);
}
