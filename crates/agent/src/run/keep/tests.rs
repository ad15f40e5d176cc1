//! Long outputs: written for their owner alone, and removed when nobody needs them any more.

use std::collections::HashSet;
use std::fs::{File, FileTimes};
use std::path::Path;
use std::time::{Duration, SystemTime};

use openclaw_types::{SessionId, ToolCallId, UnixMillis};

use super::sweep::{Limits, sweep};
use super::{OutputSweep, SweptOutputs, file_name, session_outputs, sweep_outputs, write};

#[test]
fn names_of_calls_never_leave_their_folder() {
    let rows =
        [("call_1", "call_1"), ("../../etc/passwd", "______etc_passwd"), ("a b|c", "a_b_c"), ("..", "__")];
    for (given, wanted) in rows {
        assert_eq!(file_name(given), wanted);
    }
}

#[tokio::test]
async fn the_whole_text_is_kept_for_the_owner_alone() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("tool-output/session");
    let path = write(&folder, &ToolCallId::new("call/1").unwrap(), "all of it").await.unwrap();
    assert_eq!(path, folder.join("call_1.txt"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "all of it");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test]
async fn a_place_that_cannot_be_written_keeps_nothing() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    std::fs::write(&file, "x").unwrap();
    assert_eq!(write(&file, &ToolCallId::new("call").unwrap(), "text").await, None);
}

const DAY: u64 = 24 * 3600;
/// The day the tests take for today, in days since 1970.
const TODAY: u64 = 20_000;

fn put(path: &Path, days_ago: u64, bytes: usize) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, vec![b'x'; bytes]).unwrap();
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs((TODAY - days_ago) * DAY);
    File::options().write(true).open(path).unwrap().set_times(FileTimes::new().set_modified(at)).unwrap();
}

fn order(home: &Path, sessions: &[&str]) -> OutputSweep {
    OutputSweep {
        agent_dir: home.to_owned(),
        sessions: sessions.iter().map(|name| SessionId::new(name).unwrap()).collect::<HashSet<_>>(),
        now: UnixMillis(i64::try_from(TODAY * DAY * 1000).unwrap()),
    }
}

/// What is left, as names below the folder of outputs.
fn left(home: &Path) -> Vec<String> {
    let root = home.join("tool-output");
    let mut names = Vec::new();
    for found in std::fs::read_dir(&root).unwrap() {
        let found = found.unwrap();
        let name = found.file_name().into_string().unwrap();
        match found.file_type().unwrap().is_dir() {
            true => names.extend(
                std::fs::read_dir(found.path())
                    .unwrap()
                    .map(|inside| format!("{name}/{}", inside.unwrap().file_name().to_str().unwrap()))
                    .chain([format!("{name}/")]),
            ),
            false => names.push(name),
        }
    }
    names.sort();
    names
}

#[tokio::test]
async fn outputs_go_with_their_session_and_after_thirty_days() {
    let home = tempfile::tempdir().unwrap();
    let of = |session: &str| session_outputs(home.path(), &SessionId::new(session).unwrap());
    put(&of("known").join("young.txt"), 29, 3);
    put(&of("known").join("old.txt"), 31, 3);
    put(&of("gone").join("young.txt"), 2, 3);
    // A session that began after the sessions were listed.
    put(&of("new").join("now.txt"), 0, 3);
    put(&of("new").join("now").parent().unwrap().parent().unwrap().join("loose.txt"), 3, 3);
    let swept = sweep_outputs(order(home.path(), &["known"])).await.unwrap();
    assert_eq!(swept, SweptOutputs { files: 2, bytes: 6 });
    assert_eq!(left(home.path()), ["known/", "known/young.txt", "loose.txt", "new/", "new/now.txt"]);
}

#[test]
fn the_oldest_outputs_go_when_all_together_take_too_much() {
    let home = tempfile::tempdir().unwrap();
    let of = |session: &str| session_outputs(home.path(), &SessionId::new(session).unwrap());
    put(&of("a").join("first.txt"), 9, 40);
    put(&of("b").join("second.txt"), 8, 40);
    put(&of("a").join("third.txt"), 7, 40);
    let limits = Limits { most_bytes: 90, ..Limits::default() };
    let swept = sweep(&order(home.path(), &["a", "b"]), &limits).unwrap();
    assert_eq!(swept, SweptOutputs { files: 1, bytes: 40 });
    assert_eq!(left(home.path()), ["a/", "a/third.txt", "b/", "b/second.txt"]);
}

#[test]
fn an_agent_without_outputs_has_nothing_to_sweep() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(sweep(&order(home.path(), &[]), &Limits::default()).unwrap(), SweptOutputs::default());
}

#[cfg(unix)]
#[test]
fn what_a_link_points_to_stays() {
    let home = tempfile::tempdir().unwrap();
    let outside = home.path().join("outside");
    put(&outside.join("mine.txt"), 99, 3);
    let root = home.path().join("tool-output");
    std::fs::create_dir_all(&root).unwrap();
    std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
    assert_eq!(sweep(&order(home.path(), &[]), &Limits::default()).unwrap(), SweptOutputs::default());
    assert!(outside.join("mine.txt").exists());
}
