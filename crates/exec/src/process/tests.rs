//! Output, its readable form, and what a child sees. Running commands is tested through the command host.

use std::collections::BTreeMap;
use std::sync::Mutex;

use openclaw_config::Environment;
use openclaw_testkit::planted_secret;

use super::clean::clean;
use super::output::{Output, Slice, Spill, slice};
use super::*;

#[test]
fn terminal_sequences_and_control_characters_are_gone() {
    let rows: [(&[u8], &str); 9] = [
        (b"plain\ntext\n", "plain\ntext\n"),
        (b"\x1b[1;31mred\x1b[0m", "red"),
        (b"\x1b]0;title\x07after", "after"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"10%\r50%\r100%\r\ndone\r\n", "100%\ndone\n"),
        (b"ab\x08c\x07\x00", "ac"),
        (b"\x1b(Bx\x1b=y", "xy"),
        (b"\xa4gr\xc3\xbc\xc3\x9fe\xc3", "gr\u{fc}\u{df}e"),
        ("a\u{202e}b\u{200b}".as_bytes(), "ab"),
    ];
    for (raw, expected) in rows {
        assert_eq!(clean(raw), expected, "{raw:?}");
    }
}

#[tokio::test]
async fn long_output_is_cut_in_memory_and_whole_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kept/exec.log");
    let (output, mut spill) = (Mutex::new(Output::default()), Spill::new(path.clone()));
    let mut all = Vec::new();
    for number in 0..40_000 {
        let piece = format!("line {number}\n").into_bytes();
        let begun = spill.take(&output, &piece).await;
        let mut output = output.lock().unwrap();
        output.push(&piece);
        output.file = begun.or(output.file.take());
        all.extend(piece);
    }
    spill.finish().await;
    let mut output = output.into_inner().unwrap();
    assert_eq!(output.file, Some(path.clone()));
    assert_eq!(std::fs::read(&path).unwrap(), all);
    assert_eq!(output.total(), u64::try_from(all.len()).unwrap());
    let shown = output.shown();
    assert!(
        shown.len() < 140_000 && shown.starts_with("line 0\n") && shown.ends_with("line 39999\n"),
        "{}",
        shown.len()
    );
    assert!(shown.contains("bytes left out"));
    let fresh = output.fresh();
    assert!(fresh.len() < 31_000 && fresh.starts_with("[…") && fresh.ends_with("line 39999\n"));
    assert_eq!(output.fresh(), "");
    let lines = |offset, limit| slice(|| std::fs::File::open(&path), LineRange { offset, limit }).unwrap();
    assert_eq!(
        lines(Some(20_000), Some(2)),
        Slice { text: "line 20000\nline 20001".into(), from: 20_000, total: 40_000 }
    );
    assert_eq!(lines(None, Some(1)), Slice { text: "line 39999".into(), from: 39_999, total: 40_000 });
    assert_eq!(lines(Some(50_000), None), Slice { text: String::new(), from: 40_000, total: 40_000 });
    assert!(lines(Some(0), None).text.len() < 140_000);
}

#[test]
fn what_memory_lacks_is_said_in_the_log() {
    let mut output = Output::default();
    output.push(b"short");
    assert_eq!(output.log_bytes(), b"short");
    let long = "x".repeat(200 * 1024);
    output.push(long.as_bytes());
    output.clear();
    assert_eq!(output.log_bytes(), b"");
    output.push(long.as_bytes());
    let log = String::from_utf8(output.log_bytes()).unwrap();
    assert!(log.contains("x\n[… 73728 bytes left out …]\nx"), "{}", log.len());
}

#[test]
fn a_child_sees_listed_variables_and_no_secrets() {
    let secret = planted_secret("ENV");
    let gateway = Environment::fake(
        [
            ("PATH", "/usr/bin::relative:/bin"),
            ("HOME", "/home/ana"),
            ("LC_ALL", "C"),
            ("OPENAI_API_KEY", secret.as_str()),
            ("OPENCLAW_GATEWAY_TOKEN", secret.as_str()),
            ("HTTPS_PROXY", "http://u:p@proxy"),
            ("HTTP_PROXY", "http://proxy"),
            ("LD_PRELOAD", "/tmp/x.so"),
            ("NODE_OPTIONS", "--require x"),
            ("BASH_ENV", "/tmp/x"),
            ("SSH_AUTH_SOCK", "/tmp/s"),
            ("PAGER", "less"),
        ],
        "/home/ana",
    );
    let added = BTreeMap::from([("MODE".to_owned(), "test".to_owned())]);
    let seen = child_environment(&gateway, &["/opt/bin".into(), "nearby".into()], &added).unwrap();
    let expected = [
        ("PATH", "/opt/bin:/usr/bin:/bin"),
        ("HOME", "/home/ana"),
        ("LC_ALL", "C"),
        ("HTTP_PROXY", "http://proxy"),
        ("MODE", "test"),
        ("PAGER", "cat"),
        ("GIT_PAGER", "cat"),
        ("SYSTEMD_PAGER", "cat"),
        ("MANPAGER", "cat"),
        ("GH_PAGER", "cat"),
        ("BAT_PAGER", "cat"),
        ("AWS_PAGER", "cat"),
        ("LESSSECURE", "1"),
        ("SYSTEMD_PAGERSECURE", "1"),
    ];
    let expected: BTreeMap<String, String> =
        expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    assert_eq!(seen, expected);
}

#[test]
fn variables_that_decide_which_code_runs_cannot_be_set() {
    let gateway = Environment::fake([("PATH", "/bin")], "/");
    for name in [
        "PATH",
        "path",
        "LD_PRELOAD",
        "DYLD_INSERT_LIBRARIES",
        "BASH_ENV",
        "NODE_OPTIONS",
        "GIT_SSH_COMMAND",
        "IFS",
        "A B",
        "",
        "1A",
        "BASH_FUNC_x%%",
        "PAGER",
        "GIT_PAGER",
        "SYSTEMD_PAGER",
        "LESSSECURE",
        "LESS",
        "LESSKEY",
    ] {
        let added = BTreeMap::from([(name.to_owned(), "x".to_owned())]);
        assert_eq!(child_environment(&gateway, &[], &added), Err(name.to_owned()));
    }
}

#[test]
fn names_are_short_and_never_taken_twice() {
    let mut taken = std::collections::HashSet::new();
    for _ in 0..3_000 {
        let name = names::fresh(|name| taken.contains(name));
        assert!(name.len() < 24 && taken.insert(name));
    }
}

#[tokio::test]
async fn what_is_on_the_leash_ends_when_the_gateway_is_gone() {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    let sleeper = || std::process::Command::new("sleep").arg("600").process_group(0).spawn().unwrap();
    let (mut held, mut released) = (sleeper(), sleeper());
    let group = |child: &std::process::Child| i32::try_from(child.id()).ok();
    let leash = leash::Leash::default();
    leash.hold(group(&held)).await;
    leash.hold(group(&released)).await;
    leash.release(group(&released)).await;
    drop(leash);
    let status = tokio::task::spawn_blocking(move || held.wait().unwrap()).await.unwrap();
    assert_eq!(status.signal(), Some(15));
    assert_eq!(released.try_wait().unwrap(), None);
    released.kill().unwrap();
    released.wait().unwrap();
}
