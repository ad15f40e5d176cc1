//! Licences, sources and banned crates, after `deny.toml`.
//!
//! The file is the one `cargo deny` reads, and where that tool is installed it is used. Elsewhere the three checks
//! that need no network are made here, so that a fresh machine need not compile a tool of four hundred crates first.

use std::collections::BTreeSet;

use anyhow::{Context, bail};
use cargo_metadata::{MetadataCommand, Package};

use crate::shell::{cargo, exists, root};

pub(crate) fn run() -> anyhow::Result<()> {
    if exists("cargo-deny", "--version") {
        return cargo(&["deny", "check", "licenses", "bans", "sources"]);
    }
    let text = std::fs::read_to_string(root().join("deny.toml")).context("deny.toml cannot be read")?;
    let rules: toml::Table = text.parse().context("deny.toml is not TOML")?;
    let allowed = texts(&rules, "licenses", "allow");
    let banned = banned(&rules);
    let metadata =
        MetadataCommand::new().current_dir(root()).other_options(vec!["--locked".to_owned()]).exec()?;
    let mut problems = Vec::new();
    for package in metadata.packages.iter().filter(|package| package.source.is_some()) {
        problems.extend(judge(package, &allowed, &banned));
    }
    if problems.is_empty() {
        return Ok(());
    }
    bail!("{}", problems.join("\n"))
}

fn judge(package: &Package, allowed: &BTreeSet<String>, banned: &BTreeSet<String>) -> Vec<String> {
    let mut problems = Vec::new();
    let name = format!("{} {}", package.name, package.version);
    if banned.contains(package.name.as_str()) {
        problems.push(format!("{name} is banned by deny.toml"));
    }
    if package.source.as_ref().is_none_or(|source| !source.is_crates_io()) {
        problems.push(format!("{name} does not come from the registry"));
    }
    let expression = package.license.clone().unwrap_or_default();
    if !satisfied(&expression, allowed) {
        problems.push(format!("{name} has the licence '{expression}', which deny.toml does not allow"));
    }
    problems
}

fn texts(rules: &toml::Table, section: &str, key: &str) -> BTreeSet<String> {
    let list = rules.get(section).and_then(|section| section.get(key)).and_then(toml::Value::as_array);
    list.into_iter().flatten().filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

fn banned(rules: &toml::Table) -> BTreeSet<String> {
    let list = rules.get("bans").and_then(|section| section.get("deny")).and_then(toml::Value::as_array);
    list.into_iter().flatten().filter_map(|entry| entry.get("name")?.as_str().map(str::to_owned)).collect()
}

/// Whether a licence expression can be met with the allowed licences. `/` is the old way to write OR.
fn satisfied(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, at: 0, allowed };
    let met = reader.any();
    met && reader.at == words.len()
}

struct Reader<'a> {
    words: &'a [&'a str],
    at: usize,
    allowed: &'a BTreeSet<String>,
}

impl Reader<'_> {
    fn any(&mut self) -> bool {
        let mut met = self.all();
        while self.take("OR") {
            met |= self.all();
        }
        met
    }

    fn all(&mut self) -> bool {
        let mut met = self.one();
        while self.take("AND") {
            met &= self.one();
        }
        met
    }

    fn one(&mut self) -> bool {
        if self.take("(") {
            let met = self.any();
            return self.take(")") && met;
        }
        let Some(name) = self.words.get(self.at) else { return false };
        self.at += 1;
        let mut name = (*name).to_owned();
        if self.take("WITH")
            && let Some(exception) = self.words.get(self.at)
        {
            self.at += 1;
            name = format!("{name} WITH {exception}");
        }
        self.allowed.contains(&name)
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at).is_some_and(|next| *next == word);
        self.at += usize::from(found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::satisfied;

    #[test]
    fn licence_expressions_are_read_as_their_standard_says() {
        let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned).into();
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("MIT OR GPL-3.0", true),
            ("GPL-3.0/MIT", true),
            ("MIT AND GPL-3.0", false),
            ("MIT AND (GPL-3.0 OR ISC)", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0 WITH other", false),
            ("", false),
            ("MIT MIT", false),
        ] {
            assert_eq!(satisfied(expression, &allowed), expected, "for {expression:?}");
        }
    }
}
