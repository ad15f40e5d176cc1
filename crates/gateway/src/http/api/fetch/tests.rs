//! From which hosts things are fetched.

use super::allowed;

#[test]
fn only_named_hosts_are_asked_where_some_are_named() {
    let named = ["cdn.example.com".to_owned(), "*.pictures.test".to_owned()];
    let cases = [
        ("https://cdn.example.com/a.png", true),
        ("https://CDN.example.com:8443/a.png", true),
        ("https://a.pictures.test/x", true),
        ("https://pictures.test/x", false),
        ("https://evilpictures.test/x", false),
        ("https://cdn.example.com@evil.test/x", false),
        ("https://evil.test/cdn.example.com", false),
        ("not an address", false),
    ];
    for (url, expected) in cases {
        assert_eq!(allowed(Some(&named), url), expected, "{url}");
        assert!(allowed(None, url) && allowed(Some(&[]), url), "{url}");
    }
}
