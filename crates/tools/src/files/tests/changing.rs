//! `write`, `edit` and `apply_patch`.

use std::os::unix::fs::PermissionsExt;

use openclaw_ports::tool::ToolReply;
use openclaw_types::ToolOutcome;
use serde_json::{Value, json};

use crate::testing::{World, said};

#[tokio::test]
async fn a_file_is_made_with_its_folders_and_replaced_with_its_mode() {
    let world = World::new();
    let made = said(&world.call("write", json!({ "path": "a/b/c.sh", "content": "one" })).await);
    assert_eq!(made, "+Made a/b/c.sh with 3 bytes.");
    std::fs::set_permissions(world.work("a/b/c.sh"), std::fs::Permissions::from_mode(0o750)).unwrap();
    let replaced = said(&world.call("write", json!({ "file_path": "a/b/c.sh", "content": "" })).await);
    assert_eq!(replaced, "+Replaced a/b/c.sh with 0 bytes.");
    let mode = std::fs::metadata(world.work("a/b/c.sh")).unwrap().permissions().mode() & 0o777;
    assert_eq!((world.text("work/a/b/c.sh").as_str(), mode), ("", 0o750));
    let names: Vec<_> = std::fs::read_dir(world.work("a/b")).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing is left behind");
    let folder = said(&world.call("write", json!({ "path": "a", "content": "x" })).await);
    assert_eq!(folder, "-a is there already and is no plain file.");
    let missing = said(&world.call("write", json!({ "path": "x" })).await);
    assert_eq!(missing, "-write: the parameter `content` is missing. Call again with it.");
}

async fn edit(world: &World, old: &str, new: &str) -> String {
    said(&world.call("edit", json!({ "path": "f", "oldText": old, "newText": new })).await)
}

#[tokio::test]
async fn a_text_that_is_there_once_is_replaced_and_the_rest_keeps_its_bytes() {
    let world = World::new();
    world.write("work/f", "\u{feff}one\r\ntwo\r\nthree\nfour\r\n");
    assert_eq!(edit(&world, "two\nthree", "2\n3").await, "+Replaced the text at line 2 of f.");
    assert_eq!(world.text("work/f"), "\u{feff}one\r\n2\r\n3\nfour\r\n");
    let snake = json!({ "file_path": "f", "old_string": "one\r\n", "new_string": "1\n" });
    assert!(said(&world.call("edit", snake).await).starts_with('+'));
    assert_eq!(world.text("work/f"), "\u{feff}1\r\n2\r\n3\nfour\r\n");
    assert!(edit(&world, "four", "").await.starts_with('+'));
    assert_eq!(world.text("work/f"), "\u{feff}1\r\n2\r\n3\n\r\n");
}

#[tokio::test]
async fn a_file_whose_name_is_typed_differently_is_the_one_that_changes() {
    let world = World::new();
    world.write("work/shot 9.41\u{202f}AM.txt", "one");
    let arguments = json!({ "path": "shot 9.41 AM.txt", "oldText": "one", "newText": "two" });
    let told = said(&world.call("edit", arguments).await);
    assert_eq!(told, "+Replaced the text at line 1 of shot 9.41\u{202f}AM.txt.");
    assert_eq!(world.text("work/shot 9.41\u{202f}AM.txt"), "two");
    let names: Vec<_> = std::fs::read_dir(world.work("")).unwrap().collect();
    assert_eq!(names.len(), 1, "no second file was made");
}

#[tokio::test]
async fn the_change_comes_as_a_diff_for_programs() {
    let world = World::new();
    world.write("work/f", "a\nb\nc\nd\n");
    let reply = world.call("edit", json!({ "path": "f", "oldText": "b\nc", "newText": "x" })).await;
    let openclaw_ports::tool::ToolReply::Output(output) = reply else { panic!() };
    let expected = json!({ "diff": " 1 a\n-2 b\n-3 c\n+2 x\n 3 d\n 4 ", "firstChangedLine": 2 });
    assert_eq!((output.details, output.meta.as_deref()), (Some(expected), Some("in f")));
}

#[tokio::test]
async fn what_does_not_fit_is_explained() {
    let world = World::new();
    let content = "fn main() {\n\tlet name = \u{201c}Ana\u{201d};\n\tprint(name);  \n}\nlast\nlast\n";
    world.write("work/f", content);
    let cases = [
        ("last", "oldText is in f 2 times (lines 5, 6). Add lines around it so that it is there once."),
        ("", "oldText is empty"),
        ("x", "Nothing in the file is like it"),
        (
            "print(name);\n}",
            "differs in spaces at the ends of lines. It has this at line 3:\n3| \tprint(name);  \n4| }",
        ),
        ("fn main() {\n    let name", "differs in indentation or spacing"),
        (
            "let name = \"Ana\";",
            "differs in typographic quotes, dashes or special spaces. It has this at line 2",
        ),
        ("FN MAIN", "differs in capital and small letters"),
        ("    let name = \"Ana\";", "differs in quotes and spacing"),
        ("print(names, 1);", "The nearest is at line 3"),
    ];
    for (old, expected) in cases {
        let told = edit(&world, old, "y").await;
        assert!(told.starts_with('-') && told.contains(expected), "{old:?}: {told}");
    }
    assert!(edit(&world, "same", "same").await.contains("are the same"));
    assert!(edit(&world, "gone()", "print(name);").await.contains("already there, at line 3"));
    assert_eq!(world.text("work/f"), content);
    world.write("work/f", b"\xff\xfe");
    assert!(edit(&world, "a", "b").await.contains("not text in UTF-8"));
}

async fn patch(world: &World, body: &str) -> String {
    let input = format!("*** Begin Patch\n{body}\n*** End Patch");
    said(&world.call("apply_patch", json!({ "input": input })).await)
}

#[tokio::test]
async fn a_patch_adds_changes_moves_and_deletes() {
    let world = World::new();
    world.write("work/a.txt", "1\n2\n3\n4\n5\n");
    world.write("work/b.txt", "b\r\nbb\r\n");
    world.write("work/c.txt", "c\n");
    std::fs::set_permissions(world.work("b.txt"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let told = patch(
        &world,
        "*** Add File: new/d.txt\n+d\n+\n*** Update File: a.txt\n@@\n 1\n-2\n+two\n@@\n 4\n+4.5\n 5\n*** Update File: b.txt\n\
         *** Move to: moved/b.txt\n@@\n-b\n+B\n bb\n*** Delete File: c.txt",
    )
    .await;
    assert_eq!(told, "+Done. Changed files:\nA new/d.txt\nM a.txt\nM moved/b.txt\nD c.txt");
    assert_eq!(world.text("work/new/d.txt"), "d\n\n");
    assert_eq!(world.text("work/a.txt"), "1\ntwo\n3\n4\n4.5\n5\n");
    assert_eq!(world.text("work/moved/b.txt"), "B\r\nbb\r\n");
    let mode = std::fs::metadata(world.work("moved/b.txt")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o755, "a file that is moved keeps its permissions");
    assert!(!world.work("b.txt").exists() && !world.work("c.txt").exists());
}

#[tokio::test]
async fn a_patch_that_fails_anywhere_changes_nothing() {
    let world = World::new();
    world.write("work/a.txt", "1\n");
    world.write("work/c.txt", "c\n");
    let good = "*** Update File: a.txt\n@@\n-1\n+one\n*** Delete File: c.txt\n*** Add File: n.txt\n+n\n";
    let bad = [
        "*** Update File: c.txt\n@@\n-zzz\n+y",
        "*** Delete File: none.txt",
        "*** Add File: ../out.txt\n+x",
        "*** Update File: a.txt\n@@\n-nope\n+x",
        "*** Update File: gone.txt\n@@\n-a\n+b",
        "*** Add File: a.txt/x\n+x",
        "*** Frobnicate: a.txt",
        "*** Add File: x.txt\nno plus",
    ];
    for body in bad {
        let told = patch(&world, &format!("{good}{body}")).await;
        assert!(!told.starts_with('+'), "{body}: {told}");
        assert_eq!(
            (world.text("work/a.txt").as_str(), world.text("work/c.txt").as_str()),
            ("1\n", "c\n"),
            "{body}"
        );
        assert!(!world.work("n.txt").exists() && !world.path("out.txt").exists(), "{body}");
        let names = std::fs::read_dir(world.work("")).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(names.count(), 2, "{body}");
    }
}

#[tokio::test]
async fn a_patch_stays_in_the_workspace_unless_the_configuration_says_otherwise() {
    let mut world = World::new();
    world.write("out.txt", "x\n");
    let input = "*** Begin Patch\n*** Update File: ~/out.txt\n@@\n-x\n+y\n*** End Patch";
    let machine = openclaw_ports::tool::FileReach::Machine;
    let call =
        async |world: &World| said(&world.call_with("apply_patch", json!({ "input": input }), machine).await);
    assert!(call(&world).await.starts_with('!'));
    world.config = json!({ "tools": { "exec": { "applyPatch": { "workspaceOnly": false } } } });
    assert!(call(&world).await.starts_with('+'));
    assert_eq!(world.text("out.txt"), "y\n");
}

#[tokio::test]
async fn a_call_that_failed_says_which_file_it_was_about() {
    let world = World::new();
    std::fs::create_dir(world.work("folder")).unwrap();
    for (tool, arguments, expected) in [
        ("read", json!({ "path": "gone.txt" }), "from gone.txt"),
        ("read", json!({ "path": "gone.txt", "offset": 3, "limit": 2 }), "lines 3-4 from gone.txt"),
        ("write", json!({ "path": "folder", "content": "x" }), "to folder"),
        ("edit", json!({ "path": "gone.txt", "oldText": "a", "newText": "b" }), "in gone.txt"),
    ] {
        let ToolReply::Output(output) = world.call(tool, arguments).await else { panic!("{tool}") };
        assert_eq!((output.outcome, output.meta.as_deref()), (ToolOutcome::Failed, Some(expected)), "{tool}");
    }
}

#[tokio::test]
async fn missing_arguments_are_named() {
    let world = World::new();
    for (tool, name) in [
        ("read", "path"),
        ("edit", "path"),
        ("apply_patch", "input"),
        ("grep", "pattern"),
        ("find", "pattern"),
    ] {
        let told = said(&world.call(tool, Value::Null).await);
        assert!(told.starts_with(&format!("-{tool}: the parameter `{name}`")), "{told}");
    }
}
