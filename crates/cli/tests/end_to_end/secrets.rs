//! No command prints a secret, and the gateway writes none: planted ones are looked for in all output and every file.
//!
//! `cargo xtask test` searches what all other tests produced in the same way.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use openclaw_testkit::planted_secret;

use crate::world::World;

/// Commands that come near secrets. Whether they succeed is the business of other tests.
const COMMANDS: &[&[&str]] = &[
    &["health"],
    &["status", "--all"],
    &["status", "--json"],
    &["gateway", "status", "--json"],
    &["gateway", "probe", "--json"],
    &["gateway", "call", "config.get", "--json"],
    &["gateway", "call", "models.list", "--json"],
    &["gateway", "call", "no.such.method"],
    &["models", "list", "--all"],
    &["models", "list", "--json"],
    &["models", "status"],
    &["models", "status", "--json"],
    &["models", "test", "house/m"],
    &["models", "set", "house/m"],
    &["doctor"],
    &["logs", "--plain"],
];

/// Whether a file is what the person wrote, or a copy of it: there their secrets stand as they wrote them.
fn is_configuration(file: &Path) -> bool {
    let name = file.file_name().unwrap().to_string_lossy();
    name == "openclaw.json" || name == "last-good-config.json5" || name.starts_with("openclaw.json.bak")
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, files);
        } else if path.is_file() {
            files.push(path);
        }
    }
}

#[test]
fn no_secret_is_printed_or_written() {
    let world = World::new();
    let (token, key, header) = (planted_secret("token"), planted_secret("key"), planted_secret("header"));
    let config = format!(
        "{{ gateway: {{ auth: {{ token: '{token}' }} }}, models: {{ providers: {{ house: {{
            baseUrl: 'http://127.0.0.1:9/v1', api: 'openai-completions', apiKey: '{key}',
            headers: {{ 'x-house': '{header}' }}, models: [{{ id: 'm', name: 'M' }}],
        }} }} }} }}"
    );
    world.write("openclaw.json", &config);
    let gateway = world.start_gateway(&[]);
    let url = format!("ws://127.0.0.1:{}", gateway.port());
    let wrong = planted_secret("wrong");
    let mut commands: Vec<Vec<&str>> = COMMANDS.iter().map(|command| command.to_vec()).collect();
    commands.push(vec!["gateway", "call", "health", "--url", &url, "--token", &wrong]);
    for command in commands {
        let outcome = world.run_with(&command, &[("OPENAI_API_KEY", &key), ("ANTHROPIC_API_KEY", &key)]);
        let shown = outcome.stdout + &outcome.stderr;
        assert!(!shown.contains("planted-"), "{command:?} printed a secret");
    }
    assert_eq!(gateway.stop(), Some(0));
    let mut files = Vec::new();
    files_below(world.home(), &mut files);
    assert!(files.len() > 1, "{files:?}");
    let mut excused = Vec::new();
    for file in files {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        if !text.contains("planted-") {
            continue;
        }
        assert!(is_configuration(&file), "{} holds a secret", file.display());
        let mode = std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.display());
        excused.push(file.file_name().unwrap().to_string_lossy().into_owned());
    }
    excused.sort();
    assert_eq!(excused, ["last-good-config.json5", "openclaw.json", "openclaw.json.bak"]);
}
