//! A real folder that is looked at, changed, and looked at again.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use openclaw_config::WorkspaceSettings;
use openclaw_testkit::SimClock;
use openclaw_types::{AgentId, UnixMillis};
use serde_json::json;
use tempfile::TempDir;

use super::KnownWorkspaces;
use crate::workspace::tests::config;
use crate::workspace::{Injection, Readers};

struct Place {
    folder: TempDir,
    clock: SimClock,
    known: KnownWorkspaces,
}

impl Place {
    /// A workspace that is ready and that nobody changed for an hour.
    async fn at_rest() -> Self {
        let (folder, clock) = (tempfile::tempdir().unwrap(), SimClock::new());
        let place = Self { folder, clock, known: KnownWorkspaces::default() };
        place.load(Readers::Person).await;
        place.clock.set_wall(place.changed("AGENTS.md").plus(Duration::from_hours(1)));
        place
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("ws")
    }

    async fn load(&self, readers: Readers) -> Arc<Injection> {
        let settings = WorkspaceSettings::of(&config(json!({})), &AgentId::main());
        self.known.prepare_and_load(&self.dir(), &settings, readers, &self.clock).await.unwrap()
    }

    fn changed(&self, name: &str) -> UnixMillis {
        let at = fs::metadata(self.dir().join(name)).unwrap().modified().unwrap();
        let at = at.duration_since(std::time::UNIX_EPOCH).unwrap();
        UnixMillis(i64::try_from(at.as_millis()).unwrap())
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.dir().join(name), text).unwrap();
    }
}

fn text<'a>(files: &'a Injection, name: &str) -> Option<&'a str> {
    files.files.iter().find(|file| file.name == name).map(|file| &*file.text)
}

#[tokio::test]
async fn what_nobody_touched_is_not_read_again() {
    let place = Place::at_rest().await;
    let first = place.load(Readers::Person).await;
    assert!(Arc::ptr_eq(&first, &place.load(Readers::Person).await));
    let others = place.load(Readers::Task).await;
    assert!(others.files.len() < first.files.len());
    assert!(Arc::ptr_eq(&first, &place.load(Readers::Person).await));
}

#[tokio::test]
async fn every_change_is_seen() {
    let place = Place::at_rest().await;
    place.load(Readers::Person).await;
    place.write("SOUL.md", "Be brief.");
    assert_eq!(text(&*place.load(Readers::Person).await, "SOUL.md"), Some("Be brief."));
    assert_eq!(text(&*place.load(Readers::Person).await, "MEMORY.md"), None);
    place.write("MEMORY.md", "Ana likes tea.");
    assert_eq!(text(&*place.load(Readers::Person).await, "MEMORY.md"), Some("Ana likes tea."));
    fs::remove_file(place.dir().join("TOOLS.md")).unwrap();
    let back = place.load(Readers::Person).await;
    assert!(text(&back, "TOOLS.md").is_some_and(|text| !text.contains("MISSING")), "{back:?}");
    fs::remove_file(place.dir().join("BOOTSTRAP.md")).unwrap();
    assert_eq!(text(&*place.load(Readers::Person).await, "BOOTSTRAP.md"), None);
    fs::remove_dir_all(place.dir()).unwrap();
    assert!(text(&*place.load(Readers::Person).await, "BOOTSTRAP.md").is_some(), "a new workspace is made");
}

#[tokio::test]
async fn what_may_change_unseen_is_read_each_time() {
    let place = Place::at_rest().await;
    fs::remove_file(place.dir().join("USER.md")).unwrap();
    place.write("about-ana.md", "Ana lives in Porto.");
    symlink("about-ana.md", place.dir().join("USER.md")).unwrap();
    assert_eq!(text(&*place.load(Readers::Person).await, "USER.md"), Some("Ana lives in Porto."));
    place.write("about-ana.md", "Ana lives in Braga.");
    assert_eq!(text(&*place.load(Readers::Person).await, "USER.md"), Some("Ana lives in Braga."));
}

#[tokio::test]
async fn what_changed_a_moment_ago_is_read_again() {
    let place = Place::at_rest().await;
    place.write("USER.md", "Ana lives in Porto.");
    place.clock.set_wall(place.changed("USER.md"));
    let first = place.load(Readers::Person).await;
    assert!(!Arc::ptr_eq(&first, &place.load(Readers::Person).await));
}
