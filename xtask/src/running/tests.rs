//! What servers print, and the address found in it.

use super::address;

fn heard(printed: &'static str) -> Result<String, Vec<String>> {
    address(printed.as_bytes())
}

#[test]
fn an_address_is_found_behind_other_lines_and_before_other_words() {
    let printed =
        "warming up\n07:54:53 [gateway] listening on ws://127.0.0.1:4711, ws://[::1]:4711 (pid 1)\nmore\n";
    assert_eq!(heard(printed), Ok("ws://127.0.0.1:4711".to_owned()));
    assert_eq!(heard("listening on http://127.0.0.1:1\n"), Ok("http://127.0.0.1:1".to_owned()));
}

#[test]
fn a_server_that_never_listens_is_quoted() {
    assert_eq!(heard("no port\nbye\n"), Err(vec!["no port".to_owned(), "bye".to_owned()]));
}
