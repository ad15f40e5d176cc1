//! A leak is found in every form it can have, and what may stand somewhere is let be.

use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::scan::{Found, scan};

fn leaks(files: &[(&str, &[u8])]) -> Found {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let mut found = scan(&[folder.path().to_owned()]).unwrap();
    found.leaks = found.leaks.iter().map(|leak| name_in(folder.path(), leak)).collect();
    found
}

fn name_in(folder: &Path, leak: &str) -> String {
    let path = leak.split_once(": ").unwrap().0;
    Path::new(path).strip_prefix(folder).unwrap().display().to_string()
}

#[test]
fn a_secret_is_found_in_text_and_between_bytes_in_any_case() {
    let found = leaks(&[
        ("a/gateway.log", b"calling with PLANTED-SECRET-key-1"),
        ("b/state.sqlite", b"\0\xff\x01sk-planted-7\0"),
        ("c/clean.log", b"nothing was planted here"),
    ]);
    assert_eq!(
        found,
        Found { leaks: vec!["a/gateway.log".to_owned(), "b/state.sqlite".to_owned()], allowed: 0 }
    );
}

#[test]
fn a_secret_is_found_inside_base64_wherever_it_begins() {
    let wrapped =
        |before: &str| BASE64_STANDARD.encode(format!("{before}sk-planted-7 and more")).into_bytes();
    let (none, one, two) = (wrapped(""), wrapped("u"), wrapped("us"));
    let found = leaks(&[("0.log", &none), ("1.log", &one), ("2.log", &two), ("3.log", b"c2stcGxhbnQ=")]);
    assert_eq!(found.leaks, ["0.log", "1.log", "2.log"]);
}

#[test]
fn a_secret_may_stand_where_a_person_put_it() {
    let found = leaks(&[
        ("home/.openclaw/openclaw.json", b"planted-1"),
        ("home/.openclaw/openclaw.json.bak", b"planted-1"),
        ("home/.openclaw/openclaw.json.bak.1", b"planted-1"),
        ("home/.openclaw/state/last-good-config.json5", b"planted-1"),
        ("home/.openclaw/.env", b"KEY=planted-1"),
        ("home/planted-key.txt", b"planted-1"),
        ("kept/12-0-auth-profiles.json", b"planted-1"),
        ("kept/12-1-gateway.log", b"planted-1"),
    ]);
    assert_eq!(found, Found { leaks: vec!["kept/12-1-gateway.log".to_owned()], allowed: 7 });
}

#[test]
fn a_file_with_a_huge_hole_is_searched_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let huge = std::fs::File::create(folder.path().join("huge.bin")).unwrap();
    huge.set_len(1 << 40).unwrap();
    std::fs::write(folder.path().join("gateway.log"), b"planted-1").unwrap();
    let found = scan(&[folder.path().to_owned()]).unwrap();
    assert_eq!(found.leaks.len(), 1, "{found:?}");
}
