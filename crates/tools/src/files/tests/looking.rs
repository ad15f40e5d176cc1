//! `read`, `ls`, `find` and `grep`.

use std::io::{Seek, SeekFrom, Write};

use openclaw_ports::tool::{FileReach, ToolReply};
use openclaw_types::Content;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::arguments::tests::any_json;
use crate::testing::{World, find, said};

fn lines(from: usize, to: usize) -> String {
    (from..=to).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_file_is_shown_whole_or_by_lines_and_under_other_names_of_the_parameter() {
    let world = World::new();
    world.write("work/a.txt", lines(1, 5) + "\n");
    let cases = [
        (json!({ "path": "a.txt" }), format!("+{}", lines(1, 5))),
        (json!({ "file_path": "a.txt", "offset": "4" }), format!("+{}", lines(4, 5))),
        (
            json!({ "path": "a.txt", "limit": 2 }),
            "+line 1\nline 2\n\n[Lines 1-2 of 5 are shown. Read on with offset=3.]".to_owned(),
        ),
        (json!({ "path": "a.txt", "offset": 2, "limit": 99 }), format!("+{}", lines(2, 5))),
        (json!({ "path": "a.txt", "offset": 5, "limit": 1 }), "+line 5".to_owned()),
        (
            json!({ "path": "a.txt", "offset": 9 }),
            "+[The file has 5 lines; offset 9 is behind its end.]".to_owned(),
        ),
        (
            json!({ "path": "a.txt", "offset": -3, "limit": 1.9 }),
            "+line 1\n\n[Lines 1-1 of 5 are shown. Read on with offset=2.]".to_owned(),
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(said(&world.call("read", arguments.clone()).await), expected, "{arguments}");
    }
    world.write("work/empty", "");
    assert_eq!(said(&world.call("read", json!({ "path": "empty" })).await), "+(The file is empty.)");
}

#[tokio::test]
async fn long_files_come_in_pages_that_join_without_a_gap() {
    let world = World::new();
    world.write("work/long.txt", lines(1, 4500));
    let first = said(&world.call("read", json!({ "path": "long.txt" })).await);
    assert!(
        first.ends_with("line 2000\n\n[Lines 1-2000 of 4500 are shown. Read on with offset=2001.]"),
        "{}",
        &first[first.len() - 99..]
    );
    let wide = "x".repeat(999);
    world.write("work/wide.txt", vec![wide; 200].join("\n"));
    let first = said(&world.call("read", json!({ "path": "wide.txt" })).await);
    assert!(
        first.ends_with("[Lines 1-51 of 200 are shown, 50 KB at once. Read on with offset=52.]"),
        "{}",
        &first[first.len() - 99..]
    );
    world.write("work/one.txt", format!("{}\nnext", "ü".repeat(60_000)));
    let first = said(&world.call("read", json!({ "path": "one.txt" })).await);
    assert!(
        first.contains("Line 1 of 2 is longer than 50 KB") && first.ends_with("offset=2.]"),
        "{}",
        &first[first.len() - 199..]
    );
    assert!(!first.contains('\u{fffd}'));
}

#[tokio::test]
async fn a_file_of_five_gigabytes_is_not_held_in_memory() {
    let world = World::new();
    let mut file = std::fs::File::create(world.work("huge.txt")).unwrap();
    file.write_all(lines(1, 3000).as_bytes()).unwrap();
    file.seek(SeekFrom::Start(5 * 1024 * 1024 * 1024)).unwrap();
    file.write_all(b"end").unwrap();
    let shown = said(&world.call("read", json!({ "path": "huge.txt", "limit": 3 })).await);
    assert_eq!(
        shown,
        "+line 1\nline 2\nline 3\n\n[Lines 1-3 of very many are shown. Read on with offset=4.]"
    );
    let edit = world.call("edit", json!({ "path": "huge.txt", "oldText": "line 1", "newText": "x" })).await;
    assert!(said(&edit).starts_with("-huge.txt has 5120.0 MB"), "{edit:?}");
}

#[tokio::test]
async fn pictures_are_shown_to_models_that_see_and_told_to_others() {
    let world = World::new();
    let png = b"\x89PNG\r\n\x1a\n0000IHDR";
    world.write("work/p.txt", png);
    let ToolReply::Output(output) = world.call("read", json!({ "path": "p.txt" })).await else { panic!() };
    assert!(
        matches!(&output.content[1], Content::Image(image) if image.media_type.as_deref() == Some("image/png"))
    );
    let mut context = world.context(FileReach::Workspace);
    context.sees_images = false;
    let reply =
        find(&crate::tools(&world.handles()), "read").call(&context, json!({ "path": "p.txt" })).await;
    assert!(said(&reply).contains("cannot see pictures"), "{reply:?}");
    world.write("work/big.png", [png.as_slice(), &vec![0; 24_000_000]].concat());
    assert!(said(&world.call("read", json!({ "path": "big.png" })).await).contains("Make it smaller"));
}

#[tokio::test]
async fn what_is_no_text_is_refused_with_what_it_seems_to_be() {
    let world = World::new();
    for (content, kind) in [
        (&b"%PDF-1.4\0"[..], "a PDF"),
        (b"PK\x03\x04\0", "ZIP"),
        (b"a\0b", "not text"),
        (b"\xff\xfea\0", "UTF-16"),
    ] {
        world.write("work/b", content);
        let reply = said(&world.call("read", json!({ "path": "b" })).await);
        assert!(reply.starts_with('-') && reply.contains(kind), "{reply}");
    }
    let folder = said(&world.call("read", json!({ "path": "." })).await);
    assert_eq!(folder, "-. is a folder. List it with ls, or name a file in it.");
    assert_eq!(
        said(&world.call("read", json!({ "path": "gone" })).await),
        "-gone does not exist. Look with ls or find."
    );
}

#[tokio::test]
async fn names_with_odd_spaces_and_quotes_are_found() {
    let world = World::new();
    world.write("work/Shot 9.41\u{202f}AM.txt", "a");
    world.write("work/Ana\u{2019}s.txt", "b");
    assert_eq!(said(&world.call("read", json!({ "path": "Shot 9.41 AM.txt" })).await), "+a");
    assert_eq!(said(&world.call("read", json!({ "path": "Ana's.txt" })).await), "+b");
}

#[tokio::test]
async fn a_folder_is_listed_in_order_with_marks_and_a_limit() {
    let world = World::new();
    for file in ["b.txt", ".hidden", "sub/x"] {
        world.write(&format!("work/{file}"), "");
    }
    std::os::unix::fs::symlink("b.txt", world.work("l")).unwrap();
    assert_eq!(said(&world.call("ls", json!({})).await), "+.hidden\nb.txt\nl@\nsub/");
    assert_eq!(
        said(&world.call("ls", json!({ "limit": 1 })).await),
        "+.hidden\n\n[Note: only 1 names are shown; limit=2 shows more.]"
    );
    std::fs::create_dir(world.work("none")).unwrap();
    assert_eq!(said(&world.call("ls", json!({ "path": "none" })).await), "+(The folder is empty.)");
}

fn tree() -> World {
    let world = World::new();
    for (file, content) in [
        (".gitignore", "target/\n*.log\n!keep.log\n"),
        (".git/config", "needle"),
        ("src/main.rs", "fn main() {\n    let Needle = 1;\n}\n"),
        ("src/lib.rs", "one\ntwo\nneedle here\nfour\nfive\n"),
        ("src/deep/.gitignore", "secret.txt\n"),
        ("src/deep/secret.txt", "needle"),
        ("src/deep/a.log", "needle"),
        ("src/deep/keep.log", "needle"),
        ("target/out.rs", "needle"),
        ("bin.dat", "needle\0needle"),
    ] {
        world.write(&format!("work/{file}"), content);
    }
    world
}

#[tokio::test]
async fn files_are_found_by_globs_without_what_git_ignores() {
    let world = tree();
    let cases = [
        (json!({ "pattern": "*.rs" }), "+src/lib.rs\nsrc/main.rs"),
        (json!({ "pattern": "src/*" }), "+src/deep/\nsrc/lib.rs\nsrc/main.rs"),
        (json!({ "pattern": "**/*.log" }), "+src/deep/keep.log"),
        (json!({ "pattern": "*.txt", "path": "src/deep" }), "+(Nothing matches.)"),
        (json!({ "pattern": "*.log", "path": "src/deep" }), "+keep.log"),
        (
            json!({ "pattern": "*.rs", "limit": "1" }),
            "+src/lib.rs\n\n[Note: only 1 paths are shown; limit=2 shows more.]",
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(said(&world.call("find", arguments.clone()).await), expected, "{arguments}");
    }
    assert!(said(&world.call("find", json!({ "pattern": "[" })).await).starts_with("-`[` is not a glob"));
}

#[tokio::test]
async fn lines_are_found_with_files_numbers_and_context() {
    let world = tree();
    let cases = [
        (json!({ "pattern": "needle" }), "+src/lib.rs:3: needle here\nsrc/deep/keep.log:1: needle"),
        (
            json!({ "pattern": "NEEDLE", "ignoreCase": true, "glob": "*.rs" }),
            "+src/lib.rs:3: needle here\nsrc/main.rs:2:     let Needle = 1;",
        ),
        (
            json!({ "pattern": "needle", "path": "src/lib.rs", "context": 1 }),
            "+src/lib.rs-2- two\nsrc/lib.rs:3: needle here\nsrc/lib.rs-4- four",
        ),
        (json!({ "pattern": "main() {", "literal": "true" }), "+src/main.rs:1: fn main() {"),
        (
            json!({ "pattern": "needle", "limit": 1 }),
            "+src/lib.rs:3: needle here\n\n[Note: only 1 matches are shown; limit=2 shows more.]",
        ),
        (json!({ "pattern": "^t.o$" }), "+src/lib.rs:2: two"),
        (json!({ "pattern": "nothing" }), "+(Nothing matches.)"),
    ];
    for (arguments, expected) in cases {
        assert_eq!(said(&world.call("grep", arguments.clone()).await), expected, "{arguments}");
    }
    let bad = said(&world.call("grep", json!({ "pattern": "a(" })).await);
    assert!(bad.starts_with("-`a(` is not a regular expression") && bad.contains("literal"), "{bad}");
}

#[tokio::test]
async fn a_pattern_that_would_take_for_ever_elsewhere_takes_no_time() {
    let world = World::new();
    world.write("work/a.txt", "a".repeat(50_000));
    let found = said(&world.call("grep", json!({ "pattern": "(a+)+$x" })).await);
    assert_eq!(found, "+(Nothing matches.)");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn no_arguments_make_a_tool_panic_or_leave_the_workspace(
        fields in prop::collection::vec((prop_oneof!["path|content|oldText|newText|pattern|input|glob|offset|limit", "[a-z]{1,6}"], any_json()), 0..5),
    ) {
        let world = World::new();
        let arguments = Value::Object(fields.into_iter().collect());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            for tool in ["read", "write", "edit", "apply_patch", "grep", "find", "ls"] {
                said(&world.call(tool, arguments.clone()).await);
            }
        });
        let names: Vec<_> = std::fs::read_dir(world.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        prop_assert_eq!(names.len(), 2);
    }
}
