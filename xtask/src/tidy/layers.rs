//! Which crate may see which: the table of ARCHITECTURE.md, checked against what cargo resolves.
//!
//! A new edge is a design change: it gets a line here, its own commit and a page in `docs/decisions/`.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

use crate::shell::root;

/// Crate, and what it may depend on. Development dependencies are free, `testkit` may be nothing else.
const LAYERS: &[(&str, &[&str])] = &[
    ("types", &[]),
    ("schema", &[]),
    ("ports", &["types"]),
    ("protocol", &["types", "schema"]),
    ("config", &["types", "schema", "ports"]),
    ("stores", &["types", "ports", "config"]),
    ("providers", &["types", "ports", "config"]),
    ("tools", &["types", "ports", "config"]),
    ("channels", &["types", "ports", "config"]),
    ("session", &["types", "ports", "config"]),
    ("inbound", &["types", "config"]),
    ("delivery", &["types"]),
    ("exec", &["types", "ports", "config"]),
    ("agent", &["types", "ports", "config", "session"]),
    ("flow", &["types", "ports", "config", "session", "inbound", "delivery", "exec", "agent"]),
    (
        "gateway",
        &[
            "types", "schema", "ports", "protocol", "config", "session", "inbound", "delivery", "exec",
            "agent", "flow",
        ],
    ),
    ("client", &["types", "ports", "protocol"]),
    (
        "app",
        &[
            "types",
            "ports",
            "protocol",
            "config",
            "stores",
            "providers",
            "tools",
            "channels",
            "session",
            "exec",
            "agent",
            "flow",
            "gateway",
        ],
    ),
    (
        "cli",
        &[
            "types",
            "schema",
            "ports",
            "protocol",
            "config",
            "stores",
            "providers",
            "session",
            "exec",
            "agent",
            "flow",
            "gateway",
            "client",
            "app",
        ],
    ),
    ("testkit", &["types", "ports", "providers"]),
    ("xtask", &["config", "protocol"]),
    ("bench", &["agent", "config", "flow", "ports", "providers", "session", "stores", "testkit", "types"]),
    ("fuzz", &["types", "ports", "providers", "channels", "delivery", "testkit"]),
];

pub(super) fn check() -> anyhow::Result<Vec<String>> {
    let metadata = MetadataCommand::new().no_deps().current_dir(root()).exec()?;
    let table: BTreeMap<&str, BTreeSet<&str>> =
        LAYERS.iter().map(|(name, sees)| (*name, sees.iter().copied().collect())).collect();
    let mut complaints = Vec::new();
    for package in &metadata.packages {
        let name = short(&package.name);
        let Some(allowed) = table.get(name) else {
            complaints.push(format!("crate {name} is not in the layer table (xtask/src/tidy/layers.rs)"));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|each| each.path.is_some()) {
            let other = short(&dependency.name);
            if dependency.kind != DependencyKind::Development && !allowed.contains(other) {
                complaints.push(format!("{name} must not depend on {other}"));
            }
        }
    }
    Ok(complaints)
}

fn short(package: &str) -> &str {
    match package {
        "openclaw" => "cli",
        other => other.strip_prefix("openclaw-").unwrap_or(other),
    }
}
