//! Every kind of line, as servers send it, with what it is in neutral words beside it: nothing for what is no message.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use openclaw_types::{AccountId, Inbound, UnixMillis};
use serde_json::Value;

use crate::irc::line::IrcLine;
use crate::irc::normalize::{IrcContext, inbound};

/// The names of the recorded lines.
pub(in crate::irc) static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let files = std::fs::read_dir(folder()).expect("the folder");
    let paths = files.map(|file| file.expect("a file").path());
    paths.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect()
});

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/irc/fixtures")
}

/// A recording and its meaning.
pub(in crate::irc) fn read(name: &str) -> Value {
    let file = std::fs::read(folder().join(format!("{name}.json"))).expect("a file");
    serde_json::from_slice(&file).expect("JSON")
}

/// What a line means to the nick `claw`. A line without an id of its own has the name of its recording.
pub(in crate::irc) fn meaning(name: &str, line: &str) -> Option<Inbound> {
    let line = IrcLine::read(line).expect("a line");
    let account = AccountId::new("default").expect("an id");
    let hearing = IrcContext { account: &account, nick: "claw", now: UnixMillis(5), serial: name.to_owned() };
    inbound(&line, &hearing).expect("ids in order")
}

#[test]
fn every_kind_of_line_means_what_is_written_beside_it() {
    for name in NAMES.iter() {
        let recorded = read(name);
        let told = meaning(name, recorded["line"].as_str().expect("a line"));
        assert_eq!(serde_json::to_value(told).expect("JSON"), recorded["inbound"], "{name}");
    }
    assert!(NAMES.len() >= 27, "{} lines", NAMES.len());
}
