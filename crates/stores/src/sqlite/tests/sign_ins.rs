//! What the files keep of sign-ins: nothing readable, nothing that can be moved, whatever other processes write.

use std::fs;

use openclaw_ports::stores::{ProfileStore, StoreError};
use openclaw_testkit::conformance::profiles::{agent, api_key, oauth, profile_id, referenced, token};
use serde_json::json;

use super::super::migrate::Schema;
use super::super::open;
use super::super::state_database::SCHEMA;
use super::World;
use crate::error::{OpenError, SealError};

const PLANTED: [&str; 4] = ["sk-planted-key", "planted-token", "access-secret-of-o", "refresh-secret-of-o"];

async fn with_sign_ins(world: &World) {
    let database = world.open().await.unwrap();
    for name in ["main", "other"] {
        for profile in [api_key("k", PLANTED[0]), token("t", PLANTED[1]), oauth("o")] {
            database.put(&agent(name), profile).await.unwrap();
        }
    }
    database.close().await.unwrap();
}

/// Looks through every file below the state directory; says how many there were.
fn expect_nothing_readable(world: &World) -> usize {
    let mut folders = vec![world.home.state_dir().to_owned()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let bytes = fs::read(&path).unwrap();
            for secret in PLANTED {
                let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
                assert!(!found, "{secret} stands in {}", path.display());
            }
        }
    }
    files
}

#[tokio::test]
async fn no_secret_of_a_sign_in_can_be_read_from_the_files() {
    let world = World::new();
    with_sign_ins(&world).await;
    expect_nothing_readable(&world);
    // While it is open, and after values were replaced and removed: the log beside the database is looked at too.
    let database = world.open().await.unwrap();
    database.put(&agent("main"), api_key("k", "short")).await.unwrap();
    database.put(&agent("main"), api_key("k", PLANTED[0])).await.unwrap();
    database.remove(&agent("other"), &profile_id("o")).await.unwrap();
    assert!(world.file().with_file_name("gateway.sqlite-wal").metadata().unwrap().len() > 0);
    assert!(expect_nothing_readable(&world) >= 3);
}

#[tokio::test]
async fn no_secret_of_a_sign_in_can_be_read_from_a_backup() {
    let world = World::new();
    with_sign_ins(&world).await;
    let mut migrations = SCHEMA.migrations.to_vec();
    migrations.push("CREATE TABLE of_a_later_version (a)");
    let later = Schema { migrations: migrations.leak(), ..SCHEMA };
    drop(open::writing(&world.file(), &later, world.now()).unwrap());
    let backup = format!("gateway.sqlite.backup-v{}-20260101T000000.000Z", SCHEMA.newest());
    assert!(world.names().contains(&backup), "{:?}", world.names());
    expect_nothing_readable(&world);
}

#[tokio::test]
async fn a_sealed_secret_opens_nowhere_but_where_it_belongs() {
    let moves = [
        "UPDATE auth_profiles SET sealed_secret =
         (SELECT sealed_secret FROM auth_profiles WHERE agent = 'main' AND id = 't') WHERE agent = 'main' AND id = 'k'",
        "UPDATE auth_profiles SET sealed_secret =
         (SELECT sealed_secret FROM auth_profiles WHERE agent = 'other' AND id = 'k') WHERE agent = 'main' AND id = 'k'",
        "UPDATE auth_profiles SET sealed_secret = sealed_refresh WHERE agent = 'main' AND id = 'o'",
        "UPDATE auth_profiles SET sealed_refresh = sealed_secret WHERE agent = 'main' AND id = 'o'",
        "UPDATE auth_profiles SET provider = 'elsewhere' WHERE agent = 'main' AND id = 'k'",
        "UPDATE auth_profiles SET id = 'renamed' WHERE agent = 'main' AND id = 'k'",
    ];
    for tampering in moves {
        let world = World::new();
        with_sign_ins(&world).await;
        world.raw().execute_batch(tampering).unwrap();
        let database = world.open().await.unwrap();
        let refused = database.list(&agent("main")).await.unwrap_err();
        let StoreError::Corrupt { detail } = &refused else { panic!("{refused:?}") };
        assert!(
            detail.contains("of agent main cannot be opened: its seal does not fit"),
            "{tampering}: {detail}"
        );
        assert_eq!(database.list(&agent("other")).await.unwrap().len(), 3, "others are not concerned");
    }
}

#[tokio::test]
async fn a_lost_key_is_not_replaced_while_sign_ins_are_sealed_with_it() {
    let world = World::new();
    with_sign_ins(&world).await;
    let key = world.file().with_file_name("seal.key");
    fs::remove_file(&key).unwrap();
    let refused = world.open().await.unwrap_err();
    assert!(matches!(&refused, OpenError::Seal(SealError::Missing { path }) if *path == key), "{refused:?}");
    assert!(!key.exists());
}

#[tokio::test]
async fn references_need_no_key() {
    let world = World::new();
    let database = world.open().await.unwrap();
    let profile = referenced("k", json!({"source": "env", "id": "A_KEY"}));
    database.put(&agent("main"), profile.clone()).await.unwrap();
    database.close().await.unwrap();
    fs::remove_file(world.file().with_file_name("seal.key")).unwrap();
    assert_eq!(world.open().await.unwrap().list(&agent("main")).await.unwrap(), [profile]);
}

#[tokio::test]
async fn a_sign_in_of_an_unknown_kind_or_without_its_secret_is_named_without_its_content() {
    let broken = [
        (
            "UPDATE auth_profiles SET kind = 'passkey' WHERE id = 'k'",
            "the kind of sign-in k of agent main is unknown; a newer version of OpenClaw may have written it",
        ),
        (
            "UPDATE auth_profiles SET sealed_secret = NULL WHERE id = 'k'",
            "the secret of sign-in k of agent main is missing; sign in again",
        ),
        (
            "UPDATE auth_profiles SET sealed_secret = NULL WHERE id = 'o'",
            "the access token of sign-in o of agent main is missing; sign in again",
        ),
    ];
    for (tampering, expected) in broken {
        let world = World::new();
        with_sign_ins(&world).await;
        world.raw().execute_batch(tampering).unwrap();
        let refused = world.open().await.unwrap().list(&agent("main")).await.unwrap_err();
        let StoreError::Corrupt { detail } = refused else { panic!("{refused:?}") };
        assert_eq!(detail, expected);
    }
}

#[tokio::test]
async fn what_another_process_writes_is_seen_at_once() {
    let world = World::new();
    let (gateway, command) = (world.open().await.unwrap(), world.open().await.unwrap());
    assert_eq!(gateway.list(&agent("main")).await.unwrap(), []);
    for key in ["one", "two"] {
        command.put(&agent("main"), api_key("k", key)).await.unwrap();
        assert_eq!(gateway.list(&agent("main")).await.unwrap(), [api_key("k", key)]);
    }
    gateway.put(&agent("main"), api_key("k", "three")).await.unwrap();
    assert_eq!(command.list(&agent("main")).await.unwrap(), [api_key("k", "three")]);
    // A command that ends does not take the database from the gateway.
    command.close().await.unwrap();
    gateway.put(&agent("main"), api_key("k", "four")).await.unwrap();
    assert_eq!(gateway.list(&agent("main")).await.unwrap(), [api_key("k", "four")]);
}
