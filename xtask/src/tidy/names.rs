//! Names that say nothing, and names of platforms and vendors where they do not belong.

use super::tree::File;

const EMPTY_NAMES: &[&str] = &[
    "utils", "util", "helpers", "helper", "common", "manager", "misc", "core", "v2", "part2", "inner", "impl",
];

/// Names that only their own folder may hold as a literal.
const PLATFORMS_AND_VENDORS: &[&str] = &[
    "telegram",
    "whatsapp",
    "discord",
    "slack",
    "imessage",
    "msteams",
    "mattermost",
    "googlechat",
    "feishu",
    "bluebubbles",
    "anthropic",
    "openai",
    "gemini",
    "ollama",
    "openrouter",
    "mistral",
    "groq",
    "deepseek",
    "minimax",
    "moonshot",
];

/// Where such a name may stand, with the reason.
const HOMES: &[(&str, &str)] = &[
    ("crates/channels/", "the platforms themselves"),
    ("crates/providers/", "the vendors themselves"),
    ("crates/config/src/sections/", "keys of the configuration that carry a platform's or vendor's name"),
    ("crates/config/src/schema/", "labels of those keys"),
    ("crates/config/src/read/legacy/", "old keys that carried a platform's name"),
    ("crates/config/src/validate/unused.rs", "keys that only one platform has a use for"),
    ("crates/tools/src/web/search/", "the search services themselves"),
    ("crates/types/src/session_key/", "forms of session keys that carry a vendor's name"),
    ("crates/types/src/transcript/", "values of the transcript format"),
    ("crates/protocol/src/methods/", "values that methods name"),
    ("crates/ports/src/model/api.rs", "the protocols' own names"),
    ("crates/ports/src/model/alias.rs", "other names of vendors"),
    ("crates/cli/src/commands/models/", "commands that are about one vendor, and examples"),
    ("crates/testkit/src/telegram_fake/", "the platform's own words, said by its fake"),
    ("crates/testkit/src/discord_fake/", "the fake of a platform"),
    ("crates/testkit/examples/", "fakes as programs"),
    ("crates/testkit/src/slack_fake/", "the platform's own words, said by its fake"),
    ("bench/src/decoders/", "the recorded answers that are measured"),
    ("fuzz/src/renderings.rs", "which strict reader is whose"),
    ("xtask/", "this list"),
];

pub(super) fn check(tree: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in tree.iter().filter(|file| file.is_rust()) {
        let stem = file.name().trim_end_matches(".rs");
        if EMPTY_NAMES.contains(&stem) {
            complaints.push(format!("{}: name the file after what it decides or does", file.path));
        }
        if !file.is_test() && !HOMES.iter().any(|(home, _)| file.path.starts_with(home)) {
            complaints.extend(foreign_names(file));
        }
    }
    complaints
}

fn foreign_names(file: &File) -> Vec<String> {
    let mut complaints = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        for literal in line.split('"').skip(1).step_by(2) {
            let literal = literal.to_lowercase();
            for name in PLATFORMS_AND_VENDORS.iter().filter(|name| literal.contains(*name)) {
                complaints.push(format!("{}:{}: '{name}' belongs to its own folder", file.path, index + 1));
            }
        }
    }
    complaints
}
