//! What opening does with good, bad, foreign and newer files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use openclaw_ports::stores::StateStore;
use serde_json::json;

use super::super::database::Database;
use super::super::migrate::Schema;
use super::super::open;
use super::super::state_database::{SCHEMA, StateDatabase, StateHealth};
use super::World;
use crate::error::OpenError;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Fills a database and closes it.
async fn filled(world: &World) {
    let database = world.open().await.unwrap();
    for number in 0..200 {
        database.put("numbers", &number.to_string(), json!("x".repeat(500))).await.unwrap();
    }
    database.close().await.unwrap();
}

#[tokio::test]
async fn files_and_folder_are_closed_to_others() {
    let world = World::new();
    let database = world.open().await.unwrap();
    database.put("a", "b", json!(1)).await.unwrap();
    let file = world.file();
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    for suffix in ["", "-wal", "-shm"] {
        let name = format!("{}{suffix}", file.display());
        assert_eq!(mode(Path::new(&name)), 0o600, "{name}");
    }
    assert_eq!(mode(&file.with_file_name("seal.key")), 0o600);
}

#[tokio::test]
async fn a_file_that_others_could_read_is_closed_to_them() {
    let world = World::new();
    filled(&world).await;
    let file = world.file();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(file.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    world.open().await.unwrap();
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
}

#[tokio::test]
async fn commits_are_flushed_and_foreign_keys_hold() {
    let world = World::new();
    let connection = open::writing(&world.file(), &SCHEMA, world.now()).unwrap();
    let database = Database::start(world.file(), connection, world.clock.clone()).unwrap();
    let settings = database
        .write("read the settings", |connection| {
            let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            let journal: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
            Ok((journal, number("synchronous")?, number("foreign_keys")?, number("application_id")?))
        })
        .await
        .unwrap();
    // 2 is FULL.
    assert_eq!(settings, ("wal".to_owned(), 2, 1, i64::from(SCHEMA.application_id)));
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    for junk in [&b"hello"[..], &[b'x'; 5000], &[0; 100]] {
        let world = World::new();
        fs::create_dir_all(world.file().parent().unwrap()).unwrap();
        fs::write(world.file(), junk).unwrap();
        let refused = world.open().await.unwrap_err();
        assert!(matches!(refused, OpenError::NotADatabase { newest_backup: None, .. }), "{refused:?}");
        assert!(refused.to_string().contains("is not a database"), "{refused}");
        assert_eq!(fs::read(world.file()).unwrap(), junk);
        assert_eq!(world.names(), ["gateway.sqlite"]);
    }
}

#[tokio::test]
async fn a_damaged_file_is_refused_with_the_newest_backup_named() {
    let world = World::new();
    filled(&world).await;
    let backups = ["v1-20260102T030405.000Z", "v1-20251231T235959.999Z"];
    for backup in backups {
        fs::write(format!("{}.backup-{backup}", world.file().display()), "old").unwrap();
    }
    let mut bytes = fs::read(world.file()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 6000].fill(0xa5);
    fs::write(world.file(), &bytes).unwrap();
    let refused = world.open().await.unwrap_err();
    let newest = format!("{}.backup-{}", world.file().display(), backups[0]);
    let OpenError::Damaged { newest_backup: Some(named), .. } = &refused else { panic!("{refused:?}") };
    assert_eq!(*named, Path::new(&newest));
    assert!(
        refused.to_string().contains(&format!("copy {newest} to {}", world.file().display())),
        "{refused}"
    );
    assert_eq!(fs::read(world.file()).unwrap(), bytes);
}

#[tokio::test]
async fn a_file_that_was_cut_off_is_refused() {
    let world = World::new();
    filled(&world).await;
    let bytes = fs::read(world.file()).unwrap();
    fs::write(world.file(), &bytes[..bytes.len() / 2]).unwrap();
    let refused = world.open().await.unwrap_err();
    assert!(matches!(refused, OpenError::Damaged { .. }), "{refused:?}");
}

#[tokio::test]
async fn a_database_of_another_program_is_refused_and_left_alone() {
    let world = World::new();
    fs::create_dir_all(world.file().parent().unwrap()).unwrap();
    world.raw().execute_batch("CREATE TABLE theirs (a); PRAGMA user_version = 1").unwrap();
    let before = fs::read(world.file()).unwrap();
    let refused = world.open().await.unwrap_err();
    assert!(matches!(refused, OpenError::Foreign { application_id: 0, .. }), "{refused:?}");
    assert_eq!(fs::read(world.file()).unwrap(), before);
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_and_left_alone() {
    let world = World::new();
    filled(&world).await;
    world.raw().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(world.file()).unwrap();
    let refused = world.open().await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "{} was written by a newer version of OpenClaw (schema 99, this version knows up to {}). \
             Update OpenClaw, or restore a backup that an older version made.",
            world.file().display(),
            SCHEMA.newest()
        )
    );
    assert_eq!(fs::read(world.file()).unwrap(), before);
}

#[tokio::test]
async fn an_empty_file_becomes_a_database() {
    let world = World::new();
    fs::create_dir_all(world.file().parent().unwrap()).unwrap();
    fs::write(world.file(), b"").unwrap();
    let database = world.open().await.unwrap();
    database.put("a", "b", json!(1)).await.unwrap();
    assert_eq!(database.get("a", "b").await.unwrap(), Some(json!(1)));
}

#[tokio::test]
async fn a_folder_in_the_way_is_an_error_that_names_it() {
    let world = World::new();
    fs::create_dir_all(world.file()).unwrap();
    let refused = world.open().await.unwrap_err();
    assert!(refused.to_string().contains(&world.file().display().to_string()), "{refused}");
}

#[tokio::test]
async fn what_was_written_is_there_after_opening_again() {
    let world = World::new();
    filled(&world).await;
    let database = world.open().await.unwrap();
    assert_eq!(database.list("numbers").await.unwrap().len(), 200);
    assert_eq!(world.names(), ["gateway.sqlite", "seal.key"]);
}

#[tokio::test]
async fn a_state_directory_behind_a_link_opens() {
    let (real, world) = (World::new(), World::new());
    fs::remove_dir(world.home.state_dir()).unwrap();
    std::os::unix::fs::symlink(real.home.state_dir(), world.home.state_dir()).unwrap();
    filled(&world).await;
    assert_eq!(real.open().await.unwrap().list("numbers").await.unwrap().len(), 200);
}

#[tokio::test]
async fn an_examination_tells_absent_sound_and_damaged_apart_and_changes_nothing() {
    let world = World::new();
    assert_eq!(StateDatabase::examine(&world.location()).unwrap(), StateHealth::Absent);
    assert!(!world.file().exists());
    drop(open::writing(
        &world.file(),
        &Schema { migrations: &SCHEMA.migrations[..1], ..SCHEMA },
        world.now(),
    ));
    let before = fs::read(world.file()).unwrap();
    let health = StateDatabase::examine(&world.location()).unwrap();
    assert_eq!(health, StateHealth::Sound { schema: 1, newest: SCHEMA.newest() });
    assert_eq!(fs::read(world.file()).unwrap(), before);
    filled(&world).await;
    let mut bytes = fs::read(world.file()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 6000].fill(0xa5);
    fs::write(world.file(), &bytes).unwrap();
    let refused = StateDatabase::examine(&world.location()).unwrap_err();
    assert!(matches!(refused, OpenError::Damaged { .. }), "{refused:?}");
}

#[test]
fn two_schemas_do_not_open_each_others_files() {
    let world = World::new();
    let other = Schema { application_id: 7, migrations: &["CREATE TABLE mine (a)"] };
    open::writing(&world.file(), &other, world.now()).unwrap();
    let refused = open::writing(&world.file(), &SCHEMA, world.now()).unwrap_err();
    assert!(matches!(refused, OpenError::Foreign { application_id: 7, .. }), "{refused:?}");
}
