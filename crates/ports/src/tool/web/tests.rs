//! Which hosts a list names.

use super::HostList;

#[test]
fn only_listed_hosts_may_be_asked_where_some_are_listed() {
    let listed = [" CDN.example.com".to_owned(), "*.pictures.test".to_owned()];
    let hosts = HostList::of("some.urlAllowlist", &listed).unwrap();
    let cases = [
        ("cdn.example.com", true),
        ("Cdn.Example.Com", true),
        ("a.pictures.test", true),
        ("a.b.pictures.test", true),
        ("pictures.test", false),
        ("evilpictures.test", false),
        ("cdn.example.com.evil.test", false),
        ("evil.test", false),
        ("", false),
    ];
    for (host, expected) in cases {
        assert_eq!(hosts.check(host).is_ok(), expected, "{host}");
    }
    assert_eq!(
        hosts.check("evil.test").unwrap_err().to_string(),
        "the host evil.test is not in some.urlAllowlist"
    );
}

#[test]
fn a_setting_that_lists_nothing_is_no_list() {
    assert_eq!(HostList::of("some.urlAllowlist", &[]), None);
}
