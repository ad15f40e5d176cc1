//! Paths that stay inside, and paths that do not.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

fn steps(text: &str) -> Option<Vec<String>> {
    ContainedPath::parse(text).map(|path| path.0)
}

#[test]
fn paths_are_split_and_decoded_once() {
    assert_eq!(steps("assets/a%20b.js"), Some(vec!["assets".to_owned(), "a b.js".to_owned()]));
    assert_eq!(steps("/x//./y"), Some(vec!["x".to_owned(), "y".to_owned()]));
    assert_eq!(steps("%252e%252e/x"), Some(vec!["%2e%2e".to_owned(), "x".to_owned()]));
}

#[test]
fn paths_that_could_leave_are_refused() {
    for text in ["../x", "a/../../x", "%2e%2e/x", "..%2fx", "a\\..\\x", "a%00b", "", "/", "%zz", "%f", "%ff"]
    {
        assert_eq!(steps(text), None, "{text}");
    }
}

#[test]
fn extensions_are_read_from_the_last_step_only() {
    let extension = |text| ContainedPath::parse(text).and_then(|path| path.extension());
    assert_eq!(extension("a.b/c"), None);
    assert_eq!(extension("a/c.MAP"), Some("map".to_owned()));
    assert_eq!(extension(".env"), None);
}

#[test]
fn files_are_read_and_links_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir_all(root.join("inner")).unwrap();
    fs::write(root.join("inner/page.html"), "page").unwrap();
    fs::write(folder.path().join("secret"), "secret").unwrap();
    symlink(folder.path().join("secret"), root.join("link")).unwrap();
    symlink(folder.path(), root.join("up")).unwrap();
    let get = |text: &str| read(&root, &ContainedPath::parse(text).unwrap(), 100).unwrap();
    assert_eq!(get("inner/page.html"), Some(Bytes::from_static(b"page")));
    assert_eq!(get("link"), None);
    assert_eq!(get("up/secret"), None);
    assert_eq!(get("inner"), None);
    assert_eq!(get("inner/page.html/x"), None);
    assert_eq!(get("absent"), None);
}

#[test]
fn a_file_over_the_limit_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("big"), "12345").unwrap();
    let path = ContainedPath::parse("big").unwrap();
    assert_eq!(read(folder.path(), &path, 4).unwrap(), None);
    assert_eq!(read(folder.path(), &path, 5).unwrap(), Some(Bytes::from_static(b"12345")));
}
