//! Patches: how they are read, and what they do to texts.

use proptest::prelude::*;

use super::hunks::change;
use super::parse::{FileChange, Hunk, parse};

fn update(body: &str) -> Vec<Hunk> {
    let changes = parse(&format!("*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch")).unwrap();
    match changes.into_iter().next() {
        Some(FileChange::Update { hunks, .. }) => hunks,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check(before: &str, body: &str, after: &str) {
    assert_eq!(change(before, &update(body), "f").as_deref(), Ok(after));
}

#[test]
fn hunks_are_found_by_their_lines_and_their_anchors() {
    check("a\nb\nc\n", "@@\n-b\n+B", "a\nB\nc\n");
    check("x\nb\ny\nb\n", "@@ y\n-b\n+B", "x\nb\ny\nB\n");
    check(
        "class A\n def f\n  1\nclass B\n def f\n  1\n",
        "@@ class B\n@@ def f\n-  1\n+  2",
        "class A\n def f\n  1\nclass B\n def f\n  2\n",
    );
    check("a\nb\n", "-a\n+A", "A\nb\n");
    check("b\nb\n", "@@\n-b\n+B\n*** End of File", "b\nB\n");
    check("a\n", "@@\n+z", "a\nz\n");
    check("a\nb\n", "@@ a\n+z", "a\nz\nb\n");
    check("", "@@\n+z", "z\n");
    check("a\nb", "@@\n-b\n+c", "a\nc");
    check("a\r\nb\r\n", "@@\n-b\n+c\n+d", "a\r\nc\r\nd\r\n");
    check("a\r\nb\nc\r\nd\r\n", "@@\n b\n-c\n+C\n+CC\n d", "a\r\nb\nC\r\nCC\r\nd\r\n");
    check("a\nb\r\nc", "@@\n b\n c\n+d", "a\nb\r\nc\nd");
    check("a  \n\tb\n", "@@\n a\n-b\n+c", "a\nc\n");
    check("“q” – x\n", "@@\n-\"q\" - x\n+y", "y\n");
    check("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c", "a\n\nc\n");
}

#[test]
fn a_hunk_that_does_not_fit_is_told_with_the_nearest_line() {
    let told = change("one line\ntwo lines\n", &update("@@\n-two linez\n+x"), "f").unwrap_err();
    assert!(told.starts_with("Hunk 1 for f does not fit") && told.contains("line 2"), "{told}");
}

#[test]
fn envelopes_are_read_also_with_a_heredoc_around() {
    let inner = "*** Begin Patch\n*** Delete File: a b.txt\n*** End Patch";
    let expected = Ok(vec![FileChange::Delete { path: "a b.txt".to_owned() }]);
    assert_eq!(parse(inner), expected);
    assert_eq!(parse(&format!("\n<<'EOF'\n{inner}\nEOF\n")), expected);
    for bad in [
        "",
        "x",
        "*** Begin Patch",
        "*** Begin Patch\n*** End Patch",
        "*** Begin Patch\n*** Delete File:\n*** End Patch",
    ] {
        assert!(parse(bad).is_err(), "{bad:?}");
    }
}

proptest! {
    #[test]
    fn no_patch_makes_reading_or_changing_panic(
        lines in prop::collection::vec(prop_oneof!["[ +@-]{0,2}[ab]{0,2}", "\\*\\*\\* (Add|Update|Delete) File: [ab]", "\\*\\*\\* End of File", "\\PC{0,6}"], 0..20),
        before in "[ab\r\n]{0,30}",
    ) {
        let text = format!("*** Begin Patch\n{}\n*** End Patch", lines.join("\n"));
        for found in parse(&text).unwrap_or_default() {
            if let FileChange::Update { hunks, .. } = found {
                drop(change(&before, &hunks, "f"));
            }
        }
    }
}
