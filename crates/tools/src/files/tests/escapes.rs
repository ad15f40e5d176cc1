//! Ways out of the workspace, and into the kernel. Each of them ends at the door.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use openclaw_ports::tool::{FileReach, ToolReply};
use serde_json::json;

use crate::testing::{World, assert_refused, link, said};

/// A world with a secret beside the workspace.
fn world() -> World {
    let world = World::new();
    world.write("secret.txt", "planted");
    world.write("work/a.txt", "inside");
    world
}

async fn assert_closed(world: &World, path: &str) {
    let patch = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-planted\n+x\n*** End Patch");
    let calls = [
        ("read", json!({ "path": path })),
        ("write", json!({ "path": path, "content": "x" })),
        ("edit", json!({ "path": path, "oldText": "planted", "newText": "x" })),
        ("grep", json!({ "path": path, "pattern": "planted" })),
        ("apply_patch", json!({ "input": patch })),
    ];
    for (tool, arguments) in calls {
        let reply = world.call(tool, arguments).await;
        let text = said(&reply);
        assert!(!text.starts_with('+'), "{tool} {path}: {text}");
    }
    assert_eq!(world.text("secret.txt"), "planted");
}

#[tokio::test]
async fn paths_out_of_the_workspace_are_refused_however_they_are_written() {
    let world = world();
    let absolute = world.path("secret.txt").display().to_string();
    let through = world.work("../secret.txt").display().to_string();
    let paths = [
        "../secret.txt",
        "x/../../secret.txt",
        "./../secret.txt",
        "~/secret.txt",
        "@../secret.txt",
        &absolute,
        &through,
    ];
    for path in paths {
        assert_closed(&world, path).await;
        assert_refused(&world.call("read", json!({ "path": path })).await);
    }
    for path in ["..", "/", "~", "../"] {
        for tool in ["ls", "find", "grep"] {
            assert_refused(&world.call(tool, json!({ "path": path, "pattern": "x" })).await);
        }
    }
}

#[tokio::test]
async fn links_out_of_the_workspace_are_refused_and_links_inside_are_fine() {
    let world = world();
    link(world.path("secret.txt"), world.work("absolute"));
    link("../secret.txt", world.work("relative"));
    link(world.path(""), world.work("folder"));
    link("a.txt", world.work("inside"));
    for path in ["absolute", "relative", "folder/secret.txt"] {
        assert_closed(&world, path).await;
    }
    assert_eq!(said(&world.call("read", json!({ "path": "inside" })).await), "+inside");
    world.call("write", json!({ "path": "inside", "content": "new" })).await;
    assert_eq!(world.text("work/a.txt"), "new");
    assert!(std::fs::symlink_metadata(world.work("inside")).unwrap().is_symlink());
}

#[tokio::test]
async fn a_link_to_nothing_is_not_written_through() {
    let world = world();
    link(world.path("made.txt"), world.work("dangling"));
    link("nowhere", world.work("inner"));
    for path in ["dangling", "inner"] {
        assert_refused(&world.call("write", json!({ "path": path, "content": "x" })).await);
    }
    assert!(!world.path("made.txt").exists());
}

#[tokio::test]
async fn a_workspace_that_is_a_link_itself_is_fine() {
    let mut world = world();
    world.write("real/b.txt", "there");
    std::fs::remove_dir_all(world.work("")).unwrap();
    link(world.path("real"), world.home.path().join("work"));
    world.config = json!({});
    assert_eq!(said(&world.call("read", json!({ "path": "b.txt" })).await), "+there");
    let by_its_real_name = world.path("real/b.txt").display().to_string();
    assert_eq!(said(&world.call("read", json!({ "path": by_its_real_name })).await), "+there");
    assert_refused(&world.call("read", json!({ "path": "../secret.txt" })).await);
}

#[tokio::test]
async fn a_link_that_is_swapped_all_the_time_never_leads_out() {
    let world = Arc::new(world());
    std::fs::create_dir(world.work("real")).unwrap();
    world.write("work/real/secret.txt", "inside");
    world.write("outer/secret.txt", "planted");
    // There from the start: else the first write makes a folder of that name, and no link can take its place.
    std::os::unix::fs::symlink("real", world.work("swap")).unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let swapper = std::thread::spawn({
        let (done, folder, outer) = (done.clone(), world.work("swap"), world.path("outer"));
        let (real, next) = (world.work("real"), world.work("next"));
        move || {
            while !done.load(Ordering::Relaxed) {
                for target in [&real, &outer] {
                    std::os::unix::fs::symlink(
                        target.strip_prefix(real.parent().unwrap()).unwrap_or(target),
                        &next,
                    )
                    .unwrap();
                    std::fs::rename(&next, &folder).unwrap();
                }
            }
        }
    });
    for round in 0..150 {
        let read = said(&world.call("read", json!({ "path": "swap/secret.txt" })).await);
        assert!(!read.contains("planted"), "{read}");
        let text = format!("inside {round}");
        world.call("write", json!({ "path": "swap/secret.txt", "content": text })).await;
        world.call("write", json!({ "path": "swap/new.txt", "content": text })).await;
        let found = said(&world.call("grep", json!({ "path": "swap", "pattern": "planted" })).await);
        assert!(!found.contains("secret.txt:"), "{found}");
    }
    done.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert_eq!(world.text("outer/secret.txt"), "planted");
    assert!(!world.path("outer/new.txt").exists());
}

#[tokio::test]
async fn a_file_that_is_swapped_for_a_link_while_it_is_edited_is_not_followed_out() {
    let world = Arc::new(world());
    let done = Arc::new(AtomicBool::new(false));
    let swapper = std::thread::spawn({
        let (done, file, outer, next) =
            (done.clone(), world.work("file.txt"), world.path("secret.txt"), world.work("next"));
        move || {
            while !done.load(Ordering::Relaxed) {
                std::fs::write(&next, "old").unwrap();
                std::fs::rename(&next, &file).unwrap();
                std::os::unix::fs::symlink(&outer, &next).unwrap();
                std::fs::rename(&next, &file).unwrap();
            }
        }
    });
    for _round in 0..150 {
        world.call("edit", json!({ "path": "file.txt", "oldText": "old", "newText": "new" })).await;
        world.call("write", json!({ "path": "file.txt", "content": "new" })).await;
    }
    done.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert_eq!(world.text("secret.txt"), "planted");
}

#[tokio::test]
async fn the_kernels_files_and_devices_are_refused_even_with_the_whole_machine_in_reach() {
    let world = world();
    link("/proc/self", world.work("proc"));
    link("/dev/zero", world.work("zero"));
    let paths = [
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd/Cargo.toml",
        "/proc/self/fd/0",
        "/proc/1/maps",
        "/proc/../proc/self/environ",
        "/sys/kernel/notes",
        "/dev/zero",
        "/dev/stdin",
        "/dev/fd/0",
        "proc/environ",
        "zero",
    ];
    for path in paths {
        for tool in ["read", "grep"] {
            let arguments = json!({ "path": path, "pattern": "x" });
            let reply = world.call_with(tool, arguments, FileReach::Machine).await;
            let text = said(&reply);
            assert!(!text.starts_with('+'), "{tool} {path}: {text}");
        }
        let arguments = json!({ "path": path, "content": "x" });
        let reply = world.call_with("write", arguments, FileReach::Machine).await;
        assert!(!said(&reply).starts_with('+'), "{path}");
    }
    for path in ["/proc", "/sys", "/dev", "/proc/self/fd"] {
        assert_refused(&world.call_with("ls", json!({ "path": path }), FileReach::Machine).await);
    }
}

#[tokio::test]
async fn a_pipe_is_refused_and_never_waited_for() {
    let world = world();
    let made = std::process::Command::new("mkfifo").arg(world.work("pipe")).status().unwrap();
    assert!(made.success());
    for files in [FileReach::Workspace, FileReach::Machine] {
        assert_refused(&world.call_with("read", json!({ "path": "pipe" }), files).await);
        let found = world.call_with("grep", json!({ "pattern": "inside" }), files).await;
        assert_eq!(said(&found), "+a.txt:1: inside");
        let write = world.call_with("write", json!({ "path": "pipe", "content": "x" }), files).await;
        assert!(said(&write).starts_with('-'), "{write:?}");
    }
}

#[tokio::test]
async fn paths_that_no_file_system_has_are_told_and_nothing_breaks() {
    let world = world();
    let long_part = "a".repeat(300);
    let long_path = "a/".repeat(3000);
    for path in ["", " ", "a\0b", "/etc/passwd\0.txt", &long_part, &long_path, "a.txt/b"] {
        for files in [FileReach::Workspace, FileReach::Machine] {
            let reply = world.call_with("read", json!({ "path": path }), files).await;
            assert!(!said(&reply).starts_with('+'), "{path}");
            let reply = world.call_with("write", json!({ "path": path, "content": "x" }), files).await;
            assert!(!said(&reply).starts_with('+'), "{path}");
        }
    }
}

#[tokio::test]
async fn with_the_machine_in_reach_other_files_can_be_read_and_written() {
    let world = world();
    let path = world.path("secret.txt").display().to_string();
    for path in [path.as_str(), "../secret.txt", "~/secret.txt"] {
        let reply = world.call_with("read", json!({ "path": path }), FileReach::Machine).await;
        assert_eq!(said(&reply), "+planted");
    }
    let reply =
        world.call_with("write", json!({ "path": "~/x/y.txt", "content": "z" }), FileReach::Machine).await;
    assert!(said(&reply).starts_with('+'), "{reply:?}");
    assert_eq!(world.text("x/y.txt"), "z");
}

#[tokio::test]
async fn kept_output_can_be_read_but_not_changed() {
    let world = world();
    world.write(".openclaw/kept/long.txt", "all of it");
    let path = world.home.path().join(".openclaw/kept/long.txt").display().to_string();
    assert_eq!(said(&world.call("read", json!({ "path": path })).await), "+all of it");
    let write = world.call("write", json!({ "path": path, "content": "x" })).await;
    assert!(matches!(write, ToolReply::Refused(_)), "{write:?}");
}
