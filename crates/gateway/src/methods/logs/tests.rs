//! Cursors, limits and the choice of the file.

use super::*;

const ALL: Slice = Slice { cursor: None, limit: 100, max_bytes: 1000 };

fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("openclaw-2026-01-01.log");
    fs::write(&path, text).unwrap();
    (folder, path)
}

fn check(text: &str, slice: Slice, lines: &[&str], truncated: bool, reset: bool) {
    let (_folder, path) = file(text);
    let size = text.len() as u64;
    let expected = LogsTailResult {
        file: path.display().to_string(),
        cursor: size,
        size,
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        truncated: Some(truncated),
        reset: Some(reset),
    };
    assert_eq!(read_slice(&path, slice).unwrap(), expected, "{slice:?}");
}

#[test]
fn the_end_of_the_file_is_read_in_whole_lines() {
    check("one\ntwo\nthree\n", ALL, &["one", "two", "three"], false, false);
    check("one\ntwo\nthree\n", Slice { limit: 2, ..ALL }, &["two", "three"], false, false);
    check("one\ntwo\nthree\n", Slice { max_bytes: 8, ..ALL }, &["three"], true, false);
    check("one\ntwo\nthree\n", Slice { max_bytes: 6, ..ALL }, &["three"], true, false);
    check("", ALL, &[], false, false);
}

#[test]
fn a_cursor_gives_only_what_was_added() {
    check("one\ntwo\n", Slice { cursor: Some(4), ..ALL }, &["two"], false, false);
    check("one\ntwo\n", Slice { cursor: Some(8), ..ALL }, &[], false, false);
    check("one\ntwo\nhalf", Slice { cursor: Some(8), ..ALL }, &["half"], false, false);
}

#[test]
fn a_cursor_beyond_the_file_or_too_far_back_starts_anew() {
    check("one\ntwo\n", Slice { cursor: Some(99), ..ALL }, &["one", "two"], false, true);
    check("one\ntwo\nthree\n", Slice { cursor: Some(0), max_bytes: 6, ..ALL }, &["three"], true, true);
}

#[test]
fn one_endless_line_gives_nothing_instead_of_a_piece() {
    check(&"x".repeat(50), Slice { max_bytes: 10, ..ALL }, &[], true, false);
}

#[test]
fn bytes_that_are_no_text_do_not_stop_the_reading() {
    let (_folder, path) = file("");
    fs::write(&path, b"ok\n\xff\xfe\nend\n").unwrap();
    let lines = read_slice(&path, ALL).unwrap().lines;
    assert_eq!(lines, ["ok", "\u{fffd}\u{fffd}", "end"]);
}

#[test]
fn a_missing_file_is_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let result = read_slice(&folder.path().join("absent.log"), ALL).unwrap();
    assert_eq!((result.cursor, result.size, result.lines), (0, 0, Vec::new()));
}

#[test]
fn without_a_file_of_today_the_newest_daily_one_is_read() {
    let (folder, path) = file("x\n");
    fs::write(folder.path().join("other.log"), "y\n").unwrap();
    let log = LogFile::Daily(folder.path().to_owned());
    assert_eq!(current_file(&log, UnixMillis(1_800_000_000_000)).unwrap(), path);
    let fixed = LogFile::Fixed(folder.path().join("fixed.log"));
    assert_eq!(current_file(&fixed, UnixMillis(0)).unwrap(), folder.path().join("fixed.log"));
}
