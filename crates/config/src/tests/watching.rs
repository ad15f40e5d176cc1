//! Changes of files are noticed, however they are made.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::{SystemClock, TaskScope};
use tokio::sync::mpsc::Receiver;

use super::World;
use crate::{FileSnapshot, watch_config};

const PATIENCE: Duration = Duration::from_secs(20);

fn watch(world: &World) -> (Receiver<FileSnapshot>, TaskScope) {
    let scope = TaskScope::root("test");
    let seen = world.read();
    (watch_config(world.file.clone(), &seen, Arc::new(SystemClock::new()), &scope), scope)
}

async fn next(changes: &mut Receiver<FileSnapshot>) -> FileSnapshot {
    tokio::time::timeout(PATIENCE, changes.recv())
        .await
        .expect("a change is noticed")
        .expect("the watcher lives")
}

fn config(port: u16) -> String {
    format!("{{gateway: {{port: {port}, reload: {{debounceMs: 20}}}}}}")
}

#[tokio::test]
async fn writing_renaming_deleting_and_making_again_are_noticed() {
    let world = World::with(&config(20001));
    let (mut changes, scope) = watch(&world);
    world.put("openclaw.json", &config(20002));
    assert_eq!(next(&mut changes).await.config.gateway.port, 20002);

    world.put("other.json", &config(20003));
    std::fs::rename(world.home.path("other.json"), world.path()).expect("ours");
    assert_eq!(next(&mut changes).await.config.gateway.port, 20003);

    std::fs::remove_file(world.path()).expect("ours");
    assert!(!next(&mut changes).await.exists);
    world.put("openclaw.json", &config(20004));
    assert_eq!(next(&mut changes).await.config.gateway.port, 20004);

    world.put("openclaw.json", "{oops");
    assert!(!next(&mut changes).await.valid);
    scope.cancel();
    assert!(tokio::time::timeout(PATIENCE, changes.recv()).await.expect("the watcher ends").is_none());
}

#[tokio::test]
async fn included_files_in_other_directories_are_watched_too() {
    let world = World::with("{$include: 'sub/gateway.json5'}");
    std::fs::create_dir(world.home.path("sub")).expect("writable");
    world.put("sub/gateway.json5", &config(20001));
    let (mut changes, _scope) = watch(&world);
    world.put("sub/gateway.json5", &config(20002));
    assert_eq!(next(&mut changes).await.config.gateway.port, 20002);
}

#[tokio::test]
async fn a_file_that_appears_later_is_noticed() {
    let world = World::empty();
    let (mut changes, _scope) = watch(&world);
    world.put("openclaw.json", &config(20001));
    assert_eq!(next(&mut changes).await.config.gateway.port, 20001);
}
